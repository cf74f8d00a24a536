#include "sim/workload/static_batch.h"

#include <algorithm>
#include <numeric>

#include "sim/model/count.h"
#include "sim/workload/breakdown.h"
#include "sim/workload/static_batch_run.h"
#include "sim/workload/unfolded.h"

namespace tradewind::workload {
namespace {

using kernels::Bound;
using lowering::KernelKind;
using lowering::PassKernels;
using lowering::Phase;
using lowering::StageLayout;
using scenario::StaticBatch;

const lowering::Kernel* attention_of(const lowering::Step& step) {
  const lowering::Kernel* kernel = lowering::kernel_of(step);
  return kernel && kernel->kind == KernelKind::attention ? kernel : nullptr;
}

/// The kernels of one pass on one stage, `passes` times over. Decode's attention is added apart.
void add_pass(Breakdown& breakdown, const RunContext& context, Phase phase,
              const PassKernels& kernels, const StageLayout& stage, std::int64_t passes) {
  const std::string_view name = to_string(phase);
  const lowering::LaunchCost& launch = context.launch_of(phase);
  breakdown.add(name, stage.first ? kernels.embedding : kernels.take_over, passes, launch,
                context.regions);
  for (const StageLayout::Run& run : stage.runs) {
    for (const lowering::Step& step : kernels.layer[run.layer_class]) {
      if (phase == Phase::decode && attention_of(step)) continue;
      breakdown.add(name, step, passes * run.layers, launch, context.regions);
    }
  }
  if (stage.last) breakdown.add(name, kernels.head, passes, launch, context.regions);
}

void add_decode_attention(Breakdown& breakdown, const DecodeCost& cost, const StageLayout& stage,
                          std::int64_t steps) {
  for (const StageLayout::Run& run : stage.runs) {
    for (const lowering::Step& step : cost.kernels.layer[run.layer_class]) {
      const lowering::Kernel* attention = attention_of(step);
      if (!attention) continue;
      const std::int64_t copies = cost.nano_batches * run.layers;
      breakdown.add("decode", *attention, copies * steps, cost.attention[run.layer_class] * copies);
    }
  }
}

/// Transfers that hold the stage: from the one before and to the one after.
void add_transfers(Breakdown& breakdown, const RunContext& context,
                   const lowering::PassShape& shape, std::size_t stage, std::int64_t passes) {
  const auto add = [&](std::size_t from) {
    const lowering::Kernel transfer =
        lowering::stage_transfer(context.scenario, context.book, shape, static_cast<int>(from));
    breakdown.add(to_string(shape.phase), transfer, passes, transfer.duration() * passes);
  };
  if (stage > 0) add(stage - 1);
  if (stage + 1 < context.stages.size()) add(stage);
}

/// Where the makespan of one device of `stage` goes: kernels, transfers, launches, host, waiting.
Breakdown device_breakdown(const RunContext& context, const StaticBatchRun& run,
                           const StaticBatch& batch, std::size_t stage) {
  const StageLayout& layout = context.stages[stage];
  const std::int64_t steps = batch.output_tokens - 1;
  Breakdown breakdown;
  for (const PrefillCost& cost : run.prefills) {
    add_pass(breakdown, context, Phase::prefill, cost.kernels, layout, cost.passes);
  }
  for (const DecodeCost& cost : run.decodes) {
    add_pass(breakdown, context, Phase::decode, cost.kernels, layout, steps * cost.nano_batches);
    add_decode_attention(breakdown, cost, layout, steps);
  }
  const Time launches = run.busy[stage] - breakdown.total();
  for (const PrefillCost& cost : run.prefills) {
    add_transfers(breakdown, context, cost.shape, stage, cost.passes);
  }
  for (const DecodeCost& cost : run.decodes) {
    add_transfers(breakdown, context, decode_shape(batch, cost.sequences, 1), stage,
                  steps * cost.nano_batches);
  }
  breakdown.add_other("all", "launch", 1, launches, Bound::host);
  const Time rest = run.of(Variant::simulated).makespan - breakdown.total();
  // Without a pipeline a device waits for nothing but its host.
  breakdown.add_other("all", context.stages.size() > 1 ? "pipeline_wait" : "host", 1, rest,
                      context.stages.size() > 1 ? Bound::latency : Bound::host);
  return breakdown;
}

void report_tokens(Metrics& metrics, const RunContext& context, const StaticBatchRun& run,
                   const StaticBatch& batch) {
  const Ends& ends = run.of(Variant::simulated);
  const scenario::Plan& plan = context.scenario.plan;
  const double makespan_s = ends.makespan.seconds();
  metrics.ttft_ms = 1e3 * ends.first_token_sum_s / run.sequences;
  metrics.e2e_latency_ms = 1e3 * ends.last_token_sum_s / run.sequences;
  metrics.makespan_ms = ends.makespan.milliseconds();
  if (batch.output_tokens > 1) {
    metrics.tpot_ms = 1e3 * (ends.last_token_sum_s - ends.first_token_sum_s) / run.sequences /
                      (batch.output_tokens - 1);
    metrics.output_tokens_per_s_per_user = 1e3 / *metrics.tpot_ms;
  }
  const double sequences = run.sequences * plan.dp;
  const double output = sequences * batch.output_tokens;
  const double total = output + sequences * batch.input_tokens;
  metrics.output_tokens_per_s = output / makespan_s;
  metrics.total_tokens_per_s = total / makespan_s;
  metrics.output_tokens_per_s_per_device = output / makespan_s / plan.devices();
  metrics.total_tokens_per_s_per_device = total / makespan_s / plan.devices();
  const double listed = context.scenario.cluster->accelerator().price_usd_per_hour;
  const double price = context.scenario.price_usd_per_device_hour > 0
                           ? context.scenario.price_usd_per_device_hour
                           : listed;
  if (price > 0) {
    metrics.cost_per_million_output_tokens_usd =
        price * plan.devices() / 3600 / *metrics.output_tokens_per_s * 1e6;
  }
}

/// The deployment paper's latencies: the first nano-batch alone, prefilled, and one decode pass at
/// the mean context.
void report_passes(Metrics& metrics, const RunContext& context, const StaticBatchRun& run,
                   const StaticBatch& batch) {
  const NanoBatch& nano = run.nano_batches.front();
  Time prefill;
  for (const lowering::PassShape& shape : nano.prefill) {
    const auto cost = std::find_if(run.prefills.begin(), run.prefills.end(),
                                   [&](const PrefillCost& c) { return c.shape == shape; });
    prefill += cost->times.of(Variant::simulated).alone();
  }
  metrics.prefill_pass_ms = prefill.milliseconds();
  double nano_latency_ms = prefill.milliseconds();
  if (batch.output_tokens > 1) {
    const lowering::PassShape shape =
        decode_shape(batch, nano.sequences, std::max(1, batch.output_tokens / 2));
    const PassKernels kernels = lowering::lower_pass(context.scenario, context.book, shape);
    const Time pass = time_pass(context, shape, kernels).of(Variant::simulated).alone();
    metrics.decode_pass_ms = pass.milliseconds();
    nano_latency_ms += pass.milliseconds() * (batch.output_tokens - 1);
  }
  // A pipeline that is refilled whenever a nano-batch ends: the busiest stage is never idle, unless
  // the nano-batches are too few to keep it so.
  const Time busiest = *std::max_element(run.busy.begin(), run.busy.end());
  const double period_ms = std::max(busiest.milliseconds(), nano_latency_ms);
  metrics.steady_state_output_tokens_per_s =
      1e3 * run.sequences * context.scenario.plan.dp * batch.output_tokens / period_ms;
}

void report_communication(Metrics& metrics, const StaticBatchRun& run, const StaticBatch& batch,
                          const Breakdown& breakdown) {
  const Ends& with = run.of(Variant::simulated);
  const Ends& without = run.of(Variant::without_communication);
  metrics.communication_ms = breakdown.communication().milliseconds();
  metrics.p2p_ms = breakdown.of(KernelKind::p2p).milliseconds();
  metrics.compute_ms = without.makespan.milliseconds();
  metrics.exposed_communication_ms = (with.makespan - without.makespan).milliseconds();
  metrics.exposed_communication_fraction =
      *metrics.exposed_communication_ms / with.makespan.milliseconds();
  metrics.exposed_communication_ms_prefill =
      (with.prefill_done - without.prefill_done).milliseconds();
  if (batch.output_tokens > 1) {
    const auto decode_s = [](const Ends& ends) {
      return ends.last_token_sum_s - ends.first_token_sum_s;
    };
    metrics.exposed_communication_ms_decode_per_token =
        1e3 * (decode_s(with) - decode_s(without)) / run.sequences / (batch.output_tokens - 1);
  }
}

void report_efficiency(Metrics& metrics, const RunContext& context, const StaticBatchRun& run,
                       const StaticBatch& batch) {
  const model::ModelConfig& model = *context.scenario.model;
  // Of a prompt only the last token's logits are asked for: counted all, mfu could pass 1.
  double flops = model::forward_flops(model, batch.input_tokens, 0) -
                 model::logits_flops(model, batch.input_tokens - 1);
  for (int step = 1; step < batch.output_tokens; ++step) {
    flops += model::forward_flops(model, 1, batch.input_tokens + step - 1);
  }
  const Ends& ends = run.of(Variant::simulated);
  const double devices_of_replica = context.scenario.plan.group() * context.scenario.plan.pp;
  const double rate = flops * run.sequences / ends.makespan.seconds() / devices_of_replica;
  const double peak =
      context.scenario.cluster->accelerator().peak(context.scenario.precision.activations);
  metrics.model_flops_per_device_per_s = rate;
  metrics.mfu = rate / peak;
  if (run.busy.size() > 1) {
    const Time busy = std::accumulate(run.busy.begin(), run.busy.end(), Time{});
    metrics.bubble_fraction =
        1 - busy.seconds() / (static_cast<double>(run.busy.size()) * ends.makespan.seconds());
  }
  metrics.speed_of_light_ms = run.of(Variant::speed_of_light).makespan.milliseconds();
  metrics.speed_of_light_share = *metrics.speed_of_light_ms / *metrics.makespan_ms;
}

StaticBatchRun run_wave(const RunContext& context, const StaticBatch& wave, bool full,
                        Result& result) {
  StaticBatchRun run = run_folded(context, wave);
  if (!full) {
    result.events += run.stage_passes;
    return run;
  }
  const UnfoldedRun unfolded = run_unfolded(context, wave, wave.output_tokens - 1);
  run.ends[static_cast<std::size_t>(Variant::simulated)] = unfolded.simulated;
  run.ends[static_cast<std::size_t>(Variant::without_communication)] =
      unfolded.without_communication;
  result.events += unfolded.timeline.events;
  return run;
}

}  // namespace

void run_static_batch(const scenario::Scenario& scenario, const StaticBatch& batch, int together,
                      bool full, Result& result) {
  const RunContext context(scenario);
  StaticBatch wave = batch;
  wave.batch = std::min(batch.batch, together);
  StaticBatchRun run = run_wave(context, wave, full, result);
  for (int left = batch.batch - wave.batch; left > 0; left -= wave.batch) {
    wave.batch = std::min(wave.batch, left);
    run.append(run_wave(context, wave, full, result));
  }
  const auto busiest = static_cast<std::size_t>(std::max_element(run.busy.begin(), run.busy.end()) -
                                                run.busy.begin());
  const Breakdown breakdown = device_breakdown(context, run, batch, busiest);

  report_tokens(result.metrics, context, run, batch);
  report_passes(result.metrics, context, run, batch);
  report_communication(result.metrics, run, batch, breakdown);
  report_efficiency(result.metrics, context, run, batch);
  result.breakdown = breakdown.rows(run.of(Variant::simulated).makespan);
  result.communication = breakdown.communication_rows();
  result.provenance_ms = breakdown.provenance_ms();
}

}  // namespace tradewind::workload
