#include "sim/lowering/schedule/zero_bubble.h"

namespace tradewind::lowering {
namespace {

std::string refusal(const ScheduleShape& shape) {
  return refuse_virtual_stages("zb-h2", shape);
}

std::vector<StageProgram> programs(const ScheduleShape& shape) {
  return zero_bubble_programs(
      shape, [](int stages, int stage) { return 2 * (stages - stage) - 1; },
      [](int stage) { return 2 * stage; });
}

}  // namespace

const Schedule& zb_h2() {
  static const Schedule schedule{
      "zb-h2",
      "2p - 1 micro-batches in flight: no bubble where passes are equal (arXiv 2401.10241, section "
      "2.2)",
      refusal,
      one_chunk_a_stage,
      programs,
      true};
  return schedule;
}

}  // namespace tradewind::lowering
