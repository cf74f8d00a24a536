// Pipeline schedules against arXiv 2401.10241's runs: which is faster, and by how much.
#include <map>
#include <string>

#include "tests/catch.h"
#include "validation/trace_validation.h"

using namespace tradewind;
using namespace tradewind::validation;

namespace {

struct Step {
  double measured_ms = 0, simulated_ms = 0;
};
/// Steps of one model with as many micro-batches, by schedule.
using Cell = std::map<std::string, Step>;

/// "zero-bubble-1.5b-m24-zb-2p": the cell before the schedule.
std::string cell_of(const TracePoint& point) {
  const auto micro_batches = point.id.find("-m");
  return point.id.substr(0, point.id.find('-', micro_batches + 1));
}

std::map<std::string, Cell> cells() {
  scenario::Catalogue catalogue(TRADEWIND_SOURCE_DIR);
  const auto points =
      read_traces({TRADEWIND_SOURCE_DIR "/traces/training/zero-bubble-a100.json"}, catalogue)
          .points;
  const auto results = simulate(points);
  std::map<std::string, Cell> cells;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string cell = cell_of(points[i]);
    const std::string schedule = points[i].id.substr(cell.size() + 1);
    cells[cell][schedule] = {points[i].measured.front().value,
                             answer_of(results[i], "makespan_ms").value_or(0)};
  }
  return cells;
}

}  // namespace

TEST_CASE("schedules come out in the measured order on every model of arXiv 2401.10241") {
  const auto all = cells();
  CHECK(all.size() == 12);
  for (const auto& [name, cell] : all) {
    CHECK(cell.size() == 4);
    for (const auto& [one, a] : cell) {
      for (const auto& [other, b] : cell) {
        INFO(name << ": " << one << " and " << other);
        if (a.measured_ms < b.measured_ms) CHECK(a.simulated_ms < b.simulated_ms);
      }
    }
  }
}

TEST_CASE("what a schedule gains on 1F1B is within 30 % of what it gained on silicon") {
  // Throughputs are printed with two or three digits.
  constexpr double kPrinted = 0.001;
  for (const auto& [name, cell] : cells()) {
    const Step& base = cell.at("1f1b");
    for (const auto& [schedule, step] : cell) {
      INFO(name << ": " << schedule);
      const double measured = base.measured_ms / step.measured_ms - 1;
      const double simulated = base.simulated_ms / step.simulated_ms - 1;
      CHECK(std::abs(simulated - measured) <= 0.3 * measured + kPrinted);
    }
  }
}
