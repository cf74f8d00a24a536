// Mamba-2 layers and hybrids, counted by hand and against published checkpoints.
#include "sim/model/mamba.h"

#include "sim/model/cache_bytes.h"
#include "sim/model/count.h"
#include "sim/model/weight_bytes.h"
#include "tests/catch.h"
#include "tests/model/fixtures.h"

namespace tradewind::model {
namespace {

// small_mamba(): h 6, d = 4 x 3 = 12, G N = 10, c = 12 + 20 = 32, projection 12 + 32 + 4 = 48.

ModelConfig changed(nlohmann::json object, const char* key, nlohmann::json value) {
  object[key] = std::move(value);
  return read(std::move(object));
}

std::string refusal(nlohmann::json object, const char* key, nlohmann::json value) {
  object[key] = std::move(value);
  return complaint([&] { read(std::move(object)); });
}

TEST_CASE("the parameters of a small Mamba-2 layer are those counted by hand") {
  const LayerParameters layer = layer_parameters(read(small_mamba()), LayerKind::mamba);
  // Both projections; four taps and a bias a channel; decay, skip, time step; gated norm.
  CHECK(layer.mamba == 6 * 48 + 12 * 6 + 32 * 5 + 3 * 4 + 12);
  CHECK(layer.norms == 6);
  CHECK(layer.attention == 0);
  CHECK(layer.mlp == 0);
  const auto with = [](const char* key, bool value) {
    return layer_parameters(changed(small_mamba(), key, value), LayerKind::mamba).mamba;
  };
  CHECK(with("use_bias", true) == layer.mamba + 48 + 6);
  CHECK(with("use_conv_bias", false) == layer.mamba - 32);
}

TEST_CASE("Mamba-2 models have the parameters of the reference implementation") {
  // mamba_ssm, modules/mamba2.py: in_proj, conv1d with bias, dt_bias, A_log, D, norm, out_proj.
  const auto layer = [](double hidden, double inner, double groups, double heads) {
    const double channels = inner + 2 * groups * 128;
    return hidden * (inner + channels + heads) + channels * 5 + 3 * heads + inner + inner * hidden +
           hidden;
  };
  const auto total = [](const char* name) {
    return static_cast<double>(parameters(load_model(name, models_folder())).total());
  };
  CHECK(total("mamba2-2.7b") == 64 * layer(2560, 5120, 1, 80) + 50288.0 * 2560 + 2560);
  CHECK(total("mamba2-8b") == 56 * layer(4096, 8192, 8, 128) + 2 * 256000.0 * 4096 + 4096);
}

TEST_CASE("a hybrid has the kind of layer that its pattern says") {
  const ModelConfig config = load_model("nemotron-h-8b", models_folder());
  const auto layers = [&](LayerKind kind, LayerRange range) {
    return layers_of_kind(config, kind, range);
  };
  // arXiv 2504.03624, table 1 and section 2.1: 24 Mamba-2, 24 MLP and 4 attention layers.
  CHECK(layers(LayerKind::mamba, all_layers(config)) == 24);
  CHECK(layers(LayerKind::mlp, all_layers(config)) == 24);
  CHECK(layers(LayerKind::attention, all_layers(config)) == 4);
  CHECK(layers(LayerKind::transformer, all_layers(config)) == 0);
  CHECK(layer_kind(config, 7) == LayerKind::attention);
  CHECK(layers(LayerKind::attention, {0, 8}) == 1);
  CHECK(layers(LayerKind::attention, {8, 8}) == 0);
  CHECK_FALSE(config.rope);
  CHECK_FALSE(config.gated_mlp);
}

TEST_CASE("a transformer has layers of one kind") {
  const ModelConfig config = read(small_model());
  CHECK(layer_kind(config, 2) == LayerKind::transformer);
  CHECK(layers_of_kind(config, LayerKind::transformer, {1, 2}) == 2);
  CHECK(layers_of_kind(config, LayerKind::mamba, {1, 2}) == 0);
  CHECK(config.mamba == MambaDimensions{});
  CHECK(state_bytes(config, all_layers(config)) == 0);
}

TEST_CASE("devices share a Mamba layer's heads and groups, and copy a group when there are more") {
  const std::vector<WeightMatrix> half = layer_matrices(read(small_mamba()), LayerKind::mamba, 2);
  REQUIRE(half.size() == 2);
  CHECK(half[0].name == "in_proj");
  CHECK(half[0].out_features == 24);
  CHECK(half[0].sharding == WeightMatrix::Sharding::column);
  CHECK(half[1].name == "out_proj");
  CHECK(half[1].in_features == 6);
  CHECK(half[1].sharding == WeightMatrix::Sharding::row);
  // A head each: 3 channels twice, one whole group's B and C, a time step.
  CHECK(layer_matrices(read(small_mamba()), LayerKind::mamba, 4)[0].out_features ==
        3 + 3 + 2 * 5 + 1);
}

TEST_CASE("devices hold their part of the projections, the convolution and the gated norm") {
  const ModelConfig config = load_model("mamba2-8b", models_folder());
  const Precision precision = *parse_precision("fp8");
  const auto layer = [&](std::int64_t tp) {
    return layer_weight_bytes(config, LayerKind::mamba, precision, WeightAccounting::checkpoint,
                              tp);
  };
  const double matrices = 4096.0 * 18560 + 8192.0 * 4096;
  const double vectors = 10240.0 * 5 + 3 * 128 + 8192;
  const double norm = 4096;
  CHECK(layer(1) == matrices + 2 * (vectors + norm));
  CHECK(layer(8) == (matrices + 2 * vectors) / 8 + 2 * norm);
}

TEST_CASE("stages of a hybrid add up to the whole in weights, cache and states") {
  const ModelConfig config = load_model("nemotron-h-8b", models_folder());
  const Precision precision = *parse_precision("bf16");
  const auto sum = [](auto of_range) {
    return of_range(LayerRange{0, 13}) + of_range(LayerRange{13, 13}) +
           of_range(LayerRange{26, 26});
  };
  const auto weights = [&](LayerRange range) {
    return layers_weight_bytes(config, range, precision, WeightAccounting::checkpoint);
  };
  const auto cache = [&](LayerRange range) { return kv_bytes(config, range, DataType::bf16, 100); };
  const auto states = [&](LayerRange range) { return state_bytes(config, range); };
  CHECK(sum(weights) == weights(all_layers(config)));
  CHECK(sum(cache) == cache(all_layers(config)));
  CHECK(sum(states) == states(all_layers(config)));
}

TEST_CASE("only attention layers of a hybrid have a KV cache, only Mamba layers a state") {
  const ModelConfig config = load_model("nemotron-h-8b", models_folder());
  CHECK(kv_bytes_per_token(config, DataType::bf16) == 4 * 2 * 8 * 128 * 2);
  CHECK(kv_bytes(config, DataType::bf16, 100) == 100 * 4 * 2 * 8 * 128 * 2);
  // 128 states and 3 earlier inputs: 8192 channels, and 8 groups of B and C.
  const double layer = (8192 * 128 + (8192 + 2 * 8 * 128) * 3) * 2;
  CHECK(state_bytes(config, all_layers(config)) == 24 * layer);
  CHECK(state_bytes(config, all_layers(config), 8) == 24 * layer / 8);
  const ModelConfig mamba = load_model("mamba2-2.7b", models_folder());
  CHECK(kv_bytes_per_token(mamba, DataType::bf16) == 0);
  CHECK(kv_bytes(mamba, DataType::bf16, 1e6) == 0);
}

TEST_CASE("the FLOPs of a small scan are those counted by hand") {
  const MambaDimensions mamba = read(small_mamba()).mamba;
  const double shared = 2 * 5, inner = 12, states = 5;
  CHECK(scan_flops(mamba, 0) == 0);
  CHECK(scan_flops(mamba, 1) == 2 * (shared + inner) + 6 * states * inner);
  CHECK(scan_flops(mamba, 3) == 2 * 6 * (shared + inner) + (4 * 3 + 2) * states * inner);
  // A chunk of 8 and one of 3.
  CHECK(scan_flops(mamba, 11) == scan_flops(mamba, 8) + scan_flops(mamba, 3));
}

TEST_CASE("with chunk, state and head of one size a scan is linear in tokens and channels") {
  // arXiv 2405.21060, theorem 6.1: O(T N) a channel when Q = N = P; each of the four products is
  // a square one of N, so 2 N and 2 N half used, 2 N and 2 N, and the pass from chunk to chunk.
  const MambaDimensions mamba{.num_heads = 1,
                              .head_dim = 64,
                              .state_size = 64,
                              .n_groups = 1,
                              .conv_kernel = 4,
                              .chunk_size = 64};
  const double tokens = 64 * 100;
  CHECK(scan_flops(mamba, tokens) == tokens * 64 * ((64 + 1) * 2 + 4 * 64 + 2));
}

TEST_CASE("the FLOPs of a hybrid are those of its layers") {
  const ModelConfig config = read(small_hybrid());
  const double head = 80;
  const double attention = 8 * 24 + 12 * 8, mlp = 2 * 8 * 16;
  const double mamba = 8 * 48 + 12 * 8 + 32 * 4;
  const double weights = head + attention + mlp + 2 * mamba;
  CHECK(forward_flops(config, 4, 2) ==
        2 * weights * 4 + 4 * 12 * (3 + 4 + 5 + 6) + 2 * scan_flops(config.mamba, 4));
}

TEST_CASE("Mamba sizes that do not divide are refused") {
  CHECK(refusal(small_mamba(), "n_groups", 3) ==
        "config.json: /n_groups: found 3, expected a divisor of num_heads (4)");
  CHECK(refusal(small_hybrid(), "n_groups", 3) ==
        "config.json: /n_groups: found 3, expected a divisor of mamba_num_heads (4)");
  CHECK(refusal(small_mamba(), "expand", 3) ==
        "config.json: /num_heads: found 4 heads of 3, expected 18 channels in all: expand x "
        "hidden_size");
}

TEST_CASE("a pattern must have one known letter for each layer") {
  CHECK(refusal(small_hybrid(), "hybrid_override_pattern", "M-*") ==
        "config.json: /hybrid_override_pattern: found 3 letters, expected one for each of the 4 "
        "layers");
  CHECK(refusal(small_hybrid(), "hybrid_override_pattern", "M-*E") ==
        "config.json: /hybrid_override_pattern: found the letter 'E', expected M (Mamba-2), * "
        "(attention) or - (MLP)");
}

}  // namespace
}  // namespace tradewind::model
