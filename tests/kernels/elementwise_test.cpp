#include "sim/kernels/elementwise.h"

#include <array>

#include "tests/catch.h"

namespace tradewind::kernels {
namespace {

/// 100 units and 1 TB/s.
hardware::Accelerator synthetic_device() {
  hardware::Accelerator device;
  device.compute_units = 100;
  device.clock_hz = 1e9;
  device.hbm_bandwidth_bytes_per_s = 1e12;
  return device;
}

/// In the order of elementwise_parameters(): launch, bandwidth, three latencies, rows a unit.
constexpr std::array<double, 6> kIdeal = {0, 1, 0, 0, 0, 1};
constexpr std::array<double, 6> kReal = {2e-6, 0.8, 2e-10, 4e-10, 5e-10, 1};

constexpr std::array<ElementwiseKind, 12> kKinds = {
    ElementwiseKind::rms_norm,       ElementwiseKind::add_rms_norm,  ElementwiseKind::rope,
    ElementwiseKind::silu_mul,       ElementwiseKind::quantize,      ElementwiseKind::residual_add,
    ElementwiseKind::kv_cache_write, ElementwiseKind::embedding,     ElementwiseKind::sampling,
    ElementwiseKind::gated_rms_norm, ElementwiseKind::causal_conv1d, ElementwiseKind::relu2};

Cost price(ElementwiseKind kind, double rows, double cols, std::span<const double> coefficients,
           DataType dtype = DataType::bf16) {
  const hardware::Accelerator device = synthetic_device();
  return price_elementwise({kind, rows, cols, dtype}, {.accelerator = device}, coefficients,
                           Provenance::fitted);
}

TEST_CASE("initial element-wise coefficients lie in their physical range") {
  for (const Parameter& parameter : elementwise_parameters()) {
    CAPTURE(parameter.name);
    CHECK(parameter.lower <= parameter.initial);
    CHECK(parameter.initial <= parameter.upper);
    CHECK(parameter.lower >= 0);
  }
}

TEST_CASE("each kernel moves the tensors it reads and writes") {
  const double elements = 1000.0 * 4096;
  const auto bytes = [](ElementwiseKind kind, DataType dtype) {
    return price(kind, 1000, 4096, kIdeal, dtype).hbm_bytes;
  };
  // One in, one out; two in, two out; a gate and a value in, their product out; two in, one out.
  CHECK(bytes(ElementwiseKind::rms_norm, DataType::bf16) == 2 * 2 * elements);
  CHECK(bytes(ElementwiseKind::add_rms_norm, DataType::bf16) == 4 * 2 * elements);
  CHECK(bytes(ElementwiseKind::silu_mul, DataType::bf16) == 3 * 2 * elements);
  CHECK(bytes(ElementwiseKind::residual_add, DataType::bf16) == 3 * 2 * elements);
  CHECK(bytes(ElementwiseKind::residual_add, DataType::fp32) == 3 * 4 * elements);
  // A gate and a value in, their norm out; one in, one out.
  CHECK(bytes(ElementwiseKind::gated_rms_norm, DataType::bf16) == 3 * 2 * elements);
  CHECK(bytes(ElementwiseKind::causal_conv1d, DataType::bf16) == 2 * 2 * elements);
  CHECK(bytes(ElementwiseKind::relu2, DataType::bf16) == 2 * 2 * elements);
  // Reads bf16, writes one byte.
  CHECK(bytes(ElementwiseKind::quantize, DataType::fp8) == 3 * elements);
  CHECK(bytes(ElementwiseKind::kv_cache_write, DataType::fp8) == 3 * elements);
}

TEST_CASE("a long tensor streams at the achieved bandwidth") {
  std::array<double, 6> streaming = kIdeal;
  streaming[1] = 0.5;
  const Cost cost = price(ElementwiseKind::residual_add, 1e6, 4096, streaming);
  CHECK(cost.duration_s == Approx(2 * cost.speed_of_light_s).epsilon(1e-12));
  CHECK(cost.bound == Bound::memory);
  CHECK(cost.compute_unit_share == 1);
}

TEST_CASE("one row costs the launch and its columns one after the other") {
  // 16384 columns of 0.4 ns. Its bytes, at 0.8 TB/s a hundredth of that, vanish in the maximum.
  const Cost cost = price(ElementwiseKind::rope, 1, 16384, kReal);
  CHECK(cost.duration_s == Approx(2e-6 + 16384 * 4e-10).epsilon(1e-3));
  CHECK(cost.compute_unit_share == Approx(0.01));
}

TEST_CASE("element-wise time never falls with rows or columns, nor below the speed of light") {
  for (const ElementwiseKind kind : kKinds) {
    for (const double rows : {1.0, 64.0, 101.0, 8192.0}) {
      CAPTURE(to_string(kind), rows);
      const Cost cost = price(kind, rows, 8192, kReal);
      CHECK(price(kind, rows + 1, 8192, kReal).duration_s >= cost.duration_s);
      CHECK(price(kind, rows, 8193, kReal).duration_s >= cost.duration_s);
      CHECK(cost.duration_s >= cost.speed_of_light_s);
      const Cost bare = price(kind, rows, 8192, kIdeal);
      CHECK(bare.duration_s >= bare.speed_of_light_s);
    }
  }
}

TEST_CASE("nothing to move costs nothing") {
  CHECK(price(ElementwiseKind::rms_norm, 0, 8192, kReal).duration_s == 0);
  CHECK(price(ElementwiseKind::rms_norm, 8, 0, kReal).duration_s == 0);
}

TEST_CASE("the name of every element-wise kernel reads back") {
  for (const ElementwiseKind kind : kKinds) CHECK(parse_elementwise_kind(to_string(kind)) == kind);
  CHECK(parse_elementwise_kind("silu_and_mul") == ElementwiseKind::silu_mul);
  CHECK_FALSE(parse_elementwise_kind("softmax").has_value());
}

}  // namespace
}  // namespace tradewind::kernels
