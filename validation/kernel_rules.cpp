#include "validation/kernel_rules.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tradewind::validation {
namespace {

using namespace kernels;

/// A projection of a real layer shard has at least this many features; narrower products (routers,
/// low-rank adapters) are short and dominated by latency, which the wide ones show as well.
constexpr double kNarrowFeatures = 1024;
/// Shorter prompts sit on the latency floor and say nothing of the arithmetic.
constexpr double kShortPrompt = 512;
constexpr double kLowWeight = 0.25;
/// A KV cache below kCachedKvBytes stayed in the 50 MB L2 of the measured parts between graph
/// replays (../shared/silicon/README.md), while in serving every layer reads another cache, from
/// HBM. Below kLatencyKvBytes that makes no difference: HBM delivers 4 MB in about a microsecond,
/// a tenth of the call, and the rows show its latency.
constexpr double kCachedKvBytes = 50e6;
constexpr double kLatencyKvBytes = 4e6;
constexpr double kHalfWeight = 0.5;

struct Weigher {
  double operator()(const GemmShape& shape) const {
    return std::min(shape.n, shape.k) < kNarrowFeatures ? kLowWeight : 1;
  }
  double operator()(const AttentionPrefillShape& shape) const {
    return shape.q_tokens < kShortPrompt ? kLowWeight : 1;
  }
  double operator()(const AttentionDecodeShape& shape) const {
    const double bytes = kv_bytes(shape);
    if (bytes <= kLatencyKvBytes) return kHalfWeight;
    return bytes < kCachedKvBytes ? 0 : 1;
  }
  double operator()(const ElementwiseShape&) const { return 1; }
  double operator()(const CollectiveShape&) const { return 1; }
  double operator()(const StateSpaceShape&) const { return 1; }
};

}  // namespace

double kv_bytes(const AttentionDecodeShape& shape) {
  const double seen = shape.window > 0 ? std::min(shape.window, shape.kv_tokens) : shape.kv_tokens;
  return 2 * shape.batch * seen * shape.kv_heads * shape.head_dim *
         bytes_per_element(shape.kv_dtype);
}

double fit_weight(const KernelRow& row) {
  return std::visit(Weigher{}, row.shape);
}

int token_range(const KernelRow& row) {
  const auto* gemm = std::get_if<GemmShape>(&row.shape);
  if (gemm == nullptr) return 0;
  constexpr std::array kUpTo = {16.0, 64.0, 256.0, 1024.0, 4096.0};
  return static_cast<int>(std::upper_bound(kUpTo.begin(), kUpTo.end(), gemm->m - 0.5) -
                          kUpTo.begin());
}

std::string coefficient_dtype(const KernelRow& row) {
  return std::holds_alternative<CollectiveShape>(row.shape) ? "any" : row.dtype;
}

std::optional<double> algorithm_efficiency(std::string_view library, std::string_view parameter) {
  // vLLM, SGLang, TensorRT-LLM and aiter call their one-shot and two-shot kernels custom
  // all-reduce; beyond their size limit they leave the work to the collective library.
  const bool custom = library.ends_with("-custom");
  const bool quick = library.starts_with("quickreduce");  // two-shot only, by its README
  const bool in_switch_only = library == "nvls";
  if (!custom && !quick && !in_switch_only) return std::nullopt;
  if (parameter == "one_shot_efficiency") return custom ? 0.6 : 0;
  if (parameter == "two_shot_efficiency") return custom || quick ? 0.6 : 0;
  if (parameter == "low_latency_efficiency") return 0;
  if (parameter == "bulk_efficiency" && !custom) return 0;
  if (parameter == "in_switch_efficiency") {
    if (in_switch_only) return 0.7;
    if (quick) return 0;
  }
  return std::nullopt;
}

std::string_view measured_network(std::string_view device) {
  // From the `source` of the rows: GCP a3-mega has eight 200 Gb/s NICs a node; the MI300X and
  // MI325X clusters eight ConnectX-7 and the MI355X cluster eight Pollara, all of 400 Gb/s.
  return device == "h100" ? "roce-8x200g" : "roce-8x400g";
}

std::optional<double> price_us(const Operation& operation, const Shape& shape,
                               const KernelMachine& machine, std::span<const double> coefficients) {
  const double us = operation.price(shape, machine, coefficients).duration_s * 1e6;
  if (!std::isfinite(us) || us <= 0) return std::nullopt;
  return us;
}

}  // namespace tradewind::validation
