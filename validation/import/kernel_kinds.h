#pragma once

#include <string_view>

namespace tradewind::validation {

/// What a device event is for, as its name tells.
enum class KernelKind { compute, communication, copy };

/// Communication: NCCL's and RCCL's kernels, the all-reduces of vLLM, SGLang, TensorRT-LLM and
/// QuickReduce, NVSHMEM, DeepEP, MSCCL, and copies from device to device's peer. Copy: the other
/// copies and fills. Compute: everything else.
KernelKind kind_of_kernel(std::string_view name);

std::string_view to_string(KernelKind kind);

}  // namespace tradewind::validation
