#include "validation/runtime_constants.h"

#include <array>

namespace tradewind::validation {
namespace {

using scenario::Runtime;

constexpr double kMicrosecond = 1e-6;
constexpr double kMicrosecondOfThousand = 1e-9;

/// Host times up to what Python took in the slowest releases (vLLM's notes on 0.6.0 tell of
/// milliseconds a step); a rate above 1 is a kernel better than the one that was measured alone.
/// A large change: of host times what makes a step some milliseconds longer, with some hundred
/// sequences, all-reduces or kernels in it; of rates a kernel at half the speed.
constexpr std::array<RuntimeConstant, 14> kConstants = {{
    {"host", "step_us", 1, 2e4, 1000, 4000, ToldBy::serving, kMicrosecond,
     [](Runtime& r) -> double& { return r.step_host_s; }},
    {"host", "step_per_sequence_us", 0, 300, 10, 10, ToldBy::serving, kMicrosecond,
     [](Runtime& r) -> double& { return r.step_host_per_sequence_s; }},
    {"host", "step_per_kilotoken_us", 0, 100, 5, 5, ToldBy::serving, kMicrosecondOfThousand,
     [](Runtime& r) -> double& { return r.step_host_per_token_s; }},
    {"host", "request_us", 0, 1e6, 5000, 5000, ToldBy::serving, kMicrosecond,
     [](Runtime& r) -> double& { return r.request_host_s; }},
    {"host", "kernel_launch_us", 0.5, 30, 5, 5, ToldBy::both, kMicrosecond,
     [](Runtime& r) -> double& { return r.kernel_launch_s; }},
    {"host", "graph_kernel_gap_us", 0, 10, 0.5, 0.5, ToldBy::both, kMicrosecond,
     [](Runtime& r) -> double& { return r.graph_kernel_gap_s; }},
    {"host", "all_reduce_wait_us", 0, 100, 10, 10, ToldBy::serving, kMicrosecond,
     [](Runtime& r) -> double& { return r.all_reduce_wait_s; }},
    {"kernel_rates", "gemm_arithmetic", 0.02, 1.5, 0.9, 1, ToldBy::both, 1,
     [](Runtime& r) -> double& { return r.kernel_rates.gemm_arithmetic; }},
    {"kernel_rates", "gemm_arithmetic_8bit", 0.3, 1.5, 1, 1, ToldBy::training, 1,
     [](Runtime& r) -> double& { return r.kernel_rates.gemm_arithmetic_8bit; }},
    {"kernel_rates", "gemm_memory", 0.1, 1.5, 0.9, 1, ToldBy::serving, 1,
     [](Runtime& r) -> double& { return r.kernel_rates.gemm_memory; }},
    {"kernel_rates", "attention_prefill", 0.1, 1.5, 0.9, 1, ToldBy::both, 1,
     [](Runtime& r) -> double& { return r.kernel_rates.attention_prefill; }},
    {"kernel_rates", "attention_decode", 0.05, 1.5, 0.9, 1, ToldBy::serving, 1,
     [](Runtime& r) -> double& { return r.kernel_rates.attention_decode; }},
    {"kernel_rates", "elementwise", 0.1, 1.5, 0.9, 1, ToldBy::training, 1,
     [](Runtime& r) -> double& { return r.kernel_rates.elementwise; }},
    {"kernel_rates", "all_reduce", 0.1, 1.5, 0.9, 1, ToldBy::both, 1,
     [](Runtime& r) -> double& { return r.kernel_rates.all_reduce; }},
}};

}  // namespace

std::span<const RuntimeConstant> runtime_constants() {
  return kConstants;
}

}  // namespace tradewind::validation
