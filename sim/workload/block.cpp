#include "sim/workload/block.h"

#include "sim/workload/breakdown.h"
#include "sim/workload/pass_times.h"
#include "sim/workload/unfolded.h"

namespace tradewind::workload {

void run_block(const scenario::Scenario& scenario, const scenario::Block& block, bool full,
               Result& result) {
  const RunContext context(scenario);
  const lowering::PassKernels kernels = lowering::lower_block(scenario, context.book, block);
  const lowering::Segment& segment = kernels.layer[0];
  const lowering::LaunchCost& launch = context.launch_of(lowering::Phase::prefill);
  const auto duration = [&](bool communication) {
    return launch.per_pass + lowering::chain(segment, launch, communication).duration();
  };
  Time makespan = duration(true);
  Time compute = duration(false);
  result.events = segment.size();
  if (full) {
    const UnfoldedRun run = run_unfolded(context, block);
    makespan = run.simulated.makespan;
    compute = run.without_communication.makespan;
    result.events = run.timeline.events;
  }

  Breakdown breakdown;
  breakdown.add("block", segment, 1);
  breakdown.add_other("block", "launch", 1, makespan - breakdown.total(), kernels::Bound::host);

  double flops = 0, speed_of_light_s = 0;
  for (const lowering::Kernel& kernel : segment) {
    flops += kernel.cost.flops;
    speed_of_light_s += kernel.cost.speed_of_light_s;
  }
  Metrics& metrics = result.metrics;
  metrics.makespan_ms = makespan.milliseconds();
  metrics.compute_ms = compute.milliseconds();
  metrics.communication_ms = breakdown.communication().milliseconds();
  metrics.exposed_communication_ms = (makespan - compute).milliseconds();
  metrics.exposed_communication_fraction = *metrics.exposed_communication_ms / *metrics.makespan_ms;
  metrics.model_flops_per_device_per_s = flops / makespan.seconds();
  metrics.mfu = *metrics.model_flops_per_device_per_s /
                scenario.cluster->accelerator().peak(scenario.precision.activations);
  metrics.speed_of_light_ms = 1e3 * speed_of_light_s;
  metrics.speed_of_light_share = *metrics.speed_of_light_ms / *metrics.makespan_ms;
  result.breakdown = breakdown.rows(makespan);
  result.provenance_ms = breakdown.provenance_ms();
}

}  // namespace tradewind::workload
