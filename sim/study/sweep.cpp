#include "sim/study/sweep.h"

#include <algorithm>

#include "sim/study/parallel.h"
#include "sim/study/sweep_grid.h"
#include "sim/workload/run.h"

namespace tradewind::study {

SweepResults run_sweep(const Sweep& sweep, scenario::Catalogue& catalogue,
                       const SweepOptions& options) {
  SweepResults results;
  results.name = sweep.name;
  results.axes = axis_paths(sweep);
  // Every point is read before any is run: a mistake in the last axis costs no waiting.
  std::vector<PointPlan> plans = expand(sweep, catalogue, options.shard);

  tbb::task_arena arena(options.jobs > 0 ? options.jobs : tbb::task_arena::automatic);
  const std::size_t block = 64 * static_cast<std::size_t>(arena.max_concurrency());
  results.points.reserve(plans.size());
  for (std::size_t begin = 0; begin < plans.size(); begin += block) {
    const std::size_t end = std::min(plans.size(), begin + block);
    std::vector<Point> points(end - begin);
    std::vector<char> is_known(points.size(), 0);
    for (std::size_t i = 0; i < points.size(); ++i) {
      points[i].axis_values = std::move(plans[begin + i].axis_values);
      points[i].scenario = std::move(plans[begin + i].scenario);
      is_known[i] = options.known && options.known(points[i].scenario, points[i].result);
    }
    parallel_for(arena, points.size(), [&](std::size_t i) {
      if (!is_known[i]) points[i].result = workload::run(points[i].scenario);
    });
    if (options.finished) options.finished(points);
    std::move(points.begin(), points.end(), std::back_inserter(results.points));
    if (options.progress) options.progress(results.points.size(), plans.size());
  }
  return results;
}

}  // namespace tradewind::study
