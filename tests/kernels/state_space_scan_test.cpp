#include "sim/kernels/state_space_scan.h"

#include <array>

#include "tests/catch.h"

namespace tradewind::kernels {
namespace {

/// 100 units, 1 PFLOP/s, 1 TB/s.
hardware::Accelerator synthetic_device() {
  hardware::Accelerator device;
  device.compute_units = 100;
  device.clock_hz = 1e9;
  device.peak_flops_per_s.fill(1e15);
  device.hbm_bandwidth_bytes_per_s = 1e12;
  return device;
}

/// In the order of state_space_scan_parameters(): launch, matrix, block, bandwidth, step.
constexpr std::array<double, 5> kIdealScan = {0, 1, 0, 1, 0};
constexpr std::array<double, 5> kRealScan = {1e-5, 0.5, 2e-6, 0.75, 5e-7};
/// In the order of state_space_update_parameters(): launch, bandwidth, block, blocks a unit.
constexpr std::array<double, 4> kIdealUpdate = {0, 1, 0, 1};
constexpr std::array<double, 4> kRealUpdate = {3e-6, 0.8, 2e-6, 8};

/// The layer of the published 8B models: d 8192, N 128, G 8, Q 256.
constexpr model::MambaDimensions kLayer = {.num_heads = 128,
                                           .head_dim = 64,
                                           .state_size = 128,
                                           .n_groups = 8,
                                           .conv_kernel = 4,
                                           .chunk_size = 256};

StateSpaceShape shape_of(double batch, double tokens) {
  return {.batch = batch, .tokens = tokens, .mamba = kLayer};
}

Cost scan(const StateSpaceShape& shape, std::span<const double> coefficients) {
  static const hardware::Accelerator device = synthetic_device();
  return price_state_space_scan(shape, {.accelerator = device}, coefficients, Provenance::fitted);
}
Cost update(double batch, std::span<const double> coefficients) {
  static const hardware::Accelerator device = synthetic_device();
  return price_state_space_update(shape_of(batch, 1), {.accelerator = device}, coefficients,
                                  Provenance::fitted);
}

TEST_CASE("every initial coefficient of the recurrence lies in its physical range") {
  for (const auto parameters : {state_space_scan_parameters(), state_space_update_parameters()}) {
    for (const Parameter& parameter : parameters) {
      CAPTURE(parameter.name);
      CHECK(parameter.lower >= 0);
      CHECK(parameter.lower <= parameter.initial);
      CHECK(parameter.initial <= parameter.upper);
    }
  }
}

TEST_CASE("a scan moves its inputs, its outputs and the tensors between its kernels") {
  const double d = 8192, shared = 1024, heads = 128, tokens = 3 * 256;
  // Values, B and time steps in (16 bits; steps also as two running sums of 32, moved three times).
  const double states = tokens * ((d + shared) * 2 + heads * (2 + 2 * 4 * 3)) + 3 * d * 128 * 4;
  const double passed = 3 * d * 128 * (4 + 2);
  // Values, B, C in, outputs out; C B^T written and read; passed states.
  const double outputs = tokens * (2 * (d + shared) * 2 + 2 * 256 * 8 * 4) + 3 * d * 128 * 2;
  CHECK(scan(shape_of(2, tokens), kIdealScan).hbm_bytes == 2 * (states + passed + outputs));
}

TEST_CASE("an ideal scan of many chunks is as long as its phases, each on its slower side") {
  // All phases stream: bytes over bandwidth, each beside compute at a fraction, so that smooth_max
  // adds less than a hundredth.
  hardware::Accelerator fast = synthetic_device();
  fast.peak_flops_per_s.fill(1e18);
  const StateSpaceShape shape = shape_of(4, 8192);
  const Cost cost =
      price_state_space_scan(shape, {.accelerator = fast}, kIdealScan, Provenance::fitted);
  CHECK(cost.duration_s == Approx(cost.hbm_bytes / 1e12).epsilon(1e-2));
  CHECK(cost.bound == Bound::memory);
  hardware::Accelerator slow = synthetic_device();
  slow.hbm_bandwidth_bytes_per_s = 1e15;
  const Cost computed =
      price_state_space_scan(shape, {.accelerator = slow}, kIdealScan, Provenance::fitted);
  // The whole square of C B^T and half a tile beside the diagonal of the product with the values:
  // 2 T (Q G N + (Q + 64) / 2 d + 2 N d).
  const double flops = 2 * 4 * 8192.0 * (256 * 1024 + 160 * 8192 + 2 * 128 * 8192);
  CHECK(computed.duration_s == Approx(flops / 1e15).epsilon(1e-2));
  CHECK(computed.bound == Bound::compute);
}

TEST_CASE("a scan is linear in tokens where attention is not") {
  const double once = scan(shape_of(1, 65536), kRealScan).duration_s;
  const double twice = scan(shape_of(1, 131072), kRealScan).duration_s;
  CHECK(twice == Approx(2 * once - kRealScan[0]).epsilon(1e-3));
}

TEST_CASE("a scan counts the FLOPs of the model and never beats the speed of light") {
  for (const double tokens : {1.0, 7.0, 64.0, 255.0, 256.0, 257.0, 4096.0, 100000.0}) {
    for (const double batch : {1.0, 8.0}) {
      CAPTURE(tokens, batch);
      const StateSpaceShape shape = shape_of(batch, tokens);
      const Cost ideal = scan(shape, kIdealScan);
      CHECK(ideal.flops == batch * model::scan_flops(kLayer, tokens));
      CHECK(ideal.duration_s >= ideal.speed_of_light_s);
      const Cost real = scan(shape, kRealScan);
      CHECK(real.duration_s >= ideal.duration_s);
      CHECK(scan(shape_of(batch, tokens + 1), kRealScan).duration_s >= real.duration_s);
      CHECK(scan(shape_of(batch + 1, tokens), kRealScan).duration_s >= real.duration_s);
      CHECK(real.compute_unit_share <= 1);
    }
  }
}

TEST_CASE("with few compute units left a scan takes longer") {
  static const hardware::Accelerator device = synthetic_device();
  const StateSpaceShape shape = shape_of(1, 4096);
  const KernelMachine half{.accelerator = device, .compute_units_free = 0.5};
  const Cost cost = price_state_space_scan(shape, half, kRealScan, Provenance::fitted);
  CHECK(cost.duration_s > scan(shape, kRealScan).duration_s);
  CHECK(cost.compute_unit_share == 0.5);
}

TEST_CASE("one new token reads and writes every state") {
  const double d = 8192;
  const double state = d * 128 * 2;
  const double activations = (d + 2 * 1024 + d + 128) * 2;
  const Cost cost = update(64, kIdealUpdate);
  CHECK(cost.hbm_bytes == 64 * (2 * state + activations));
  CHECK(cost.duration_s == cost.speed_of_light_s);
  CHECK(cost.bound == Bound::memory);
  // Two FLOPs for each of decay, input, output and their sums: about six a state.
  CHECK(cost.flops == Approx(64 * 6 * d * 128).epsilon(0.01));
}

TEST_CASE("the time of a new token grows with the batch from a floor") {
  CHECK(update(1, kRealUpdate).duration_s > kRealUpdate[0]);
  for (const double batch : {1.0, 8.0, 100.0}) {
    CHECK(update(batch + 1, kRealUpdate).duration_s >= update(batch, kRealUpdate).duration_s);
    CHECK(update(batch, kRealUpdate).duration_s >= update(batch, kRealUpdate).speed_of_light_s);
  }
  // 524288 blocks in 655 rounds of 2 us: a sixteenth of the 22 ms that their bytes take.
  const double large = update(4096, kRealUpdate).duration_s - kRealUpdate[0];
  CHECK(large == Approx(update(4096, kIdealUpdate).duration_s / 0.8).epsilon(0.01));
}

TEST_CASE("no tokens and no sequences cost nothing") {
  CHECK(scan(shape_of(0, 256), kRealScan).duration_s == 0);
  CHECK(scan(shape_of(4, 0), kRealScan).duration_s == 0);
  CHECK(update(0, kRealUpdate).duration_s == 0);
}

}  // namespace
}  // namespace tradewind::kernels
