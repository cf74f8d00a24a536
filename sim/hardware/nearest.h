#pragma once

#include <span>
#include <string_view>

#include "sim/hardware/accelerator.h"

namespace tradewind::hardware {

/// Which measured part stands in for one that nobody has measured, and how: the one written rule
/// behind every `kernels_from` of hardware/accelerators and behind `validate --withhold`.
///
/// Who: of the parts with matrix products measured on themselves,
///   1. those of the same vendor only (another vendor's libraries are other kernels),
///   2. those of the same architecture where there are any,
///   3. of these the one whose datasheet is nearest: the least sum of |ln(ratio)| over FLOP a clock
///      a compute unit, compute units, clock and HBM bandwidth; on a tie the first by name.
/// What: efficiencies, which are shares of the part's own datasheet peaks, and latencies as they
/// are; with them the launch times, what communication costs computation, and of the memory as sold
/// the share that the driver reports. All of it becomes `assumed`. Products are then held to what
/// one large product sustains (kernels/sustained_product.h), measured on the part itself or, by its
/// share of the peak, on the nearest other of the same architecture.

/// "h200" of "h200-sxm": the parts that one datasheet describes.
std::string_view family_of(std::string_view accelerator);

/// True when products were measured on the part itself, not carried over.
bool is_measured(const Accelerator& accelerator);

/// The one of `candidates` that stands in for `device` by that rule; null when there is none.
const Accelerator* nearest(const Accelerator& device, std::span<const Accelerator> candidates);

/// `device` as if nobody had measured it, with what `stand_in` was measured to do, and what a
/// product sustained on the nearest of the `others` of its architecture.
Accelerator carried_over(Accelerator device, const Accelerator& stand_in,
                         std::span<const Accelerator> others);

}  // namespace tradewind::hardware
