#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/lowering/overlap/program.h"

namespace tradewind::lowering {

/// A way to take a pair apart. To add one: a file of its own, a line in strategies(), a name in
/// scenario/overlap.h, a test against its closed form.
struct Strategy {
  std::string_view name;
  std::string_view summary;  ///< one line for `tradewind list overlaps`, with its source
  /// N where the plan does not say.
  int (*natural_slices)(Pair pair, int ranks);
  /// Why N slices over T ranks are impossible; empty if they are not.
  std::string (*refusal)(Pair pair, int ranks, int slices);
  /// What `rank` does. REQUIRES: ranks >= 2 and an empty refusal.
  Program (*program)(const ProgramShape& shape, int rank);
};

/// vanilla, slicing, decompose, flash: in the order of scenario::kOverlapStrategyNames.
std::span<const Strategy> strategies();
/// REQUIRES: one of those names.
const Strategy& find_strategy(std::string_view name);

const Strategy& vanilla();
const Strategy& slicing();
const Strategy& decompose();
const Strategy& flash();

/// No strategy of a plan: a collective (or, with `sends`, each rank's message straight to every
/// peer) beside a computation that does not depend on it, as gradient reduction and parameter
/// gathering run beside the computation of other layers.
const Strategy& beside(bool sends);

}  // namespace tradewind::lowering
