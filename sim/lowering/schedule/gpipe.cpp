#include "sim/lowering/schedule/schedule.h"

namespace tradewind::lowering {
namespace {

std::string refusal(const ScheduleShape& shape) {
  return refuse_virtual_stages("gpipe", shape);
}

std::vector<StageProgram> programs(const ScheduleShape& shape) {
  std::vector<StageProgram> all(static_cast<std::size_t>(shape.stages));
  for (int stage = 0; stage < shape.stages; ++stage) {
    StageProgram& program = all[static_cast<std::size_t>(stage)];
    for (int i = 0; i < shape.micro_batches; ++i) add_op(program, StageOpKind::forward, i, stage);
    for (int i = shape.micro_batches; i-- > 0;) add_op(program, StageOpKind::backward, i, stage);
  }
  return all;
}

}  // namespace

const Schedule& gpipe() {
  static const Schedule schedule{"gpipe",
                                 "all micro-batches forward, then all backward (arXiv 1811.06965)",
                                 refusal, one_chunk_a_stage, programs};
  return schedule;
}

}  // namespace tradewind::lowering
