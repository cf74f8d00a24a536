#include "validation/import/kernel_kinds.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace tradewind::validation {
namespace {

/// Parts of names, in lower case. Sources: NCCL and RCCL (ncclDevKernel_*, ncclKernel_*,
/// rccl*), MSCCL++ (msccl), vLLM csrc/custom_all_reduce.cuh (cross_device_reduce_*stage),
/// QuickReduce (allreduce_prototype), PyTorch symmetric memory (multimem_*, *_shot_all_reduce),
/// TensorRT-LLM (oneShotAllReduceKernel, allreduce_fusion_kernel), NVSHMEM and ROCSHMEM, DeepEP
/// (deep_ep::), Kineto's names of peer copies ("Memcpy PtoP (Device -> Device)").
constexpr std::string_view kCommunication[] = {
    "nccl",          "rccl",           "msccl",      "cross_device_reduce",
    "allreduce",     "all_reduce",     "allgather",  "all_gather",
    "reducescatter", "reduce_scatter", "alltoall",   "all_to_all",
    "multimem",      "nvshmem",        "rocshmem",   "deep_ep::",
    "memcpy ptop",   "memcpy peer",    "quickreduce"};
constexpr std::string_view kCopies[] = {"memcpy", "memset", "copybuffer", "fillbuffer"};

template <std::size_t n>
bool has_part(std::string_view name, const std::string_view (&parts)[n]) {
  return std::any_of(std::begin(parts), std::end(parts), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

}  // namespace

KernelKind kind_of_kernel(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (has_part(lower, kCommunication)) return KernelKind::communication;
  return has_part(lower, kCopies) ? KernelKind::copy : KernelKind::compute;
}

std::string_view to_string(KernelKind kind) {
  constexpr std::string_view kNames[] = {"compute", "communication", "copy"};
  return kNames[static_cast<int>(kind)];
}

}  // namespace tradewind::validation
