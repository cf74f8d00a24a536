#include "sim/model/mamba.h"

#include <algorithm>
#include <cmath>

namespace tradewind::model {

MambaDimensions shard(const MambaDimensions& mamba, std::int64_t tensor_parallel) {
  MambaDimensions part = mamba;
  part.num_heads = mamba.num_heads / tensor_parallel;
  part.n_groups = std::max<std::int64_t>(1, mamba.n_groups / tensor_parallel);
  return part;
}

double scan_flops(const MambaDimensions& mamba, double tokens) {
  const auto inner = static_cast<double>(mamba.inner_size());
  const auto states = static_cast<double>(mamba.state_size);
  const double shared = static_cast<double>(mamba.n_groups) * states;
  const auto of_chunk = [&](double length) {
    if (length <= 0) return 0.0;
    const double pairs = length * (length + 1) / 2;
    return 2 * pairs * (shared + inner) + (4 * length + 2) * states * inner;
  };
  const auto chunk = static_cast<double>(mamba.chunk_size);
  const double chunks = std::floor(tokens / chunk);
  return chunks * of_chunk(chunk) + of_chunk(tokens - chunks * chunk);
}

double state_bytes(const MambaDimensions& mamba) {
  const std::int64_t elements =
      mamba.inner_size() * mamba.state_size + mamba.conv_channels() * (mamba.conv_kernel - 1);
  return static_cast<double>(elements) * bytes_per_element(kStateType);
}

}  // namespace tradewind::model
