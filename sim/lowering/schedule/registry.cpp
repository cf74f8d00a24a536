#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>

#include "sim/lowering/schedule/schedule.h"
#include "sim/scenario/training.h"

namespace tradewind::lowering {

std::span<const Schedule> schedules() {
  static const std::array all{gpipe(),        one_forward_one_backward(),
                              interleaved(),  zb_h1(),
                              zb_h2(),        zb_searched(1),
                              zb_searched(2), zb_v(),
                              dualpipe()};
  static_assert(std::tuple_size_v<decltype(all)> == scenario::kScheduleNames.size());
  return all;
}

const Schedule& find_schedule(std::string_view name) {
  const auto found = std::ranges::find(schedules(), name, &Schedule::name);
  if (found == schedules().end()) throw std::invalid_argument("no schedule of that name");
  return *found;
}

std::string refuse_virtual_stages(std::string_view name, const ScheduleShape& shape, int only) {
  if (shape.virtual_stages == 1 || shape.virtual_stages == only) return {};
  return fmt::format("{} has {} of the model's chunks on a stage: virtual_stages can't be {}", name,
                     only, shape.virtual_stages);
}

}  // namespace tradewind::lowering
