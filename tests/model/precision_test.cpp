#include "sim/model/precision.h"

#include "tests/catch.h"
#include "tests/model/fixtures.h"

namespace tradewind::model {
namespace {

using enum DataType;

Precision read_from(nlohmann::json value) {
  const auto scenario =
      json::Document::from_value({{"precision", std::move(value)}}, "scenario.json");
  return read_precision(*scenario.root().find("precision"));
}

TEST_CASE("a shorthand stands for four formats") {
  CHECK(read_from("bf16") == Precision{bf16, bf16, bf16, bf16});
  CHECK(read_from("fp16") == Precision{fp16, fp16, fp16, fp16});
  CHECK(read_from("fp8") == Precision{fp8, fp8, fp8, bf16});
  CHECK(read_from("fp6") == Precision{fp6, fp6, fp8, bf16});
  CHECK(read_from("fp4") == Precision{fp4, fp4, fp8, bf16});
  CHECK(read_from("int8") == Precision{int8, int8, bf16, bf16});
  CHECK(read_from("w4a16") == Precision{int4, bf16, bf16, bf16});
  CHECK(read_from("w8a16") == Precision{int8, bf16, bf16, bf16});
}

TEST_CASE("formats that an object leaves out follow from those it gives") {
  CHECK(read_from(nlohmann::json::object()) == Precision{bf16, bf16, bf16, bf16});
  CHECK(read_from({{"weights", "fp4"}, {"kv_cache", "fp8"}}) == Precision{fp4, bf16, fp8, bf16});
  CHECK(read_from({{"weights", "fp16"}}) == Precision{fp16, fp16, fp16, fp16});
  CHECK(read_from({{"activations", "fp8"}}) == Precision{bf16, fp8, bf16, bf16});
  CHECK(read_from({{"weights", "fp8"}, {"activations", "fp8"}, {"communication", "fp8"}}) ==
        Precision{fp8, fp8, bf16, fp8});
}

TEST_CASE("a precision written out reads back the same, and knows its shorthand") {
  for (const std::string& name : precision_names()) {
    CAPTURE(name);
    const Precision precision = read_from(name);
    CHECK(read_from(to_json(precision)) == precision);
    CHECK(shorthand(precision) == name);
  }
  CHECK(shorthand(Precision{fp4, bf16, fp8, bf16}).empty());
}

TEST_CASE("what is no precision is refused with what is allowed") {
  const auto refusal = [](nlohmann::json value) {
    return complaint([&] { read_from(std::move(value)); });
  };
  CHECK(refusal("fp9") ==
        "scenario.json: /precision: unknown precision \"fp9\"; did you mean \"fp8\"? (known: bf16, "
        "fp16, fp8, fp6, fp4, int8, w4a16, w8a16)");
  CHECK(refusal(8) ==
        "scenario.json: /precision: found 8, expected one of bf16, fp16, fp8, fp6, fp4, int8, "
        "w4a16, w8a16, or an object");
  CHECK(refusal({{"weight", "fp8"}}) ==
        "scenario.json: /precision/weight: unknown key \"weight\"; did you mean \"weights\"? "
        "(known: activations, communication, kv_cache, weights)");
  CHECK(refusal({{"kv_cache", "fp7"}})
            .starts_with(
                "scenario.json: /precision/kv_cache: unknown data type \"fp7\"; did you mean"));
  CHECK_FALSE(refusal({{"weights", 8}}).empty());
}

}  // namespace
}  // namespace tradewind::model
