#include "sim/hardware/device_speeds.h"

#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/hardware/loader.h"
#include "tests/catch.h"

using namespace tradewind;
using Catch::Matchers::Contains;

namespace {

std::vector<double> speeds(const nlohmann::json& value, int devices) {
  return hardware::read_device_speeds(json::Node(value, "test", "/device_speeds"), devices);
}

}  // namespace

TEST_CASE("device speeds are given for all devices or for those that differ") {
  CHECK(speeds({{"3", 0.8}}, 4) == std::vector<double>{1, 1, 1, 0.8});
  CHECK(speeds({{"0", 2}, {"2", 0.5}}, 3) == std::vector<double>{2, 1, 0.5});
  CHECK(speeds({1, 0.9}, 2) == std::vector<double>{1, 0.9});
  CHECK(speeds({1, 1}, 2).empty());
  CHECK(speeds(nlohmann::json::object(), 8).empty());
}

TEST_CASE("a speed of no device, or none that can be, is one clear line") {
  CHECK_THROWS_WITH(speeds({{"8", 0.8}}, 8),
                    Contains("/device_speeds/8") && Contains("the cluster has 0 to 7"));
  for (const char* key : {"-1", "01", "1.0", "first", "", "99999999999"}) {
    INFO(key);
    CHECK_THROWS_WITH(speeds({{key, 0.8}}, 8), Contains("there is no device"));
  }
  CHECK_THROWS_WITH(speeds({{"1", 0}}, 8), Contains("/device_speeds/1: found 0"));
  CHECK_THROWS_WITH(speeds({{"1", 2.1}}, 8), Contains("at most 2"));
  CHECK_THROWS_WITH(speeds({{"1", "slow"}}, 8), Contains("found \"slow\""));
  CHECK_THROWS_WITH(speeds({1, 1, 1}, 8), Contains("has 3 speeds") && Contains("8 devices"));
  CHECK_THROWS_WITH(speeds(0.8, 8), Contains("expected an array"));
}

TEST_CASE("a cluster carries the speeds of its devices over all nodes") {
  const auto cluster = [](const nlohmann::json& value) {
    return hardware::load_cluster(json::Node(value, "test", "/cluster"), TRADEWIND_SOURCE_DIR);
  };
  CHECK(cluster("h100-8").device_speeds.empty());
  const hardware::Cluster two = cluster(
      {{"node", "h100-8"}, {"nodes", 2}, {"network", "ib-ndr"}, {"device_speeds", {{"15", 0.7}}}});
  REQUIRE(two.device_speeds.size() == 16);
  CHECK(two.device_speeds[14] == 1);
  CHECK(two.device_speeds[15] == 0.7);
  CHECK_THROWS_WITH(cluster({{"node", "h100-8"}, {"device_speeds", {{"8", 0.7}}}}),
                    Contains("/cluster/device_speeds/8"));
}
