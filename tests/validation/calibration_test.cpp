#include "validation/calibration.h"

#include <cmath>

#include "sim/core/error.h"
#include "tests/catch.h"
#include "validation/kernel_rules.h"

using namespace tradewind;
using namespace tradewind::kernels;
using namespace tradewind::validation;

namespace {

constexpr Parameter kToyParameters[] = {
    {"latency_s", 0, 1e-4, 5e-6, "before anything moves"},
    {"matrix_share", 0.05, 1, 0.7, "of the datasheet rate"},
};

/// latency + 2 m n k / (share * 1 PFLOP/s): a law simple enough to know its answer.
Cost toy_price(const Shape& shape, const KernelMachine&, std::span<const double> coefficients) {
  const auto& gemm = std::get<GemmShape>(shape);
  Cost cost;
  cost.duration_s = coefficients[0] + 2 * gemm.m * gemm.n * gemm.k / (coefficients[1] * 1e15);
  return cost;
}

constexpr Operation kToy = {"gemm", kToyParameters, toy_price};

/// A CSV measured on a machine whose latency is 8 us and whose share is 0.5.
std::string toy_csv() {
  std::string text = "device,library,op,dtype,m,n,k,time_us,source\n";
  for (const int m : {1, 16, 64, 256, 1024, 4096}) {
    for (const int n : {1024, 2048, 4096, 8192, 16384}) {
      const double us = 8 + 2.0 * m * n * 4096 / 0.5e15 * 1e6;
      text += "h100,vllm,gemm,bf16," + std::to_string(m) + "," + std::to_string(n) + ",4096," +
              std::to_string(us) + ",toy\n";
    }
  }
  return text;
}

const hardware::Accelerator kMachine;

}  // namespace

TEST_CASE("coefficients that made the measurements are recovered, and the error goes to nothing") {
  const auto rows = parse_kernel_csv(toy_csv(), "toy.csv");
  const auto groups = group_rows(rows);
  REQUIRE(groups.size() == 1);
  const CalibratedSet result = calibrate_group(groups[0], kToy, {kMachine}, "a command");
  // Four digits are kept, and the prior pulls by its weight: together well below a thousandth.
  CHECK(result.set.values.at("latency_s") == Approx(8e-6).epsilon(2e-3));
  CHECK(result.set.values.at("matrix_share") == Approx(0.5).epsilon(2e-3));
  CHECK(result.fit_after.median < 1e-3);
  CHECK(result.check_after.p90 < 2e-3);
  CHECK(result.fit_before.median > 0.1);
  CHECK(result.set.op == "gemm");
  CHECK(result.set.source == "a command");
  CHECK(result.fit_after.points + result.check_after.points == rows.size());
}

TEST_CASE("rows are grouped by operation, library and data type, and split by shape") {
  const auto rows = parse_kernel_csv(
      "device,library,op,dtype,m,n,k,time_us,source\n"
      "h100,vllm,gemm,bf16,1,1024,5120,9,s\n"  // this shape is kept for checking
      "h100,vllm,gemm,fp8,1,10240,8192,9,s\n"  // this one is fitted
      "h100,trtllm,gemm,fp8,1,10240,8192,9,s\n",
      "k.csv");
  const auto groups = group_rows(rows);
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].library == "trtllm");
  CHECK(groups[1].dtype == "bf16");
  CHECK(groups[1].check.size() == 1);
  CHECK(groups[1].fit.empty());
  CHECK(groups[2].fit.size() == 1);
}

TEST_CASE("matrix products are told apart by the range of their tokens") {
  const auto range = [](const std::string& m) {
    return token_range(
        parse_kernel_csv("device,library,op,dtype,m,n,k,time_us,source\n"
                         "h100,vllm,gemm,bf16," +
                             m + ",1024,5120,9,s\n",
                         "k.csv")[0]);
  };
  CHECK(range("1") == range("16"));
  CHECK(range("16") < range("17"));
  CHECK(range("64") == range("17"));
  CHECK(range("4096") < range("4097"));
}

TEST_CASE("collectives are fitted over all data types together") {
  const auto rows = parse_kernel_csv(
      "device,library,op,dtype,devices,nodes,bytes,time_us,source\n"
      "h100,nccl,all_reduce,fp16,8,1,1024,9,s\n"
      "h100,nccl,all_reduce,,8,1,2048,9,s\n",
      "k.csv");
  const auto groups = group_rows(rows);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].dtype == "any");
}

TEST_CASE("decode attention that ran from the cache is left out, unless latency is all it shows") {
  // 2 * batch * 1024 * 8 * 128 * 2 bytes: 67 MB is read from HBM, 34 MB was not, 4.19 MB was not,
  // and a sequence of 512 has 2.1 MB.
  const auto weight = [](const std::string& batch_and_tokens) {
    return fit_weight(parse_kernel_csv(
        "device,library,op,dtype,batch,kv_tokens,q_heads,kv_heads,head_dim,time_us,source\n"
        "h100,vllm,attention_decode,bf16," +
            batch_and_tokens + ",64,8,128,30,s\n",
        "k.csv")[0]);
  };
  CHECK(weight("16,1024") == 1);
  CHECK(weight("8,1024") == 0);
  CHECK(weight("1,1024") == 0);
  CHECK(weight("1,512") > 0);
}

TEST_CASE("a row of no weight is on neither side") {
  const auto rows = parse_kernel_csv(
      "device,library,op,dtype,batch,kv_tokens,q_heads,kv_heads,head_dim,time_us,source\n"
      "h100,vllm,attention_decode,bf16,16,1024,64,8,128,30,s\n"
      "h100,vllm,attention_decode,bf16,8,1024,64,8,128,30,s\n",
      "k.csv");
  const auto groups = group_rows(rows);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].fit.size() + groups[0].check.size() == 1);
}

TEST_CASE("nothing to fit is an error") {
  CHECK_THROWS_AS(calibrate({}, {kMachine}, "h100"), InputError);
}

TEST_CASE("the table names each set and shows errors before and after in percent") {
  CalibratedSet set;
  set.set.op = "gemm";
  set.set.library = "vllm";
  set.set.dtype = "bf16";
  set.fit_before = {30, 0.5, 0.9, 0.5};
  set.fit_after = {30, 0.04, 0.13, 0.0};
  const std::string table = calibration_table(std::vector{set});
  CHECK(table.find("gemm               vllm             bf16") != std::string::npos);
  CHECK(table.find("50.0 ->  4.0") != std::string::npos);
  CHECK(table.find("90.0 -> 13.0") != std::string::npos);
}
