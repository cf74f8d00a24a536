#pragma once

#include <utility>
#include <vector>

#include "sim/lowering/overlap/program.h"

namespace tradewind::lowering {

/// The rank that is `by` (also below zero) further round the circle of `ranks`.
inline int around(int rank, int by, int ranks) {
  return ((rank + by) % ranks + ranks) % ranks;
}

/// Writes the program of one rank. Every member that appends says at which place. Programs of one
/// shape are alike, so the same place holds the same operation of every other rank: that is how a
/// rank names what its peers do.
class ProgramWriter {
 public:
  using After = std::vector<OpRef>;

  ProgramWriter(const ProgramShape& shape, int rank) : ranks_(shape.ranks), rank_(rank) {}

  int compute(int slice, After after = {}) {
    return append({OpKind::compute, slice, -1, 0, std::move(after)});
  }
  int add(int slice, After after) { return append({OpKind::add, slice, -1, 0, std::move(after)}); }
  int send(int slice, int peer, int lane, After after = {}) {
    return append({OpKind::send, slice, peer, lane, std::move(after)});
  }
  int collective(int slice, After after = {}) {
    return append({OpKind::collective, slice, -1, 0, std::move(after)});
  }
  int barrier(After after) { return append({OpKind::barrier, 0, -1, 0, std::move(after)}); }

  /// What this rank does at `place`.
  After own(int place) const { return {{rank_, place}}; }
  /// What every rank does at these places.
  After of_all_ranks(const std::vector<int>& places) const {
    After all;
    for (int rank = 0; rank < ranks_; ++rank) {
      for (const int place : places) all.push_back({rank, place});
    }
    return all;
  }

  Program take() { return std::move(program_); }

 private:
  int append(Op op) {
    program_.push_back(std::move(op));
    return static_cast<int>(program_.size()) - 1;
  }

  int ranks_;
  int rank_;
  Program program_;
};

}  // namespace tradewind::lowering
