#include "tests/engine/reference_simulator.h"

#include <algorithm>
#include <limits>

namespace {

/// Below this a task or a latency counts as done, and a resource as full: far above the rounding
/// of doubles near the times of the tests (1e7 ps), far below the picosecond of the engine.
constexpr double kTiny = 1e-6;

struct State {
  enum class Phase { waiting, latency, work, done } phase = Phase::waiting;
  double latency_left = 0;
  /// Of the work, from 1 down to 0.
  double fraction_left = 1;
  double speed = 0;
};

class Reference {
 public:
  explicit Reference(const Plan& plan) : plan_(plan), states_(plan.tasks.size()) {
    times_.start.resize(plan.tasks.size());
    times_.finish.resize(plan.tasks.size());
  }

  ReferenceTimes run() {
    while (!all_done()) {
      while (change_phases()) {
      }
      if (all_done()) break;
      set_speeds();
      advance(time_to_next_change());
    }
    return times_;
  }

 private:
  /// Amount of the resource that the task takes while it runs alone, in a ps.
  double rate_alone(std::size_t task, std::size_t resource) const {
    double amount = 0;
    for (const auto& demand : plan_.tasks[task].demands) {
      if (demand.resource == resource) amount += demand.amount;
    }
    return amount == 0 ? 0 : amount / alone(task);
  }

  double alone(std::size_t task) const {
    double slowest = 0;
    for (std::size_t k = 0; k < plan_.capacities_per_ps.size(); ++k) {
      double amount = 0;
      for (const auto& demand : plan_.tasks[task].demands) {
        if (demand.resource == k) amount += demand.amount;
      }
      slowest = std::max(slowest, amount / plan_.capacities_per_ps[k]);
    }
    return slowest;
  }

  bool done(std::size_t task) const { return states_[task].phase == State::Phase::done; }
  bool all_done() const {
    for (std::size_t task = 0; task < states_.size(); ++task) {
      if (!done(task)) return false;
    }
    return true;
  }

  bool may_start(std::size_t task) const {
    for (std::size_t other = 0; other < task; ++other) {
      if (plan_.tasks[other].stream == plan_.tasks[task].stream && !done(other)) return false;
    }
    for (const auto& [before, after] : plan_.dependencies) {
      if (after == task && !done(before)) return false;
    }
    return true;
  }

  /// One pass over the tasks; whether anything changed.
  bool change_phases() {
    bool changed = false;
    for (std::size_t task = 0; task < states_.size(); ++task) {
      State& state = states_[task];
      const State::Phase before = state.phase;
      if (state.phase == State::Phase::waiting && may_start(task)) {
        state.phase = State::Phase::latency;
        state.latency_left = static_cast<double>(plan_.tasks[task].latency_ps);
        times_.start[task] = now_;
      }
      if (state.phase == State::Phase::latency && state.latency_left < kTiny) {
        state.phase = State::Phase::work;
      }
      if (state.phase == State::Phase::work && state.fraction_left * alone(task) < kTiny) {
        state.phase = State::Phase::done;
        times_.finish[task] = now_;
      }
      changed = changed || state.phase != before;
    }
    return changed;
  }

  /// Raises all speeds together, a step at a time, each step up to the next thing that is full.
  void set_speeds() {
    std::vector<std::size_t> rising;
    for (std::size_t task = 0; task < states_.size(); ++task) {
      states_[task].speed = 0;
      if (states_[task].phase == State::Phase::work) rising.push_back(task);
    }
    std::vector<double> free = plan_.capacities_per_ps;
    while (!rising.empty()) {
      double step = std::numeric_limits<double>::infinity();
      for (const std::size_t task : rising) {
        step = std::min(step, (1 - states_[task].speed) / plan_.tasks[task].weight);
      }
      for (std::size_t k = 0; k < free.size(); ++k) {
        double slope = 0;
        for (const std::size_t task : rising) {
          slope += plan_.tasks[task].weight * rate_alone(task, k);
        }
        if (slope > 0) step = std::min(step, free[k] / slope);
      }
      for (const std::size_t task : rising) {
        const double gain = step * plan_.tasks[task].weight;
        states_[task].speed += gain;
        for (std::size_t k = 0; k < free.size(); ++k) free[k] -= gain * rate_alone(task, k);
      }
      std::erase_if(rising, [&](std::size_t task) { return is_bounded(task, free); });
    }
  }

  bool is_bounded(std::size_t task, const std::vector<double>& free) const {
    constexpr double kFull = 1e-9;  // of a speed or of a capacity (1 to 8 a ps)
    if (states_[task].speed > 1 - kFull) return true;
    for (std::size_t k = 0; k < free.size(); ++k) {
      if (rate_alone(task, k) > 0 && free[k] < kFull) return true;
    }
    return false;
  }

  double time_to_next_change() const {
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t task = 0; task < states_.size(); ++task) {
      const State& state = states_[task];
      if (state.phase == State::Phase::latency) step = std::min(step, state.latency_left);
      if (state.phase == State::Phase::work) {
        step = std::min(step, state.fraction_left * alone(task) / state.speed);
      }
    }
    return step;
  }

  void advance(double step) {
    now_ += step;
    for (std::size_t task = 0; task < states_.size(); ++task) {
      State& state = states_[task];
      if (state.phase == State::Phase::latency) state.latency_left -= step;
      if (state.phase == State::Phase::work) {
        state.fraction_left -= step * state.speed / alone(task);
      }
    }
  }

  const Plan& plan_;
  std::vector<State> states_;
  ReferenceTimes times_;
  double now_ = 0;
};

}  // namespace

ReferenceTimes simulate_reference(const Plan& plan) {
  return Reference(plan).run();
}
