#include "tests/workload/random_scenario.h"

#include <cmath>

#include "sim/scenario/memory.h"
#include "tests/scenario_builder.h"

namespace tradewind::testing {
namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

class Draw {
 public:
  explicit Draw(std::mt19937_64& random) : random_(random) {}

  Json scenario() {
    const bool block = one_in(3);
    return {{"model", model()},
            {"cluster", cluster()},
            {"precision", one_of({"bf16", "fp16", "fp8", "fp8", "fp4", "int8", "w4a16", "w8a16"})},
            {"runtime", pick(random_, catalogue().runtime_names())},
            {"plan", plan(block)},
            {"workload", block ? one_block() : static_batch()}};
  }

 private:
  bool one_in(std::uint64_t count) { return random_() % count == 0; }
  std::string one_of(const Names& names) { return pick(random_, names); }
  int one_of(const std::vector<int>& values) { return pick(random_, values); }
  int from_to(int low, int high) { return static_cast<int>(between(random_, low, high)); }

  Json model() {
    return {{"base", one_of({"llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b", "llama-2-13b",
                             "qwen2-7b", "mistral-7b", "qwen3-32b", "mamba2-2.7b"})},
            {"num_hidden_layers", one_of({2, 4, 5})}};
  }

  Json cluster() {
    Json cluster = {{"node", one_of({"a100-40-4", "a100-8", "a100-pcie-8", "b200-8", "h100-8",
                                     "h200-8", "mi300x-8", "mi325x-8", "mi355x-8"})}};
    if (one_in(3)) {
      cluster["nodes"] = 2;
      cluster["network"] = one_of({"eth-400g-node", "ib-ndr", "roce-8x200g"});
    }
    return cluster;
  }

  Json plan(bool block) {
    const bool ulysses = one_in(5);
    const int ranks = one_of({1, 2, 4, 8, 16});
    Json plan = {{"tp", ulysses ? 1 : ranks},
                 {"ulysses", ulysses ? ranks : 1},
                 {"pp", block ? 1 : one_of({1, 1, 2, 4})},
                 {"dp", one_of({1, 1, 2})},
                 {"sequence_parallel", one_in(2)},
                 {"memory_check", "report"},
                 {"overlap", overlap()}};
    if (one_in(4)) plan["nano_batches"] = one_of({1, 2, 3});
    if (one_in(4)) plan["kv_accounting"] = "paper";
    return plan;
  }

  Json overlap() {
    const std::string strategy = one_of({"vanilla", "vanilla", "slicing", "decompose", "flash"});
    Json overlap = {{"strategy", strategy},
                    {"transport", one_of({"kernels", "kernels_without_priority", "copy_engines"})},
                    {"order", one_of({"auto", "ring", "pairwise"})}};
    if (strategy != "vanilla" && one_in(3)) overlap["slices"] = one_of({2, 3, 4, 8});
    return overlap;
  }

  Json static_batch() {
    return {{"kind", "static_batch"},
            {"batch", from_to(1, 200)},
            {"input_tokens", from_to(1, 6000)},
            {"output_tokens", from_to(1, 40)}};
  }

  Json one_block() {
    return {{"kind", "block"},
            {"block", one_of({"mlp", "attention", "transformer"})},
            {"batch", from_to(1, 20)},
            {"sequence_length", from_to(1, 8000)},
            {"pass", one_of({"forward", "forward", "forward_backward"})}};
  }

  std::mt19937_64& random_;
};

}  // namespace

Json random_scenario(std::mt19937_64& random) {
  while (true) {
    Json document = Draw(random).scenario();
    if (can_be_laid_out(document)) return document;
  }
}

Json with(Json document, const std::string& path, Json value) {
  scenario::set_path(document, path, std::move(value), "test");
  return document;
}

scenario::Scenario read(const Json& document) {
  return scenario::read_scenario(json::Node(document, "test", ""), catalogue());
}

bool can_be_laid_out(const Json& document) {
  return scenario::structural_reason(read(document)).empty();
}

double between(std::mt19937_64& random, double low, double high) {
  // Not std::uniform_real_distribution, whose numbers differ between libraries.
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
  return low * std::pow(high / low, unit);
}

}  // namespace tradewind::testing
