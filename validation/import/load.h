#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace tradewind::validation {

/// What a benchmark's result says of the load it made; what it does not say is none.
struct Load {
  std::optional<double> requests = std::nullopt;     ///< that were finished
  std::optional<double> concurrency = std::nullopt;  ///< requests in flight
  bool concurrency_is_mean = false;  ///< a measured mean, not the limit that was asked for
  std::optional<double> requests_per_s = std::nullopt;  ///< infinity: all sent at once
  std::optional<double> input_tokens = std::nullopt;    ///< mean of a request
  std::optional<double> output_tokens = std::nullopt;
};

/// Completes `scenario.workload` from the load. No workload: `serving`. The file's figures win over
/// the scenario's, except that distributions, datasets and request files stay, as does a batch or
/// arrival that the file knows only as a mean.
///   static_batch  batch = requests in flight, lengths = the means rounded to whole tokens
///   serving       requests.count and lengths; arrival poisson at a finite rate, closed_loop at a
///                 concurrency, burst without either limit
/// Throws InputError (in `file`, the scenario's) where the two can't be about the same run, or
/// where neither says how requests arrived or how long they were.
void complete_workload(nlohmann::ordered_json& scenario, const Load& load, const std::string& file);

}  // namespace tradewind::validation
