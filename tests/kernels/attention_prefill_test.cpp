#include "sim/kernels/attention_prefill.h"

#include <algorithm>
#include <array>

#include "tests/catch.h"

namespace tradewind::kernels {
namespace {

/// 100 units, 1 PFLOP/s, 1 TB/s, and a clock at which exponentials take no time.
hardware::Accelerator synthetic_device() {
  hardware::Accelerator device;
  device.compute_units = 100;
  device.clock_hz = 1e15;
  device.peak_flops_per_s.fill(1e15);
  device.hbm_bandwidth_bytes_per_s = 1e12;
  return device;
}

/// In the order of attention_prefill_parameters(): nothing lost but what tiling itself costs.
/// launch, matrix, item, bandwidth, write passes, write latency, packing, tail, split, droop, rows
constexpr std::array<double, 11> kIdeal = {0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 128};
constexpr std::array<double, 11> kReal = {9e-6, 0.7, 2e-6, 0.8, 1, 2e-6, 1, 0.3, 0.3, 0.1, 128};

/// 16 query heads on 2 key and value heads of 128.
AttentionPrefillShape shape_of(double batch, double q_tokens, double kv_tokens) {
  AttentionPrefillShape shape;
  shape.batch = batch;
  shape.q_tokens = q_tokens;
  shape.kv_tokens = kv_tokens;
  shape.q_heads = 16;
  shape.kv_heads = 2;
  shape.head_dim = 128;
  return shape;
}

Cost price(const AttentionPrefillShape& shape, const hardware::Accelerator& device,
           std::span<const double> coefficients) {
  return price_attention_prefill(shape, {.accelerator = device}, coefficients, Provenance::fitted);
}
Cost ideal(const AttentionPrefillShape& shape) {
  return price(shape, synthetic_device(), kIdeal);
}
Cost real(const AttentionPrefillShape& shape) {
  return price(shape, synthetic_device(), kReal);
}

TEST_CASE("initial prefill coefficients lie in their physical range") {
  for (const Parameter& parameter : attention_prefill_parameters()) {
    CAPTURE(parameter.name);
    CHECK(parameter.lower <= parameter.initial);
    CHECK(parameter.initial <= parameter.upper);
    CHECK(parameter.lower >= 0);
  }
}

TEST_CASE("a causal query sees the keys up to its own") {
  // 1 + 2 + ... + q pairs a head, 4 FLOPs a pair and element of head_dim.
  CHECK(ideal(shape_of(3, 1000, 1000)).flops == 4.0 * 3 * 16 * 128 * (1000.0 * 1001 / 2));
  AttentionPrefillShape full = shape_of(3, 1000, 1000);
  full.causal = false;
  CHECK(ideal(full).flops == 4.0 * 3 * 16 * 128 * 1000 * 1000);
}

TEST_CASE(
    "a long causal sequence takes half the time of a full one, plus half a tile a query tile") {
  AttentionPrefillShape shape = shape_of(8, 32768, 32768);
  const double causal = ideal(shape).duration_s;
  shape.causal = false;
  // 256 key tiles against a mean of 128.5. The longest item is under 1/60 of the whole, and its
  // fourth power no longer counts.
  CHECK(causal / ideal(shape).duration_s == Approx(128.5 / 256).epsilon(1e-4));
}

TEST_CASE("an ideal device runs a long prefill at the matrix peak") {
  const Cost cost = ideal(shape_of(8, 32768, 32768));
  // The diagonal tiles are computed whole: half a tile of 256 / 2.
  CHECK(cost.duration_s == Approx(cost.speed_of_light_s * (1 + 1.0 / 256)).epsilon(1e-4));
  CHECK(cost.bound == Bound::compute);
  CHECK(cost.compute_unit_share == 1);
}

TEST_CASE("chunks of a prefill sum to the whole") {
  double flops = 0;
  double seconds = 0;
  for (int chunk = 1; chunk <= 8; ++chunk) {
    const Cost cost = ideal(shape_of(8, 4096, 4096.0 * chunk));
    flops += cost.flops;
    seconds += cost.duration_s;
  }
  const Cost whole = ideal(shape_of(8, 32768, 32768));
  CHECK(flops == whole.flops);
  // Same tiles, shared by as many units; the later chunks' longest items weigh below 0.1 %.
  CHECK(seconds == Approx(whole.duration_s).epsilon(1e-3));
}

TEST_CASE("a window caps what a query sees") {
  AttentionPrefillShape windowed = shape_of(1, 32768, 32768);
  windowed.window = 4096;
  // The first 4096 queries see 1 .. 4096 keys, the others 4096.
  const double pairs = 4096.0 * 4097 / 2 + (32768.0 - 4096) * 4096;
  CHECK(ideal(windowed).flops == 4.0 * 16 * 128 * pairs);
  CHECK(ideal(windowed).duration_s < ideal(shape_of(1, 32768, 32768)).duration_s / 3);

  AttentionPrefillShape wide = shape_of(1, 32768, 32768);
  wide.window = 32768;
  CHECK(ideal(wide).duration_s == ideal(shape_of(1, 32768, 32768)).duration_s);
}

TEST_CASE("a windowed chunk costs the same wherever it starts") {
  AttentionPrefillShape early = shape_of(1, 2048, 16384);
  AttentionPrefillShape late = shape_of(1, 2048, 65536);
  early.window = late.window = 4096;
  CHECK(real(early).duration_s == real(late).duration_s);
  CHECK(real(early).hbm_bytes == real(late).hbm_bytes);
}

TEST_CASE("query heads share the keys and values of their group") {
  AttentionPrefillShape shape = shape_of(1, 512, 8192);
  const double narrow = ideal(shape).hbm_bytes;
  shape.q_heads *= 2;
  // Only queries and outputs double: 2 x 512 x 16 more heads' elements of 2 bytes.
  CHECK(ideal(shape).hbm_bytes - narrow == 2.0 * 512 * 16 * 128 * 2);
}

TEST_CASE("one sequence of one head occupies one unit for each query tile") {
  AttentionPrefillShape shape = shape_of(1, 1280, 1280);
  shape.q_heads = shape.kv_heads = 1;
  const Cost cost = ideal(shape);
  CHECK(cost.compute_unit_share == Approx(10.0 / 100).epsilon(1e-3));
  // Ten tiles of keys, one after the other, on a hundredth of the peak; the ten items together
  // would take a tenth of it, and weigh in the smooth maximum at its fourth power.
  const double tile = 4.0 * 128 * 128 * 128 / (1e15 / 100);
  CHECK(cost.duration_s == Approx(10 * tile).epsilon(1e-3));
}

TEST_CASE("splitting the keys spreads a small prefill over idle units") {
  std::array<double, 11> split = kReal;
  split[8] = 1;
  std::array<double, 11> whole = kReal;
  whole[8] = 0;
  const AttentionPrefillShape shape = shape_of(1, 64, 32768);
  CHECK(price(shape, synthetic_device(), split).duration_s <
        price(shape, synthetic_device(), whole).duration_s / 2);
}

TEST_CASE("prefill never gets slower on a better device nor faster with more to do") {
  for (const double tokens : {1.0, 17.0, 128.0, 1000.0, 8192.0, 65536.0}) {
    for (const double batch : {1.0, 8.0, 100.0}) {
      CAPTURE(tokens, batch);
      const double base = real(shape_of(batch, tokens, tokens)).duration_s;
      CHECK(real(shape_of(batch + 1, tokens, tokens)).duration_s >= base);
      CHECK(real(shape_of(batch, tokens + 1, tokens + 1)).duration_s >= base);
      CHECK(real(shape_of(batch, tokens, tokens + 100)).duration_s >= base);
      hardware::Accelerator faster = synthetic_device();
      faster.peak_flops_per_s.fill(2e15);
      CHECK(price(shape_of(batch, tokens, tokens), faster, kReal).duration_s <= base);
      hardware::Accelerator wider = synthetic_device();
      wider.hbm_bandwidth_bytes_per_s *= 2;
      CHECK(price(shape_of(batch, tokens, tokens), wider, kReal).duration_s <= base);
      const hardware::Accelerator device = synthetic_device();
      const KernelMachine crowded{.accelerator = device, .compute_units_free = 0.8};
      CHECK(price_attention_prefill(shape_of(batch, tokens, tokens), crowded, kReal,
                                    Provenance::fitted)
                .duration_s >= base);
    }
  }
}

TEST_CASE("prefill never beats the speed of light") {
  for (const double tokens : {1.0, 17.0, 128.0, 1000.0, 8192.0}) {
    for (const double context : {0.0, 500.0, 100000.0}) {
      for (const double window : {0.0, 1024.0}) {
        AttentionPrefillShape shape = shape_of(4, tokens, tokens + context);
        shape.window = window;
        CAPTURE(tokens, context, window);
        const Cost cost = ideal(shape);
        // Equal up to the rounding of sums taken in another order.
        CHECK(cost.duration_s >= cost.speed_of_light_s * (1 - 1e-12));
      }
    }
  }
}

TEST_CASE("no query tokens cost nothing") {
  CHECK(real(shape_of(0, 128, 128)).duration_s == 0);
  CHECK(real(shape_of(1, 0, 128)).duration_s == 0);
}

}  // namespace
}  // namespace tradewind::kernels
