#include "sim/workload/limits.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/core/overload.h"
#include "sim/scenario/step_bounds.h"
#include "sim/workload/pass_times.h"
#include "sim/workload/schedule.h"

namespace tradewind::workload {
namespace {

using lowering::Kernel;
using lowering::LaunchCost;
using lowering::PassKernels;
using lowering::Phase;
using lowering::Region;
using lowering::Segment;
using lowering::StageLayout;
using lowering::Step;

/// The limits up to `last` count, those after it do not.
bool counts(Limit limit, Limit last) {
  return limit <= last;
}

Kernel relieved(Kernel kernel, Limit last) {
  if (is_communication(kernel.kind) && !counts(Limit::link, last)) kernel.work = Time{};
  return kernel;
}

Region relieved(Region region, Limit last) {
  region.transfer = relieved(region.transfer, last);
  if (!counts(Limit::latency, last)) region.barrier = Time{};
  if (!counts(Limit::compute_units, last)) region.units_taken = 0;
  if (!counts(Limit::hbm, last)) region.transfer.cost.hbm_bytes = 0;
  if (!counts(Limit::power, last)) region.power_share = 0;
  return region;
}

Segment relieved(const Segment& segment, Limit last) {
  Segment steps;
  for (const Step& step : segment) {
    if (const Kernel* kernel = lowering::kernel_of(step)) {
      steps.emplace_back(relieved(*kernel, last));
    } else {
      const auto& region = std::get<std::shared_ptr<const Region>>(step);
      steps.emplace_back(std::make_shared<const Region>(relieved(*region, last)));
    }
  }
  return steps;
}

PassKernels relieved(const PassKernels& kernels, Limit last) {
  PassKernels pass;
  pass.embedding = relieved(kernels.embedding, last);
  pass.take_over = relieved(kernels.take_over, last);
  for (std::size_t c = 0; c < pass.layer.size(); ++c) {
    pass.layer[c] = relieved(kernels.layer[c], last);
  }
  pass.head = relieved(kernels.head, last);
  return pass;
}

/// A pass with its limits added one after the other: the last entry is the pass as simulated.
std::array<Time, kLimitCount> stepwise(const PassKernels& kernels, const LaunchCost& launch,
                                       const std::vector<StageLayout>& stages) {
  std::array<Time, kLimitCount> times{};
  for (std::size_t i = 0; i < kLimitCount; ++i) {
    const auto last = static_cast<Limit>(i);
    const LaunchCost counted = counts(Limit::launch, last) ? launch : LaunchCost{};
    const Variant variant =
        counts(Limit::latency, last) ? Variant::simulated : Variant::without_communication;
    const PassKernels pass = relieved(kernels, last);
    RegionTimes regions;
    const StageClock clock(pass, counted, variant, regions);
    for (const StageLayout& stage : stages) times[i] += clock.stage(stage);
  }
  return times;
}

/// Lowers passes of one plan, and of the same plan without overlap.
class Passes {
 public:
  explicit Passes(const scenario::Scenario& scenario)
      : vanilla_scenario_(without_overlap(scenario)),
        sliced_(scenario),
        whole_(vanilla_scenario_) {}

  /// The passes of each phase added up.
  std::vector<PassLimits> limits(const std::vector<lowering::PassShape>& shapes) const {
    std::vector<PassLimits> limits;
    for (const lowering::PassShape& shape : shapes) {
      const std::string phase(to_string(shape.phase));
      if (limits.empty() || limits.back().phase != phase) limits.emplace_back().phase = phase;
      add(limits.back(), shape.phase, sliced_.stages, [&](const RunContext& context) {
        return lowering::lower_pass(context.scenario, context.book, shape);
      });
    }
    return limits;
  }

  std::vector<PassLimits> limits(const scenario::Block& block) const {
    std::vector<PassLimits> limits(1);
    limits[0].phase = "block";
    add(limits[0], Phase::prefill, {{true, true, {{0, 1}}}}, [&](const RunContext& context) {
      return lowering::lower_block(context.scenario, context.book, block);
    });
    return limits;
  }

 private:
  template <class Lower>
  void add(PassLimits& limits, Phase phase, const std::vector<StageLayout>& stages,
           Lower lower) const {
    const LaunchCost& launch = sliced_.launch_of(phase);
    const auto whole = stepwise(lower(whole_), launch, stages);
    const auto sliced = stepwise(lower(sliced_), launch, stages);
    constexpr auto kLaunch = static_cast<std::size_t>(Limit::launch);
    limits.computation += whole[kLaunch];
    limits.beyond[0] += sliced[0] - whole[0];
    limits.beyond[kLaunch] += (sliced[kLaunch] - sliced[0]) - (whole[kLaunch] - whole[0]);
    for (std::size_t i = kLaunch + 1; i < kLimitCount; ++i) {
      limits.beyond[i] += sliced[i] - sliced[i - 1];
    }
  }

  static scenario::Scenario without_overlap(scenario::Scenario scenario) {
    scenario.plan.overlap = {};
    return scenario;
  }

  scenario::Scenario vanilla_scenario_;
  RunContext sliced_, whole_;
};

std::vector<lowering::PassShape> static_batch_passes(const scenario::Scenario& scenario,
                                                     const scenario::StaticBatch& batch) {
  const NanoBatch nano = nano_batches(scenario, batch).front();
  std::vector<lowering::PassShape> passes = nano.prefill;
  if (batch.output_tokens > 1) {
    passes.push_back(decode_shape(batch, nano.sequences, std::max(1, batch.output_tokens / 2)));
  }
  return passes;
}

/// A step full of prompts, and one of the most sequences halfway through their output.
std::vector<lowering::PassShape> serving_passes(const scenario::Scenario& scenario,
                                                const scenario::Serving& serving) {
  const scenario::MeanTokens mean = mean_tokens(serving.requests);
  const int sequences = most_sequences(scenario, serving);
  const int budget = step_bounds(scenario, serving).max_num_batched_tokens;
  const int prompt = static_cast<int>(std::clamp(std::ceil(mean.input), 1.0, 1.0 * budget));
  const int context = static_cast<int>(std::ceil(mean.input + mean.output / 2));
  std::vector<lowering::PassShape> passes = {
      {Phase::prefill, std::min(sequences, budget / prompt), prompt, prompt, true}};
  if (mean.output > 1) passes.push_back({Phase::decode, sequences, 1, context, true});
  return passes;
}

}  // namespace

Time PassLimits::total() const {
  return std::accumulate(beyond.begin(), beyond.end(), computation);
}

std::optional<Limit> PassLimits::largest() const {
  const auto most = std::max_element(beyond.begin(), beyond.end());
  if (most->ps <= 0) return std::nullopt;
  return static_cast<Limit>(most - beyond.begin());
}

std::vector<PassLimits> pass_limits(const scenario::Scenario& scenario) {
  Passes passes(scenario);
  return std::visit(Overload{[&](const scenario::StaticBatch& batch) {
                               return passes.limits(static_batch_passes(scenario, batch));
                             },
                             [&](const scenario::Block& block) { return passes.limits(block); },
                             [](const scenario::Training&) { return std::vector<PassLimits>(); },
                             [&](const scenario::Serving& serving) {
                               return passes.limits(serving_passes(scenario, serving));
                             }},
                    scenario.workload);
}

}  // namespace tradewind::workload
