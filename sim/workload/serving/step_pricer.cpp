#include "sim/workload/serving/step_pricer.h"

namespace tradewind::workload {

using lowering::Kernel;
using lowering::MixedShape;
using lowering::Phase;
using lowering::StageLayout;

namespace {

/// About 5 KB each.
constexpr std::size_t kMostSkeletons = 4096;

std::int64_t key_of(const MixedShape& shape) {
  const std::int64_t kinds = (shape.decodes > 0 ? 2 : 0) + (shape.chunks > 0 ? 1 : 0);
  return shape.tokens() * 4 + kinds;
}

/// What moves between stages depends on the tokens alone.
lowering::PassShape moved(const MixedShape& shape) {
  return {shape.phase(), 1, static_cast<int>(shape.tokens()), 1, false};
}

const Kernel* sequence_kernel(const lowering::Step& step) {
  const Kernel* kernel = lowering::kernel_of(step);
  return kernel && lowering::depends_on_sequences(kernel->kind) ? kernel : nullptr;
}

}  // namespace

StepPricer::Skeleton& StepPricer::skeleton_of(const MixedShape& shape) {
  const auto known = skeletons_.find(key_of(shape));
  if (known != skeletons_.end()) return known->second;
  if (skeletons_.size() == kMostSkeletons) forget();
  Skeleton skeleton;
  skeleton.kernels = lowering::lower_mixed(context_.scenario, context_.book, shape);
  skeleton.times = time_pass(context_, moved(shape), skeleton.kernels);
  return skeletons_.emplace(key_of(shape), std::move(skeleton)).first->second;
}

StepPricer::Head& StepPricer::head_of(std::int64_t sampled) {
  const auto known = heads_.find(sampled);
  if (known != heads_.end()) return known->second;
  Head head;
  if (sampled > 0) {
    head.kernels = lowering::lower_head(context_.scenario, context_.book, sampled);
    if (context_.stages.size() > 1) {
      const lowering::PassShape shape{Phase::decode, static_cast<int>(sampled), 1, 1, true};
      const Kernel back = lowering::token_return(context_.scenario, context_.book, shape);
      head.token_return = {back.duration(), Time{}, back.speed_of_light()};
    }
  }
  return heads_.emplace(sampled, std::move(head)).first->second;
}

const PassTimes& StepPricer::price(const MixedShape& shape, double context_tokens) {
  Skeleton& skeleton = skeleton_of(shape);
  Head& head = head_of(shape.sampled);
  skeleton.shape = shape;
  lowering::set_sequences(skeleton.kernels, context_.scenario, context_.book, shape);
  skeleton.kernels.head = head.kernels;
  retime_stages(skeleton.times, context_, shape.phase(), skeleton.kernels);
  const Time host =
      context_.step_host(static_cast<double>(shape.decodes + shape.chunks), context_tokens);
  for (std::size_t v = 0; v < kVariantCount; ++v) {
    PassTimes::OfVariant& of = skeleton.times.variants[v];
    of.host = static_cast<Variant>(v) == Variant::speed_of_light ? Time{} : host;
    of.token_return = head.token_return[v];
  }
  ++skeleton.steps;
  ++head.steps[static_cast<std::size_t>(shape.phase())];
  for (std::size_t c = 0; c < skeleton.sequences.size(); ++c) {
    std::size_t slot = 0;
    for (const lowering::Step& step : skeleton.kernels.layer[c]) {
      const Kernel* kernel = sequence_kernel(step);
      if (kernel) skeleton.sequences[c][slot++] += kernel->duration();
    }
  }
  return skeleton.times;
}

void StepPricer::add_to(Breakdown& breakdown, const Skeleton& skeleton, std::size_t stage) const {
  const StageLayout& layout = context_.stages[stage];
  const Phase phase = skeleton.shape.phase();
  const std::string_view name = to_string(phase);
  const lowering::LaunchCost& launch = context_.launch_of(phase);
  breakdown.add(name, layout.first ? skeleton.kernels.embedding : skeleton.kernels.take_over,
                skeleton.steps, launch, context_.regions);
  for (const StageLayout::Run& run : layout.runs) {
    std::size_t slot = 0;
    for (const lowering::Step& step : skeleton.kernels.layer[run.layer_class]) {
      if (const Kernel* kernel = sequence_kernel(step)) {
        breakdown.add(name, *kernel, skeleton.steps * run.layers,
                      skeleton.sequences[run.layer_class][slot++] * run.layers);
        continue;
      }
      breakdown.add(name, step, skeleton.steps * run.layers, launch, context_.regions);
    }
  }
  const auto add_transfer = [&](std::size_t from) {
    const Kernel transfer = lowering::stage_transfer(context_.scenario, context_.book,
                                                     moved(skeleton.shape), static_cast<int>(from));
    breakdown.add(name, transfer, skeleton.steps, transfer.duration() * skeleton.steps);
  };
  if (stage > 0) add_transfer(stage - 1);
  if (stage + 1 < context_.stages.size()) add_transfer(stage);
}

void StepPricer::add_to(Breakdown& breakdown, const Head& head) const {
  for (const Phase phase : {Phase::prefill, Phase::decode}) {
    breakdown.add(to_string(phase), head.kernels, head.steps[static_cast<std::size_t>(phase)],
                  context_.launch_of(phase), context_.regions);
  }
}

void StepPricer::forget() {
  for (std::size_t stage = 0; stage < forgotten_.size(); ++stage) {
    forgotten_[stage] = breakdown(stage);
  }
  skeletons_.clear();
  heads_.clear();
}

Breakdown StepPricer::breakdown(std::size_t stage) const {
  Breakdown sum = forgotten_[stage];
  for (const auto& [key, skeleton] : skeletons_) add_to(sum, skeleton, stage);
  if (context_.stages[stage].last) {
    for (const auto& [sampled, head] : heads_) add_to(sum, head);
  }
  return sum;
}

}  // namespace tradewind::workload
