#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/catalogue.h"
#include "sim/scenario/scenario.h"

namespace tradewind::validation {

/// One figure that was measured, by the metric's name (workload::metric_fields()).
struct Measurement {
  std::string metric;
  double value = 0;
  double uncertainty = 0;           ///< relative spread of the measurement itself
  std::optional<double> tolerance;  ///< of relative error, as the point or its trace states it
};

/// One configuration that ran on silicon.
struct TracePoint {
  std::string id;     ///< unique among all points read together
  std::string group;  ///< points whose errors are summed up together
  std::string split;  ///< "fit": may be used to choose coefficients; "check": never
  scenario::Scenario scenario;
  std::vector<Measurement> measured;
  std::string source;  ///< who measured it
  std::string place;   ///< "file:line" or "file: /points/3"
};

/// What is in a trace but can't be compared, and why.
struct Skipped {
  std::string id;      ///< of the point; the file where the whole file is passed over
  std::string reason;  ///< one line
};

/// Points of traces in the order read.
struct Traces {
  std::vector<TracePoint> points;
  std::vector<Skipped> skipped;
};

/// Points of one trace: a JSON document, or JSONL with one point a line (`is_lines`). Strict:
/// throws InputError for a member that looks like a known one misspelt, a metric that tradewind
/// does not have, a figure that is not positive, a scenario that can't be read. A scenario that
/// interface.md allows and tradewind does not simulate yet is skipped. Descriptive members
/// ("published" ...) are passed over.
Traces parse_trace(std::string_view text, const std::string& file, bool is_lines,
                   scenario::Catalogue& catalogue);

/// All points of those files (`-` is stdin; *.jsonl holds lines). Throws InputError, naming both
/// places, when two points have the same id.
Traces read_traces(const std::vector<std::string>& files, scenario::Catalogue& catalogue);

}  // namespace tradewind::validation
