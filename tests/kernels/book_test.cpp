#include "sim/kernels/book.h"

#include "sim/kernels/gemm.h"
#include "tests/catch.h"

using namespace tradewind;
using kernels::resolve;

namespace {

hardware::Accelerator device_with(std::vector<hardware::CoefficientSet> sets) {
  hardware::Accelerator device;
  device.compute_units = 100;
  device.clock_hz = 1e9;
  device.peak_flops_per_s.fill(1e15);
  device.hbm_bandwidth_bytes_per_s = 1e12;
  device.l2_bytes = device.last_level_cache_bytes = 5e7;
  device.coefficients = std::move(sets);
  return device;
}

hardware::CoefficientSet set_of(const std::string& library, const std::string& dtype) {
  hardware::CoefficientSet set;
  set.op = "gemm";
  set.library = library;
  set.dtype = dtype;
  return set;
}

std::string origin(const hardware::Accelerator& device, const std::string& library,
                   const std::string& dtype) {
  return resolve(device, "gemm", kernels::gemm_parameters(), library, dtype).origin;
}

/// A bandwidth-bound and a compute-bound product on `ideal` shares.
hardware::Cluster cluster_of_one() {
  hardware::Cluster cluster;
  cluster.node.accelerator = device_with({});
  cluster.node.link_bandwidth_bytes_per_s = 1e11;
  cluster.node.devices = 8;
  return cluster;
}

}  // namespace

TEST_CASE("coefficients come from the exact set, then the nearest, then the textbook") {
  const auto device = device_with({set_of("trtllm", "bf16"), set_of("vllm", "bf16"),
                                   set_of("aiter", "fp8-block"), set_of("trtllm", "fp8")});
  CHECK(origin(device, "vllm", "bf16") == "vllm/bf16");
  CHECK(origin(device, "aiter", "fp8") == "aiter/fp8-block");
  CHECK(origin(device, "vllm", "fp8") == "trtllm/fp8");
  CHECK(origin(device, "vllm", "fp4") == "trtllm/fp8");
  CHECK(origin(device, "vllm", "fp16") == "vllm/bf16");
  CHECK(origin(device, "", "bf16") == "trtllm/bf16");
  CHECK(origin(device_with({}), "vllm", "bf16") == "textbook values");
}

TEST_CASE("only the exact set keeps its provenance") {
  const auto device = device_with({set_of("vllm", "bf16")});
  const auto parameters = kernels::gemm_parameters();
  CHECK(resolve(device, "gemm", parameters, "vllm", "bf16").provenance == Provenance::fitted);
  CHECK(resolve(device, "gemm", parameters, "sglang", "bf16").provenance == Provenance::assumed);
  CHECK(resolve(device, "gemm", parameters, "vllm", "fp8").provenance == Provenance::assumed);
}

TEST_CASE("a roofline prices work at shares of the peaks") {
  const hardware::Cluster cluster = cluster_of_one();
  const kernels::Roofline shares{.matrix_share = 0.5, .hbm_share = 0.8, .kernel_latency_s = 1e-5};
  const kernels::Book book(cluster, {}, {}, shares);
  // 2 x 4096^3 FLOPs at half of 1 PFLOP/s, far above the bytes' time.
  const kernels::Cost large = book.gemm({4096, 4096, 4096});
  CHECK(large.duration_s == Approx(1e-5 + 2 * 4096.0 * 4096 * 4096 / 5e14));
  CHECK(large.bound == kernels::Bound::compute);
  // One token: the weights, its input and its output once, at 0.8 TB/s.
  const kernels::Cost small = book.gemm({1, 8192, 8192});
  CHECK(small.duration_s == Approx(1e-5 + (2 * 8192.0 * 8192 + 4 * 8192) / 8e11));
  CHECK(small.bound == kernels::Bound::memory);
}

TEST_CASE("a roofline's all-reduce is the bandwidth law of the fabric") {
  hardware::Cluster cluster = cluster_of_one();
  const kernels::CollectiveShape all_reduce{kernels::CollectiveOp::all_reduce, 4, 1, 1e9};
  cluster.node.fabric = hardware::Fabric::star;
  CHECK(kernels::Book(cluster, {}, {}, kernels::Roofline{}).collective(all_reduce).duration_s ==
        Approx(2 * 3.0 / 4 * 1e9 / 1e11));
  cluster.node.fabric = hardware::Fabric::full_mesh;
  CHECK(kernels::Book(cluster, {}, {}, kernels::Roofline{}).collective(all_reduce).duration_s ==
        Approx(2 * 1e9 / (4 * 1e11)));
}
