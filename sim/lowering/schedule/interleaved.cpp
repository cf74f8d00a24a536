#include <fmt/format.h>

#include <algorithm>

#include "sim/lowering/schedule/schedule.h"

namespace tradewind::lowering {
namespace {

std::string refusal(const ScheduleShape& shape) {
  if (shape.micro_batches % shape.stages == 0) return {};
  return fmt::format(
      "interleaved-1f1b takes micro-batches in groups of pp {}: {} are not whole "
      "groups",
      shape.stages, shape.micro_batches);
}

int chunks(const ScheduleShape& shape) {
  return shape.stages * shape.virtual_stages;
}

/// The k-th piece of work of a device: a group of p micro-batches passes one chunk after the other,
/// the first chunk first when it goes forward, last when it goes backward.
StageOp piece(const ScheduleShape& shape, int stage, int k, StageOpKind kind) {
  const int group = k / chunks(shape), in_group = k % chunks(shape);
  int turn = in_group / shape.stages;
  if (kind == StageOpKind::backward) turn = shape.virtual_stages - 1 - turn;
  return {kind, group * shape.stages + in_group % shape.stages, turn * shape.stages + stage, false};
}

std::vector<StageProgram> programs(const ScheduleShape& shape) {
  const int pieces = shape.micro_batches * shape.virtual_stages;
  std::vector<StageProgram> all(static_cast<std::size_t>(shape.stages));
  for (int stage = 0; stage < shape.stages; ++stage) {
    StageProgram& program = all[static_cast<std::size_t>(stage)];
    const int ahead = std::min(
        2 * (shape.stages - 1 - stage) + (shape.virtual_stages - 1) * shape.stages, pieces);
    for (int k = 0; k < pieces + ahead; ++k) {
      if (k < pieces) program.push_back(piece(shape, stage, k, StageOpKind::forward));
      if (k < pieces && k >= ahead) program.back().starts_turn = true;
      if (k >= ahead) program.push_back(piece(shape, stage, k - ahead, StageOpKind::backward));
    }
  }
  return all;
}

}  // namespace

const Schedule& interleaved() {
  static const Schedule schedule{
      "interleaved-1f1b",
      "1F1B with virtual_stages chunks a stage: 1/v of the bubble (arXiv 2104.04473, section "
      "2.2.2)",
      refusal, chunks, programs};
  return schedule;
}

}  // namespace tradewind::lowering
