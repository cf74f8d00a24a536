// Hugging Face config.json files as people download them: many keys of other tools around ours.
#include "sim/model/read.h"

#include "sim/model/count.h"
#include "tests/catch.h"
#include "tests/model/fixtures.h"

namespace tradewind::model {
namespace {

ModelConfig read_text(std::string_view text) {
  return read_model(json::Document::parse(text, "config.json").root(), "downloaded");
}

constexpr std::string_view kLlama70b = R"({
  "architectures": ["LlamaForCausalLM"],
  "attention_bias": false,
  "attention_dropout": 0.0,
  "bos_token_id": 128000,
  "eos_token_id": [128001, 128008, 128009],
  "hidden_act": "silu",
  "hidden_size": 8192,
  "initializer_range": 0.02,
  "intermediate_size": 28672,
  "max_position_embeddings": 131072,
  "mlp_bias": false,
  "model_type": "llama",
  "num_attention_heads": 64,
  "num_hidden_layers": 80,
  "num_key_value_heads": 8,
  "pretraining_tp": 1,
  "rms_norm_eps": 1e-05,
  "rope_scaling": {
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
    "rope_type": "llama3"
  },
  "rope_theta": 500000.0,
  "tie_word_embeddings": false,
  "torch_dtype": "bfloat16",
  "transformers_version": "4.42.3",
  "use_cache": true,
  "vocab_size": 128256
})";

constexpr std::string_view kQwen2 = R"({
  "architectures": ["Qwen2ForCausalLM"],
  "attention_dropout": 0.0,
  "bos_token_id": 151643,
  "eos_token_id": 151643,
  "hidden_act": "silu",
  "hidden_size": 3584,
  "initializer_range": 0.02,
  "intermediate_size": 18944,
  "max_position_embeddings": 131072,
  "max_window_layers": 28,
  "model_type": "qwen2",
  "num_attention_heads": 28,
  "num_hidden_layers": 28,
  "num_key_value_heads": 4,
  "rms_norm_eps": 1e-06,
  "rope_theta": 1000000.0,
  "sliding_window": 131072,
  "tie_word_embeddings": false,
  "torch_dtype": "bfloat16",
  "transformers_version": "4.37.2",
  "use_cache": true,
  "use_sliding_window": false,
  "vocab_size": 152064
})";

constexpr std::string_view kQwen3Fp8 = R"({
  "architectures": ["Qwen3ForCausalLM"],
  "attention_bias": false,
  "attention_dropout": 0.0,
  "bos_token_id": 151643,
  "eos_token_id": 151645,
  "head_dim": 128,
  "hidden_act": "silu",
  "hidden_size": 5120,
  "initializer_range": 0.02,
  "intermediate_size": 25600,
  "layer_types": ["full_attention", "full_attention"],
  "max_position_embeddings": 40960,
  "max_window_layers": 64,
  "model_type": "qwen3",
  "num_attention_heads": 64,
  "num_hidden_layers": 64,
  "num_key_value_heads": 8,
  "quantization_config": {
    "activation_scheme": "dynamic",
    "fmt": "e4m3",
    "quant_method": "fp8",
    "weight_block_size": [128, 128]
  },
  "rms_norm_eps": 1e-06,
  "rope_scaling": null,
  "rope_theta": 1000000,
  "sliding_window": null,
  "tie_word_embeddings": false,
  "torch_dtype": "bfloat16",
  "transformers_version": "4.51.0",
  "use_cache": true,
  "use_sliding_window": false,
  "vocab_size": 151936
})";

constexpr std::string_view kMistral = R"({
  "architectures": ["MistralForCausalLM"],
  "bos_token_id": 1,
  "eos_token_id": 2,
  "hidden_act": "silu",
  "hidden_size": 4096,
  "initializer_range": 0.02,
  "intermediate_size": 14336,
  "max_position_embeddings": 32768,
  "model_type": "mistral",
  "num_attention_heads": 32,
  "num_hidden_layers": 32,
  "num_key_value_heads": 8,
  "rms_norm_eps": 1e-05,
  "rope_theta": 10000.0,
  "sliding_window": 4096,
  "tie_word_embeddings": false,
  "torch_dtype": "bfloat16",
  "transformers_version": "4.34.0.dev0",
  "use_cache": true,
  "vocab_size": 32000
})";

TEST_CASE("a downloaded Llama 3.1 70B is the one of the catalogue") {
  ModelConfig known = load_model("llama-3.1-70b", models_folder());
  known.name = "downloaded";
  CHECK(read_text(kLlama70b) == known);
}

TEST_CASE("a downloaded Qwen2 has biases on query, key and value, and a window switched off") {
  const ModelConfig config = read_text(kQwen2);
  CHECK(parameters(config).total() == 7615616512);
  CHECK(config.qkv_bias);
  CHECK_FALSE(config.o_bias);
  CHECK(config.sliding_window == 0);
}

TEST_CASE("a downloaded FP8 Qwen3 keeps its head_dim, its norms and the name of its quantisation") {
  const ModelConfig config = read_text(kQwen3Fp8);
  CHECK(parameters(config).total() == 32762123264);
  CHECK(config.head_dim == 128);
  CHECK(config.qk_norm);
  CHECK(config.quantization == "fp8");
}

TEST_CASE("a downloaded Mistral has its window in every layer") {
  const ModelConfig config = read_text(kMistral);
  CHECK(parameters(config).total() == 7241732096);
  CHECK(windowed_layers(config) == 32);
  CHECK(window_of_layer(config, 0) == 4096);
}

nlohmann::json small_of(const char* family, nlohmann::json more = nlohmann::json::object()) {
  nlohmann::json object = small_model();
  object["model_type"] = family;
  object.update(more);
  return object;
}

TEST_CASE("Mistral without the key has the window of its class, with null it has none") {
  CHECK(read(small_of("mistral")).sliding_window == 4096);
  CHECK(read(small_of("mistral", {{"sliding_window", nullptr}})).sliding_window == 0);
}

TEST_CASE("Qwen's first layers see everything even when its window is on") {
  const ModelConfig config = read(small_of(
      "qwen2", {{"use_sliding_window", true}, {"sliding_window", 64}, {"max_window_layers", 2}}));
  CHECK(window_of_layer(config, 1) == 0);
  CHECK(window_of_layer(config, 2) == 64);
  CHECK(windowed_layers(config) == 1);
  const ModelConfig beyond = read(small_of("qwen2", {{"use_sliding_window", true}}));
  CHECK(windowed_layers(beyond) == 0);  // 28 layers without by default, and it has 3
}

TEST_CASE("what a file leaves out is what the family's class makes of it") {
  nlohmann::json object = small_model();
  object.erase("num_key_value_heads");
  object.erase("head_dim");
  const ModelConfig llama = read(object);
  CHECK(llama.num_key_value_heads == 4);
  CHECK(llama.head_dim == 8 / 4);
  CHECK(llama.max_position_embeddings == 2048);
  CHECK_FALSE(llama.tie_word_embeddings);
  object["model_type"] = "qwen3";
  CHECK(read(object).head_dim == 128);
}

TEST_CASE("attention_bias means all four projections where the family has the switch") {
  CHECK(read(small_of("llama", {{"attention_bias", true}})).o_bias);
  CHECK(read(small_of("qwen3", {{"attention_bias", true}})).qkv_bias);
  CHECK_FALSE(read(small_of("mistral", {{"attention_bias", true}})).qkv_bias);
  CHECK(read(small_of("qwen2", {{"attention_bias", false}})).qkv_bias);
}

TEST_CASE("both spellings of the checkpoint's format are read") {
  CHECK(read(small_of("llama", {{"torch_dtype", "float16"}})).torch_dtype == DataType::fp16);
  CHECK(read(small_of("llama", {{"dtype", "float32"}})).torch_dtype == DataType::fp32);
}

constexpr std::string_view kMamba2 = R"({
  "architectures": ["Mamba2ForCausalLM"],
  "bos_token_id": 0,
  "chunk_size": 256,
  "conv_kernel": 4,
  "expand": 2,
  "head_dim": 64,
  "hidden_act": "silu",
  "hidden_size": 2560,
  "layer_norm_epsilon": 1e-05,
  "model_type": "mamba2",
  "n_groups": 1,
  "num_heads": 80,
  "num_hidden_layers": 64,
  "rescale_prenorm_residual": false,
  "residual_in_fp32": true,
  "rms_norm": true,
  "state_size": 128,
  "tie_word_embeddings": true,
  "time_step_limit": [0.0, 1e30],
  "time_step_rank": 160,
  "use_bias": false,
  "use_cache": true,
  "use_conv_bias": true,
  "vocab_size": 50288
})";

TEST_CASE("a downloaded Mamba-2 2.7B is the one of the catalogue") {
  ModelConfig known = load_model("mamba2-2.7b", models_folder());
  known.name = "downloaded";
  CHECK(read_text(kMamba2) == known);
}

TEST_CASE("a downloaded Nemotron-H may call the head_dim of attention by its own name") {
  nlohmann::json object = small_hybrid();
  object.erase("head_dim");
  CHECK(read(object).head_dim == 128);
  object["attention_head_dim"] = 3;
  CHECK(read(object) == read(small_hybrid()));
}

TEST_CASE("a configuration written out reads back the same") {
  for (const std::string& name : known_models(models_folder())) {
    CAPTURE(name);
    const ModelConfig config = load_model(name, models_folder());
    CHECK(read(to_json(config)) == config);
  }
  for (const char* family : {"llama", "mistral", "qwen2", "qwen3"}) {
    CAPTURE(family);
    const ModelConfig config =
        read(small_of(family, {{"use_sliding_window", true},
                               {"sliding_window", 64},
                               {"max_window_layers", 2},
                               {"o_bias", true},
                               {"quantization_config", {{"quant_method", "awq"}}}}));
    CHECK(read(to_json(config)) == config);
  }
  for (const nlohmann::json& small : {small_mamba(), small_hybrid()}) {
    CHECK(read(to_json(read(small))) == read(small));
  }
}

}  // namespace
}  // namespace tradewind::model
