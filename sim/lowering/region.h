#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sim/kernels/book.h"
#include "sim/lowering/kernel.h"
#include "sim/lowering/overlap/strategy.h"
#include "sim/scenario/scenario.h"

namespace tradewind::lowering {

/// A computation and its collective, taken apart by an overlap strategy and priced: what every rank
/// of the group runs on its compute stream and its communication lanes. How long it takes is the
/// engine's to say, which shares compute units, HBM, power and links between the two.
struct Region {
  explicit Region(const Kernel& one_transfer) : transfer(one_transfer) {}

  Kernel transfer;  ///< one send, or one collective over one slice
  const Strategy* strategy = nullptr;
  ProgramShape shape;
  Program program;              ///< of rank 0, which stands for all
  std::vector<Kernel> compute;  ///< of one slice, one after the other
  std::vector<Kernel> add;      ///< of one slice; none where nothing is reduced
  Time barrier;                 ///< of all ranks
  bool copy_engines = false;    ///< transfers hold no compute unit
  /// What a computation loses of its speed while one transfer runs beside it: 1 - t(all units) /
  /// t(without those that the transfer holds), both from the kernels' own models (waves included).
  double units_taken = 0;
  double power_share = 0;      ///< of the device, by one transfer
  double transfer_weight = 1;  ///< against the computation's 1, where both want the same
  double hbm_bytes_per_s = 0;
  double link_bytes_per_s = 0;  ///< of one lane

  /// Launches of one rank.
  std::size_t launches() const;
};

/// Kernels of a region on one rank, in their order of issue, with how often each runs.
struct RegionKernel {
  const Kernel* kernel;
  int count;
};
std::vector<RegionKernel> kernels_of(const Region& region);

/// A pair before a strategy takes it apart.
struct PairSpec {
  Pair pair;
  KernelKind communication;  ///< the collective's
  double rows;               ///< tokens (of all ranks together) that the pair works on
  double bytes_per_row;      ///< of the collective's message, as kernels::CollectiveShape counts it
  double add_columns;        ///< of a row that is reduced; 0 where nothing is
  /// The kernels of `rows` of the rows, priced with a share of the compute units.
  std::function<Segment(double rows, double compute_units_free)> compute;
};

/// The collective that kernels of this kind run. REQUIRES: communication, not p2p.
kernels::CollectiveOp operation_of(KernelKind kind);

/// The collective of the pair over `rows` of its rows.
Kernel pair_collective(const scenario::Scenario& scenario, const kernels::Book& book,
                       const PairSpec& pair, double rows);

/// Appends the pair to the segment: as a region, or as it stands where the strategy is vanilla,
/// the plan does not name the site, or there are fewer rows than slices (runtimes fall back so).
/// Slices have ceil(rows / slices) rows, as runtimes pad for sequence parallelism.
void add_pair(Segment& segment, const scenario::Scenario& scenario, const kernels::Book& book,
              const PairSpec& pair, scenario::OverlapSite site);

/// The pair's computation over all rows, and beside it the pair's collective, which it does not
/// wait for: by kernels, or by copy engines straight between all pairs (no reduction then), as
/// plan.overlap.transport says.
std::shared_ptr<const Region> make_beside(const scenario::Scenario& scenario,
                                          const kernels::Book& book, const PairSpec& pair);

}  // namespace tradewind::lowering
