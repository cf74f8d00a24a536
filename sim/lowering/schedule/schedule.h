#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/lowering/schedule/program.h"

namespace tradewind::lowering {

/// An order of work for a pipeline. To add one: a file of its own, a line in schedules(), a name in
/// scenario/training.h, a test against what its authors state.
struct Schedule {
  std::string_view name;
  std::string_view summary;  ///< one line for `tradewind list schedules`, with its source
  /// Why this shape is impossible; empty if it is not.
  std::string (*refusal)(const ScheduleShape& shape);
  /// Chunks that the model is cut into.
  int (*chunks)(const ScheduleShape& shape);
  /// One program a device. REQUIRES: an empty refusal.
  std::vector<StageProgram> (*programs)(const ScheduleShape& shape);
  /// The optimizer of a stage starts when the stage is through (arXiv 2401.10241, section 4, checks
  /// the gradient norm afterwards); else all stages wait for the last one.
  bool stages_end_alone = false;
  /// Chunks of the model that a device holds for the two directions of its micro-batches.
  bool bidirectional = false;
};

/// All of them, in the order of scenario::kScheduleNames.
std::span<const Schedule> schedules();
/// REQUIRES: one of those names.
const Schedule& find_schedule(std::string_view name);

const Schedule& gpipe();
const Schedule& one_forward_one_backward();
const Schedule& interleaved();
const Schedule& zb_h1();
const Schedule& zb_h2();
const Schedule& zb_v();
const Schedule& zb_searched(int memory);  ///< zb-1p, zb-2p: memory of so many pipelines
const Schedule& dualpipe();

/// "1F1B has one chunk a stage, not 2": what most refuse.
std::string refuse_virtual_stages(std::string_view name, const ScheduleShape& shape, int only = 1);
inline int one_chunk_a_stage(const ScheduleShape& shape) {
  return shape.stages;
}

}  // namespace tradewind::lowering
