#include "sim/scenario/overlap_sites.h"

#include "sim/scenario/block_layer.h"

namespace tradewind::scenario {
namespace {

const Block* block_of(const Scenario& scenario) {
  return std::get_if<Block>(&scenario.workload);
}

bool has_attention(const Scenario& scenario) {
  const BlockPart attention = BlockPart::attention;
  if (!layer_of_block(*scenario.model, attention)) return false;
  const Block* block = block_of(scenario);
  return block == nullptr || block->part == attention || block->part == BlockPart::transformer;
}

bool has_backward_pass(const Scenario& scenario) {
  const Block* block = block_of(scenario);
  if (std::holds_alternative<Training>(scenario.workload)) return true;
  return block != nullptr && block->pass == BlockPass::forward_backward;
}

}  // namespace

std::string no_collective_reason(const Scenario& scenario, OverlapSite site) {
  const Plan& plan = scenario.plan;
  switch (site) {
    case OverlapSite::row_parallel:
      return plan.tp == 1 ? "tp is 1" : "";
    case OverlapSite::column_parallel:
      if (plan.tp == 1) return "tp is 1";
      if (plan.sequence_parallel || has_backward_pass(scenario)) return "";
      return "without sequence_parallel every device has the whole input of a forward pass";
    case OverlapSite::attention_query_split:
      if (!has_attention(scenario)) return "there is no attention";
      return plan.tp == 1 ? "tp is 1" : "";
    case OverlapSite::all_to_all:
      if (!has_attention(scenario)) return "there is no attention";
      return plan.ulysses == 1 ? "ulysses is 1" : "";
    case OverlapSite::data_parallel:
      if (!has_backward_pass(scenario)) return "a forward pass has no gradients to reduce";
      return plan.dp == 1 ? "dp is 1" : "";
  }
  return "";
}

bool is_taken_apart_in_training(OverlapSite site) {
  return site == OverlapSite::row_parallel || site == OverlapSite::column_parallel;
}

bool is_defined_at(std::string_view strategy, OverlapSite site) {
  if (strategy == "vanilla") return false;
  return site != OverlapSite::attention_query_split || strategy == "flash";
}

bool overlaps_at(const Scenario& scenario, OverlapSite site) {
  const Overlap& overlap = scenario.plan.overlap;
  if (std::holds_alternative<Training>(scenario.workload) && !is_taken_apart_in_training(site)) {
    return false;
  }
  return is_defined_at(overlap.strategy, site) && overlap.covers(site) &&
         no_collective_reason(scenario, site).empty();
}

bool slices_tokens(const Scenario& scenario, PassKind kind) {
  using enum OverlapSite;
  if (overlaps_at(scenario, row_parallel) || overlaps_at(scenario, column_parallel)) return true;
  if (kind == PassKind::decode) return false;
  return overlaps_at(scenario, attention_query_split) || overlaps_at(scenario, all_to_all);
}

int slice_count(const Plan& plan) {
  constexpr int kSlicing = 4;
  const Overlap& overlap = plan.overlap;
  if (overlap.slices > 0) return overlap.slices;
  if (overlap.strategy == "vanilla") return 1;
  return overlap.strategy == "slicing" ? kSlicing : plan.group();
}

}  // namespace tradewind::scenario
