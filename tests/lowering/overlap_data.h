#pragma once

#include <random>
#include <string>
#include <vector>

#include "sim/lowering/overlap/strategy.h"

namespace tradewind::lowering {

/// The programs of all ranks.
std::vector<Program> all_programs(const Strategy& strategy, const ProgramShape& shape);

/// Executes the programs on symbols: of each slice on each rank, whether its rows are there, or the
/// set of ranks whose partial results are summed in it. The order is any that streams and
/// dependencies allow, with some streams far ahead of others: a missing dependency shows as data
/// read before they are there. Returns what is wrong, or nothing: some rank did not compute each
/// slice once, read what was not there, received twice, never received, or waits for ever.
std::string wrong_data(const ProgramShape& shape, const std::vector<Program>& programs,
                       std::mt19937_64& random);

}  // namespace tradewind::lowering
