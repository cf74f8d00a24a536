#pragma once

#include <span>

#include "sim/kernels/operation.h"

namespace tradewind::kernels {

/// The state-space recurrence of a Mamba-2 layer over many tokens (prefill, chunked prefill,
/// training forward), chunk by chunk as products of matrices (arXiv 2405.21060, section 6), in the
/// phases of mamba_ssm's mamba_chunk_scan_combined, each waiting for the one before:
///
///   t      = launch + states + pass + outputs
///   states = phase(2 T N H P FLOPs; values, B and time steps in, a state a chunk out)
///   pass   = max'(states in and out, chunks x step_latency)      from chunk to chunk, in order
///   outputs = phase(2 T (q G N + (q + 64) / 2 H P + N H P) FLOPs;
///                   values, B, C, C B^T and states in, outputs out)
///   phase  = max'(bytes / (bandwidth_efficiency x bandwidth),
///                 max'(1, blocks / units) x (block_latency + FLOPs a block / unit's matrix peak))
///
/// max' is smooth_max. T tokens of one sequence in chunks of at most q = chunk_size; blocks: one a
/// chunk and head (outputs: a tile of 64 tokens of it, causal tiles only). Chunk states and C B^T
/// cross the HBM in 32 bits, passed states and activations in 16. `flops` are model::scan_flops;
/// the speed of light moves what enters and leaves, once.
///
/// Not checked: ../shared/silicon holds no measurement of a scan, so the coefficients are textbook
/// values until a CSV with op state_space_scan is calibrated. No tokens cost nothing.
std::span<const Parameter> state_space_scan_parameters();

/// `coefficients` in the order of state_space_scan_parameters().
Cost price_state_space_scan(const StateSpaceShape& shape, const KernelMachine& machine,
                            std::span<const double> coefficients, Provenance provenance);

/// One step of the recurrence for one new token of each sequence (decode; mamba_ssm's
/// selective_state_update): reads and writes every state, six FLOPs for each, so
///
///   t = launch + max'(bytes / (bandwidth_efficiency x bandwidth),
///                     max'(1, blocks / (units x blocks_per_unit)) x block_latency)
///
/// with a block a sequence and head. `shape.tokens` is not read. Not checked, as above.
std::span<const Parameter> state_space_update_parameters();

/// `coefficients` in the order of state_space_update_parameters().
Cost price_state_space_update(const StateSpaceShape& shape, const KernelMachine& machine,
                              std::span<const double> coefficients, Provenance provenance);

}  // namespace tradewind::kernels
