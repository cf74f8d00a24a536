#pragma once

#include "sim/hardware/node.h"
#include "sim/kernels/cost.h"

namespace tradewind::kernels {

/// One message of S bytes from one device to another of its node, moved by a copy engine (AMD:
/// SDMA, NVIDIA: CE) in place of a kernel:
///
///   t = L + start + S / (e B)
///
/// L, B: latency and bandwidth of the pair's link on a mesh, of the port on a switch; start and e:
/// hardware::Contention's. It holds no compute unit, reads S bytes of memory, and takes power.
/// Published (8x MI300X, arXiv 2511.06605): 16 % faster than RCCL from tens of megabytes to
/// gigabytes, 30 % slower at small ones when well queued, 4.5 times when not.
///
/// Needs an engine: `contention.copy_engine_efficiency` > 0.
Cost price_copy(double bytes, const hardware::Node& node);

}  // namespace tradewind::kernels
