// The models of the catalogue against the exact sizes of their published checkpoints, as listed in
// ../shared/models.json. Its Mamba-2 row has no size, and mamba2-8b no row; theirs are the sums of
// the parts as the reference implementation has them, written out in mamba_test.cpp.
#include <algorithm>
#include <string>
#include <vector>

#include "sim/model/cache_bytes.h"
#include "sim/model/count.h"
#include "tests/catch.h"
#include "tests/model/fixtures.h"

namespace tradewind::model {
namespace {

struct Published {
  const char* name;
  std::int64_t parameters;
};
constexpr Published kPublished[] = {
    {"llama-2-7b", 6738415616},     {"llama-2-13b", 13015864320},
    {"llama-2-70b", 68976648192},   {"llama-3-8b", 8030261248},
    {"llama-3-70b", 70553706496},   {"llama-3.1-8b", 8030261248},
    {"llama-3.1-70b", 70553706496}, {"llama-3.1-405b", 405853388800},
    {"llama-3.3-70b", 70553706496}, {"mistral-7b", 7241732096},
    {"mamba2-2.7b", 2702599680},    {"mamba2-8b", 8236999680},
    {"nemotron-h-8b", 8100852736},  {"qwen2-7b", 7615616512},
    {"qwen2-72b", 72706203648},     {"qwen3-8b", 8190735360},
    {"qwen3-32b", 32762123264}};

TEST_CASE("every model of the catalogue has the parameters of its checkpoint") {
  for (const Published& published : kPublished) {
    CAPTURE(published.name);
    const ModelConfig config = load_model(published.name, models_folder());
    CHECK(parameters(config).total() == published.parameters);
    CHECK(config.name == published.name);
  }
}

TEST_CASE("the catalogue holds the published models and no others, each with its source") {
  std::vector<std::string> names;
  for (const Published& published : kPublished) names.emplace_back(published.name);
  std::sort(names.begin(), names.end());
  CHECK(known_models(models_folder()) == names);
  for (const std::string& name : names) {
    CAPTURE(name);
    const auto document = json::Document::load((models_folder() / (name + ".json")).string());
    CHECK(document.root().find("source")->string().size() > 20);
  }
}

TEST_CASE("context lengths and windows are the published ones") {
  const auto known = [](const char* name) { return load_model(name, models_folder()); };
  CHECK(known("llama-2-70b").max_position_embeddings == 4096);
  CHECK(known("llama-3-70b").max_position_embeddings == 8192);
  CHECK(known("llama-3.1-405b").max_position_embeddings == 131072);
  CHECK(known("qwen3-32b").max_position_embeddings == 40960);
  CHECK(known("mistral-7b").sliding_window == 4096);
  CHECK(windowed_layers(known("mistral-7b")) == 32);
  for (const char* name : {"llama-3.1-70b", "qwen2-7b", "qwen2-72b", "qwen3-8b", "qwen3-32b"}) {
    CAPTURE(name);
    CHECK(windowed_layers(known(name)) == 0);
  }
}

TEST_CASE("the KV cache of a token is what the deployment paper counts") {
  // 2 x layers x 8 heads x 128 x 1 byte.
  const auto bytes = [](const char* name, DataType dtype) {
    return kv_bytes_per_token(load_model(name, models_folder()), dtype);
  };
  CHECK(bytes("llama-3.1-70b", DataType::fp8) == 163840);
  CHECK(bytes("llama-3.1-70b", DataType::bf16) == 327680);
  CHECK(bytes("llama-3.1-405b", DataType::fp8) == 258048);
}

TEST_CASE("qwen3-32b has heads wider than its hidden size shared out") {
  const ModelConfig config = load_model("qwen3-32b", models_folder());
  CHECK(config.head_dim == 128);
  CHECK(config.hidden_size / config.num_attention_heads == 80);
}

}  // namespace
}  // namespace tradewind::model
