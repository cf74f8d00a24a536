#include "sim/lowering/weight_quantization.h"

#include <algorithm>

#include "sim/lowering/layer_writer.h"
#include "sim/model/count.h"

namespace tradewind::lowering {
namespace {

constexpr double kPlainBytes = 2;

double product_bytes(const scenario::Scenario& scenario) {
  return bytes_per_element(scenario.precision.weights);
}

/// Whether a layer's weights are gathered before it runs. FSDP that keeps them counts as ZeRO-2.
bool gathers_layers(const scenario::Scenario& scenario) {
  const int from = scenario.runtime->training.gathers_quantized_weights ? 2 : 3;
  return scenario.plan.zero_stage >= from && scenario.plan.shards() > 1;
}

}  // namespace

double bytes_to_quantize_a_weight(const scenario::Scenario& scenario, Quantized when) {
  const double bytes = product_bytes(scenario);
  if (bytes >= kPlainBytes) return 0;
  const bool gathered = gathers_layers(scenario);
  const bool whole = gathered && !scenario.runtime->training.gathers_quantized_weights;
  if (whole != (when == Quantized::each_gather)) return 0;
  const double shards = gathered && !whole ? scenario.plan.shards() : 1;
  return (kPlainBytes + 2 * bytes) / shards;
}

Segment weights_quantized_after_gather(const scenario::Scenario& scenario,
                                       const kernels::Book& book) {
  const double bytes = bytes_to_quantize_a_weight(scenario, Quantized::each_gather);
  Segment segment;
  if (bytes == 0) return segment;
  for (const model::WeightMatrix& matrix : model::layer_matrices(
           *scenario.model, model::layer_kind(*scenario.model, 0), scenario.plan.tp)) {
    const auto shape = streaming(static_cast<double>(matrix.out_features),
                                 static_cast<double>(matrix.in_features), bytes);
    segment.emplace_back(Kernel(KernelKind::quantize, book.fused_elementwise(shape)));
  }
  return segment;
}

bool keeps_quantized_weights(const scenario::Scenario& scenario) {
  const auto& training = std::get<scenario::Training>(scenario.workload);
  return training.recompute != scenario::Recompute::full &&
         bytes_to_quantize_a_weight(scenario, Quantized::each_gather) > 0;
}

double gathered_weight_bytes(const scenario::Scenario& scenario) {
  const bool quantized =
      gathers_layers(scenario) && scenario.runtime->training.gathers_quantized_weights;
  return quantized ? std::min(product_bytes(scenario), kPlainBytes) : kPlainBytes;
}

}  // namespace tradewind::lowering
