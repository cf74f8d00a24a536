#include "sim/kernels/attention_decode.h"

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

/// In the order of attention_decode_parameters():
/// launch, bandwidth, item, tile, split depth, combine, overlap, rows, vector share, vector token
constexpr std::array<double, 10> kIdeal = {0, 1, 0, 0, 1, 0, 1, 128, 0, 0};
constexpr std::array<double, 10> kReal = {9e-6, 0.9, 3e-6, 2e-7, 2, 2e-6, 0.3, 32, 0, 0};

/// 16 query heads on 2 key and value heads of 128.
AttentionDecodeShape shape_of(double batch, double kv_tokens) {
  AttentionDecodeShape shape;
  shape.batch = batch;
  shape.kv_tokens = kv_tokens;
  shape.q_heads = 16;
  shape.kv_heads = 2;
  shape.head_dim = 128;
  return shape;
}

Cost price(const AttentionDecodeShape& shape, const hardware::Accelerator& device,
           std::span<const double> coefficients) {
  return price_attention_decode(shape, {.accelerator = device}, coefficients, Provenance::fitted);
}
Cost ideal(const AttentionDecodeShape& shape) {
  return price(shape, synthetic_device(), kIdeal);
}
Cost real(const AttentionDecodeShape& shape) {
  return price(shape, synthetic_device(), kReal);
}

TEST_CASE("initial decode coefficients lie in their physical range") {
  for (const Parameter& parameter : attention_decode_parameters()) {
    CAPTURE(parameter.name);
    CHECK(parameter.lower <= parameter.initial);
    CHECK(parameter.initial <= parameter.upper);
    CHECK(parameter.lower >= 0);
  }
}

TEST_CASE("decode reads each key and value once, and queries and outputs") {
  const double cache = 2.0 * 64 * 2 * 128 * 4096 * 2;
  const double activations = 2.0 * 64 * 16 * 128 * 2;
  const Cost cost = ideal(shape_of(64, 4096));
  CHECK(cost.hbm_bytes == cache + activations);
  CHECK(cost.flops == 4.0 * 64 * 16 * 128 * 4096);
  CHECK(cost.duration_s == Approx((cache + activations) / 1e12).epsilon(1e-12));
  CHECK(cost.bound == Bound::memory);
}

TEST_CASE("an fp8 cache is half the bytes of a bf16 one") {
  AttentionDecodeShape shape = shape_of(64, 4096);
  const double wide = ideal(shape).hbm_bytes;
  shape.kv_dtype = DataType::fp8;
  CHECK(wide - ideal(shape).hbm_bytes == 64.0 * 2 * 128 * 4096 * 2);
}

TEST_CASE("the group of query heads does not change the bytes of the cache") {
  AttentionDecodeShape shape = shape_of(64, 4096);
  const double narrow = ideal(shape).hbm_bytes;
  shape.q_heads *= 4;
  CHECK(ideal(shape).hbm_bytes - narrow == 2.0 * 64 * (64 - 16) * 128 * 2);
}

TEST_CASE("a window is a shorter cache") {
  AttentionDecodeShape shape = shape_of(16, 100000);
  shape.window = 4096;
  const Cost windowed = real(shape);
  const Cost shorter = real(shape_of(16, 4096));
  CHECK(windowed.duration_s == shorter.duration_s);
  CHECK(windowed.hbm_bytes == shorter.hbm_bytes);
  shape.window = 200000;
  CHECK(real(shape).duration_s == real(shape_of(16, 100000)).duration_s);
}

TEST_CASE("a short cache costs the launch and one item") {
  // 2 items of one tile on 100 units: 9 + 3 + 0.2 us. What they read takes 8 KiB / 1 TB/s, and the
  // smooth maxima over so few items and keys add far below 1 %.
  CHECK(real(shape_of(1, 16)).duration_s == Approx(12.2e-6).epsilon(0.01));
  CHECK(real(shape_of(1, 16)).bound == Bound::latency);
}

TEST_CASE("splitting a long cache occupies every unit") {
  CHECK(real(shape_of(1, 100000)).compute_unit_share == 1);
  CHECK(real(shape_of(1, 128)).compute_unit_share < 0.05);
}

TEST_CASE("a kernel that serves heads one by one on vector units pays for each") {
  std::array<double, 10> vector = kReal;
  vector[8] = 1;
  vector[9] = 1e-7;
  AttentionDecodeShape shape = shape_of(64, 4096);
  CHECK(price(shape, synthetic_device(), vector).duration_s == real(shape).duration_s);
  shape.q_heads = 96;  // 48 a group
  // 64 x 96 heads x 4096 keys x 0.1 us on 100 units, beside which memory and launch are small.
  CHECK(price(shape, synthetic_device(), vector).duration_s ==
        Approx(64.0 * 96 * 4096 * 1e-7 / 100).epsilon(0.02));
}

TEST_CASE("decode never gets slower on a better device nor faster with more to do") {
  for (const double kv_tokens : {1.0, 100.0, 1000.0, 8192.0, 131072.0}) {
    for (const double batch : {1.0, 8.0, 60.0, 2000.0}) {
      CAPTURE(kv_tokens, batch);
      const double base = real(shape_of(batch, kv_tokens)).duration_s;
      CHECK(real(shape_of(batch + 1, kv_tokens)).duration_s >= base);
      CHECK(real(shape_of(batch, kv_tokens * 2)).duration_s >= base);
      hardware::Accelerator wider = synthetic_device();
      wider.hbm_bandwidth_bytes_per_s *= 2;
      CHECK(price(shape_of(batch, kv_tokens), wider, kReal).duration_s <= base);
    }
  }
}

TEST_CASE("decode never beats the speed of light") {
  for (const double kv_tokens : {1.0, 1000.0, 131072.0}) {
    for (const double heads : {2.0, 16.0, 4096.0}) {
      AttentionDecodeShape shape = shape_of(7, kv_tokens);
      shape.q_heads = heads;  // 4096: 2048 FLOPs a byte, more than the device has
      CAPTURE(kv_tokens, heads);
      CHECK(ideal(shape).duration_s >= ideal(shape).speed_of_light_s);
      CHECK(real(shape).duration_s >= real(shape).speed_of_light_s);
    }
  }
}

TEST_CASE("an empty decode batch costs nothing") {
  CHECK(real(shape_of(0, 1000)).duration_s == 0);
}

}  // namespace
}  // namespace tradewind::kernels
