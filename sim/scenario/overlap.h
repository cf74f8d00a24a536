#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace tradewind::scenario {

/// Where a strategy may take a pair of computation and communication apart (interface.md,
/// overlap.on).
enum class OverlapSite {
  row_parallel,           ///< output and down projections, then reduce-scatter or all-reduce
  column_parallel,        ///< all-gather, then QKV and gate/up projections (sequence parallel)
  attention_query_split,  ///< attention with its output projection by query slices, then reduce
  all_to_all,             ///< attention by query slices, then Ulysses' all-to-all
  data_parallel,          ///< gradient reduction beside the backward pass
};
inline constexpr std::size_t kOverlapSiteCount = 5;
inline constexpr std::array<std::string_view, kOverlapSiteCount> kOverlapSiteNames = {
    "row_parallel", "column_parallel", "attention_query_split", "all_to_all", "data_parallel"};

/// What moves the bytes that run beside a computation.
enum class Transport {
  kernels,                   ///< communication kernels on a stream of high priority
  kernels_without_priority,  ///< they compete with the computation for compute units
  copy_engines,              ///< SDMA, CE: no compute unit, a later start
};
inline constexpr std::array<std::string_view, 3> kTransportNames = {
    "kernels", "kernels_without_priority", "copy_engines"};

/// In which order ranks exchange slices directly (arXiv 2604.24013, appendix A).
enum class PeerOrder {
  automatic,  ///< pairwise on a full mesh (each pair has its link), ring elsewhere
  ring,       ///< unidirectional: every slice passes from neighbour to neighbour
  pairwise,   ///< a tournament: every slice goes straight to where it belongs
};
inline constexpr std::array<std::string_view, 3> kPeerOrderNames = {"auto", "ring", "pairwise"};

/// Names of the strategies (lowering/overlap/strategy.h has one entry for each).
inline constexpr std::array<std::string_view, 4> kOverlapStrategyNames = {"vanilla", "slicing",
                                                                          "decompose", "flash"};

/// plan.overlap.
struct Overlap {
  std::string strategy = "vanilla";
  int slices = 0;  ///< 0 = the strategy's natural count
  /// Sites asked for by name; none asked for: all that apply.
  std::array<bool, kOverlapSiteCount> on{};
  Transport transport = Transport::kernels;
  PeerOrder order = PeerOrder::automatic;

  bool takes_apart() const { return strategy != "vanilla"; }
  bool asks_for(OverlapSite site) const { return on[static_cast<std::size_t>(site)]; }
  bool asks_for_any() const {
    for (const bool asked : on) {
      if (asked) return true;
    }
    return false;
  }
  bool covers(OverlapSite site) const { return !asks_for_any() || asks_for(site); }
};

}  // namespace tradewind::scenario
