#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tradewind::scenario {

/// How many tokens a request has: one number, or a distribution of it (rounded to whole tokens, at
/// least 1).
struct Length {
  enum class Kind { fixed, uniform, normal, lognormal, exponential };
  Kind kind = Kind::fixed;
  double mean = 0;                ///< of all but uniform
  double standard_deviation = 0;  ///< of normal and lognormal
  double minimum = 1;             ///< drawn values below are set to it
  std::optional<double> maximum;  ///< and above; uniform: both ends included
};
inline constexpr std::array<std::string_view, 5> kDistributionNames = {"fixed", "uniform", "normal",
                                                                       "lognormal", "exponential"};

/// One request as it comes to the server.
struct Request {
  std::int64_t arrival_us = 0;  ///< after the first; 0 where the arrival process says when
  std::int32_t input_tokens = 0;
  std::int32_t output_tokens = 0;
  std::int32_t prefix = -1;        ///< requests with the same number begin with the same tokens
  std::int32_t prefix_tokens = 0;  ///< so many of them
};

/// What is asked: drawn from distributions, or read from a file.
struct RequestSource {
  int count = 0;
  Length input, output;
  std::string dataset;  ///< whose lengths they are; empty where written out
  /// Shared prefixes: `prefix_groups` different ones, of `prefix_tokens` within the input, given to
  /// the requests in turn; 0: none.
  int prefix_groups = 0;
  int prefix_tokens = 0;
  /// The requests of a file, in order of arrival; then the above is not used (but `count`).
  std::shared_ptr<const std::vector<Request>> file;
  bool file_has_arrivals = false;  ///< its rows say when they came
  std::string file_json;           ///< as it was given
};

struct Arrival {
  enum class Kind {
    closed_loop,  ///< `concurrency` clients, each sends its next request when the last is answered
    poisson,
    gamma,  ///< intervals of a gamma distribution, as vLLM's `--burstiness`
    burst,  ///< all at once: offline throughput
    file,   ///< timestamps of the file
  };
  Kind kind = Kind::burst;
  int concurrency = 1;
  double requests_per_s = 0;
  /// Shape of the gamma distribution: 1 = Poisson, below more bursty, above more regular.
  double burstiness = 1;
};
inline constexpr std::array<std::string_view, 5> kArrivalNames = {"closed_loop", "poisson", "gamma",
                                                                  "burst", "file"};

/// Names of the schedulers (workload/serving/scheduler.h has one entry for each).
inline constexpr std::array<std::string_view, 4> kSchedulerNames = {"vllm", "vllm-v0",
                                                                    "tensorrt-llm", "static"};
inline constexpr std::array<std::string_view, 2> kCapacityPolicyNames = {"guaranteed_no_evict",
                                                                         "max_utilization"};

/// What the scheduler is told; names and meanings of vLLM's engine arguments. None: the runtime's
/// default.
struct SchedulerOptions {
  std::string name;  ///< one of kSchedulerNames; empty: the runtime's
  std::optional<int> max_num_seqs;
  std::optional<int> max_num_batched_tokens;
  std::optional<bool> enable_chunked_prefill;
  std::optional<double> gpu_memory_utilization;
  std::optional<int> block_size;
  std::optional<bool> enable_prefix_caching;
  /// TensorRT-LLM's `capacity_scheduler_policy`: one of kCapacityPolicyNames.
  std::optional<std::string> capacity_scheduler_policy;
};

/// Limits that a request must keep to count as good.
struct ServiceLevel {
  std::optional<double> ttft_ms, tpot_ms, e2e_latency_ms;
  bool any() const { return ttft_ms || tpot_ms || e2e_latency_ms; }
};

/// Which replica of the plan's `dp` a request goes to.
enum class Router { round_robin, least_loaded, kv_aware };
inline constexpr std::array<std::string_view, 3> kRouterNames = {"round_robin", "least_loaded",
                                                                 "kv_aware"};

/// Continuous batching: requests arrive, wait, are prefilled, decode together and leave.
struct Serving {
  RequestSource requests;
  Arrival arrival;
  SchedulerOptions scheduler;
  ServiceLevel slo;
  Router router = Router::round_robin;
};

}  // namespace tradewind::scenario
