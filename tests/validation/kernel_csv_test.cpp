#include "validation/kernel_csv.h"

#include "sim/core/error.h"
#include "tests/catch.h"

using namespace tradewind;
using namespace tradewind::kernels;
using namespace tradewind::validation;

namespace {

const std::string kGemmHeader = "device,library,op,dtype,m,n,k,time_us,source\n";
const std::string kWireHeader = "device,library,op,dtype,devices,nodes,bytes,time_us,source\n";

/// The complaint about that text.
std::string complaint(const std::string& text) {
  try {
    parse_kernel_csv(text, "k.csv");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no complaint";
}

bool starts(const std::string& text, std::string_view start) {
  return text.starts_with(start);
}

KernelRow one(const std::string& text) {
  const auto rows = parse_kernel_csv(text, "k.csv");
  REQUIRE(rows.size() == 1);
  return rows[0];
}

}  // namespace

TEST_CASE("a matrix product is read with its place, source and key") {
  const KernelRow row =
      one(kGemmHeader + "h100,vllm,gemm,bf16,1,1024,5120,9.5,\"a source, with comma\"\n");
  const auto& shape = std::get<GemmShape>(row.shape);
  CHECK(shape.m == 1);
  CHECK(shape.n == 1024);
  CHECK(shape.k == 5120);
  CHECK(shape.dtype == DataType::bf16);
  CHECK(row.device == "h100");
  CHECK(row.library == "vllm");
  CHECK(row.time_us == 9.5);
  CHECK(row.source == "a source, with comma");
  CHECK(row.shape_key == "gemm,1,1024,5120");
  CHECK(row.place() == "k.csv:2");
}

TEST_CASE("a data type with a suffix keeps its text and gives its base to the shape") {
  const KernelRow row = one(kGemmHeader + "mi355x,aiter,gemm,fp8-block,1,1024,5120,9.5,s\n");
  CHECK(row.dtype == "fp8-block");
  CHECK(std::get<GemmShape>(row.shape).dtype == DataType::fp8);
}

TEST_CASE("four-bit weights under 16-bit arithmetic") {
  const KernelRow row = one(kGemmHeader + "a100,vllm,gemm,w4a16,1,1024,5120,9.5,s\n");
  CHECK(std::get<GemmShape>(row.shape).dtype == DataType::bf16);
  CHECK(std::get<GemmShape>(row.shape).weight_dtype == DataType::int4);
}

TEST_CASE("attention of both kinds") {
  const KernelRow prefill = one(
      "device,library,op,dtype,batch,q_tokens,kv_tokens,q_heads,kv_heads,head_dim,causal,time_us,"
      "source\nh100,vllm,attention_prefill,fp8,2,512,4096,64,8,128,1,100,s\n");
  const auto& shape = std::get<AttentionPrefillShape>(prefill.shape);
  CHECK(shape.q_tokens == 512);
  CHECK(shape.kv_tokens == 4096);
  CHECK(shape.causal);
  CHECK(shape.kv_dtype == DataType::fp8);
  CHECK(prefill.shape_key == "attention_prefill,2,512,4096,64,8,128,1");

  const KernelRow decode =
      one("device,library,op,dtype,batch,kv_tokens,q_heads,kv_heads,head_dim,time_us,source\n"
          "h100,vllm,attention_decode,bf16,4,8192,64,8,128,100,s\n");
  CHECK(std::get<AttentionDecodeShape>(decode.shape).kv_tokens == 8192);
}

TEST_CASE("element-wise kernels by name, vLLM's name of the gated activation included") {
  const KernelRow row =
      one("device,library,op,dtype,name,rows,cols,time_us,source\n"
          "h100,vllm,elementwise,bf16,silu_and_mul,64,14336,4,s\n");
  CHECK(std::get<ElementwiseShape>(row.shape).kind == ElementwiseKind::silu_mul);
  CHECK(row.shape_key == "elementwise,silu_and_mul,64,14336");
}

TEST_CASE("collectives need no data type") {
  const KernelRow row = one(kWireHeader + "h100,nccl,all_gather,,16,2,1048576,60,s\n");
  const auto& shape = std::get<CollectiveShape>(row.shape);
  CHECK(shape.op == CollectiveOp::all_gather);
  CHECK(shape.devices == 16);
  CHECK(shape.nodes == 2);
  CHECK(shape.bytes == 1048576);
}

TEST_CASE("columns may come in any order and more may be there") {
  const KernelRow row =
      one("note,source,time_us,k,n,m,dtype,op,library,device\n"
          "x,s,9.5,5120,1024,1,bf16,gemm,vllm,h100\n");
  CHECK(row.shape_key == "gemm,1,1024,5120");
}

TEST_CASE("each bad cell is an error that names file, line and column") {
  const auto gemm = [](const std::string& row) { return complaint(kGemmHeader + row); };
  CHECK(starts(gemm("h100,vllm,gem,bf16,1,2,3,4,s"),
               "k.csv:2: column \"op\": unknown op \"gem\"; did you mean \"gemm\"?"));
  CHECK(starts(gemm("h100,vllm,gemm,bf17,1,2,3,4,s"),
               "k.csv:2: column \"dtype\": unknown data type \"bf17\""));
  for (const std::string bad : {"-4", "0", "nan", "inf", "1e300", "", "4us", " 4"}) {
    CHECK(starts(gemm("h100,vllm,gemm,bf16,1,2,3," + bad + ",s"),
                 "k.csv:2: column \"time_us\": found \"" + bad + "\", expected a number above 0"));
  }
  CHECK(starts(gemm("h100,vllm,gemm,bf16,1,two,3,4,s"), "k.csv:2: column \"n\": found \"two\""));
  CHECK(starts(gemm(",vllm,gemm,bf16,1,2,3,4,s"), "k.csv:2: column \"device\": is empty"));
  CHECK(starts(gemm("h100,vllm,gemm,bf16,1,2,3,4"), "k.csv:2: has 8 fields, the header has 9"));
  CHECK(starts(gemm("h100,vllm,all_reduce,bf16,1,2,3,4,s"),
               "k.csv:1: column \"devices\" is missing"));
}

TEST_CASE("device counts are whole and divide by the nodes") {
  CHECK(starts(complaint(kWireHeader + "h100,nccl,all_reduce,,2.5,1,8,6,s"),
               "k.csv:2: column \"devices\": found 2.5, expected a whole number"));
  CHECK(starts(complaint(kWireHeader + "h100,nccl,all_reduce,,8,3,8,6,s"),
               "k.csv:2: column \"devices\": does not divide"));
}

TEST_CASE("a repeated column and an empty file are errors, a header alone has no rows") {
  CHECK(starts(complaint(""), "k.csv: is empty"));
  CHECK(starts(complaint("m,n,m\n"), "k.csv:1: column \"m\" is given twice"));
  CHECK(parse_kernel_csv(kGemmHeader, "k.csv").empty());
}

TEST_CASE("FNV-1a gives its authors' test values") {
  // http://www.isthe.com/chongo/src/fnv/test_fnv.c: "", "a", "foobar".
  CHECK(fnv1a("") == 0xcbf29ce484222325ULL);
  CHECK(fnv1a("a") == 0xaf63dc4c8601ec8cULL);
  CHECK(fnv1a("foobar") == 0x85944171f73967e8ULL);
}

TEST_CASE("the kept quarter is a fixed property of the shape") {
  // (hash >> 33) % 4 worked out apart in Python.
  const auto check = [](const std::string& shape, const std::string& device) {
    return is_check(one(kGemmHeader + device + ",vllm,gemm,bf16," + shape + ",9.5,s\n"));
  };
  CHECK(check("1,8192,4096", "h100"));
  CHECK(check("16,1024,8192", "h100"));
  CHECK(check("16,8192,8192", "h100"));
  CHECK(check("1,8192,4096", "mi355x"));
  CHECK_FALSE(check("1,1024,4096", "h100"));
  CHECK_FALSE(check("1,1024,8192", "h100"));
  CHECK_FALSE(check("1,8192,8192", "h100"));
}
