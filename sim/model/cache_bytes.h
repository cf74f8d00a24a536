#pragma once

#include "sim/core/data_type.h"
#include "sim/model/config.h"

namespace tradewind::model {

// What a sequence leaves behind for its next token: keys and values in layers with attention, a
// state of fixed size in Mamba layers. With k = num_key_value_heads x head_dim.

/// Bytes that one token adds to the KV cache: 2 k bytes(dtype) a layer with attention, block scales
/// included.
double kv_bytes_per_token(const ModelConfig& config, DataType dtype);

/// Bytes of the KV cache of one sequence of `tokens` in these layers on one device: a windowed
/// layer keeps its window only, and a key/value head is copied where there are fewer than devices.
double kv_bytes(const ModelConfig& config, LayerRange layers, DataType dtype, double tokens,
                std::int64_t tensor_parallel = 1);

/// The same of the whole model, all devices together.
double kv_bytes(const ModelConfig& config, DataType dtype, double tokens);

/// Bytes of the Mamba states of one sequence in these layers on one device.
double state_bytes(const ModelConfig& config, LayerRange layers, std::int64_t tensor_parallel = 1);

}  // namespace tradewind::model
