#include "sim/hardware/accelerator.h"

#include <utility>

#include "sim/hardware/figure_reader.h"

namespace tradewind::hardware {
namespace {

ByDataType read_by_data_type(FigureReader section) {
  ByDataType values{};
  for (std::size_t i = 0; i < kDataTypeCount; ++i)
    values[i] = section.number_or_none(kDataTypes[i].name);
  section.finish();
  return values;
}

void read_memory(FigureReader& figures, Accelerator& accelerator) {
  accelerator.hbm_nominal_bytes = figures.number("hbm_nominal_bytes");
  accelerator.hbm_capacity_bytes = figures.number("hbm_capacity_bytes");
  accelerator.hbm_bandwidth_bytes_per_s = figures.number("hbm_bandwidth_bytes_per_s");
  accelerator.l2_bytes = figures.number("l2_bytes");
  accelerator.last_level_cache_bytes = figures.number("last_level_cache_bytes");
  accelerator.shared_memory_bytes_per_compute_unit =
      figures.number("shared_memory_bytes_per_compute_unit");
}

void read_compute(FigureReader& figures, Accelerator& accelerator) {
  accelerator.compute_units = figures.integer("compute_units", 1, 100'000);
  accelerator.chiplets = figures.integer("chiplets", 1, 1'000);
  accelerator.clock_hz = figures.number("peak_clock_hz");
  accelerator.flops_per_clock_per_compute_unit =
      read_by_data_type(figures.section("flops_per_clock_per_compute_unit"));
  accelerator.peak_flops_per_s = read_by_data_type(figures.section("peak_flops_per_s"));
}

void read_launch(FigureReader section, Accelerator& accelerator) {
  accelerator.launch_eager_s = section.number("eager_s", json::kNotNegative);
  accelerator.launch_graph_s = section.number("graph_s", json::kNotNegative);
  section.finish();
}

/// What silicon reached, for people to compare with; no model reads it.
void read_measured(FigureReader section) {
  section.number_or_none("bf16_flops_per_s");
  section.number_or_none("fp8_flops_per_s");
  section.number_or_none("hbm_bandwidth_bytes_per_s");
  section.finish();
}

SustainedProduct read_sustained(FigureReader section) {
  SustainedProduct product;
  product.m = section.number("m");
  product.n = section.number("n");
  product.k = section.number("k");
  product.peak_share = read_by_data_type(section.section("peak_share"));
  section.finish();
  return product;
}

}  // namespace

Accelerator read_accelerator(const json::Node& profile) {
  Accelerator accelerator;
  FigureReader figures(profile, accelerator.figures);
  accelerator.name = figures.plain().required("name").string();
  accelerator.title = figures.plain().string("title", accelerator.name);
  accelerator.vendor = figures.plain().required("vendor").string();
  accelerator.architecture = figures.text("architecture");
  read_compute(figures, accelerator);
  read_memory(figures, accelerator);
  accelerator.board_power_w = figures.number_or_none("board_power_w");
  accelerator.price_usd_per_hour = figures.number_or_none("price_usd_per_hour", json::kNotNegative);
  read_launch(figures.section("launch"), accelerator);
  if (auto measured = figures.optional_section("measured")) read_measured(std::move(*measured));
  if (auto sustained = figures.optional_section("sustained_product")) {
    accelerator.sustained = read_sustained(std::move(*sustained));
  }
  if (auto contention = figures.optional_section("contention")) {
    accelerator.contention = read_contention(std::move(*contention));
  }
  figures.number_or_none("kernels_clock_share", {0.1, 1});  // the loader's work, as the next
  accelerator.kernels_from = figures.text_or_none("kernels_from");
  accelerator.coefficients =
      read_coefficients(figures.plain().required("kernels"), accelerator.figures);
  figures.finish();
  return accelerator;
}

}  // namespace tradewind::hardware
