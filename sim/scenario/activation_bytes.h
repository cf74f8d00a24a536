#pragma once

#include "sim/scenario/scenario.h"

namespace tradewind::scenario {

/// What the backward pass needs of one transformer layer for one micro-batch, in bytes on one
/// device, kept from the forward pass. In 16 bits, with s tokens of b sequences, h hidden, q query
/// and k key/value columns, f FFN columns, a heads, t-way tensor parallelism:
///
///   whole where tokens are not sharded   4 sbh norms' inputs, 2 sbh input of QKV, 2 sbh input of
///                                        the MLP, 2 sbh two dropout masks
///   shared out over t                    2 sb (q + 2k) Q, K, V; 2 sbq input of the output
///                                        projection; MLP: 2 sbf each for gate and up (or for the
///                                        activation's input), 2 sbf input of the down projection
/// (its inputs of products at the type they multiply in where the runtime keeps them so)
///   unfused attention only               5 a s^2 b: softmax output 2, its dropout's output 2, mask
///   1
///
/// For GPT (q = k = h, f = 4h, no gate) these are equations 1 to 6 of Korthikanti et al., arXiv
/// 2205.05198: sbh (34 + 5 a s/h) on one device. Sequence parallelism shares out all of it; context
/// parallelism and Ulysses divide s (not the s^2 of heads that one device owns). FlashAttention
/// keeps no score.
struct LayerActivations {
  double whole = 0;   ///< the same on every rank of the tensor-parallel group
  double shared = 0;  ///< of which each rank has its part already
  double scores = 0;  ///< of unfused attention

  double total() const { return whole + shared + scores; }
};

/// REQUIRES: a training workload. `unfused`: attention that writes its scores to memory.
LayerActivations layer_activations(const Scenario& scenario, bool unfused);

/// The same after recomputation: `selective` keeps no scores, or where the runtime keeps every
/// second product (torchtitan) the layer's input, Q, V, the attention's output, the gate's and the
/// down projection's outputs; `full` the layer's input alone.
double kept_layer_bytes(const Scenario& scenario);

/// Beyond layers, for one micro-batch: the embedding's dropout mask on the first stage; final norm,
/// the head's input and fp32 logits on the last (arXiv 2205.05198, section 4.3). Eager losses hold
/// of each logit: 16 bits, and in fp32 a copy, its log-softmax and the gradient, 14 bytes; over a
/// sharded vocabulary (DTensor's loss_parallel) the exponential too, 18.
double embedding_activation_bytes(const Scenario& scenario);
double head_activation_bytes(const Scenario& scenario);

/// Of one micro-batch: a layer's input, and so what a stage sends the next; its logits in 16 bits.
double layer_input_bytes(const Scenario& scenario);
double logits_bytes(const Scenario& scenario);

/// Whether attention writes its scores to memory in this run (runtime.unfused_attention_tokens).
bool is_attention_unfused(const Scenario& scenario);

/// Tokens of one micro-batch outside attention: sequences are sharded by cp and ulysses.
double training_tokens(const Scenario& scenario);

}  // namespace tradewind::scenario
