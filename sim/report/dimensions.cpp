#include "sim/report/dimensions.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>

#include "sim/report/axis_value.h"
#include "sim/report/labels.h"

namespace tradewind::report {
namespace {

using study::Point;
using study::SweepResults;

std::optional<double> as_number(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

Dimension dimension(const SweepResults& results, std::string label,
                    const std::function<std::string(const Point&)>& text_of) {
  Dimension dimension{std::move(label), {}, {}};
  std::map<std::string, std::size_t> known;
  std::vector<std::string> texts;
  for (const Point& point : results.points) {
    texts.push_back(text_of(point));
    if (known.emplace(texts.back(), 0).second) dimension.values.push_back(texts.back());
  }
  const bool numbers = std::all_of(dimension.values.begin(), dimension.values.end(),
                                   [](const std::string& v) { return as_number(v).has_value(); });
  if (numbers) {
    std::stable_sort(
        dimension.values.begin(), dimension.values.end(),
        [](const std::string& a, const std::string& b) { return *as_number(a) < *as_number(b); });
  }
  for (std::size_t i = 0; i < dimension.values.size(); ++i) known[dimension.values[i]] = i;
  for (const std::string& text : texts) dimension.of_point.push_back(known[text]);
  return dimension;
}

/// True when points that agree in `a` and `b` agree in `dimension`.
bool is_function_of(const Dimension& dimension, const Dimension& a, const Dimension& b) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;
  for (std::size_t i = 0; i < dimension.of_point.size(); ++i) {
    const auto [at, is_new] =
        known.emplace(std::pair(a.of_point[i], b.of_point[i]), dimension.of_point[i]);
    if (at->second != dimension.of_point[i]) return false;
  }
  return true;
}

std::string text_on_axis(const Point& point, std::size_t axis) {
  return axis < point.axis_values.size() ? axis_value_text(point.axis_values[axis]) : "";
}

std::string batch_text(const Point& point) {
  const std::optional<int> batch = batch_of(point.scenario);
  return batch ? std::to_string(*batch) : "";
}

std::optional<CurveAxis> as_curve_axis(Dimension dimension, std::string path) {
  if (dimension.values.size() < 2) return std::nullopt;
  CurveAxis axis{std::move(dimension.label), std::move(path), {}};
  for (const std::size_t value : dimension.of_point) {
    const std::optional<double> number = as_number(dimension.values[value]);
    if (!number) return std::nullopt;
    axis.of_point.push_back(*number);
  }
  return axis;
}

}  // namespace

std::vector<Dimension> dimensions(const SweepResults& results) {
  const auto plan_text = [](int scenario::Plan::*degree) {
    return [degree](const Point& point) { return std::to_string(point.scenario.plan.*degree); };
  };
  std::vector<Dimension> all;
  all.push_back(dimension(results, "TP", plan_text(&scenario::Plan::tp)));
  all.push_back(dimension(results, "PP", plan_text(&scenario::Plan::pp)));
  all.push_back(dimension(results, "DP", plan_text(&scenario::Plan::dp)));
  all.push_back(dimension(results, "batch", batch_text));
  for (std::size_t axis = 0; axis < results.axes.size(); ++axis) {
    const std::string& path = results.axes[axis];
    if (path == "plan.tp" || path == "plan.pp" || path == "plan.dp" || path == "workload.batch") {
      continue;
    }
    all.push_back(dimension(results, path.substr(path.rfind('.') + 1),
                            [axis](const Point& point) { return text_on_axis(point, axis); }));
  }
  // A filled degree says nothing that the others don't.
  if (is_function_of(all[2], all[0], all[1])) all[2].values.clear();
  std::erase_if(all, [](const Dimension& d) { return d.values.size() < 2; });
  return all;
}

std::optional<CurveAxis> curve_axis(const SweepResults& results) {
  if (auto batch = as_curve_axis(dimension(results, "batch", batch_text), "")) return batch;
  for (std::size_t axis = 0; axis < results.axes.size(); ++axis) {
    const std::string& path = results.axes[axis];
    if (is_plan_or_batch_axis(path)) continue;
    auto curve =
        as_curve_axis(dimension(results, path.substr(path.rfind('.') + 1),
                                [axis](const Point& point) { return text_on_axis(point, axis); }),
                      path);
    if (curve) return curve;
  }
  return std::nullopt;
}

}  // namespace tradewind::report
