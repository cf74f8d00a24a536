#pragma once

#include <string>

#include "sim/scenario/memory.h"

namespace tradewind::report {

/// What fills the memory of each pipeline stage of a training step, as SVG: stacked bars against
/// the capacity, and their legend as HTML.
std::string memory_picture(const scenario::MemoryReport& memory);

}  // namespace tradewind::report
