#include <algorithm>
#include <cmath>

#include "sim/kernels/attention_backward.h"
#include "sim/kernels/kernel_rates.h"
#include "sim/lowering/layer_writer.h"
#include "sim/lowering/training_groups.h"
#include "sim/lowering/training_kernels.h"
#include "sim/scenario/activation_bytes.h"

namespace tradewind::lowering {
namespace {

using kernels::ElementwiseKind;

constexpr double kBytes = 2;  ///< of queries, keys, values

/// What one device attends to.
struct Core {
  double sequences, queries, keys;  ///< of a sequence
  double q_heads, kv_heads, head_dim;
};

Core core_of(const scenario::Scenario& scenario) {
  const scenario::Plan& plan = scenario.plan;
  const auto& training = std::get<scenario::Training>(scenario.workload);
  const model::ModelConfig& model = *scenario.model;
  const double shards = 1.0 * plan.tp * plan.ulysses;
  const double length = training.sequence_length, queries = std::ceil(length / plan.cp);
  // Ranks of ring attention take an early and a late piece each, so that all see as many keys: as
  // one piece that ends in the middle does (arXiv 2310.03294).
  return {static_cast<double>(training.micro_batch),
          queries,
          length - (length - queries) / 2,
          static_cast<double>(model.num_attention_heads) / shards,
          std::max(1.0, static_cast<double>(model.num_key_value_heads) / shards),
          static_cast<double>(model.head_dim)};
}

kernels::Cost flash(const scenario::Scenario& scenario, const kernels::Book& book, const Core& core,
                    bool windowed) {
  kernels::AttentionPrefillShape shape;
  shape.batch = core.sequences;
  shape.q_tokens = core.queries;
  shape.kv_tokens = core.keys;
  shape.q_heads = core.q_heads;
  shape.kv_heads = core.kv_heads;
  shape.head_dim = core.head_dim;
  shape.window = windowed ? static_cast<double>(scenario.model->sliding_window) : 0;
  return book.attention_prefill(shape);
}

/// Batched products of heads whose rows are not whole 16 bytes can't load by the widest
/// instructions (NVIDIA, Matrix Multiplication Background User's Guide, section 3.1), and libraries
/// of that time fell back from tensor cores: an A100's other units multiply bf16 at 0.06 (as fp32)
/// to 0.125 of their rate. Fitted: the three runs of BLOOM's prequel with heads of 108 elements
/// that are of split fit, whose steps are a fifth to two fifths longer than those with heads of
/// 144.
double alignment_rate(double head_dim) {
  constexpr double kWidestLoad = 16, kNarrowLoads = 0.09;
  return std::fmod(head_dim * kBytes, kWidestLoad) == 0 ? 1 : kNarrowLoads;
}

/// Batched products over all keys (nothing is saved on the causal half), and passes over the
/// scores: `passes` in units of one read and one write of 16 bits.
Segment unfused(const kernels::Book& book, const Core& core, KernelKind kind, int products,
                double passes) {
  const double rows = core.sequences * core.q_heads * core.queries;
  Segment segment;
  for (int i = 0; i < products; ++i) {
    const bool scores = i % 2 == 0;
    const kernels::Cost cost =
        book.gemm(scores ? kernels::GemmShape{rows, core.queries, core.head_dim}
                         : kernels::GemmShape{rows, core.head_dim, core.queries});
    segment.emplace_back(Kernel(kind, kernels::at_rate(cost, alignment_rate(core.head_dim))));
  }
  segment.emplace_back(Kernel(kind, book.elementwise({ElementwiseKind::relu2, rows,
                                                      core.queries * passes, DataType::bf16})));
  return segment;
}

void add_exchange(Segment& segment, const scenario::Scenario& scenario, const kernels::Book& book,
                  double columns) {
  if (scenario.plan.ulysses == 1) return;
  const double bytes = scenario::training_tokens(scenario) * scenario.plan.ulysses * columns *
                       bytes_per_element(scenario.precision.communication);
  segment.emplace_back(
      group_collective(scenario, book, ulysses_group(scenario), KernelKind::all_to_all, bytes));
}

/// Each block of ring attention after the first is merged into what stands, element by element in
/// fp32: forward its output, scaled by its softmax's sum; backward the gradients of queries, keys
/// and values. Of queries it has all or, ahead of them, the later half
/// (zhuzilin/ring-flash-attention, zigzag; Transformer Engine, context_parallel.py): a read and a
/// write in fp32, a read in 16 bits.
void add_merges(Segment& segment, const scenario::Scenario& scenario, const kernels::Book& book,
                KernelKind kind, double columns) {
  const int ranks = scenario.plan.cp;
  if (ranks == 1) return;
  constexpr double kBytesMerged = 4 + 2 + 4, kQueriesOfBlock = 0.75;
  const double rows = scenario::training_tokens(scenario) * scenario.plan.ulysses;
  segment.emplace_back(Kernel(
      kind,
      book.elementwise(streaming(rows, columns * kQueriesOfBlock * (ranks - 1), kBytesMerged))));
}

/// What of the ring's exchange of keys and values (backward: their gradients too) the computation
/// of the blocks does not cover: cp - 1 messages beside as many of the cp blocks.
void add_ring(Segment& segment, const scenario::Scenario& scenario, const kernels::Book& book,
              const Core& core, double tensors) {
  const int ranks = scenario.plan.cp;
  if (ranks == 1) return;
  Time computation;
  for (const Step& step : segment) {
    const Kernel* kernel = kernel_of(step);
    if (kernel && !is_communication(kernel->kind)) computation += kernel->duration();
  }
  const double bytes =
      core.sequences * core.queries * core.kv_heads * core.head_dim * kBytes * tensors;
  Kernel message = neighbour_message(scenario, book, context_group(scenario), bytes);
  const double exposed =
      std::max(0.0, message.cost.duration_s - computation.seconds() / ranks) * (ranks - 1);
  message.cost.duration_s = exposed;
  message.cost.latency_s = std::min(message.cost.latency_s, exposed);
  message.cost.wire_bytes *= ranks - 1;
  segment.emplace_back(Kernel(KernelKind::p2p, message.cost));
}

}  // namespace

Segment attention_core(const scenario::Scenario& scenario, const kernels::Book& book,
                       bool windowed) {
  const Core core = core_of(scenario);
  Segment segment;
  add_exchange(segment, scenario, book, (core.q_heads + 2 * core.kv_heads) * core.head_dim);
  if (scenario::is_attention_unfused(scenario)) {
    // Softmax reads and writes; dropout does, and writes its mask of one byte.
    const Segment steps =
        unfused(book, core, KernelKind::attention, 2, scenario.model->dropout ? 2.25 : 1);
    segment.insert(segment.end(), steps.begin(), steps.end());
  } else {
    segment.emplace_back(Kernel(KernelKind::attention, flash(scenario, book, core, windowed)));
  }
  add_merges(segment, scenario, book, KernelKind::attention, core.q_heads * core.head_dim);
  add_ring(segment, scenario, book, core, 2);
  add_exchange(segment, scenario, book, core.q_heads * core.head_dim);
  return segment;
}

Segment attention_core_backward(const scenario::Scenario& scenario, const kernels::Book& book,
                                bool windowed) {
  const Core core = core_of(scenario);
  Segment segment;
  add_exchange(segment, scenario, book, core.q_heads * core.head_dim);
  if (scenario::is_attention_unfused(scenario)) {
    // Two products for each of the forward pass; softmax reads two tensors, dropout a mask more.
    const Segment steps = unfused(book, core, KernelKind::attention_backward, 4,
                                  scenario.model->dropout ? 2.75 : 1.5);
    segment.insert(segment.end(), steps.begin(), steps.end());
  } else {
    segment.emplace_back(
        Kernel(KernelKind::attention_backward,
               kernels::attention_backward(flash(scenario, book, core, windowed))));
  }
  add_merges(segment, scenario, book, KernelKind::attention_backward,
             (core.q_heads + 2 * core.kv_heads) * core.head_dim);
  add_ring(segment, scenario, book, core, 4);
  add_exchange(segment, scenario, book, (core.q_heads + 2 * core.kv_heads) * core.head_dim);
  return segment;
}

}  // namespace tradewind::lowering
