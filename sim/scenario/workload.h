#pragma once

#include <variant>

#include "sim/scenario/serving.h"
#include "sim/scenario/training.h"

namespace tradewind::scenario {

/// `batch` sequences per replica start together and run to the end.
struct StaticBatch {
  int batch = 1;
  int input_tokens = 1024;
  int output_tokens = 128;
};

enum class BlockPart { mlp, attention, transformer, mamba };

enum class BlockPass { forward, forward_backward };

/// One pass of one block alone, as the overlap paper (arXiv 2604.24013) measures it.
struct Block {
  BlockPart part = BlockPart::transformer;
  int batch = 1;
  int sequence_length = 4096;
  BlockPass pass = BlockPass::forward;
};

using Workload = std::variant<StaticBatch, Block, Serving, Training>;

}  // namespace tradewind::scenario
