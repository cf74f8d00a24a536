#pragma once

#include <cstdint>

#include "sim/model/config.h"
#include "sim/model/precision.h"

namespace tradewind::model {

/// How weights are counted in bytes.
enum class WeightAccounting {
  /// As checkpoints are: the layers' matrices in `precision.weights` with the scales of their
  /// blocks; embedding, head, norms, biases, convolutions unquantised (16 bits, or 32 with fp32
  /// weights).
  checkpoint,
  /// As the deployment paper counts: every parameter at the format of the GEMMs' weights, no
  /// scales.
  uniform,
};

/// One layer of that kind; with `tensor_parallel` > 1 the part of one device (see `layer_matrices`;
/// norms and row-parallel biases are on every device).
double layer_weight_bytes(const ModelConfig& config, LayerKind kind, const Precision& precision,
                          WeightAccounting accounting, std::int64_t tensor_parallel = 1);

/// The same of consecutive layers, as a pipeline stage holds them.
double layers_weight_bytes(const ModelConfig& config, LayerRange layers, const Precision& precision,
                           WeightAccounting accounting, std::int64_t tensor_parallel = 1);

/// The embedding table, of the first pipeline stage.
double embedding_bytes(const ModelConfig& config, const Precision& precision,
                       WeightAccounting accounting);

/// The head of the last stage: 0 when tied, where one stage holds both. (A last stage of its own
/// then keeps a copy of the embedding.)
double head_bytes(const ModelConfig& config, const Precision& precision,
                  WeightAccounting accounting);

/// The norm before the head, of the last stage.
double final_norm_bytes(const ModelConfig& config, const Precision& precision,
                        WeightAccounting accounting);

/// All of the above for the whole model, a tied head once.
double weight_bytes(const ModelConfig& config, const Precision& precision,
                    WeightAccounting accounting);

}  // namespace tradewind::model
