// Which part stands in for one that nobody has measured.
#include "sim/hardware/nearest.h"

#include "tests/hardware/support.h"

namespace tradewind::hardware {
namespace {

using test::shipped;

std::vector<Accelerator> all_but(const std::string& name) {
  std::vector<Accelerator> others;
  for (const std::string& other : profile_names(ProfileKind::accelerator, shipped())) {
    if (other != name) others.push_back(load_accelerator({other, "", ""}, shipped()));
  }
  return others;
}

std::string nearest_of(const Accelerator& device, const std::vector<Accelerator>& candidates) {
  const Accelerator* found = nearest(device, candidates);
  return found ? found->name : "";
}

TEST_CASE("every kernels_from that is shipped is the part that the rule chooses") {
  std::size_t carried = 0;
  for (const std::string& name : profile_names(ProfileKind::accelerator, shipped())) {
    const Accelerator device = load_accelerator({name, "", ""}, shipped());
    if (device.kernels_from.empty()) continue;
    CAPTURE(name);
    CHECK(nearest_of(device, all_but(name)) == device.kernels_from);
    ++carried;
  }
  CHECK(carried >= 6);
}

TEST_CASE("the same architecture comes before a nearer datasheet, and another vendor never") {
  std::vector<Accelerator> others = all_but("h200-sxm");
  const Accelerator h200 = load_accelerator({"h200-sxm", "", ""}, shipped());
  CHECK(nearest_of(h200, others) == "h100-sxm");
  std::erase_if(others, [](const Accelerator& one) { return one.name == "h100-sxm"; });
  // 132 units of 4096 FLOP a clock at 4.8 TB/s: 148 of twice that at 8 TB/s is nearer than 108 of
  // half that at 2 TB/s. ln(2) + ln(148 / 132) + ln(8 / 4.8) < ln(2) + ln(132 / 108) + ln(4.8 / 2).
  CHECK(nearest_of(h200, others) == "b200-sxm");
  std::erase_if(others, [](const Accelerator& one) { return one.vendor == "nvidia"; });
  CHECK(nearest_of(h200, others).empty());
}

TEST_CASE("a part without measurements keeps its datasheet and takes shares and latencies") {
  const Accelerator h200 = load_accelerator({"h200-sxm", "", ""}, shipped());
  const Accelerator h100 = load_accelerator({"h100-sxm", "", ""}, shipped());
  const Accelerator assumed = carried_over(h200, h100, all_but("h200-sxm"));
  CHECK(assumed.hbm_bandwidth_bytes_per_s == h200.hbm_bandwidth_bytes_per_s);
  CHECK(assumed.peak_flops_per_s == h200.peak_flops_per_s);
  CHECK(assumed.launch_eager_s == h100.launch_eager_s);
  // What the driver reports is the same share of what was sold.
  CHECK(assumed.hbm_capacity_bytes / h200.hbm_nominal_bytes ==
        Approx(h100.hbm_capacity_bytes / h100.hbm_nominal_bytes));
  REQUIRE(assumed.coefficients.size() == h100.coefficients.size());
  for (std::size_t i = 0; i < assumed.coefficients.size(); ++i) {
    CHECK(assumed.coefficients[i].provenance == Provenance::assumed);
    CHECK(assumed.coefficients[i].values == h100.coefficients[i].values);
    CHECK_FALSE(assumed.coefficients[i].fit);
  }
  CHECK_FALSE(is_measured(assumed));
  CHECK(is_measured(h100));
}

TEST_CASE("what a product sustains is the kin's, of the same architecture alone") {
  const Accelerator mi300x = load_accelerator({"mi300x", "", ""}, shipped());
  const Accelerator mi325x = load_accelerator({"mi325x", "", ""}, shipped());
  const Accelerator mi355x = load_accelerator({"mi355x", "", ""}, shipped());
  const Accelerator assumed = carried_over(mi300x, mi355x, all_but("mi300x"));
  CHECK(assumed.sustained.peak_share == mi325x.sustained.peak_share);
  CHECK(assumed.sustained.peak_share != mi300x.sustained.peak_share);
  const std::vector<Accelerator> strangers = {mi355x};
  CHECK(carried_over(mi300x, mi355x, strangers).sustained.m == 0);
}

}  // namespace
}  // namespace tradewind::hardware
