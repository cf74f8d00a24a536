#include "sim/workload/static_batch_run.h"

#include <algorithm>
#include <iterator>

#include "sim/workload/pipeline.h"

namespace tradewind::workload {
namespace {

using lowering::PassShape;

class Simulation {
 public:
  Simulation(const RunContext& context, const scenario::StaticBatch& batch)
      : context_(context), batch_(batch) {
    run_.nano_batches = nano_batches(context.scenario, batch);
    run_.busy.resize(context.stages.size());
    for (PerVariant<Lane>::reference lane : lanes_) {
      lane.pipeline = Pipeline(context.stages.size());
      lane.ready.resize(run_.nano_batches.size());
      lane.left.resize(run_.nano_batches.size());
    }
  }

  StaticBatchRun run() {
    for (std::size_t nano = 0; nano < run_.nano_batches.size(); ++nano) prefill(nano);
    if (batch_.output_tokens > 1) prepare_decode();
    for (int step = 1; step < batch_.output_tokens; ++step) decode(step);
    for (std::size_t v = 0; v < kVariantCount; ++v) {
      for (std::size_t nano = 0; nano < run_.nano_batches.size(); ++nano) {
        run_.ends[v].add_last_tokens(lanes_[v].left[nano], run_.nano_batches[nano].sequences);
      }
    }
    return std::move(run_);
  }

 private:
  /// The state of the pipeline under one rule.
  struct Lane {
    Pipeline pipeline{1};
    std::vector<Time> ready;  ///< by nano-batch: its next pass may begin
    std::vector<Time> left;   ///< by nano-batch: its last pass left the pipeline
  };

  PrefillCost& prefill_cost(const PassShape& shape) {
    for (PrefillCost& known : run_.prefills) {
      if (known.shape == shape) return known;
    }
    PrefillCost cost{shape, lowering::lower_pass(context_.scenario, context_.book, shape), {}, 0};
    cost.times = time_pass(context_, shape, cost.kernels);
    return run_.prefills.emplace_back(std::move(cost));
  }

  void run_pass(std::size_t nano, const PassTimes& times) {
    for (std::size_t v = 0; v < kVariantCount; ++v) {
      const PassTimes::OfVariant& of = times.variants[v];
      Lane& lane = lanes_[v];
      lane.left[nano] = lane.pipeline.run(lane.ready[nano], of.host, of.stage, of.transfer);
    }
    const std::vector<Time>& stage = times.of(Variant::simulated).stage;
    for (std::size_t s = 0; s < stage.size(); ++s) run_.busy[s] += stage[s];
    run_.stage_passes += stage.size();
  }

  void prefill(std::size_t nano) {
    for (const PassShape& shape : run_.nano_batches[nano].prefill) {
      PrefillCost& cost = prefill_cost(shape);
      ++cost.passes;
      run_pass(nano, cost.times);
      if (!shape.yields_tokens) continue;
      for (std::size_t v = 0; v < kVariantCount; ++v) {
        run_.ends[v].add_first_tokens(lanes_[v].left[nano], shape.sequences);
      }
    }
    const PassTimes& last = prefill_cost(run_.nano_batches[nano].prefill.back()).times;
    for (std::size_t v = 0; v < kVariantCount; ++v) {
      lanes_[v].ready[nano] = lanes_[v].left[nano] + last.variants[v].token_return;
    }
    run_.sequences += run_.nano_batches[nano].sequences;
  }

  DecodeCost& decode_cost(int sequences) {
    return *std::find_if(run_.decodes.begin(), run_.decodes.end(),
                         [&](const DecodeCost& cost) { return cost.sequences == sequences; });
  }

  void prepare_decode() {
    for (const NanoBatch& nano : run_.nano_batches) {
      const auto known =
          std::find_if(run_.decodes.begin(), run_.decodes.end(),
                       [&](const DecodeCost& cost) { return cost.sequences == nano.sequences; });
      if (known != run_.decodes.end()) {
        ++known->nano_batches;
        continue;
      }
      const PassShape shape = decode_shape(batch_, nano.sequences, 1);
      DecodeCost cost{
          nano.sequences, 1, lowering::lower_pass(context_.scenario, context_.book, shape), {}, {}};
      cost.times = time_pass(context_, shape, cost.kernels);
      run_.decodes.push_back(std::move(cost));
    }
  }

  void decode(int step) {
    for (DecodeCost& cost : run_.decodes) {
      const PassShape shape = decode_shape(batch_, cost.sequences, step);
      lowering::set_decode_context(cost.kernels, context_.scenario, context_.book, shape);
      retime_stages(cost.times, context_, lowering::Phase::decode, cost.kernels);
      const Time host = context_.step_host(shape);
      for (const Variant v : {Variant::simulated, Variant::without_communication}) {
        cost.times.variants[static_cast<std::size_t>(v)].host = host;
      }
      for (std::size_t w = 0; w < cost.attention.size(); ++w) {
        for (const lowering::Step& part : cost.kernels.layer[w]) {
          const lowering::Kernel* kernel = lowering::kernel_of(part);
          if (kernel && kernel->kind == lowering::KernelKind::attention) {
            cost.attention[w] += kernel->duration();
          }
        }
      }
    }
    for (std::size_t nano = 0; nano < run_.nano_batches.size(); ++nano) {
      const DecodeCost& cost = decode_cost(run_.nano_batches[nano].sequences);
      run_pass(nano, cost.times);
      for (std::size_t v = 0; v < kVariantCount; ++v) {
        lanes_[v].ready[nano] = lanes_[v].left[nano] + cost.times.variants[v].token_return;
      }
    }
  }

  const RunContext& context_;
  const scenario::StaticBatch& batch_;
  PerVariant<Lane> lanes_;
  StaticBatchRun run_;
};

}  // namespace

void StaticBatchRun::append(StaticBatchRun later) {
  const auto move_to = [](auto& from, auto& to) {
    std::move(from.begin(), from.end(), std::back_inserter(to));
  };
  move_to(later.nano_batches, nano_batches);
  move_to(later.prefills, prefills);
  move_to(later.decodes, decodes);
  for (std::size_t v = 0; v < kVariantCount; ++v) ends[v].append(later.ends[v], later.sequences);
  for (std::size_t s = 0; s < busy.size(); ++s) busy[s] += later.busy[s];
  sequences += later.sequences;
  stage_passes += later.stage_passes;
}

StaticBatchRun run_folded(const RunContext& context, const scenario::StaticBatch& batch) {
  return Simulation(context, batch).run();
}

}  // namespace tradewind::workload
