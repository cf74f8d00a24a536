#include "sim/lowering/schedule/zero_bubble.h"

namespace tradewind::lowering {
namespace {

std::string refusal(const ScheduleShape& shape) {
  return refuse_virtual_stages("zb-h1", shape);
}

std::vector<StageProgram> programs(const ScheduleShape& shape) {
  return zero_bubble_programs(
      shape, [](int stages, int stage) { return stages - stage; }, [](int stage) { return stage; });
}

}  // namespace

const Schedule& zb_h1() {
  static const Schedule schedule{
      "zb-h1",
      "1F1B's memory, weight gradients put off: a third of its bubble (arXiv 2401.10241, section "
      "2.1)",
      refusal,
      one_chunk_a_stage,
      programs,
      true};
  return schedule;
}

}  // namespace tradewind::lowering
