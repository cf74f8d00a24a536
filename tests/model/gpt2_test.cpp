#include <nlohmann/json.hpp>

#include "sim/model/count.h"
#include "sim/model/read.h"
#include "tests/catch.h"

namespace tradewind::model {
namespace {

ModelConfig read(const nlohmann::json& object) {
  return read_model(json::Node(object, "config.json", ""), "gpt2");
}

}  // namespace

TEST_CASE("GPT-2 in its own spelling has the 124,439,808 parameters of its checkpoint") {
  // Hugging Face openai-community/gpt2: sum over the tensors of the file.
  const ModelConfig config = read({{"model_type", "gpt2"},
                                   {"n_embd", 768},
                                   {"n_layer", 12},
                                   {"n_head", 12},
                                   {"n_positions", 1024},
                                   {"n_inner", nullptr},
                                   {"vocab_size", 50257}});
  CHECK(parameters(config).total() == 124439808);
  CHECK(config.intermediate_size == 4L * 768);
  CHECK(config.tie_word_embeddings);
  CHECK_FALSE(config.rope);
  CHECK(config.dropout);
}

TEST_CASE("GPT-2 in the usual spelling is the same model") {
  const nlohmann::json usual = {{"model_type", "gpt2"},        {"hidden_size", 768},
                                {"num_hidden_layers", 12},     {"num_attention_heads", 12},
                                {"intermediate_size", 3072},   {"max_position_embeddings", 1024},
                                {"tie_word_embeddings", true}, {"vocab_size", 50257}};
  const ModelConfig config = read(usual);
  CHECK(parameters(config).total() == 124439808);
  CHECK(read(to_json(config)) == config);
  nlohmann::json undropped = usual;
  undropped["attn_pdrop"] = undropped["resid_pdrop"] = 0;
  CHECK_FALSE(read(undropped).dropout);
  CHECK(read(to_json(read(undropped))) == read(undropped));
}

}  // namespace tradewind::model
