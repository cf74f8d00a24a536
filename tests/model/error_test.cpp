#include <cstdint>
#include <vector>

#include "sim/model/count.h"
#include "tests/catch.h"
#include "tests/model/fixtures.h"

namespace tradewind::model {
namespace {

nlohmann::json changed(const char* key, nlohmann::json value) {
  nlohmann::json object = small_model();
  object[key] = std::move(value);
  return object;
}

std::string refusal(nlohmann::json object) {
  return complaint([&] { read(std::move(object)); });
}

TEST_CASE("a missing size is named with its file") {
  for (const char* key : {"hidden_size", "num_hidden_layers", "num_attention_heads",
                          "intermediate_size", "vocab_size", "model_type"}) {
    nlohmann::json object = small_model();
    object.erase(key);
    CHECK(refusal(object) == std::string("config.json: /: needs a member \"") + key + "\"");
  }
}

TEST_CASE("an unsupported family is refused with the supported ones") {
  CHECK(refusal(changed("model_type", "falcon")) ==
        "config.json: /model_type: unknown model_type \"falcon\" (known: llama, mistral, qwen2, "
        "qwen3, mamba2, nemotron_h, gpt2)");
  CHECK(refusal(changed("model_type", "lama")) ==
        "config.json: /model_type: unknown model_type \"lama\"; did you mean \"llama\"? (known: "
        "llama, mistral, qwen2, qwen3, mamba2, nemotron_h, gpt2)");
}

TEST_CASE("absurd sizes are refused with the range") {
  CHECK(refusal(changed("hidden_size", -8)) ==
        "config.json: /hidden_size: found -8, expected an integer from 1 to 1048576");
  CHECK(refusal(changed("vocab_size", 1e300)) ==
        "config.json: /vocab_size: found 1e+300, expected an integer from 1 to 16777216");
  CHECK(refusal(changed("num_hidden_layers", std::uint64_t{1} << 63)) ==
        "config.json: /num_hidden_layers: found 9223372036854775808, expected an integer from 1 "
        "to 8192");
  CHECK(refusal(changed("head_dim", "128")) ==
        "config.json: /head_dim: found \"128\", expected an integer from 1 to 8192");
  CHECK(refusal(changed("num_attention_heads", 2.5)) ==
        "config.json: /num_attention_heads: found 2.5, expected an integer from 1 to 8192");
}

TEST_CASE("heads must share out evenly") {
  CHECK(refusal(changed("num_key_value_heads", 3)) ==
        "config.json: /num_key_value_heads: found 3, expected a divisor of num_attention_heads "
        "(4)");
  nlohmann::json object = changed("hidden_size", 10);
  object.erase("head_dim");
  CHECK(refusal(object) ==
        "config.json: /hidden_size: found 10, expected a multiple of num_attention_heads (4), as "
        "head_dim is absent");
}

TEST_CASE("a key slightly misspelt is refused, not passed over as another tool's") {
  nlohmann::json object = small_model();
  object.erase("num_key_value_heads");
  object["num_key_value_head"] = 2;
  CHECK(refusal(object) ==
        "config.json: /num_key_value_head: unknown key \"num_key_value_head\"; did you mean "
        "\"num_key_value_heads\"?");
}

TEST_CASE("the largest sizes allowed are still counted exactly") {
  const ModelConfig config = read({{"model_type", "llama"},
                                   {"hidden_size", 1 << 20},
                                   {"num_hidden_layers", 1 << 13},
                                   {"num_attention_heads", 1 << 13},
                                   {"head_dim", 1 << 13},
                                   {"intermediate_size", 1 << 22},
                                   {"vocab_size", 1 << 24}});
  // Doubles hold the sum to one part in 2^53; an overflow would be off by all of it.
  const double layer = 4 * 0x1p46 + 3 * 0x1p42 + 2 * 0x1p20;
  const double total = 2 * 0x1p44 + 0x1p13 * layer + 0x1p20;
  CHECK(static_cast<double>(parameters(config).total()) == Approx(total).epsilon(1e-15));
}

const std::vector<nlohmann::json> kSmallOfEachKind = {small_model(), small_mamba(), small_hybrid()};

TEST_CASE("every known key refuses values of the wrong kind") {
  const std::vector<nlohmann::json> bad = {-1,
                                           1.5,
                                           1e300,
                                           std::uint64_t{1} << 63,
                                           "no such thing",
                                           nlohmann::json::array({1, 2}),
                                           {{"quant_method", 7}}};
  for (const nlohmann::json& small : kSmallOfEachKind) {
    for (const std::string& key : model_fields(small.at("model_type").get<std::string>())) {
      for (const nlohmann::json& value : bad) {
        if (key == "name" && value.is_string()) continue;
        CAPTURE(key, value.dump());
        nlohmann::json object = small;
        if (key == "attention_head_dim") object.erase("head_dim");
        object[key] = value;
        const std::string text = refusal(object);
        CHECK(text.starts_with("config.json: /" + key));
        CHECK(text.find('\n') == std::string::npos);
      }
    }
  }
}

/// Every pair of keys takes its values from one list; anything but InputError fails the test.
int readable_pairs(const nlohmann::json& small, const std::vector<nlohmann::json>& values) {
  const std::vector<std::string> keys = model_fields(small.at("model_type").get<std::string>());
  int read_count = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::size_t j = i + 1; j < keys.size(); ++j) {
      for (std::size_t v = 0; v < values.size() * values.size(); ++v) {
        nlohmann::json object = small;
        object[keys[i]] = values[v / values.size()];
        object[keys[j]] = values[v % values.size()];
        if (refusal(object).empty()) {
          ++read_count;
          if (parameters(read(object)).total() <= 0) FAIL(object.dump());
        }
      }
    }
  }
  return read_count;
}

TEST_CASE("whatever stands where, the reader answers or refuses") {
  const std::vector<nlohmann::json> values = {nullptr,
                                              true,
                                              0,
                                              1,
                                              7,
                                              -3,
                                              1e18,
                                              "llama",
                                              "qwen3",
                                              "",
                                              nlohmann::json::array(),
                                              nlohmann::json::object(),
                                              std::int64_t{1} << 20};
  for (const nlohmann::json& small : kSmallOfEachKind) CHECK(readable_pairs(small, values) > 0);
}

}  // namespace
}  // namespace tradewind::model
