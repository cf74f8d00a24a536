#include "sim/workload/training_times.h"

#include <algorithm>
#include <cmath>

#include "sim/lowering/training_groups.h"
#include "sim/lowering/weight_quantization.h"
#include "sim/scenario/activation_bytes.h"
#include "sim/scenario/training_feasibility.h"

namespace tradewind::workload {

using lowering::ChainTime;
using lowering::Kernel;
using lowering::KernelKind;
using lowering::Moves;
using lowering::Piece;
using lowering::Pieces;
using lowering::RankGroup;
using lowering::Segment;
using lowering::StageOpKind;
using lowering::StepWork;

namespace {

const Segment& segment_of(const lowering::TrainingPart& part, StageOpKind kind) {
  switch (kind) {
    case StageOpKind::forward:
      return part.forward;
    case StageOpKind::backward:
      return part.backward;
    case StageOpKind::backward_input:
      return part.backward_input;
    default:
      return part.backward_weight;
  }
}

bool counts(const Kernel& kernel, const Communication& communication) {
  if (!lowering::is_communication(kernel.kind)) return true;
  const bool exchange = kernel.kind == KernelKind::p2p || kernel.kind == KernelKind::all_to_all;
  return exchange ? communication.context : communication.tensor;
}

bool overlaps(const scenario::TrainingBehaviour& behaviour) {
  return behaviour.overlaps_gradients || behaviour.overlaps_parameters;
}

}  // namespace

TrainingTimes::TrainingTimes(const RunContext& context, const std::vector<Chunk>& chunks,
                             const lowering::Schedule& schedule)
    : context_(context),
      chunks_(chunks),
      schedule_(schedule),
      kernels_(lowering::lower_training(context.scenario, context.book)) {
  if (!context.scenario.runtime->training.keeps_alternate_products) return;
  recomputing_ = lowering::lower_training(recomputing(context.scenario, scenario::Recompute::full),
                                          context.book);
}

Time TrainingTimes::duration(const Segment& segment, const Communication& communication) const {
  const lowering::LaunchCost& launch = context_.launch_of(lowering::Phase::prefill);
  ChainTime chain;
  for (const lowering::Step& step : segment) {
    if (const Kernel* kernel = lowering::kernel_of(step)) {
      chain = chain + lowering::chain_of(*kernel, launch, counts(*kernel, communication));
      continue;
    }
    const auto& region = std::get<std::shared_ptr<const lowering::Region>>(step);
    const Time launches = launch.per_kernel * static_cast<std::int64_t>(region->launches());
    // Launches are through when the device comes to the region: training runs far ahead.
    const Time device =
        context_.regions.run(region, launch, launches, communication.tensor).device - launches;
    chain = chain + ChainTime{launches, device, launches + device};
  }
  return std::max(chain.host, chain.device);
}

/// The expected greatest of n normal deviates is close to sqrt(2 ln n) of them (Cramer,
/// Mathematical Methods of Statistics, section 28.6). A step waits for the slowest replica. (Were a
/// replica's slowest rank always the same one, its stage would hold up the others and hide half of
/// an interleaved schedule's bubble: arXiv 2401.10241's runs have all of it.)
double TrainingTimes::stretch() const {
  const double replicas = context_.scenario.plan.replicas();
  return 1 + context_.scenario.runtime->training.rank_spread * std::sqrt(2 * std::log(replicas));
}

Time TrainingTimes::gather(double parameters) const {
  const RankGroup group = lowering::shard_group(context_.scenario);
  if (group.ranks == 1) return {};
  return lowering::group_collective(context_.scenario, context_.book, group, KernelKind::all_gather,
                                    parameters * lowering::gathered_weight_bytes(context_.scenario))
      .duration();
}

Time TrainingTimes::reduce(double parameters) const {
  const scenario::Plan& plan = context_.scenario.plan;
  const double bytes = parameters * context_.scenario.runtime->training.gradient_bytes;
  const auto collective = [&](const RankGroup& group, KernelKind kind, double size) {
    if (group.ranks == 1) return Time{};
    return lowering::group_collective(context_.scenario, context_.book, group, kind, size)
        .duration();
  };
  if (plan.zero_stage == 0) {
    return collective(lowering::replica_group(context_.scenario), KernelKind::all_reduce, bytes);
  }
  // Hybrid sharding: then the copies of each shard are summed.
  return collective(lowering::shard_group(context_.scenario), KernelKind::reduce_scatter, bytes) +
         collective(lowering::copy_group(context_.scenario), KernelKind::all_reduce,
                    bytes / plan.shards());
}

/// Adam in fp32: reads weights, two moments and the gradient (twice: its norm comes first), writes
/// weights and moments and the weights in 16 bits. Then, once a step, those of layers are
/// quantised.
Time TrainingTimes::optimizer(double parameters, double of_layers) const {
  constexpr double kTensors = 6 * 4 + 2;
  const scenario::Scenario& scenario = context_.scenario;
  const double shards = scenario.plan.zero_stage > 0 ? scenario.plan.shards() : 1;
  const double bytes =
      parameters / shards * (kTensors + 2 * scenario.runtime->training.gradient_bytes) +
      of_layers * lowering::bytes_to_quantize_a_weight(scenario, lowering::Quantized::each_step);
  return Time::from_seconds(bytes / (scenario.cluster->accelerator().hbm_bandwidth_bytes_per_s *
                                     scenario.runtime->training.optimizer_bandwidth));
}

lowering::Handover TrainingTimes::handover(const Communication& communication) const {
  const scenario::Scenario& scenario = context_.scenario;
  const int stride = lowering::stage_stride(scenario);
  lowering::Handover handover;
  for (int stage = 0; stage < scenario.plan.pp; ++stage) {
    handover.node_of.push_back(stage * stride / scenario.cluster->node.devices);
  }
  if (scenario.plan.pp == 1 || !communication.pipeline) return handover;
  // Every rank sends its part; the receivers gather where the sequence is not sharded.
  const double bytes = scenario::training_tokens(scenario) *
                       static_cast<double>(scenario.model->hidden_size) *
                       bytes_per_element(scenario.precision.communication) / scenario.plan.tp;
  const Time host = Time::from_seconds(scenario.runtime->training.message_host_s);
  handover.near = lowering::near_message(context_.book, bytes).duration() + host;
  if (handover.node_of.back() > 0) {
    const double distance = std::max(1.0, 1.0 * stride / scenario.cluster->node.devices);
    handover.far =
        lowering::far_message(scenario, context_.book, bytes, distance).duration() + host;
  }
  handover.shares_network = lowering::replica_group(scenario).nodes > 1;
  return handover;
}

Time TrainingTimes::host_of_forward() const {
  return Time::from_seconds(context_.scenario.runtime->training.forward_host_s);
}

void TrainingTimes::add_data_parallel(Piece& piece, double parameters, bool data) const {
  if (!data) return;
  piece.gather = gather(parameters);
  piece.reduce = reduce(parameters);
}

Pieces TrainingTimes::pieces(const Chunk& chunk, StageOpKind kind,
                             const Communication& communication) const {
  Pieces pieces;
  const double stretched = stretch();
  const auto time = [&](const Segment& segment) {
    return Time::from_seconds(duration(segment, communication).seconds() * stretched);
  };
  const auto add = [&](const Segment& segment, double parameters) {
    Piece piece;
    piece.compute = time(segment);
    add_data_parallel(piece, parameters, communication.data);
    pieces.push_back(piece);
  };
  const double layer = chunk.layers > 0 ? chunk.layer_parameters / chunk.layers : 0;
  if (chunk.layout.first) {
    add(segment_of(kernels_.embedding, kind), chunk.layout.last ? 0 : chunk.extra_parameters);
  }
  Piece taken;
  if (!chunk.layout.first && kind != StageOpKind::backward_weight) {
    taken.compute = time(kernels_.take_over);
  }
  const auto add_layers = [&](const lowering::TrainingPart& part, int count) {
    if (count > 0) add(segment_of(part, kind), layer);
    for (int i = 1; i < count; ++i) pieces.push_back(Piece(pieces.back()));
  };
  int to_recompute = chunk.recomputed_layers;
  for (const lowering::StageLayout::Run& run : chunk.layout.runs) {
    const int whole = std::min(to_recompute, run.layers);
    add_layers(recomputing_.layer[run.layer_class], whole);
    add_layers(kernels_.layer[run.layer_class], run.layers - whole);
    to_recompute -= whole;
  }
  if (chunk.layout.last) add(segment_of(kernels_.head, kind), chunk.extra_parameters);
  pieces.front().compute += taken.compute;
  if (kind == StageOpKind::forward) pieces.front().compute += host_of_forward();
  if (kind != StageOpKind::forward) std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

StepWork TrainingTimes::work(const std::vector<lowering::StageProgram>& programs,
                             const Communication& communication) const {
  const scenario::Scenario& scenario = context_.scenario;
  const scenario::TrainingBehaviour& behaviour = scenario.runtime->training;
  const int zero = scenario.plan.zero_stage;
  StepWork work;
  const std::vector<std::vector<int>> held_by = chunks_of_devices(programs);
  // Chunks in the middle are alike.
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    const Chunk& chunk = chunks_[c];
    lowering::ChunkWork times;
    const bool like_last =
        c > 1 && c + 1 < chunks_.size() && chunk.layout.runs.size() == 1 &&
        chunks_[c - 1].layout.runs.size() == 1 && chunks_[c - 1].layers == chunk.layers &&
        chunks_[c - 1].layout.runs[0].layer_class == chunk.layout.runs[0].layer_class;
    if (like_last) {
      times = work.chunks.back();
    } else {
      times.forward = pieces(chunk, StageOpKind::forward, communication);
      times.backward = pieces(chunk, StageOpKind::backward, communication);
      times.backward_input = pieces(chunk, StageOpKind::backward_input, communication);
      times.backward_weight = pieces(chunk, StageOpKind::backward_weight, communication);
    }
    work.chunks.push_back(std::move(times));
  }
  work.handover = handover(communication);
  const bool replicated = scenario.plan.replicas() > 1;
  const bool reduces_each = scenario::reduces_each_micro_batch(scenario);
  if (replicated && reduces_each) {
    work.reduces = Moves::each;
  } else if (replicated && behaviour.overlaps_gradients) {
    work.reduces = Moves::once;
  }
  if (replicated && zero >= 3) {
    work.gathers_forward = Moves::each;
    // What the backward pass multiplies by is there where the forward pass left it quantised.
    work.gathers_backward =
        lowering::keeps_quantized_weights(scenario) ? Moves::never : Moves::each;
  } else if (replicated && behaviour.overlaps_parameters && zero > 0) {
    work.gathers_forward = Moves::once;
  }
  work.overlaps = overlaps(behaviour);
  if (replicated && work.overlaps) {
    const RankGroup group = lowering::replica_group(scenario);
    work.compute_units_held =
        lowering::group_collective(scenario, context_.book, group, KernelKind::all_gather, 1e8)
            .cost.compute_unit_share;
  }
  if (behaviour.sends_block && !schedule_.bidirectional) {
    work.sends = behaviour.batches_messages ? lowering::Sends::batched : lowering::Sends::holding;
  }
  work.stages_end_alone = schedule_.stages_end_alone;
  for (const std::vector<int>& held : held_by) {
    double parameters = 0, of_layers = 0;
    for (const int c : held) {
      parameters += chunks_[static_cast<std::size_t>(c)].parameters();
      of_layers += chunks_[static_cast<std::size_t>(c)].layer_parameters;
    }
    const bool data = replicated && communication.data;
    const bool bulk_reduce = data && !reduces_each && !behaviour.overlaps_gradients;
    const bool bulk_gather = data && zero > 0 && zero < 3 && !behaviour.overlaps_parameters;
    work.final_reduce.push_back(bulk_reduce ? reduce(parameters) : Time{});
    work.optimizer.push_back(optimizer(parameters, of_layers));
    work.final_gather.push_back(bulk_gather ? gather(parameters) : Time{});
  }
  return work;
}

lowering::ChunkTimes TrainingTimes::ratios() const {
  const Chunk& chunk = chunks_[chunks_.size() / 2];
  const auto seconds = [&](StageOpKind kind) {
    double total = 0;
    for (const Piece& piece : pieces(chunk, kind, {})) total += piece.compute.seconds();
    return total;
  };
  return {seconds(StageOpKind::forward), seconds(StageOpKind::backward_input),
          seconds(StageOpKind::backward_weight),
          std::max(handover({}).near, handover({}).far).seconds()};
}

}  // namespace tradewind::workload
