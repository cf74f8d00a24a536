#include "sim/lowering/schedule/in_flight.h"

#include <numeric>

namespace tradewind::lowering {

ChunksHeld most_in_flight(const StageProgram& program, const std::vector<double>& bytes) {
  ChunksHeld now{std::vector<int>(bytes.size()), 0};
  ChunksHeld most = now;
  double held = 0, largest = 0;
  for (const StageOp& op : program) {
    const std::size_t chunk = static_cast<std::size_t>(op.chunk);
    if (op.kind == StageOpKind::forward) {
      ++now.by_chunk[chunk];
      held += bytes[chunk];
      if (held > largest) largest = held, most.by_chunk = now.by_chunk;
    } else if (op.kind != StageOpKind::backward_input) {
      --now.by_chunk[chunk];
      held -= bytes[chunk];
    }
  }
  most.total = std::accumulate(most.by_chunk.begin(), most.by_chunk.end(), 0);
  return most;
}

}  // namespace tradewind::lowering
