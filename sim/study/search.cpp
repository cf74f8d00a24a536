#include "sim/study/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/study/parallel.h"
#include "sim/study/sweep_grid.h"
#include "sim/workload/run.h"

namespace tradewind::study {
namespace {

using scenario::Arrival;
using scenario::Serving;

constexpr const char* kRatePath = "workload.arrival.requests_per_s";
const std::vector<std::string> kObjectives = {"max_goodput"};

RateSearch read_rate(const json::Node& node) {
  json::ObjectReader reader(node);
  RateSearch rate;
  const json::Range rates{1e-6, 1e9};
  rate.lowest_per_s = reader.number("min", rate.lowest_per_s, rates);
  rate.highest_per_s = reader.number("max", rate.highest_per_s, rates);
  rate.tolerance = reader.number("tolerance", rate.tolerance, {1e-4, 1});
  reader.finish();
  if (rate.highest_per_s <= rate.lowest_per_s) node.fail("max is not above min");
  return rate;
}

const Serving& serving_of(const Search& search, const scenario::Scenario& scenario) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(search.plans.file, "/base/workload", "a search for goodput needs " + why);
  };
  const auto* serving = std::get_if<Serving>(&scenario.workload);
  if (serving == nullptr) refuse("the workload kind \"serving\"");
  const Arrival::Kind kind = serving->arrival.kind;
  if (kind != Arrival::Kind::poisson && kind != Arrival::Kind::gamma) {
    refuse("arrivals with a rate: poisson or gamma");
  }
  if (!serving->slo.any()) refuse("a service level (\"slo\") to keep");
  return *serving;
}

/// One plan under different rates.
class Plan {
 public:
  Plan(scenario::Scenario scenario, const RateSearch& search)
      : scenario_(std::move(scenario)), search_(search) {}

  /// The largest rate that is kept, and its run; infeasible where there is none.
  Point at_largest_rate() {
    const double begin =
        std::clamp(serving().arrival.requests_per_s, search_.lowest_per_s, search_.highest_per_s);
    double kept = 0, failed = 0;
    for (double rate = begin; rate > 0 && can_run_; rate = next_bracket(kept, failed)) {
      (keeps(rate) ? kept : failed) = rate;
    }
    while (kept > 0 && failed > kept * (1 + search_.tolerance)) {
      const double rate = std::sqrt(kept * failed);
      (keeps(rate) ? kept : failed) = rate;
    }
    return best_;
  }

 private:
  Serving& serving() { return std::get<Serving>(scenario_.workload); }

  /// The next rate to try while only one side is known; 0 when both are, or the search's end is
  /// reached.
  double next_bracket(double kept, double failed) const {
    constexpr double kStep = 2;
    if (kept > 0 && failed > 0) return 0;
    if (kept > 0) {
      return kept >= search_.highest_per_s ? 0 : std::min(kept * kStep, search_.highest_per_s);
    }
    return failed <= search_.lowest_per_s ? 0 : std::max(failed / kStep, search_.lowest_per_s);
  }

  bool keeps(double rate) {
    serving().arrival.requests_per_s = rate;
    workload::Result result = workload::run(scenario_);
    can_run_ = result.feasible;
    const bool kept = can_run_ && attained_share(serving(), result.metrics) >= search_.attainment;
    if (!kept && has_kept_) return false;
    has_kept_ = has_kept_ || kept;
    if (can_run_ && !kept) {
      result = {};
      result.feasible = false;
      result.reason = fmt::format(
          "fewer than {:.4g} % of the requests keep the service level, even "
          "at {:.4g} requests/s",
          100 * search_.attainment, rate);
    }
    best_.scenario = scenario_;
    best_.result = std::move(result);
    return kept;
  }

  scenario::Scenario scenario_;
  const RateSearch& search_;
  Point best_;
  bool can_run_ = true;    ///< it fits
  bool has_kept_ = false;  ///< `best_` keeps the service level
};

}  // namespace

Search read_search(std::string_view text, const std::string& file) {
  const json::Document document = json::Document::parse(text, file);
  json::ObjectReader reader(document.root());
  Search search;
  reader.required("objective").name("objective", kObjectives);
  if (const auto rate = reader.optional("rate")) search.rate = read_rate(*rate);
  search.rate.attainment = reader.number("attainment", search.rate.attainment, {1e-6, 1});
  // What is left is a sweep's; its axes keep the writer's order.
  auto sweep = nlohmann::ordered_json::parse(text);
  for (const char* own : {"objective", "rate", "attainment"}) sweep.erase(own);
  search.plans = read_sweep(sweep.dump(), file);
  return search;
}

double attained_share(const Serving& serving, const workload::Metrics& metrics) {
  if (!metrics.goodput_requests_per_s || !metrics.makespan_ms) return 0;
  return *metrics.goodput_requests_per_s * 1e-3 * *metrics.makespan_ms / serving.requests.count;
}

SweepResults run_search(const Search& search, scenario::Catalogue& catalogue,
                        const SearchOptions& options) {
  SweepResults results;
  results.name = search.plans.name;
  results.axes = axis_paths(search.plans);
  results.axes.emplace_back(kRatePath);
  std::vector<PointPlan> plans = expand(search.plans, catalogue, {});
  for (const PointPlan& plan : plans) serving_of(search, plan.scenario);
  results.points.resize(plans.size());
  std::mutex mutex;
  std::size_t done = 0;
  tbb::task_arena arena(options.jobs > 0 ? options.jobs : tbb::task_arena::automatic);
  parallel_for(arena, plans.size(), [&](std::size_t i) {
    Point point = Plan(plans[i].scenario, search.rate).at_largest_rate();
    const auto& arrival = std::get<Serving>(point.scenario.workload).arrival;
    point.axis_values = plans[i].axis_values;
    point.axis_values.push_back(nlohmann::json(arrival.requests_per_s).dump());
    results.points[i] = std::move(point);
    const std::scoped_lock lock(mutex);
    if (options.progress) options.progress(++done, plans.size());
  });
  return results;
}

std::optional<std::size_t> best_goodput(const std::vector<Point>& points) {
  const auto rate = [&](std::size_t i) {
    return std::get<Serving>(points[i].scenario.workload).arrival.requests_per_s;
  };
  const auto devices = [&](std::size_t i) { return points[i].scenario.plan.devices(); };
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].result.feasible) continue;
    const bool better =
        !best || rate(i) > rate(*best) || (rate(i) == rate(*best) && devices(i) < devices(*best));
    if (better) best = i;
  }
  return best;
}

}  // namespace tradewind::study
