#include "sim/scenario/overlap_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/scenario/overlap_sites.h"
#include "sim/scenario/pass_tokens.h"

namespace tradewind::scenario {
namespace {

bool has_any_collective(const Scenario& scenario) {
  return std::any_of(kOverlapSites.begin(), kOverlapSites.end(), [&](OverlapSite site) {
    return no_collective_reason(scenario, site).empty();
  });
}

bool overlaps_anything(const Scenario& scenario) {
  return std::any_of(kOverlapSites.begin(), kOverlapSites.end(),
                     [&](OverlapSite site) { return overlaps_at(scenario, site); });
}

/// About a site that `on` names; empty if it does what it says.
std::string site_note(const Scenario& scenario, OverlapSite site) {
  const Overlap& overlap = scenario.plan.overlap;
  const std::string_view name = kOverlapSiteNames[static_cast<std::size_t>(site)];
  if (const std::string reason = no_collective_reason(scenario, site); !reason.empty()) {
    return fmt::format("overlap: {} has no collective to hide: {}", name, reason);
  }
  if (overlaps_at(scenario, site)) return {};
  if (std::holds_alternative<Training>(scenario.workload) && !is_taken_apart_in_training(site)) {
    return fmt::format("overlap: a training step takes {} apart for no strategy{}", name,
                       site == OverlapSite::data_parallel
                           ? ": the runtime says whether it runs beside computation"
                           : "");
  }
  return fmt::format("overlap: {} is defined for flash only, {} leaves attention whole", name,
                     overlap.strategy);
}

void add_site_notes(const Scenario& scenario, std::vector<std::string>& notes) {
  const Plan& plan = scenario.plan;
  if (plan.overlap.strategy == "vanilla") return;
  if (!has_any_collective(scenario)) {
    notes.push_back(fmt::format(
        "overlap: {} has nothing to hide: the plan has no collective here (tp {}, ulysses {})",
        plan.overlap.strategy, plan.tp, plan.ulysses));
    return;
  }
  for (const OverlapSite site : kOverlapSites) {
    if (!plan.overlap.asks_for(site)) continue;
    if (std::string note = site_note(scenario, site); !note.empty()) notes.push_back(note);
  }
  if (!overlaps_anything(scenario)) {
    notes.push_back(fmt::format("overlap: {} takes nothing apart here: the result is vanilla's",
                                plan.overlap.strategy));
  }
}

std::string padding_note(const PassTokens& pass, int parts, std::string_view what) {
  const std::int64_t rows = (pass.tokens + parts - 1) / parts;
  return fmt::format("{}: {} tokens are padded to {} ({} {} of {})", pass.name(), pass.tokens,
                     rows * parts, parts, what, rows);
}

/// Lowering leaves a pair whole that has fewer rows than slices.
std::string too_few_note(const Scenario& scenario, const PassTokens& pass, int slices) {
  return fmt::format("{}: {} tokens are fewer than the {} slices of {}: it runs as with vanilla",
                     pass.name(), pass.tokens, slices, scenario.plan.overlap.strategy);
}

void add_token_notes(const Scenario& scenario, std::vector<std::string>& notes) {
  const Plan& plan = scenario.plan;
  const int shards = plan.sequence_parallel ? plan.group() : plan.ulysses;
  for (const PassTokens& pass : pass_tokens(scenario)) {
    const int slices = slices_tokens(scenario, pass.kind) ? slice_count(plan) : 1;
    if (pass.tokens < slices) {
      notes.push_back(too_few_note(scenario, pass, slices));
    } else if (pass.tokens % slices != 0) {
      notes.push_back(padding_note(pass, slices, "slices"));
      continue;
    }
    if (pass.tokens % shards != 0) notes.push_back(padding_note(pass, shards, "sequence shards"));
  }
}

}  // namespace

std::vector<std::string> overlap_notes(const Scenario& scenario) {
  std::vector<std::string> notes;
  if (scenario.plan.sequence_parallel && scenario.plan.tp == 1) {
    notes.emplace_back("sequence_parallel has no effect: tp is 1");
  }
  add_site_notes(scenario, notes);
  if (!std::holds_alternative<Training>(scenario.workload)) add_token_notes(scenario, notes);
  return notes;
}

}  // namespace tradewind::scenario
