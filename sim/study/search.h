#pragma once

#include <functional>
#include <optional>

#include "sim/study/sweep.h"

namespace tradewind::study {

/// How a search for the largest request rate goes about it.
struct RateSearch {
  double lowest_per_s = 0.01;  ///< a plan that can't keep this is infeasible
  double highest_per_s = 1e4;  ///< nor is more than this tried
  double tolerance = 0.02;     ///< relative: between the rate found and one that fails
  double attainment = 0.9;     ///< share of all requests that must keep the service level
};

/// A search as read: the plans of a sweep, and for each the largest rate of arrivals at which it
/// keeps the base's service level (goodput as DistServe defines it, arXiv 2401.09670, section 2).
struct Search {
  Sweep plans;
  RateSearch rate;
};

/// A sweep's members (`base`, `axes`, `devices`, `fill`), `"objective": "max_goodput"`, and
/// optionally `"rate": { "min", "max", "tolerance" }` and `attainment`. Throws InputError.
Search read_search(std::string_view text, const std::string& file);

struct SearchOptions {
  int jobs = 0;  ///< threads; 0 = all cores
  std::function<void(std::size_t done, std::size_t all)> progress;
};

/// Each plan at its largest rate, which is its last axis value (`workload.arrival.requests_per_s`);
/// infeasible, with the reason, where it can't run or not even the lowest rate is kept. By
/// bisection in the logarithm of the rate from the base's own: a plan that keeps a rate is taken to
/// keep all lower ones, which holds but for the noise of the draws. Throws InputError when the
/// base's workload is no serving under Poisson or gamma arrivals with a service level.
SweepResults run_search(const Search& search, scenario::Catalogue& catalogue,
                        const SearchOptions& options);

/// Share of all requests, rejected ones too, that kept the service level.
double attained_share(const scenario::Serving& serving, const workload::Metrics& metrics);

/// The feasible point with the most requests/s; of equal ones that with fewer devices, then the
/// first. Nothing when none is feasible.
std::optional<std::size_t> best_goodput(const std::vector<Point>& points);

}  // namespace tradewind::study
