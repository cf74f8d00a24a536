#pragma once

#include <span>

#include "sim/kernels/operation.h"

namespace tradewind::kernels {

/// Matrix product C[m,n] = A[m,k] B[k,n], cut into tiles that the compute units take in waves, the
/// k loop of each tile optionally split over several units ("split-K"). The library is taken to
/// choose the tile and split of least time, as its heuristics aim to (NVIDIA, "Matrix
/// Multiplication Background User's Guide": tile and wave quantisation; CUTLASS, "Efficient GEMM"):
///
///   t        = launch + quantize + min over tiles of r x c and splits s of
///              overlapped(work, memory) + [s > 1] (split_latency + (s + 1) fp32 C / partial rate)
///   work     = droop(waves x (tile_latency + store + k / s x overlapped(multiply, feed)))
///   multiply = 2 max(r, smallest_rows) max(c, smallest_columns)
///              / (matrix_efficiency x unit's rate)
///   feed     = bytes of a column of A's r rows and of a row of B's c columns
///              / (feed_bytes_per_clock x clock)
///   store    = the tile's result / (store_bytes_per_clock x clock), which nothing else of the unit
///              hides: a large tile's accumulators leave no room for a second tile (1e6: hidden)
///   waves    = x + wave_quantization (ceil(x) - x), at least 1;   x = tiles x s / free units
///   memory   = memory_latency + (A + B + C + reread) / (bandwidth_efficiency x bandwidth)
///   reread   = share of A and B beyond the last-level cache x what waves read more than once; the
///              tiles in flight form a near square that reads its rows and columns once
///   droop(t) = t (1 + sustained_droop t / (t + 1 ms)): power management lowers the clock
///   quantize = quantize_row_latency m / units + quantize_bytes m k / (efficiency x bandwidth), for
///              arithmetic below 16 bits, where the library quantises activations in the same call
///   overlapped(a, b) = max + (1 - overlap) min^2 / max
///
/// Never slower with a higher peak, bandwidth, cache or more (equal) units free; never faster with
/// more tokens; never below the roofline. Sizes of 0 cost nothing. A data type without a matrix
/// rate of its own runs at bf16's. Fitted and checked for m 1..32768 and n, k 1024..65536 (a
/// profile's `kernels` say how well); m, n below, or k not a multiple of 64, are rounded up.
std::span<const Parameter> gemm_parameters();

/// `coefficients` in the order of gemm_parameters(). Half a microsecond, no allocation.
Cost price_gemm(const GemmShape& shape, const KernelMachine& machine,
                std::span<const double> coefficients, Provenance provenance);

}  // namespace tradewind::kernels
