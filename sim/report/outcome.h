#pragma once

#include <optional>
#include <span>
#include <string>

#include "sim/scenario/scenario.h"
#include "sim/workload/result.h"

namespace tradewind::report {

/// A metric as pages show it: times `scale`, before `unit`.
struct OutcomeFigure {
  const char* label;
  std::optional<double> workload::Metrics::*member;
  double scale;
  const char* unit;
};

/// The section that opens the page of a run: those of the figures that it has, why it is infeasible
/// if it is, its notes.
std::string outcome_section(std::span<const OutcomeFigure> figures, const workload::Result& result);

/// "system · cluster · plan · workload", below the title.
std::string outcome_subject(const scenario::Scenario& scenario);

}  // namespace tradewind::report
