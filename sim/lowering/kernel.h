#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/core/time.h"
#include "sim/kernels/cost.h"

namespace tradewind::lowering {

/// Kernels of a transformer or a Mamba layer as runtimes launch them; `dgrad` and `wgrad` are the
/// gradients of a product's input and of its weights.
enum class KernelKind {
  embedding,
  rms_norm,
  quantize,
  qkv_gemm,
  rope,
  kv_cache_write,
  attention,
  out_gemm,
  residual_add,
  gate_up_gemm,
  silu_mul,
  down_gemm,
  lm_head_gemm,
  sampling,
  relu2,
  in_gemm,
  causal_conv1d,
  state_space_scan,
  gated_rms_norm,
  norm_backward,
  activation_backward,
  attention_backward,
  qkv_dgrad,
  qkv_wgrad,
  out_dgrad,
  out_wgrad,
  gate_up_dgrad,
  gate_up_wgrad,
  down_dgrad,
  down_wgrad,
  lm_head_dgrad,
  lm_head_wgrad,
  bias_gradient,
  dropout_backward,
  loss,
  loss_backward,
  embedding_backward,
  optimizer,
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  p2p,
};
inline constexpr std::size_t kKernelKindCount = 43;
inline constexpr std::array<std::string_view, kKernelKindCount> kKernelNames = {
    "embedding",
    "rms_norm",
    "quantize",
    "qkv_gemm",
    "rope",
    "kv_cache_write",
    "attention",
    "out_gemm",
    "residual_add",
    "gate_up_gemm",
    "silu_mul",
    "down_gemm",
    "lm_head_gemm",
    "sampling",
    "relu2",
    "in_gemm",
    "causal_conv1d",
    "state_space_scan",
    "gated_rms_norm",
    "norm_backward",
    "activation_backward",
    "attention_backward",
    "qkv_dgrad",
    "qkv_wgrad",
    "out_dgrad",
    "out_wgrad",
    "gate_up_dgrad",
    "gate_up_wgrad",
    "down_dgrad",
    "down_wgrad",
    "lm_head_dgrad",
    "lm_head_wgrad",
    "bias_gradient",
    "dropout_backward",
    "loss",
    "loss_backward",
    "embedding_backward",
    "optimizer",
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "all_to_all",
    "p2p"};

constexpr std::string_view to_string(KernelKind kind) {
  return kKernelNames[static_cast<std::size_t>(kind)];
}
constexpr bool is_communication(KernelKind kind) {
  return kind >= KernelKind::all_reduce;
}

/// One launch on one device: its price, and the same rounded to the engine's picoseconds.
struct Kernel {
  KernelKind kind;
  kernels::Cost cost;
  Time latency;  ///< uses no resource
  Time work;     ///< then this long when alone

  Kernel(KernelKind kernel_kind, const kernels::Cost& price)
      : kind(kernel_kind),
        cost(price),
        latency(Time::from_seconds(price.latency_s)),
        work(Time::from_seconds(price.duration_s - price.latency_s)) {}

  Time duration() const { return latency + work; }
  /// At the datasheet's peaks; rounded down, so that `duration`, rounded too, is never below it.
  Time speed_of_light() const {
    const Time nearest = Time::from_seconds(cost.speed_of_light_s);
    return nearest.seconds() > cost.speed_of_light_s ? nearest - Time{1} : nearest;
  }
};

struct Region;

/// What a device does next: one kernel, or a pair of computation and communication that an overlap
/// strategy has taken apart (region.h). Each step waits for the one before.
using Step = std::variant<Kernel, std::shared_ptr<const Region>>;
using Segment = std::vector<Step>;

/// The step's kernel, or nullptr where it is a region.
inline const Kernel* kernel_of(const Step& step) {
  return std::get_if<Kernel>(&step);
}

}  // namespace tradewind::lowering
