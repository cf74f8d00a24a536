#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/scenario.h"
#include "sim/workload/limits.h"
#include "sim/workload/result.h"
#include "sim/workload/run.h"

namespace tradewind::study {

/// One scenario under one overlap strategy.
struct Compared {
  std::string label;  ///< "flash", or "flash:16" where slices were asked for
  scenario::Scenario scenario;
  workload::Result result;
  std::vector<workload::PassLimits> limits;  ///< empty where nothing was simulated
};

/// One scenario under several overlap strategies, and which of them the others are measured
/// against: vanilla, else the first.
struct Comparison {
  std::vector<Compared> strategies;
  std::size_t reference = 0;
};

/// What `--compare` names: "vanilla,slicing,flash:16", aliases allowed, `:16` = that many slices.
/// `of_plan` gives sites, transport and order; slices too, where the strategy is the plan's own.
/// Throws InputError on an unknown, repeated or missing name.
std::vector<scenario::Overlap> read_strategies(std::string_view list,
                                               const scenario::Overlap& of_plan);

/// REQUIRES: at least one strategy.
Comparison compare(const scenario::Scenario& scenario,
                   const std::vector<scenario::Overlap>& strategies,
                   const workload::RunOptions& options = {});

/// What strategies are compared by: the time to first token, the makespan of a block.
std::optional<double> latency_ms(const workload::Result& result);

/// 1 - latency (or exposed communication) / the reference's; none where either is unknown or the
/// reference's is 0.
std::optional<double> latency_reduction(const Comparison& comparison, std::size_t strategy);
std::optional<double> exposed_reduction(const Comparison& comparison, std::size_t strategy);

}  // namespace tradewind::study
