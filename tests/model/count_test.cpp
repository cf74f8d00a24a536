#include "sim/model/count.h"

#include "sim/model/cache_bytes.h"
#include "tests/catch.h"
#include "tests/model/fixtures.h"

namespace tradewind::model {
namespace {

// small_model(): h 8, q 4 x 3 = 12, k 2 x 3 = 6, i 16, v 10, L 3. By hand:
//   attention 8 x (12 + 12) + 12 x 8 = 288; mlp 3 x 8 x 16 = 384; norms 16; embedding 80.

ModelConfig small_with(const char* key, bool value) {
  nlohmann::json object = small_model();
  object[key] = value;
  return read(object);
}

LayerParameters layer_of(const ModelConfig& config) {
  return layer_parameters(config, LayerKind::transformer);
}

TEST_CASE("the parameters of a small model are those counted by hand, part by part") {
  const ParameterCount count = parameters(read(small_model()));
  const LayerParameters layer = layer_of(read(small_model()));
  CHECK(count.embedding == 80);
  CHECK(count.head == 80);
  CHECK(count.final_norm == 8);
  CHECK(layer.attention == 288);
  CHECK(layer.mlp == 384);
  CHECK(layer.mamba == 0);
  CHECK(layer.norms == 16);
  CHECK(layer.total() == 688);
  CHECK(count.layers == 3 * 688);
  CHECK(count.total() == 80 + 3 * 688 + 8 + 80);
}

TEST_CASE("biases and norms add one parameter an output") {
  CHECK(layer_of(small_with("qkv_bias", true)).attention == 288 + 12 + 2 * 6);
  CHECK(layer_of(small_with("o_bias", true)).attention == 288 + 8);
  CHECK(layer_of(small_with("attention_bias", true)).attention == 288 + 12 + 2 * 6 + 8);
  CHECK(layer_of(small_with("mlp_bias", true)).mlp == 384 + 2 * 16 + 8);
  CHECK(layer_of(small_with("qk_norm", true)).norms == 16 + 2 * 3);
}

TEST_CASE("a tied head has no parameters of its own") {
  const ParameterCount tied = parameters(small_with("tie_word_embeddings", true));
  CHECK(tied.head == 0);
  CHECK(tied.total() == 80 + 3 * 688 + 8);
}

TEST_CASE("a model without a gate has two matrices in its MLP") {
  ModelConfig config = read(small_model());
  config.gated_mlp = false;
  CHECK(layer_of(config).mlp == 2 * 8 * 16);
  CHECK(layer_matrices(config, LayerKind::transformer)[2].name == "up_proj");
}

TEST_CASE("column-parallel matrices share out outputs, row-parallel ones inputs") {
  using Sharding = WeightMatrix::Sharding;
  const std::vector<WeightMatrix> whole =
      layer_matrices(read(small_model()), LayerKind::transformer);
  const std::vector<WeightMatrix> half =
      layer_matrices(read(small_model()), LayerKind::transformer, 2);
  REQUIRE(whole.size() == 4);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    CAPTURE(whole[i].name);
    const bool is_column = whole[i].sharding == Sharding::column;
    CHECK(is_column == (i % 2 == 0));
    CHECK(half[i].in_features * (is_column ? 1 : 2) == whole[i].in_features);
    CHECK(half[i].out_features * (is_column ? 2 : 1) == whole[i].out_features);
  }
}

TEST_CASE("key and value heads are copied when there are more devices than heads") {
  const ModelConfig config = load_model("llama-3.1-405b", models_folder());
  // 128 query heads over 16 devices: 8 each, and one whole key head and value head.
  CHECK(layer_matrices(config, LayerKind::transformer, 16)[0].out_features == (8 + 2) * 128);
  CHECK(layer_matrices(config, LayerKind::transformer, 8)[0].out_features == (16 + 2) * 128);
}

TEST_CASE("every query of causal attention sees the keys before it and its own") {
  CHECK(attention_pairs(4, 0, 0) == 1 + 2 + 3 + 4);
  CHECK(attention_pairs(3, 5, 0) == 6 + 7 + 8);
  CHECK(attention_pairs(1, 99, 0) == 100);
}

TEST_CASE("a window limits the keys of a query, its own included") {
  CHECK(attention_pairs(4, 0, 2) == 1 + 2 + 2 + 2);
  CHECK(attention_pairs(3, 5, 7) == 6 + 7 + 7);
  CHECK(attention_pairs(3, 5, 2) == 2 + 2 + 2);
  CHECK(attention_pairs(4, 0, 4) == attention_pairs(4, 0, 0));
  CHECK(attention_pairs(4, 0, 1000) == attention_pairs(4, 0, 0));
}

TEST_CASE("the FLOPs of a small model are those counted by hand") {
  const ModelConfig config = read(small_model());
  const double weights = 3 * (288 + 384) + 80;
  CHECK(forward_flops(config, 4, 0) == 2 * weights * 4 + 3 * 4 * 12 * (1 + 2 + 3 + 4));
  CHECK(forward_flops(config, 1, 5) == 2 * weights + 3 * 4 * 12 * 6);
}

TEST_CASE("only the windowed layers save attention FLOPs") {
  ModelConfig config = read(small_model());
  config.sliding_window = 2;
  config.first_windowed_layer = 1;
  const double weights = 3 * (288 + 384) + 80;
  CHECK(forward_flops(config, 4, 0) == 2 * weights * 4 + 4 * 12 * (10 + 7 + 7));
}

TEST_CASE("a pass over many tokens costs what its tokens cost one by one") {
  // Chunked prefill and decode must not create or lose work; whole numbers, so exactly.
  for (const char* name : {"llama-3.1-70b", "mistral-7b"}) {
    CAPTURE(name);
    const ModelConfig config = load_model(name, models_folder());
    double one_by_one = 0;
    for (int i = 0; i < 500; ++i) one_by_one += forward_flops(config, 1, 3900 + i);
    CHECK(forward_flops(config, 500, 3900) == one_by_one);
  }
}

TEST_CASE("a tied head is multiplied all the same") {
  CHECK(forward_flops(small_with("tie_word_embeddings", true), 4, 2) ==
        forward_flops(read(small_model()), 4, 2));
}

TEST_CASE("a sequence keeps all its keys and values in full layers, a window in the others") {
  ModelConfig config = read(small_model());
  const double layer_token = 2 * 6 * 2;  // keys and values, k = 6, bf16
  CHECK(kv_bytes_per_token(config, DataType::bf16) == 3 * layer_token);
  CHECK(kv_bytes(config, DataType::bf16, 100) == 3 * 100 * layer_token);
  config.sliding_window = 32;
  config.first_windowed_layer = 1;
  CHECK(kv_bytes(config, DataType::bf16, 100) == (100 + 32 + 32) * layer_token);
  CHECK(kv_bytes(config, DataType::bf16, 20) == 3 * 20 * layer_token);
}

TEST_CASE("block scales of the KV cache count") {
  // MXFP4: 4 bits and an 8-bit scale for 32.
  CHECK(kv_bytes_per_token(read(small_model()), DataType::fp4) == 3 * 2 * 6 * 4.25 / 8);
}

}  // namespace
}  // namespace tradewind::model
