#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/json/reader.h"
#include "sim/scenario/catalogue.h"
#include "sim/workload/result.h"

namespace tradewind::study {

/// One axis of a sweep: a dotted path into the scenario and the values it takes, as JSON text.
struct Axis {
  std::string path;
  std::vector<std::string> values;
};

/// A sweep as read (interface.md): the Cartesian product of the axes, the last one fastest.
struct Sweep {
  std::string name;
  std::string base;  ///< the scenario as JSON text
  std::string file;  ///< names it in errors
  std::vector<Axis> axes;
  int devices = 0;   ///< keep the points that use exactly that many; 0 = all
  std::string fill;  ///< path of the degree set so that they do; empty = none
};

/// Points beyond this are a mistake in the axes, not a study.
inline constexpr std::size_t kMostPoints = 50'000;

/// `file` names the text in errors and is what a relative `base` path is beside. Throws InputError.
Sweep read_sweep(std::string_view text, const std::string& file);

/// One point of the grid: where it stands on each axis (JSON text), and the scenario there.
struct PointPlan {
  std::vector<std::string> axis_values;
  scenario::Scenario scenario;
};

/// A simulated point.
struct Point {
  std::vector<std::string> axis_values;
  scenario::Scenario scenario;
  workload::Result result;
};

struct SweepResults {
  std::string name;
  std::vector<std::string> axes;  ///< dotted paths, in order; with `fill`, that path comes last
  std::vector<Point> points;      ///< in grid order, whatever the number of threads
};

/// Every `count`-th point beginning with `index` (0-based): one machine's share.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
};

struct SweepOptions {
  int jobs = 0;  ///< threads; 0 = all cores
  Shard shard;
  /// A result known already (--resume), or nothing. Called from one thread.
  std::function<bool(const scenario::Scenario&, workload::Result&)> known;
  /// How many points are done of how many. Called from one thread at a time.
  std::function<void(std::size_t done, std::size_t all)> progress;
  /// Called with each finished run of points in grid order, so that they can be kept on disk.
  std::function<void(const std::vector<Point>& chunk)> finished;
};

/// Throws InputError, before anything runs, when a point can't be read as a scenario.
SweepResults run_sweep(const Sweep& sweep, scenario::Catalogue& catalogue,
                       const SweepOptions& options);

}  // namespace tradewind::study
