#pragma once

#include "sim/kernels/book.h"
#include "sim/lowering/kernel.h"
#include "sim/scenario/scenario.h"

namespace tradewind::lowering {

// Products in 8 bits read weights that something has quantised: a kernel reads 16 bits and writes
// the type twice, as it is for the forward pass and transposed for the backward pass (Transformer
// Engine, cast_transpose; Hopper's and CDNA 3's 8-bit products want both operands in rows).
//
//   without ZeRO-3    once a step: Transformer Engine keeps them over the micro-batches
//                     (is_first_microbatch)
//   with ZeRO-3       after the gathers, all of a layer on every device; the backward pass finds
//   the
//                     transposed copy, which autograd keeps, unless its layer is computed again
//                     ... unless weights are gathered in the type (gathers_quantized_weights): then
//                     each device quantises its shard, once a step

enum class Quantized { each_step, each_gather };

/// Moved on one device for one weight of its layers; 0 where products are in 16 bits or
/// the time is another.
double bytes_to_quantize_a_weight(const scenario::Scenario& scenario, Quantized when);

/// The kernel of one layer, if there is one. REQUIRES: a training workload.
Segment weights_quantized_after_gather(const scenario::Scenario& scenario,
                                       const kernels::Book& book);

/// Whether the forward pass leaves the backward pass a copy of what it gathered and quantised.
bool keeps_quantized_weights(const scenario::Scenario& scenario);

/// Of a parameter that ZeRO gathers.
double gathered_weight_bytes(const scenario::Scenario& scenario);

}  // namespace tradewind::lowering
