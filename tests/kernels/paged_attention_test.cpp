#include "sim/kernels/paged_attention.h"

#include "tests/catch.h"

using namespace tradewind;
using namespace tradewind::kernels;

namespace {

/// 100 units of 64 KiB, memory and arithmetic so fast that only the walk through the keys counts.
hardware::Accelerator walker() {
  hardware::Accelerator device;
  device.compute_units = 100;
  device.shared_memory_bytes_per_compute_unit = 65536;
  device.hbm_bandwidth_bytes_per_s = 1e18;
  device.peak_flops_per_s[static_cast<std::size_t>(DataType::bf16)] = 1e24;
  return device;
}

/// One query head a sequence.
AttentionDecodeShape shape(double batch, double keys) {
  return {batch, keys, 1, 1, 128, DataType::bf16, 0};
}

double seconds(const AttentionDecodeShape& asked, double longest_context) {
  const hardware::Accelerator device = walker();
  return price_paged_attention(asked, {device}, {longest_context, 0, 1, 0}, Provenance::assumed)
      .duration_s;
}

}  // namespace

TEST_CASE("a context of one partition is walked by one block, 32 keys in two loads") {
  // 256 / 32 rounds of two loads of a microsecond; 1 block on 400 places is far from a wave, where
  // smooth_max adds a part in 1e10.
  CHECK(seconds(shape(1, 256), 4096) == Approx(16e-6).epsilon(1e-6));
  CHECK(seconds(shape(1, 512), 4096) == Approx(32e-6).epsilon(1e-6));
}

TEST_CASE("a longer context is cut into partitions of 512 unless there are enough sequences") {
  CHECK(seconds(shape(1, 4096), 4096) == Approx(32e-6).epsilon(1e-6));
  // 512 sequences x heads x 8 partitions on 100 x 16 places: 2.56 waves, smoothed from 1 by 0.6 %.
  CHECK(seconds(shape(512, 4096), 4096) == Approx(2.56 * 32e-6).epsilon(0.01));
  // One more, and each walks through all 4096 keys: 513 on 100 x 4 places.
  CHECK(seconds(shape(513, 4096), 4096) == Approx(513.0 / 400 * 256e-6).epsilon(0.1));
}

TEST_CASE("fewer blocks share a unit the longer the context that graphs were captured for") {
  // Far from one wave: time goes with the places, 65536 / (4 x 2048) = 8 and 65536 / (4 x 8192)
  // = 2.
  const AttentionDecodeShape crowd = shape(10'000, 1024);
  CHECK(seconds(crowd, 8192) / seconds(crowd, 2048) == Approx(4).epsilon(1e-3));
  // Beyond 8192 there is no v1: partitions, whose 4 bytes x 512 leave room for 16 blocks or more.
  CHECK(seconds(crowd, 8192) / seconds(crowd, 9000) == Approx(8).epsilon(1e-3));
}

TEST_CASE("reading the cache once is a bound that no crowd beats") {
  hardware::Accelerator device = walker();
  device.hbm_bandwidth_bytes_per_s = 1e12;
  const AttentionDecodeShape long_one = shape(8, 8000);
  const Cost cost =
      price_paged_attention(long_one, {device}, {4096, 3e-6, 0.5, 0}, Provenance::assumed);
  // Keys and values, then queries and outputs, of 8 sequences of one head of 128 in 2 bytes.
  const double bytes = 2 * 8 * 8000 * 128 * 2 + 2 * 8 * 128 * 2;
  CHECK(cost.hbm_bytes == Approx(bytes));
  CHECK(cost.speed_of_light_s == Approx(bytes / 1e12));
  CHECK(cost.duration_s >= 3e-6 + bytes / 0.5e12);
  CHECK(price_paged_attention(shape(0, 100), {device}, {}, Provenance::assumed).duration_s == 0);
}
