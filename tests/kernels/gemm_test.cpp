#include "sim/kernels/gemm.h"

#include <array>
#include <vector>

#include "tests/catch.h"

namespace tradewind::kernels {
namespace {

constexpr std::size_t kCount = 16;
using Coefficients = std::array<double, kCount>;

/// In the order of gemm_parameters(): launch, tile and memory latency; matrix efficiency; smallest
/// rows and columns; feed; bandwidth efficiency; overlap; wave quantization; split latency; partial
/// share; droop; quantize bytes and row latency; store.
constexpr Coefficients kIdeal = {0, 0, 0, 1, 8, 16, 1e12, 1, 1, 1, 1, 10, 0, 0, 0, 1e30};
constexpr Coefficients kReal = {1e-6, 1.5e-6, 1.5e-6, 0.85, 56,  96, 100,  0.88,
                                0.75, 0.5,    2e-6,   1,    0.1, 3,  1e-7, 20};
constexpr std::size_t kTileLatency = 1, kSmallestRows = 4, kSmallestColumns = 5,
                      kWaveQuantization = 9, kSplitLatency = 10, kDroop = 12, kQuantizeBytes = 13,
                      kStore = 15;

/// 100 units of 10 TFLOP/s each, 1 TB/s, no cache.
hardware::Accelerator synthetic_device() {
  hardware::Accelerator device;
  device.compute_units = 100;
  device.clock_hz = 1e9;
  device.peak_flops_per_s.fill(1e15);
  device.hbm_bandwidth_bytes_per_s = 1e12;
  return device;
}

/// The same with memory that never limits.
hardware::Accelerator compute_bound_device() {
  hardware::Accelerator device = synthetic_device();
  device.hbm_bandwidth_bytes_per_s = 1e18;
  return device;
}

/// Only tiles of 128 x 256 make sense: smaller ones take as long.
Coefficients one_tile_size() {
  Coefficients coefficients = kIdeal;
  coefficients[kSmallestRows] = 128;
  coefficients[kSmallestColumns] = 256;
  return coefficients;
}

Cost price(const GemmShape& shape, const hardware::Accelerator& device,
           const Coefficients& coefficients, double free = 1) {
  return price_gemm(shape, {.accelerator = device, .compute_units_free = free}, coefficients,
                    Provenance::fitted);
}

/// Products of a few, common and awkward sizes.
std::vector<GemmShape> shapes() {
  std::vector<GemmShape> all;
  for (const double m : {1.0, 3.0, 16.0, 64.0, 100.0, 257.0, 1024.0, 5000.0}) {
    for (const double n : {7.0, 1024.0, 3584.0, 8192.0, 57344.0}) {
      for (const double k : {32.0, 1000.0, 8192.0, 28672.0}) all.push_back({m, n, k});
    }
  }
  return all;
}

TEST_CASE("initial GEMM coefficients lie in their physical range") {
  REQUIRE(gemm_parameters().size() == kCount);
  for (const Parameter& parameter : gemm_parameters()) {
    CAPTURE(parameter.name);
    CHECK(parameter.lower >= 0);
    CHECK(parameter.lower <= parameter.initial);
    CHECK(parameter.initial <= parameter.upper);
  }
  CHECK(gemm_parameters()[kDroop].name == "sustained_droop");
  CHECK(gemm_parameters()[kWaveQuantization].name == "wave_quantization");
}

TEST_CASE("a GEMM that fills whole waves runs at the peak") {
  // 10 x 10 tiles of 128 x 256 on 100 units.
  const Cost cost = price({1280, 2560, 4096}, compute_bound_device(), one_tile_size());
  CHECK(cost.duration_s == Approx(2.0 * 1280 * 2560 * 4096 / 1e15).epsilon(1e-12));
  CHECK(cost.flops == 2.0 * 1280 * 2560 * 4096);
  CHECK(cost.compute_unit_share == 1);
  CHECK(cost.bound == Bound::compute);
}

TEST_CASE("one token more than a full wave costs a second wave") {
  const double tile_s = 2.0 * 128 * 256 * 4096 / 1e13;
  Coefficients coefficients = one_tile_size();
  // 110 tiles on 100 units.
  CHECK(price({1281, 2560, 4096}, compute_bound_device(), coefficients).duration_s ==
        Approx(2 * tile_s).epsilon(1e-12));
  coefficients[kWaveQuantization] = 0;
  CHECK(price({1281, 2560, 4096}, compute_bound_device(), coefficients).duration_s ==
        Approx(1.1 * tile_s).epsilon(1e-12));
  coefficients[kWaveQuantization] = 0.5;
  CHECK(price({1281, 2560, 4096}, compute_bound_device(), coefficients).duration_s ==
        Approx(1.55 * tile_s).epsilon(1e-12));
}

TEST_CASE("fewer free compute units mean more waves") {
  const hardware::Accelerator device = compute_bound_device();
  const GemmShape shape{1280, 2560, 4096};
  const double all = price(shape, device, one_tile_size()).duration_s;
  const Cost half = price(shape, device, one_tile_size(), 0.5);
  CHECK(half.duration_s == Approx(2 * all).epsilon(1e-12));
  CHECK(half.compute_unit_share == 0.5);
  // 100 tiles on 99 units.
  CHECK(price(shape, device, one_tile_size(), 0.99).duration_s == Approx(2 * all).epsilon(1e-12));
  CHECK(price(shape, device, one_tile_size(), 0).compute_unit_share == 0.01);
}

TEST_CASE("every wave pays the latency of its tiles") {
  Coefficients coefficients = one_tile_size();
  const GemmShape shape{1281, 2560, 4096};
  const double without = price(shape, compute_bound_device(), coefficients).duration_s;
  coefficients[kTileLatency] = 1e-6;
  CHECK(price(shape, compute_bound_device(), coefficients).duration_s - without ==
        Approx(2e-6).epsilon(1e-9));
}

TEST_CASE("every wave pays for storing the results of its tiles") {
  Coefficients coefficients = one_tile_size();
  const GemmShape shape{1281, 2560, 4096};
  const double without = price(shape, compute_bound_device(), coefficients).duration_s;
  coefficients[kStore] = 16;
  // 128 x 256 results of 2 bytes at 16 bytes per clock of 1 GHz, twice.
  CHECK(price(shape, compute_bound_device(), coefficients).duration_s - without ==
        Approx(2 * 4.096e-6).epsilon(1e-9));
}

TEST_CASE("splitting the k loop fills the device unless meeting costs too much") {
  // One tile; 32 splits are the most there are.
  const GemmShape shape{128, 256, 65536};
  Coefficients coefficients = one_tile_size();
  const double tile_s = 2.0 * 128 * 256 * 65536 / 1e13;
  coefficients[kSplitLatency] = 0;
  const Cost split = price(shape, compute_bound_device(), coefficients);
  // Partial sums at 10 EB/s are 1e-5 of it.
  CHECK(split.duration_s == Approx(tile_s / 32).epsilon(1e-4));
  CHECK(split.compute_unit_share == Approx(0.32));
  coefficients[kSplitLatency] = tile_s;
  const Cost whole = price(shape, compute_bound_device(), coefficients);
  CHECK(whole.duration_s == Approx(tile_s).epsilon(1e-12));
  CHECK(whole.compute_unit_share == Approx(0.01));
}

TEST_CASE("one token reads each weight once at no more than the memory bandwidth") {
  const double bytes = 2.0 * (8192.0 * 8192 + 8192 + 8192);
  const Cost cost = price({1, 8192, 8192}, synthetic_device(), kIdeal);
  CHECK(cost.hbm_bytes == bytes);
  CHECK(cost.duration_s == Approx(bytes / 1e12).epsilon(1e-12));
  CHECK(cost.bound == Bound::memory);
  for (const GemmShape& shape : shapes()) {
    const double weights = 2 * shape.n * shape.k;
    CHECK(price({1, shape.n, shape.k}, synthetic_device(), kReal).duration_s >= weights / 1e12);
  }
}

TEST_CASE("narrower weights are read faster") {
  GemmShape shape{1, 8192, 8192};
  shape.weight_dtype = DataType::int4;
  // 4 bits, a scale and a zero point of 20 bits a group of 128; activations and result in bf16.
  const double bytes = 8192.0 * 8192 * (4 + 20.0 / 128) / 8 + 2 * 2.0 * 8192;
  CHECK(price(shape, synthetic_device(), kIdeal).duration_s == Approx(bytes / 1e12).epsilon(1e-12));
}

TEST_CASE("activations are quantised only for arithmetic below 16 bits") {
  Coefficients coefficients = kIdeal;
  GemmShape shape{4096, 4096, 4096};
  const double bf16 = price(shape, synthetic_device(), coefficients).duration_s;
  shape.dtype = shape.weight_dtype = DataType::fp8;
  const Cost fp8 = price(shape, synthetic_device(), coefficients);
  coefficients[kQuantizeBytes] = 3;
  const Cost quantised = price(shape, synthetic_device(), coefficients);
  CHECK(quantised.duration_s - fp8.duration_s == Approx(3.0 * 4096 * 4096 / 1e12).epsilon(1e-9));
  CHECK(quantised.hbm_bytes - fp8.hbm_bytes == 3.0 * 4096 * 4096);
  shape.dtype = shape.weight_dtype = DataType::bf16;
  CHECK(price(shape, synthetic_device(), coefficients).duration_s == bf16);
}

TEST_CASE("operands that fit the last-level cache are read once, larger ones by every wave") {
  hardware::Accelerator device = synthetic_device();
  const GemmShape shape{16384, 16384, 1024};
  const double operands = 2.0 * 2 * 16384 * 1024;
  const double result = 2.0 * 16384 * 16384;
  CHECK(price(shape, device, one_tile_size()).hbm_bytes > operands + result);
  device.last_level_cache_bytes = operands;
  CHECK(price(shape, device, one_tile_size()).hbm_bytes == operands + result);
}

TEST_CASE("long kernels run at a lower clock") {
  Coefficients coefficients = one_tile_size();
  coefficients[kDroop] = 0.2;
  const GemmShape shape{1280, 2560, 4096};
  const double brisk_s = 2.0 * 1280 * 2560 * 4096 / 1e15;
  CHECK(price(shape, compute_bound_device(), coefficients).duration_s ==
        Approx(brisk_s * (1 + 0.2 * brisk_s / (brisk_s + 1e-3))).epsilon(1e-12));
}

TEST_CASE("a data type without matrix units runs at bf16's rate") {
  hardware::Accelerator device = compute_bound_device();
  GemmShape shape{1280, 2560, 4096};
  shape.dtype = DataType::fp8;
  const double own = price(shape, device, one_tile_size()).duration_s;
  device.peak_flops_per_s[static_cast<std::size_t>(DataType::fp8)] = 0;
  CHECK(price(shape, device, one_tile_size()).duration_s == own);
}

TEST_CASE("an empty product costs nothing") {
  for (const GemmShape& shape :
       {GemmShape{0, 8192, 8192}, GemmShape{16, 0, 8192}, GemmShape{16, 8192, 0}}) {
    const Cost cost = price(shape, synthetic_device(), kReal);
    CHECK(cost.duration_s == 0);
    CHECK(cost.hbm_bytes == 0);
    CHECK(cost.compute_unit_share == 0);
  }
}

TEST_CASE("a tiny product costs its latencies") {
  const Cost cost = price({1, 16, 64}, synthetic_device(), kReal);
  // Launch, and the overlap of 1.5 us of tile and of memory: 1.5 (1 + 0.25); the rest is below 5 %.
  CHECK(cost.duration_s == Approx(1e-6 + 1.5e-6 * 1.25).epsilon(0.05));
  CHECK(cost.bound == Bound::latency);
  CHECK(cost.latency_s == 1e-6);
}

TEST_CASE("no GEMM beats the speed of light") {
  for (const GemmShape& shape : shapes()) {
    CAPTURE(shape.m, shape.n, shape.k);
    const double bytes = 2 * (shape.m * shape.k + shape.k * shape.n + shape.m * shape.n);
    const double light_s = std::max(2 * shape.m * shape.n * shape.k / 1e15, bytes / 1e12);
    for (const Coefficients& coefficients : {kIdeal, kReal}) {
      const Cost cost = price(shape, synthetic_device(), coefficients);
      CHECK(cost.speed_of_light_s == Approx(light_s).epsilon(1e-12));
      // To rounding.
      CHECK(cost.duration_s >= light_s * (1 - 1e-12));
      CHECK(cost.compute_unit_share > 0);
      CHECK(cost.compute_unit_share <= 1);
    }
  }
}

TEST_CASE("a better device is never slower") {
  const hardware::Accelerator base = synthetic_device();
  hardware::Accelerator memory = base, peak = base, cache = base, units = base;
  memory.hbm_bandwidth_bytes_per_s *= 1.3;
  for (double& rate : peak.peak_flops_per_s) rate *= 1.3;
  cache.last_level_cache_bytes = 50e6;
  units.compute_units = 117;
  for (double& rate : units.peak_flops_per_s) rate *= 1.17;
  for (const GemmShape& shape : shapes()) {
    CAPTURE(shape.m, shape.n, shape.k);
    const double now = price(shape, base, kReal).duration_s;
    // To rounding.
    const double limit = now * (1 + 1e-12);
    CHECK(price(shape, memory, kReal).duration_s <= limit);
    CHECK(price(shape, peak, kReal).duration_s <= limit);
    CHECK(price(shape, cache, kReal).duration_s <= limit);
    CHECK(price(shape, units, kReal).duration_s <= limit);
    CHECK(now <= price(shape, base, kReal, 0.8).duration_s);
  }
}

TEST_CASE("more tokens are never faster") {
  for (const double n : {1024.0, 5120.0, 8192.0, 57344.0}) {
    for (const double k : {512.0, 8192.0}) {
      double before = 0;
      for (double m = 1; m <= 2100; ++m) {
        CAPTURE(m, n, k);
        const double now = price({m, n, k}, synthetic_device(), kReal).duration_s;
        // To rounding.
        CHECK(now >= before * (1 - 1e-12));
        before = now;
      }
    }
  }
}

}  // namespace
}  // namespace tradewind::kernels
