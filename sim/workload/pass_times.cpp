#include "sim/workload/pass_times.h"

#include <numeric>

namespace tradewind::workload {
namespace {

using lowering::Kernel;
using lowering::LaunchCost;
using lowering::PassKernels;
using lowering::Phase;

}  // namespace

Time PassTimes::OfVariant::alone() const {
  const auto sum = [](const std::vector<Time>& times) {
    return std::accumulate(times.begin(), times.end(), Time{});
  };
  return host + sum(stage) + sum(transfer);
}

RunContext::RunContext(const scenario::Scenario& the_scenario)
    : scenario(the_scenario),
      book(lowering::book_for(the_scenario)),
      stages(lowering::stage_layouts(the_scenario)),
      launch{lowering::launch_cost(*the_scenario.runtime, Phase::prefill),
             lowering::launch_cost(*the_scenario.runtime, Phase::decode)},
      regions{} {}

Time RunContext::step_host(double sequences, double context_tokens) const {
  const scenario::Runtime& runtime = *scenario.runtime;
  return Time::from_seconds(runtime.step_host_s + runtime.step_host_per_sequence_s * sequences +
                            runtime.step_host_per_token_s * context_tokens);
}

void retime_stages(PassTimes& times, const RunContext& context, Phase phase,
                   const PassKernels& kernels) {
  const LaunchCost& launch = context.launch_of(phase);
  for (std::size_t v = 0; v < kVariantCount; ++v) {
    const StageClock clock(kernels, launch, static_cast<Variant>(v), context.regions);
    for (std::size_t s = 0; s < context.stages.size(); ++s) {
      times.variants[v].stage[s] = clock.stage(context.stages[s]);
    }
  }
}

PassTimes time_pass(const RunContext& context, const lowering::PassShape& shape,
                    const PassKernels& kernels) {
  const std::size_t stages = context.stages.size();
  PassTimes times;
  for (PassTimes::OfVariant& variant : times.variants) {
    variant.host = context.step_host(shape);
    variant.stage.resize(stages);
    variant.transfer.resize(stages - 1);
  }
  PassTimes::OfVariant& simulated = times.variants[0];
  PassTimes::OfVariant& light = times.variants[2];
  light.host = Time{};
  for (std::size_t s = 0; s + 1 < stages; ++s) {
    const Kernel send =
        lowering::stage_transfer(context.scenario, context.book, shape, static_cast<int>(s));
    simulated.transfer[s] = send.duration();
    light.transfer[s] = send.speed_of_light();
  }
  if (stages > 1 && shape.yields_tokens) {
    const Kernel back = lowering::token_return(context.scenario, context.book, shape);
    simulated.token_return = back.duration();
    light.token_return = back.speed_of_light();
  }
  retime_stages(times, context, shape.phase, kernels);
  return times;
}

}  // namespace tradewind::workload
