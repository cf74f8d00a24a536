// The summary of MLPerf inference's LoadGen (mlcommons/inference, loadgen/results.cc), the text
// mlperf_log_summary.txt: lines `Name : value`.
//
//   Scenario                          Offline (all at once), Server (Poisson), SingleStream (one
//                                     after the other)
//   Result is                         must be VALID; Mode must be PerformanceOnly
//   [Completed] samples per second    Offline and Server, in samples/s
//   [Completed] tokens per second     with token latencies, output tokens/s
//   Mean latency (ns), Mean First Token latency (ns), Mean Time to Output Token (ns), and
//   NN.NN percentile of each          in ns
//   target_qps, samples_per_query, min_query_count    the load
//
// Lengths are not in it: the scenario gives them. Where only samples per second are given, output
// tokens per second are those times the scenario's output_tokens.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "validation/import/formats.h"
#include "validation/import/measured_run.h"
#include "validation/import/records.h"

namespace tradewind::validation {
namespace {

constexpr double kMsPerNs = 1e-6;

std::string trimmed(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The lines of a summary by their names in lower case.
class Summary {
 public:
  Summary(std::string_view text, std::string file) : file_(std::move(file)) {
    for (int line = 1; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view one = text.substr(0, end);
      if (const std::size_t colon = one.find(':'); colon != std::string_view::npos) {
        lines_.emplace(lower(trimmed(one.substr(0, colon))),
                       Line{line, trimmed(one.substr(colon + 1))});
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  std::string required(const std::string& name) const {
    const auto found = lines_.find(name);
    if (found == lines_.end()) {
      throw InputError(
          file_, "",
          fmt::format("has no line \"{}\": is it a whole mlperf_log_summary.txt?", name));
    }
    return found->second.value;
  }

  std::optional<double> figure(const std::string& name) const {
    const auto found = lines_.find(name);
    if (found == lines_.end()) return std::nullopt;
    const std::string& text = found->second.value;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0)) {
      fail(name, fmt::format("found \"{}\", expected a number of at least 0", text));
    }
    return value;
  }

  [[noreturn]] void fail(const std::string& name, const std::string& message) const {
    throw InputError(fmt::format("{}:{}", file_, lines_.at(name).number), "",
                     fmt::format("\"{}\": {}", name, message));
  }

 private:
  struct Line {
    int number;
    std::string value;
  };
  std::string file_;
  std::map<std::string, Line> lines_;
};

void check_valid(const Summary& summary) {
  if (summary.required("mode") != "PerformanceOnly") {
    summary.fail("mode", "found " + summary.required("mode") +
                             ", expected PerformanceOnly: other runs measure no speed");
  }
  if (summary.required("result is") != "VALID") {
    summary.fail("result is", "found " + summary.required("result is") + ", expected VALID");
  }
}

std::optional<double> first_of(const Summary& summary, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (const auto value = summary.figure(name)) return value;
  }
  return std::nullopt;
}

std::optional<double> samples_per_s(const Summary& summary) {
  return first_of(summary, {"samples per second", "completed samples per second"});
}

Load load_of(const Summary& summary) {
  const std::string scenario = summary.required("scenario");
  constexpr double kAtOnce = std::numeric_limits<double>::infinity();
  if (scenario == "Offline") {
    return {.requests = summary.figure("samples_per_query"), .requests_per_s = kAtOnce};
  }
  const auto queries = summary.figure("min_query_count");
  if (scenario == "Server") {
    return {.requests = queries,
            .requests_per_s = first_of(summary, {"scheduled samples per second", "target_qps",
                                                 "completed samples per second"})};
  }
  if (scenario == "SingleStream") {
    return {.requests = queries, .concurrency = 1, .requests_per_s = kAtOnce};
  }
  summary.fail("scenario",
               fmt::format("found {}, expected Offline, Server or SingleStream", scenario));
}

void add_latencies(const Summary& summary, const Load& load, MeasuredRun& run) {
  run.add("ttft_ms", summary.figure("mean first token latency (ns)"), kMsPerNs);
  run.add("tpot_ms", summary.figure("mean time to output token (ns)"), kMsPerNs);
  // An Offline sample's latency is counted from the one query that holds them all: as ours.
  run.add("e2e_latency_ms", summary.figure("mean latency (ns)"), kMsPerNs);
  if (load.concurrency) return;
  for (const int percent : {50, 90, 99}) {
    const auto of = [&](const char* what) {
      return summary.figure(fmt::format("{}.00 percentile {} (ns)", percent, what));
    };
    run.add(fmt::format("ttft_ms_p{}", percent), of("first token latency"), kMsPerNs);
    run.add(fmt::format("tpot_ms_p{}", percent), of("time to output token"), kMsPerNs);
  }
}

/// The scenario's own output length, where it is one number.
std::optional<double> scenario_output_tokens(const ImportRequest& request) {
  if (request.scenario.empty()) return std::nullopt;
  const json::Document document = json::Document::load(request.scenario);
  for (const char* pointer : {"/workload/output_tokens", "/workload/requests/output_tokens"}) {
    const nlohmann::json::json_pointer place(pointer);
    if (!document.value().is_object() || !document.value().contains(place)) continue;
    if (document.value()[place].is_number()) return document.value()[place].get<double>();
  }
  return std::nullopt;
}

void add_throughput(const Summary& summary, const ImportRequest& request, MeasuredRun& run) {
  if (const auto tokens = first_of(summary, {"tokens per second", "completed tokens per second"})) {
    run.add("output_tokens_per_s", tokens);
    return;
  }
  const auto samples = samples_per_s(summary);
  const auto length = scenario_output_tokens(request);
  if (!samples || !length) return;
  run.add("output_tokens_per_s", *samples * *length);
  run.notes.push_back(fmt::format("{:g} samples per second of the scenario's {:g} output tokens",
                                  *samples, *length));
}

}  // namespace

Imported import_mlperf(std::istream& in, const ImportRequest& request) {
  const Summary summary(read_text(in, request.name()), request.name());
  check_valid(summary);
  MeasuredRun run;
  run.load = load_of(summary);
  add_latencies(summary, *run.load, run);
  add_throughput(summary, request, run);
  run.notes.push_back("Scenario " + summary.required("scenario"));
  return trace_of({run}, "mlperf", request);
}

}  // namespace tradewind::validation
