#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/scenario.h"
#include "sim/workload/result.h"

namespace tradewind::validation {

/// What facts can be about: every metric by its name (interface.md), and
///   max_batch                    the largest static batch that fits
///   prefill_communication_share  exposed communication of the prefill over TTFT
///   exposed_reduce_scatter_ms    what the reduce-scatters add to the device's own work
///   without_all_gather_ms        makespan less what the all-gathers add: a block whose input every
///                                rank holds already
///   paper_tokens_per_s           TPS of arXiv 2603.05692, section 3: sequences in flight x output
///                                tokens / (prefill pass + output tokens x decode pass)
const std::vector<std::string>& quantity_names();

/// REQUIRES: `name` is one of quantity_names(). Nothing where the result has no such number.
std::optional<double> quantity(const std::string& name, const scenario::Scenario& scenario,
                               const workload::Result& result);

}  // namespace tradewind::validation
