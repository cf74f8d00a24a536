#include "sim/workload/block.h"

#include "sim/workload/breakdown.h"
#include "sim/workload/pass_times.h"
#include "sim/workload/unfolded.h"

namespace tradewind::workload {
namespace {

double flops_of(const lowering::Segment& segment) {
  double flops = 0;
  for (const lowering::Step& step : segment) {
    if (const lowering::Kernel* kernel = lowering::kernel_of(step)) {
      flops += kernel->cost.flops;
      continue;
    }
    const auto& region = std::get<std::shared_ptr<const lowering::Region>>(step);
    for (const lowering::RegionKernel& part : lowering::kernels_of(*region)) {
      flops += part.kernel->cost.flops * part.count;
    }
  }
  return flops;
}

}  // namespace

void run_block(const scenario::Scenario& scenario, const scenario::Block& block, bool full,
               Result& result) {
  const RunContext context(scenario);
  const lowering::PassKernels kernels = lowering::lower_block(scenario, context.book, block);
  const lowering::Segment& segment = kernels.layer[0];
  const lowering::LaunchCost& launch = context.launch_of(lowering::Phase::prefill);
  const lowering::StageLayout alone{true, true, {{0, 1}}};
  const auto duration = [&](Variant variant) {
    return StageClock(kernels, launch, variant, context.regions).stage(alone);
  };
  Time makespan = duration(Variant::simulated);
  Time compute = duration(Variant::without_communication);
  result.events = segment.size();
  if (full) {
    const UnfoldedRun run = run_unfolded(context, block);
    makespan = run.simulated.makespan;
    compute = run.without_communication.makespan;
    result.events = run.timeline.events;
  }

  Breakdown breakdown;
  breakdown.add("block", segment, 1, launch, context.regions);
  breakdown.add_other("block", "launch", 1, makespan - breakdown.total(), kernels::Bound::host);

  const Time light = duration(Variant::speed_of_light);
  Metrics& metrics = result.metrics;
  metrics.makespan_ms = makespan.milliseconds();
  metrics.compute_ms = compute.milliseconds();
  metrics.communication_ms = breakdown.communication().milliseconds();
  metrics.exposed_communication_ms = (makespan - compute).milliseconds();
  metrics.exposed_communication_fraction = *metrics.exposed_communication_ms / *metrics.makespan_ms;
  metrics.model_flops_per_device_per_s = flops_of(segment) / makespan.seconds();
  metrics.mfu = *metrics.model_flops_per_device_per_s /
                scenario.cluster->accelerator().peak(scenario.precision.activations);
  metrics.speed_of_light_ms = light.milliseconds();
  metrics.speed_of_light_share = *metrics.speed_of_light_ms / *metrics.makespan_ms;
  result.breakdown = breakdown.rows(makespan);
  result.communication = breakdown.communication_rows();
  result.provenance_ms = breakdown.provenance_ms();
}

}  // namespace tradewind::workload
