#pragma once

#include "sim/kernels/cost.h"

namespace tradewind::kernels {

/// The backward pass of an attention whose forward costs this. It recomputes the scores and
/// multiplies five times where the forward does twice (FlashAttention-2, arXiv 2307.08691, section
/// 2.3), at a lower rate: up to 63 % of the peak against 73 % on A100 (ibid., section 4.1). No
/// measured kernel stands behind it: provenance is `assumed`.
inline Cost attention_backward(const Cost& forward) {
  constexpr double kProducts = 5.0 / 2, kRateLoss = 73.0 / 63;
  Cost backward = forward;
  backward.duration_s =
      forward.latency_s + (forward.duration_s - forward.latency_s) * kProducts * kRateLoss;
  backward.flops *= kProducts;
  backward.hbm_bytes *= kProducts;
  backward.speed_of_light_s *= kProducts;
  backward.provenance = Provenance::assumed;
  return backward;
}

}  // namespace tradewind::kernels
