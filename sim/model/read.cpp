#include "sim/model/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/core/error.h"
#include "sim/model/family.h"
#include "sim/model/names.h"
#include "sim/model/read_mamba.h"

namespace tradewind::model {
namespace {

// Several times beyond any published model, and small enough that a parameter count stays below
// 2^62: 4 projections x hidden x (heads x head_dim) x layers = 2^(2 + 20 + 26 + 13).
constexpr std::int64_t kMostHidden = 1 << 20;
constexpr std::int64_t kMostIntermediate = 1 << 22;
constexpr std::int64_t kMostVocabulary = 1 << 24;
constexpr std::int64_t kMostLayers = 1 << 13;
constexpr std::int64_t kMostHeads = 1 << 13;
constexpr std::int64_t kMostHeadDim = 1 << 13;
constexpr std::int64_t kMostTokens = std::int64_t{1} << 31;
constexpr double kDropout = 0.1;  ///< transformers, configuration_gpt2.py

struct DtypeName {
  std::string_view name;
  DataType type;
};
constexpr std::array<DtypeName, 3> kTorchDtypes = {
    {{"bfloat16", DataType::bf16}, {"float16", DataType::fp16}, {"float32", DataType::fp32}}};

const Family& read_family(const json::Node& model_type) {
  return family_of(model_type.name("model_type", names_of(kFamilies)));
}

/// A misspelt optional key would silently become its default. Short names are left alone: other
/// tools' keys come close to them by chance.
void refuse_near_misses(const json::Node& object, const Family& family) {
  constexpr std::size_t kShortest = 8;
  constexpr std::size_t kFarthest = 2;
  const std::vector<std::string> fields = model_fields(family.name);
  const std::vector<std::string> keys = object.keys();
  std::vector<std::string> absent;
  for (const std::string& field : fields) {
    if (field.size() >= kShortest && std::find(keys.begin(), keys.end(), field) == keys.end()) {
      absent.push_back(field);
    }
  }
  for (const std::string& key : keys) {
    if (std::find(fields.begin(), fields.end(), key) != fields.end()) continue;
    const std::string_view meant = nearest_name(key, absent, kFarthest);
    if (meant.empty()) continue;
    throw InputError(object.file(), object.pointer() + json::pointer_step(key),
                     fmt::format("unknown key \"{}\"; did you mean \"{}\"?", key, meant));
  }
}

std::int64_t size(json::ObjectReader& reader, std::string_view key, std::int64_t most) {
  return reader.required(key).integer(1, most);
}

/// GPT-2's own name of a size where the file has it, else the usual one.
std::string_view spelling(const json::ObjectReader& reader, const Family& family,
                          std::string_view key) {
  if (!family.is_gpt2) return key;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kNames = {
      {{"hidden_size", "n_embd"},
       {"num_hidden_layers", "n_layer"},
       {"num_attention_heads", "n_head"},
       {"max_position_embeddings", "n_positions"},
       {"intermediate_size", "n_inner"}}};
  for (const auto& [usual, own] : kNames) {
    if (usual == key && reader.node().value().contains(own)) return own;
  }
  return key;
}

/// Of every family.
void read_sizes(json::ObjectReader& reader, const Family& family, ModelConfig& config) {
  config.hidden_size = size(reader, spelling(reader, family, "hidden_size"), kMostHidden);
  config.num_hidden_layers =
      size(reader, spelling(reader, family, "num_hidden_layers"), kMostLayers);
  config.vocab_size = size(reader, "vocab_size", kMostVocabulary);
  config.max_position_embeddings =
      reader.integer(spelling(reader, family, "max_position_embeddings"),
                     family.max_position_embeddings, 1, kMostTokens);
  config.tie_word_embeddings = reader.boolean("tie_word_embeddings", family.is_gpt2);
}

/// Of attention and MLP. NVIDIA's Nemotron-H files call the head_dim attention_head_dim.
void read_block_sizes(json::ObjectReader& reader, const Family& family, ModelConfig& config) {
  config.num_attention_heads =
      size(reader, spelling(reader, family, "num_attention_heads"), kMostHeads);
  const std::string_view inner = spelling(reader, family, "intermediate_size");
  config.intermediate_size =
      family.is_gpt2 ? reader.integer(inner, 4 * config.hidden_size, 1, kMostIntermediate)
                     : size(reader, inner, kMostIntermediate);
  config.num_key_value_heads =
      reader.integer("num_key_value_heads", config.num_attention_heads, 1, kMostHeads);
  config.head_dim = reader.integer("head_dim", family.head_dim, 1, kMostHeadDim);
  if (family.layers == Layers::hybrid && !reader.optional("head_dim")) {
    config.head_dim = reader.integer("attention_head_dim", family.head_dim, 1, kMostHeadDim);
  }
}

/// Fills in a head_dim that was left out; refuses heads that do not share out evenly.
void check_heads(const json::Node& object, ModelConfig& config) {
  const auto refuse = [&](std::string_view key, std::int64_t found, std::string_view expected) {
    throw InputError(object.file(), object.pointer() + json::pointer_step(key),
                     fmt::format("found {}, expected {}", found, expected));
  };
  const std::int64_t heads = config.num_attention_heads;
  if (heads % config.num_key_value_heads != 0) {
    refuse("num_key_value_heads", config.num_key_value_heads,
           fmt::format("a divisor of num_attention_heads ({})", heads));
  }
  if (config.head_dim != 0) return;
  if (config.hidden_size % heads != 0) {
    refuse("hidden_size", config.hidden_size,
           fmt::format("a multiple of num_attention_heads ({}), as head_dim is absent", heads));
  }
  config.head_dim = config.hidden_size / heads;
  if (config.head_dim > kMostHeadDim) {
    refuse("hidden_size", config.hidden_size,
           fmt::format("at most {} for each of the {} heads", kMostHeadDim, heads));
  }
}

/// Absent means the family's window, null none. Qwen: only with use_sliding_window, and the first
/// max_window_layers layers see everything (transformers, configuration_qwen2.py, layer_types).
void read_window(json::ObjectReader& reader, const Family& family, ModelConfig& config) {
  const auto given = reader.optional("sliding_window");
  const bool is_null = !given && reader.node().value().contains("sliding_window");
  const std::int64_t window =
      given ? given->integer(0, kMostTokens) : (is_null ? 0 : family.sliding_window);
  const bool used = reader.boolean("use_sliding_window", !family.window_is_switched);
  const std::int64_t unwindowed =
      reader.integer("max_window_layers", family.max_window_layers, 0, kMostLayers);
  config.sliding_window = used ? window : 0;
  const bool has_some = config.sliding_window > 0 && family.window_is_switched;
  config.first_windowed_layer = has_some ? unwindowed : 0;
}

void read_switches(json::ObjectReader& reader, const Family& family, ModelConfig& config) {
  const bool attention_bias = reader.boolean("attention_bias", false) && family.has_attention_bias;
  config.qkv_bias = reader.boolean("qkv_bias", family.qkv_bias || attention_bias);
  config.o_bias = reader.boolean("o_bias", attention_bias || family.is_gpt2);
  config.mlp_bias = reader.boolean("mlp_bias", family.is_gpt2);
  config.qk_norm = reader.boolean("qk_norm", family.qk_norm);
}

/// Whether anything is dropped: GPT-2's probabilities are kDropout where absent.
bool read_dropout(json::ObjectReader& reader) {
  constexpr json::Range kProbability{0, 1};
  const double attention = reader.number("attn_pdrop", kDropout, kProbability);
  const double residual = reader.number("resid_pdrop", kDropout, kProbability);
  return attention > 0 || residual > 0;
}

void read_attention_and_mlp(json::ObjectReader& reader, const Family& family, ModelConfig& config) {
  config.rope = family.rope;
  config.gated_mlp = family.gated_mlp;
  config.learned_positions = config.norm_bias = family.is_gpt2;
  config.dropout = family.is_gpt2 && read_dropout(reader);
  if (family.layers == Layers::mamba) return;
  read_block_sizes(reader, family, config);
  check_heads(reader.node(), config);
  // Hybrids keep their few attention layers without a window whatever the file says.
  if (family.layers == Layers::transformer) read_window(reader, family, config);
  read_switches(reader, family, config);
}

/// `torch_dtype`, or `dtype` as transformers writes it since 4.56.
void read_checkpoint(json::ObjectReader& reader, ModelConfig& config) {
  for (const std::string_view key : {"dtype", "torch_dtype"}) {
    const auto found = reader.optional(key);
    if (!found) continue;
    const std::string name = found->name(key, names_of(kTorchDtypes));
    for (const DtypeName& dtype : kTorchDtypes) {
      if (dtype.name == name) config.torch_dtype = dtype.type;
    }
  }
  if (const auto found = reader.optional("quantization_config")) {
    config.quantization = json::ObjectReader(*found).string("quant_method", "unknown");
  }
}

}  // namespace

ModelConfig read_model(const json::Node& object, std::string name) {
  json::ObjectReader reader(object);
  const Family& family = read_family(reader.required("model_type"));
  refuse_near_misses(object, family);
  ModelConfig config;
  config.name = reader.string("name", std::move(name));
  config.model_type = family.name;
  read_sizes(reader, family, config);
  read_attention_and_mlp(reader, family, config);
  read_mamba(reader, family, config);
  read_checkpoint(reader, config);
  return config;
}

std::vector<std::string> model_fields(std::string_view model_type) {
  const Family& family = family_of(model_type);
  std::vector<std::string> fields = {"model_type",          "name",
                                     "hidden_size",         "num_hidden_layers",
                                     "vocab_size",          "dtype",
                                     "torch_dtype",         "tie_word_embeddings",
                                     "quantization_config", "max_position_embeddings"};
  const auto add = [&](const std::vector<std::string>& more) {
    fields.insert(fields.end(), more.begin(), more.end());
  };
  if (family.layers != Layers::mamba) {
    add({"num_attention_heads", "num_key_value_heads", "head_dim", "intermediate_size",
         "attention_bias", "qkv_bias", "o_bias", "mlp_bias", "qk_norm"});
  }
  if (family.layers == Layers::transformer) {
    add({"sliding_window", "use_sliding_window", "max_window_layers"});
  }
  if (family.layers == Layers::hybrid) add({"attention_head_dim"});
  if (family.is_gpt2) {
    add({"n_embd", "n_layer", "n_head", "n_positions", "n_inner", "attn_pdrop", "resid_pdrop"});
  }
  add(mamba_fields(family));
  std::sort(fields.begin(), fields.end());
  return fields;
}

namespace {

nlohmann::json attention_and_mlp_to_json(const ModelConfig& config) {
  return {{"num_attention_heads", config.num_attention_heads},
          {"num_key_value_heads", config.num_key_value_heads},
          {"head_dim", config.head_dim},
          {"intermediate_size", config.intermediate_size},
          {"qkv_bias", config.qkv_bias},
          {"o_bias", config.o_bias},
          {"mlp_bias", config.mlp_bias},
          {"qk_norm", config.qk_norm}};
}

nlohmann::json window_to_json(const ModelConfig& config) {
  nlohmann::json object = {{"sliding_window", nullptr},
                           {"use_sliding_window", config.sliding_window > 0},
                           {"max_window_layers", config.first_windowed_layer}};
  if (config.sliding_window > 0) object["sliding_window"] = config.sliding_window;
  return object;
}

}  // namespace

nlohmann::json to_json(const ModelConfig& config) {
  const Family& family = family_of(config.model_type);
  const auto dtype = std::find_if(kTorchDtypes.begin(), kTorchDtypes.end(),
                                  [&](const DtypeName& d) { return d.type == config.torch_dtype; });
  nlohmann::json object = {{"name", config.name},
                           {"model_type", config.model_type},
                           {"hidden_size", config.hidden_size},
                           {"num_hidden_layers", config.num_hidden_layers},
                           {"vocab_size", config.vocab_size},
                           {"max_position_embeddings", config.max_position_embeddings},
                           {"tie_word_embeddings", config.tie_word_embeddings},
                           {"torch_dtype", dtype->name},
                           {"quantization_config", nullptr}};
  if (family.layers != Layers::mamba) object.update(attention_and_mlp_to_json(config));
  if (family.layers == Layers::transformer) object.update(window_to_json(config));
  if (family.is_gpt2)
    object["attn_pdrop"] = object["resid_pdrop"] = config.dropout ? kDropout : 0.0;
  write_mamba(config, family, object);
  if (!config.quantization.empty()) {
    object["quantization_config"] = {{"quant_method", config.quantization}};
  }
  return object;
}

}  // namespace tradewind::model
