#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/scenario/serving.h"

namespace tradewind::scenario {

/// Turns the block hashes of Mooncake's traces (FAST'25: one a block of 512 tokens, of the block
/// with all before it) into shared prefixes. Two kinds of group come out of them:
/// - a conversation, in which each request continues the whole of the one before: its members have
///   all their full blocks as prefix;
/// - siblings, which part after the same block: they have what is before it as prefix.
/// A request is in one group only. What it shares with a second one (a system prompt ahead of a
/// conversation) does not count, nor does a block that is not full, so hits are never overstated.
class PrefixGroups {
 public:
  /// The hashes of the next request, in the order of the file.
  void add(std::span<const std::int64_t> hashes, std::int64_t input_tokens);

  /// Sets prefix and prefix_tokens. REQUIRES: as many requests as were added.
  void assign(std::vector<Request>& requests) const;

 private:
  struct Block {
    std::int32_t first;      ///< request that had it first
    std::int32_t last = -1;  ///< request whose last full block it is
  };
  struct Row {
    std::int64_t shared_block = 0;  ///< the last one that an earlier request had
    std::int32_t shared = 0;        ///< blocks that an earlier request had
    std::int32_t blocks = 0;        ///< full ones
    std::int32_t continued = -1;    ///< the request of the same conversation before it
    bool is_continued = false;      ///< a later request has all its blocks
    bool is_extended = false;       ///< and more
  };

  std::int32_t continued_by(const Row& row) const;

  std::unordered_map<std::int64_t, Block> blocks_;
  std::vector<Row> rows_;
};

}  // namespace tradewind::scenario
