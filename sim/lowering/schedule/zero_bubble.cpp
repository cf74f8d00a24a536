#include "sim/lowering/schedule/zero_bubble.h"

#include <algorithm>

namespace tradewind::lowering {

std::vector<StageProgram> zero_bubble_programs(const ScheduleShape& shape, int (*ahead)(int, int),
                                               int (*behind)(int)) {
  const int count = shape.micro_batches;
  std::vector<StageProgram> all(static_cast<std::size_t>(shape.stages));
  for (int stage = 0; stage < shape.stages; ++stage) {
    StageProgram& program = all[static_cast<std::size_t>(stage)];
    int forwards = 0, weights = 0;
    const int first = std::min(count, ahead(shape.stages, stage));
    while (forwards < first) add_op(program, StageOpKind::forward, forwards++, stage);
    for (int i = 0; i < count; ++i) {
      add_op(program, StageOpKind::backward_input, i, stage);
      if (i - weights >= behind(stage)) {
        add_op(program, StageOpKind::backward_weight, weights++, stage);
      }
      if (forwards < count) add_op(program, StageOpKind::forward, forwards++, stage);
    }
    while (weights < count) add_op(program, StageOpKind::backward_weight, weights++, stage);
  }
  return all;
}

}  // namespace tradewind::lowering
