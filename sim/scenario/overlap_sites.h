#pragma once

#include <array>
#include <string>
#include <string_view>

#include "sim/scenario/pass_tokens.h"
#include "sim/scenario/scenario.h"

namespace tradewind::scenario {

inline constexpr std::array<OverlapSite, kOverlapSiteCount> kOverlapSites = {
    OverlapSite::row_parallel, OverlapSite::column_parallel, OverlapSite::attention_query_split,
    OverlapSite::all_to_all, OverlapSite::data_parallel};

/// Why this plan and workload have no collective at that site; empty where they have one.
/// Tensor parallelism reduces behind row-parallel products (Shoeybi et al., arXiv 1909.08053) and
/// gathers before column-parallel ones with sequence parallelism (Korthikanti et al., arXiv
/// 2205.05198) or reduces their input gradients in a backward pass; Ulysses (Jacobs et al., arXiv
/// 2309.14509) exchanges around attention; replicas reduce gradients.
std::string no_collective_reason(const Scenario& scenario, OverlapSite site);

/// Of a training step, strategies take only the pairs of tensor parallelism apart: its
/// data-parallel collectives run as the runtime says, those of Ulysses whole.
bool is_taken_apart_in_training(OverlapSite site);

/// Whether the strategy takes pairs apart at that site, where a plan has one: vanilla nowhere,
/// query splitting by flash only (arXiv 2604.24013, algorithm 4).
bool is_defined_at(std::string_view strategy, OverlapSite site);

/// Whether plan.overlap takes the pair at that site apart here: a strategy other than vanilla, a
/// site it is defined for and that is not left out by `on`, and a collective to hide.
bool overlaps_at(const Scenario& scenario, OverlapSite site);

/// Whether it does so at some site that slices the tokens of such a pass. A decode step has one
/// query a sequence, so that its attention is not split; gradients have no tokens.
bool slices_tokens(const Scenario& scenario, PassKind kind);

/// Slices that the plan's strategy cuts the rows of a pass into: as asked for, else its natural
/// count: vanilla 1, slicing 4, decompose and flash one for each rank of the group.
int slice_count(const Plan& plan);

}  // namespace tradewind::scenario
