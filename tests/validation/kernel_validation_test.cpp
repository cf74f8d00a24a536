#include "validation/kernel_validation.h"

#include "sim/core/error.h"
#include "tests/catch.h"

using namespace tradewind;
using namespace tradewind::validation;

namespace {
const std::string kHeader = "device,library,op,dtype,m,n,k,time_us,source\n";
}

TEST_CASE("a file of an unknown device is an error that names the nearest known one") {
  const auto rows = parse_kernel_csv(kHeader + "h10,vllm,gemm,bf16,1,1024,5120,9,s\n", "k.csv");
  CHECK_THROWS_AS(load_machines(rows, TRADEWIND_SOURCE_DIR), InputError);
}

TEST_CASE("a row of an unknown device among others is an error of 100 %") {
  const auto rows = parse_kernel_csv(kHeader +
                                         "gh200,blas,gemm,bf16,1,1024,5120,9,s\n"
                                         "h100,vllm,gemm,bf16,1,1024,5120,9,s\n",
                                     "k.csv");
  const auto points = validate_kernels(rows, load_machines(rows, TRADEWIND_SOURCE_DIR));
  CHECK_FALSE(points[0].feasible);
  CHECK(points[0].relative_error == -1);
  CHECK(points[1].feasible);
}

TEST_CASE("points carry place, group and side of the split") {
  const auto rows = parse_kernel_csv(kHeader +
                                         "h100,vllm,gemm,bf16,1,1024,5120,9,s\n"
                                         "h100,vllm,gemm,bf16,1,10240,8192,60,s\n",
                                     "k.csv");
  const auto points = validate_kernels(rows, load_machines(rows, TRADEWIND_SOURCE_DIR));
  REQUIRE(points.size() == 2);
  CHECK(points[0].id == "k.csv:2");
  CHECK(points[0].group == "h100/vllm/gemm/bf16");
  CHECK(points[0].metric == "time_us");
  CHECK(points[0].split == "check");
  CHECK(points[1].split == "fit");
  CHECK(points[1].measured == 60);
  REQUIRE(points[1].simulated.has_value());
  CHECK(points[1].relative_error == Approx(*points[1].simulated / 60 - 1));
}

TEST_CASE("a machine is found by device, node and accelerator name") {
  CHECK(find_machine("h100", TRADEWIND_SOURCE_DIR).device == "h100");
  CHECK(find_machine("h100-8", TRADEWIND_SOURCE_DIR).device == "h100");
  CHECK(find_machine("h100-sxm", TRADEWIND_SOURCE_DIR).cluster.node.name == "h100-8");
  CHECK_THROWS_AS(find_machine("h1000", TRADEWIND_SOURCE_DIR), InputError);
}
