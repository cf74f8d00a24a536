#pragma once

#include <string>
#include <vector>

#include "validation/baseline.h"
#include "validation/validation.h"

namespace tradewind::validation {

/// By how much a group's MAPE may grow and still be noise: half a point and a twentieth of itself.
/// Half a point is what the last digit of a typed figure and the choice between neighbouring
/// algorithms move a group of ten by; the twentieth leaves large errors, which stand on large
/// scatter, room in proportion.
constexpr double group_noise(double mape) {
  return 0.005 + 0.05 * mape;
}
/// A point has moved when its answer changed by more than a thousandth; less is rounding.
inline constexpr double kLeastMove = 0.001;

/// One figure whose answer differs from the baseline's.
struct PointChange {
  const PointError* now = nullptr;
  BaselinePoint before;
  std::string why;  ///< the kernels whose time changed most: "decode all_reduce 3.1 -> 4.6 ms"

  bool left() const { return before.within && !now->within_tolerance(); }
  bool entered() const { return !before.within && now->within_tolerance(); }
};

/// A group whose MAPE changed by more than its noise.
struct GroupChange {
  GroupError before, now;  ///< over the points that the baseline knows
  bool is_worse() const { return now.mape > before.mape; }
};

/// A validation against its baseline.
struct Gate {
  std::vector<PointChange> moved;  ///< the farthest first
  std::vector<GroupChange> groups;
  std::size_t new_points = 0;  ///< figures that the baseline does not know; they decide nothing

  /// No point left its tolerance and no group got worse by more than noise.
  bool passed() const;
};

/// Throws InputError (`file` is the baseline's) when the baseline is stale: it knows a point or a
/// group that `validation` lacks, or with another measurement. The result refers into `validation`.
Gate compare_with_baseline(const Validation& validation, const Baseline& baseline,
                           const std::string& file);

/// What changed, worst first, for people.
std::string gate_text(const Gate& gate);

}  // namespace tradewind::validation
