#include "sim/lowering/training_kernels.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/lowering/backward_kernels.h"
#include "sim/lowering/block_kernels.h"
#include "sim/lowering/gradient_accumulation.h"
#include "sim/lowering/training_groups.h"
#include "sim/lowering/weight_quantization.h"
#include "sim/scenario/activation_bytes.h"

namespace tradewind::lowering {
namespace {

using kernels::ElementwiseKind;
using scenario::Recompute;
using scenario::Scenario;

void append(Segment& segment, const Segment& more) {
  segment.insert(segment.end(), more.begin(), more.end());
}

/// The segment without cache writes, and with `core` where its attention stands.
Segment with_core(const Segment& segment, KernelKind attention, const Segment& core) {
  Segment result;
  for (const Step& step : segment) {
    const Kernel* kernel = kernel_of(step);
    if (kernel && kernel->kind == KernelKind::kv_cache_write) continue;
    if (kernel && kernel->kind == attention) {
      append(result, core);
    } else {
      result.push_back(step);
    }
  }
  return result;
}

/// The products alone: biases' gradients are summed when the input gradients are (arXiv
/// 2401.10241's code puts off what megatron/core/tensor_parallel/layers.py multiplies, from
/// memory).
bool is_weight_gradient(KernelKind kind) {
  return kind == KernelKind::qkv_wgrad || kind == KernelKind::out_wgrad ||
         kind == KernelKind::gate_up_wgrad || kind == KernelKind::down_wgrad ||
         kind == KernelKind::lm_head_wgrad;
}

bool is_weight_gradient(const Step& step) {
  if (const Kernel* kernel = kernel_of(step)) return is_weight_gradient(kernel->kind);
  const auto& region = std::get<std::shared_ptr<const Region>>(step);
  return std::any_of(region->compute.begin(), region->compute.end(),
                     [](const Kernel& kernel) { return is_weight_gradient(kernel.kind); });
}

void split_backward(TrainingPart& part, const Segment& separable) {
  for (const Step& step : separable) {
    (is_weight_gradient(step) ? part.backward_weight : part.backward_input).push_back(step);
  }
}

/// A scenario whose kernels are those of one sequence shard: Ulysses and ring attention only meet
/// inside attention. Its weight gradients can be put off if `separable`.
Scenario shard_of(const Scenario& scenario, bool separable) {
  Scenario shard = scenario;
  shard.plan.ulysses = 1;
  if (separable && shard.runtime->training.overlaps_input_gradient) {
    scenario::Runtime runtime = *shard.runtime;
    runtime.training.overlaps_input_gradient = false;
    shard.runtime = std::make_shared<const scenario::Runtime>(std::move(runtime));
  }
  return shard;
}

PassShape pass_shape(const Scenario& scenario) {
  const auto& training = std::get<scenario::Training>(scenario.workload);
  const int tokens = static_cast<int>(scenario::training_tokens(scenario) / training.micro_batch);
  return {Phase::prefill, training.micro_batch, tokens, tokens, false};
}

/// Both halves of a layer, in the order of the backward pass.
Segment layer_backward(const Scenario& shard, const kernels::Book& book, const PassShape& shape,
                       const Segment& core) {
  const BackwardKernels backward(shard, book, shape);
  Segment segment = backward.mlp();
  const Kernel stands_for_core(KernelKind::attention, kernels::Cost{});
  append(segment,
         with_core(backward.attention(stands_for_core), KernelKind::attention_backward, core));
  return segment;
}

/// What torchtitan's selective checkpointing computes again: norms, keys, positions, the output
/// projection, the up projection and the activation; not the collectives, whose results it keeps.
bool is_alternate(KernelKind kind) {
  return kind != KernelKind::attention && kind != KernelKind::down_gemm && !is_communication(kind);
}

Segment recomputed(const Scenario& scenario, const Segment& forward, const Segment& core) {
  switch (std::get<scenario::Training>(scenario.workload).recompute) {
    case Recompute::none:
      return {};
    case Recompute::full:
      return forward;
    default:
      break;
  }
  if (!scenario.runtime->training.keeps_alternate_products) return core;
  // Of queries, keys and values, and of gate and up, the second.
  Segment again;
  std::map<KernelKind, int> count;
  for (const Step& step : forward) {
    const Kernel* kernel = kernel_of(step);
    if (!kernel || !is_alternate(kernel->kind)) continue;
    const bool projection =
        kernel->kind == KernelKind::qkv_gemm || kernel->kind == KernelKind::gate_up_gemm;
    if (!projection || count[kernel->kind]++ == 1) again.push_back(step);
  }
  return again;
}

TrainingPart layer_part(const Scenario& scenario, const kernels::Book& book, bool windowed) {
  const Segment core = attention_core(scenario, book, windowed);
  const Segment core_backward = attention_core_backward(scenario, book, windowed);
  const Scenario joint = shard_of(scenario, false), separable = shard_of(scenario, true);
  const BlockKernels block(joint, book, pass_shape(scenario));
  TrainingPart part;
  const Segment quantized = weights_quantized_after_gather(scenario, book);
  const Segment forward = with_core(block.transformer(windowed), KernelKind::attention, core);
  part.forward = quantized;
  append(part.forward, forward);
  Segment again;
  if (!keeps_quantized_weights(scenario)) append(again, quantized);
  append(again, recomputed(scenario, forward, core));
  part.backward = again;
  append(part.backward, layer_backward(joint, book, pass_shape(scenario), core_backward));
  part.backward_input = again;
  split_backward(part, layer_backward(separable, book, pass_shape(scenario), core_backward));
  return part;
}

/// Softmax over the vocabulary in fp32, in passes of a read and a write of 16 bits.
struct LossPasses {
  double forward, backward;
};
/// A fused kernel reads the logits, once more for their maximum in fp32, and writes what backward
/// needs; backward reads that and writes the gradient. Assumed.
constexpr LossPasses kFusedLoss{2.5, 1.5};
/// PyTorch's kernels (from memory): to fp32, 6 bytes; log-softmax reads twice and writes, 12. Back:
/// the gradient of the picked logits is zeroed, 4, the softmax's read, with its result, twice and
/// once and written, 16, and made 16 bits, 6.
constexpr LossPasses kEagerLoss{4.5, 6.5};
/// Megatron-LM's (from memory): to fp32, 6 bytes; maximum, 4; less the maximum, 8; exponents, 8;
/// their sum, 4; over the sum, 8. Back: times the loss's gradient, 8, to 16 bits, 6.
constexpr LossPasses kVocabParallelLoss{9.5, 3.5};

const LossPasses& loss_passes(const Scenario& scenario) {
  switch (scenario.runtime->training.loss) {
    case scenario::Loss::eager:
      return kEagerLoss;
    case scenario::Loss::vocab_parallel:
      return kVocabParallelLoss;
    default:
      return kFusedLoss;
  }
}

TrainingPart head_part(const Scenario& scenario, const kernels::Book& book) {
  const Scenario shard = shard_of(scenario, false);
  const double rows = scenario::training_tokens(scenario);
  const LayerWriter write(shard, book, rows);
  const double vocabulary =
      std::ceil(static_cast<double>(scenario.model->vocab_size) / scenario.plan.tp);
  const auto product = [&](KernelKind kind, double m, double n, double k) {
    return Kernel(kind, book.gemm(kernels::GemmShape{m, n, k}));
  };
  const auto pass = [&](Segment& segment, KernelKind kind, double passes) {
    const kernels::ElementwiseShape shape{ElementwiseKind::relu2, rows, vocabulary * passes,
                                          DataType::bf16};
    segment.emplace_back(Kernel(kind, book.fused_elementwise(shape)));
  };
  const LossPasses& loss = loss_passes(scenario);
  TrainingPart part;
  write.norm(part.forward);
  if (write.sequence_parallel()) {
    write.collective(part.forward, KernelKind::all_gather, rows, write.hidden());
  }
  part.forward.emplace_back(product(KernelKind::lm_head_gemm, rows, vocabulary, write.hidden()));
  pass(part.forward, KernelKind::loss, loss.forward);
  Segment input;
  pass(input, KernelKind::loss_backward, loss.backward);
  input.emplace_back(product(KernelKind::lm_head_dgrad, rows, write.hidden(), vocabulary));
  if (write.tp() > 1) {
    const auto sum =
        write.sequence_parallel() ? KernelKind::reduce_scatter : KernelKind::all_reduce;
    write.collective(input, sum, rows, write.hidden());
  }
  write.elementwise(input, KernelKind::norm_backward, ElementwiseKind::add_rms_norm,
                    write.norm_rows(), write.hidden());
  part.backward_input = input;
  part.backward_weight.emplace_back(
      Kernel(KernelKind::lm_head_wgrad,
             with_accumulation(scenario, book.gemm({vocabulary, write.hidden(), rows}),
                               vocabulary * write.hidden())));
  part.backward = part.backward_input;
  append(part.backward, part.backward_weight);
  return part;
}

TrainingPart embedding_part(const Scenario& scenario, const kernels::Book& book) {
  const Scenario shard = shard_of(scenario, false);
  const PassShape shape = pass_shape(scenario);
  const LayerWriter write(shard, book, scenario::training_tokens(scenario));
  TrainingPart part;
  part.forward = BlockKernels(shard, book, shape).embedding();
  if (write.sequence_parallel()) {
    write.collective(part.backward, KernelKind::all_gather, write.rows(), write.hidden());
  }
  write.elementwise(part.backward, KernelKind::embedding_backward, ElementwiseKind::embedding,
                    write.rows(), write.hidden());
  part.backward_input = part.backward;
  return part;
}

}  // namespace

scenario::Scenario training_view(scenario::Scenario scenario) {
  scenario.precision.kv_cache = DataType::bf16;
  return scenario;
}

TrainingKernels lower_training(const Scenario& scenario, const kernels::Book& book) {
  TrainingKernels kernels;
  kernels.embedding = embedding_part(scenario, book);
  kernels.head = head_part(scenario, book);
  if (scenario.plan.pp > 1) {
    const Scenario shard = shard_of(scenario, false);
    kernels.take_over = BlockKernels(shard, book, pass_shape(scenario)).take_over();
  }
  for (int layer = 0; layer < static_cast<int>(scenario.model->num_hidden_layers); ++layer) {
    const LayerClass c = class_of_layer(*scenario.model, layer);
    TrainingPart& part = kernels.layer[c];
    if (part.forward.empty()) part = layer_part(scenario, book, is_windowed(c));
  }
  return kernels;
}

}  // namespace tradewind::lowering
