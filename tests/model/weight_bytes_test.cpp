#include "sim/model/weight_bytes.h"

#include "tests/catch.h"
#include "tests/model/fixtures.h"

namespace tradewind::model {
namespace {

constexpr auto kCheckpoint = WeightAccounting::checkpoint;
constexpr auto kUniform = WeightAccounting::uniform;

// Llama-3.1-70B: all parameters, embedding plus head (2 x 128256 x 8192), norms (161 x 8192).
constexpr double kAll = 70553706496.0;
constexpr double kEmbeddingAndHead = 2101346304.0;
constexpr double kNorms = 1318912.0;
constexpr double kMatrices = kAll - kEmbeddingAndHead - kNorms;

double bytes_of_70b(const char* precision, WeightAccounting accounting) {
  return weight_bytes(load_model("llama-3.1-70b", models_folder()), *parse_precision(precision),
                      accounting);
}

TEST_CASE("sixteen-bit weights take two bytes a parameter in either accounting") {
  CHECK(bytes_of_70b("bf16", kCheckpoint) == 2 * kAll);
  CHECK(bytes_of_70b("bf16", kUniform) == 2 * kAll);
  CHECK(bytes_of_70b("fp16", kCheckpoint) == 2 * kAll);
}

TEST_CASE("a quantised checkpoint keeps embedding, head and norms in sixteen bits") {
  const double others = 2 * (kEmbeddingAndHead + kNorms);
  CHECK(bytes_of_70b("fp8", kCheckpoint) == kMatrices + others);
  CHECK(bytes_of_70b("w8a16", kCheckpoint) == kMatrices + others);
  // One scale byte for 32 weights; 20 bits of scale and zero point for 128.
  CHECK(bytes_of_70b("fp4", kCheckpoint) == kMatrices * (0.5 + 1.0 / 32) + others);
  CHECK(bytes_of_70b("w4a16", kCheckpoint) == kMatrices * (4 + 20.0 / 128) / 8 + others);
}

TEST_CASE("the paper's accounting takes every parameter at the GEMM's format, without scales") {
  CHECK(bytes_of_70b("fp8", kUniform) == kAll);
  CHECK(bytes_of_70b("fp4", kUniform) == kAll / 2);
}

TEST_CASE("the parts that pipeline stages hold add up to the model") {
  const ModelConfig config = load_model("qwen2-7b", models_folder());
  const Precision precision = *parse_precision("fp8");
  const double table = 152064.0 * 3584 * 2;
  CHECK(embedding_bytes(config, precision, kCheckpoint) == table);
  CHECK(head_bytes(config, precision, kCheckpoint) == table);
  CHECK(final_norm_bytes(config, precision, kCheckpoint) == 3584 * 2);
  // Matrices h (q + 2k) + q h + 3 h i; biases q + 2k and two norms in 16 bits.
  const double matrices = 3584.0 * (3584 + 1024) + 3584.0 * 3584 + 3.0 * 3584 * 18944;
  const double layer = matrices + 2 * (3584 + 1024 + 2 * 3584);
  CHECK(layer_weight_bytes(config, LayerKind::transformer, precision, kCheckpoint) == layer);
  CHECK(weight_bytes(config, precision, kCheckpoint) == 2 * table + 3584 * 2 + 28 * layer);
}

TEST_CASE("a tied head is counted once") {
  nlohmann::json object = small_model();
  object["tie_word_embeddings"] = true;
  const Precision precision = *parse_precision("bf16");
  CHECK(head_bytes(read(object), precision, kCheckpoint) == 0);
  CHECK(weight_bytes(read(small_model()), precision, kCheckpoint) -
            weight_bytes(read(object), precision, kCheckpoint) ==
        10 * 8 * 2);
}

TEST_CASE("tensor parallel devices share the matrices and repeat the norms") {
  const ModelConfig config = load_model("llama-3.1-70b", models_folder());
  const Precision precision = *parse_precision("fp8");
  const double norms = 2 * 2 * 8192;
  const auto layer = [&](std::int64_t tp) {
    return layer_weight_bytes(config, LayerKind::transformer, precision, kCheckpoint, tp);
  };
  CHECK(8 * (layer(8) - norms) == layer(1) - norms);
}

}  // namespace
}  // namespace tradewind::model
