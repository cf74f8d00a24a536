#include "sim/model/weight_bytes.h"

#include "sim/model/count.h"

namespace tradewind::model {
namespace {

double matrix_element_bytes(const Precision& precision, WeightAccounting accounting) {
  const DataTypeFacts& weights = facts(precision.weights);
  return (accounting == WeightAccounting::uniform ? weights.bits : weights.bits_with_scale) / 8;
}

double other_element_bytes(const Precision& precision, WeightAccounting accounting) {
  if (accounting == WeightAccounting::uniform || facts(precision.weights).bits >= 16) {
    return bytes_per_element(precision.weights);
  }
  return bytes_per_element(DataType::bf16);
}

}  // namespace

double layer_weight_bytes(const ModelConfig& config, LayerKind kind, const Precision& precision,
                          WeightAccounting accounting, std::int64_t tensor_parallel) {
  std::int64_t quantised = 0;
  std::int64_t others = vector_parameters(config, kind, tensor_parallel);
  for (const WeightMatrix& matrix : layer_matrices(config, kind, tensor_parallel)) {
    quantised += matrix.in_features * matrix.out_features;
    if (matrix.bias) others += matrix.out_features;
  }
  return static_cast<double>(quantised) * matrix_element_bytes(precision, accounting) +
         static_cast<double>(others) * other_element_bytes(precision, accounting);
}

double layers_weight_bytes(const ModelConfig& config, LayerRange layers, const Precision& precision,
                           WeightAccounting accounting, std::int64_t tensor_parallel) {
  double bytes = 0;
  for (const LayerKind kind : kLayerKinds) {
    const std::int64_t held = layers_of_kind(config, kind, layers);
    if (held == 0) continue;
    bytes += static_cast<double>(held) *
             layer_weight_bytes(config, kind, precision, accounting, tensor_parallel);
  }
  return bytes;
}

double embedding_bytes(const ModelConfig& config, const Precision& precision,
                       WeightAccounting accounting) {
  return static_cast<double>(parameters(config).embedding) *
         other_element_bytes(precision, accounting);
}

double head_bytes(const ModelConfig& config, const Precision& precision,
                  WeightAccounting accounting) {
  return static_cast<double>(parameters(config).head) * other_element_bytes(precision, accounting);
}

double final_norm_bytes(const ModelConfig& config, const Precision& precision,
                        WeightAccounting accounting) {
  return static_cast<double>(parameters(config).final_norm) *
         other_element_bytes(precision, accounting);
}

double weight_bytes(const ModelConfig& config, const Precision& precision,
                    WeightAccounting accounting) {
  return embedding_bytes(config, precision, accounting) +
         layers_weight_bytes(config, all_layers(config), precision, accounting) +
         final_norm_bytes(config, precision, accounting) +
         head_bytes(config, precision, accounting);
}

}  // namespace tradewind::model
