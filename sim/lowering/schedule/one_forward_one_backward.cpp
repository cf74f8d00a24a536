#include <algorithm>

#include "sim/lowering/schedule/schedule.h"

namespace tradewind::lowering {
namespace {

std::string refusal(const ScheduleShape& shape) {
  return refuse_virtual_stages("1f1b", shape);
}

/// Stage s runs p - 1 - s micro-batches ahead, then one forward and one backward in turn.
std::vector<StageProgram> programs(const ScheduleShape& shape) {
  std::vector<StageProgram> all(static_cast<std::size_t>(shape.stages));
  for (int stage = 0; stage < shape.stages; ++stage) {
    StageProgram& program = all[static_cast<std::size_t>(stage)];
    const int ahead = std::min(shape.stages - 1 - stage, shape.micro_batches);
    for (int i = 0; i < shape.micro_batches + ahead; ++i) {
      if (i < shape.micro_batches) add_op(program, StageOpKind::forward, i, stage);
      if (i >= ahead) add_op(program, StageOpKind::backward, i - ahead, stage);
    }
  }
  return all;
}

}  // namespace

const Schedule& one_forward_one_backward() {
  static const Schedule schedule{
      "1f1b",
      "one forward, one backward: p micro-batches in flight (arXiv 2104.04473, section 2.2.1)",
      refusal, one_chunk_a_stage, programs};
  return schedule;
}

}  // namespace tradewind::lowering
