#include "validation/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "sim/core/error.h"

namespace tradewind::validation {
namespace {

constexpr std::size_t kKernelsShown = 3;
constexpr std::size_t kMovesShown = 10;
constexpr const char* kUpdate = "; --update writes the baseline anew";

using FigureKey = std::pair<std::string, std::string>;
using GroupKey = std::tuple<std::string, std::string, std::string>;

GroupKey key_of(const GroupError& group) {
  return {group.group, group.metric, group.split};
}

/// How far an answer moved, relative to what it was; an answer lost or found is the farthest.
double move_of(const BaselinePoint& before, const PointError& now) {
  if (before.simulated.has_value() != now.simulated.has_value()) return 1e9;
  return now.simulated ? std::abs(*now.simulated / *before.simulated - 1) : 0;
}

/// The kernels whose time changed most, as text.
std::string changed_kernels(const KernelTimes& before, const KernelTimes& now) {
  std::map<std::string, std::pair<double, double>> times;
  for (const auto& [kernel, time_ms] : before) times[kernel].first = time_ms;
  for (const auto& [kernel, time_ms] : now) times[kernel].second = time_ms;
  std::vector<std::pair<double, std::string>> changes;
  for (const auto& [kernel, pair] : times) {
    const double change = std::abs(pair.second - pair.first);
    if (change <= kLeastMove * std::max(pair.first, pair.second)) continue;
    changes.emplace_back(-change,
                         fmt::format("{} {:.4g} -> {:.4g} ms", kernel, pair.first, pair.second));
  }
  std::sort(changes.begin(), changes.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(changes.size(), kKernelsShown); ++i) {
    text += (i > 0 ? ", " : "") + changes[i].second;
  }
  return text;
}

std::map<std::string, const workload::Result*> results_by_id(const Validation& validation) {
  std::map<std::string, const workload::Result*> results;
  for (std::size_t i = 0; i < validation.points.size(); ++i) {
    results[validation.points[i].id] = &validation.results[i];
  }
  return results;
}

/// Matches every point of the baseline with its error now; those left over are new.
void compare_points(const Validation& validation, const Baseline& baseline, const std::string& file,
                    Gate& gate, std::set<FigureKey>& known) {
  std::map<FigureKey, const PointError*> errors;
  for (const PointError& error : validation.errors) {
    if (error.tolerance) errors[{error.id, error.metric}] = &error;
  }
  const auto results = results_by_id(validation);
  for (std::size_t i = 0; i < baseline.points.size(); ++i) {
    const BaselinePoint& before = baseline.points[i];
    const auto found = errors.find({before.id, before.metric});
    const auto stale = [&](const std::string& why) {
      throw InputError(file, fmt::format("/points/{}", i),
                       fmt::format("{} of \"{}\" {}{}", before.metric, before.id, why, kUpdate));
    };
    if (found == errors.end()) stale("is not among the points compared");
    const PointError& now = *found->second;
    if (now.measured != before.measured) stale("was measured anew");
    known.insert(found->first);
    PointChange change{&now, before, {}};
    if (move_of(before, now) <= kLeastMove && !change.left() && !change.entered()) continue;
    const auto times = baseline.breakdown_by_id.find(before.id);
    if (times != baseline.breakdown_by_id.end()) {
      change.why = changed_kernels(times->second, kernel_times(*results.at(before.id)));
    }
    gate.moved.push_back(std::move(change));
  }
  gate.new_points = errors.size() - known.size();
  std::stable_sort(gate.moved.begin(), gate.moved.end(), [](const auto& a, const auto& b) {
    return move_of(a.before, *a.now) > move_of(b.before, *b.now);
  });
}

/// Groups over the same points on both sides, so that a point added is no change.
void compare_groups(const Validation& validation, const Baseline& baseline, const std::string& file,
                    const std::set<FigureKey>& known, Gate& gate) {
  std::vector<PointError> same;
  for (const PointError& error : validation.errors) {
    if (!error.tolerance || known.contains({error.id, error.metric})) same.push_back(error);
  }
  std::map<GroupKey, GroupError> now;
  for (GroupError& group : group_errors(same)) now.emplace(key_of(group), std::move(group));
  for (std::size_t i = 0; i < baseline.groups.size(); ++i) {
    const GroupError& before = baseline.groups[i];
    const auto found = now.find(key_of(before));
    if (found == now.end() || found->second.points != before.points) {
      throw InputError(file, fmt::format("/groups/{}", i),
                       fmt::format("group \"{}\" has other points now{}", before.group, kUpdate));
    }
    const double growth = found->second.mape - before.mape;
    if (std::abs(growth) > group_noise(before.mape)) gate.groups.push_back({before, found->second});
  }
}

std::string point_line(const PointChange& change) {
  const auto error = [](double share) { return fmt::format("{:+.1f} %", 100 * share); };
  std::string text =
      fmt::format("  {} {}: error {} -> {}", change.now->id, change.now->metric,
                  error(change.before.relative_error()), error(change.now->relative_error));
  if (!change.now->feasible) text += ", now infeasible";
  if (change.left()) text += fmt::format(", granted {:.0f} %", 100 * *change.now->tolerance);
  return text + (change.why.empty() ? "" : "; " + change.why) + "\n";
}

template <class Wanted>
std::string point_lines(const Gate& gate, std::string_view title, std::size_t most,
                        const Wanted& wanted) {
  std::string text;
  std::size_t count = 0;
  for (const PointChange& change : gate.moved) {
    if (wanted(change) && ++count <= most) text += point_line(change);
  }
  if (count == 0) return {};
  return fmt::format("{} {}{}:\n", count, title, count > most ? ", the farthest" : "") + text;
}

std::string group_lines(const Gate& gate, std::string_view title, bool worse) {
  std::string text;
  for (const GroupChange& change : gate.groups) {
    if (change.is_worse() != worse) continue;
    text += fmt::format("  {} {} {}: MAPE {:.1f} -> {:.1f} % (noise {:.1f})\n", change.now.group,
                        change.now.metric, change.now.split, 100 * change.before.mape,
                        100 * change.now.mape, 100 * group_noise(change.before.mape));
  }
  return text.empty() ? text : fmt::format("{}:\n", title) + text;
}

}  // namespace

bool Gate::passed() const {
  return std::none_of(moved.begin(), moved.end(), [](const auto& one) { return one.left(); }) &&
         std::none_of(groups.begin(), groups.end(), [](const auto& one) { return one.is_worse(); });
}

Gate compare_with_baseline(const Validation& validation, const Baseline& baseline,
                           const std::string& file) {
  Gate gate;
  std::set<FigureKey> known;
  compare_points(validation, baseline, file, gate, known);
  compare_groups(validation, baseline, file, known, gate);
  return gate;
}

std::string gate_text(const Gate& gate) {
  std::string text =
      gate.passed() ? "against the baseline: passed\n" : "against the baseline: FAILED\n";
  text += point_lines(gate, "figures left their tolerance", gate.moved.size(),
                      [](const PointChange& change) { return change.left(); });
  text += group_lines(gate, "groups worse by more than noise", true);
  text += point_lines(gate, "figures came into their tolerance", kMovesShown,
                      [](const PointChange& change) { return change.entered(); });
  text += group_lines(gate, "groups better by more than noise", false);
  text += point_lines(gate, "other figures moved", kMovesShown, [](const PointChange& change) {
    return !change.left() && !change.entered();
  });
  if (gate.new_points > 0) {
    text += fmt::format("{} figures are new to the baseline\n", gate.new_points);
  }
  return text;
}

}  // namespace tradewind::validation
