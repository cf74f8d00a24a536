#include "sim/scenario/runtime_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"

namespace tradewind::scenario {
namespace {
namespace fs = std::filesystem;

constexpr double kMicrosecond = 1e-6;
constexpr json::Range kShare{1e-6, 1};
constexpr json::Range kMicroseconds{0, 1e9};
constexpr int kDeepestBase = 8;

/// A figure is a number, or a number with its provenance: { "value", "kind", "source" }.
double figure(json::ObjectReader& reader, std::string_view key, double fallback,
              json::Range range) {
  const auto node = reader.optional(key);
  if (!node) return fallback;
  if (!node->is_object()) return node->number(range);
  json::ObjectReader figure(*node);
  const double value = figure.required("value").number(range);
  for (const char* known : {"kind", "source", "note"}) figure.ignore(known);
  figure.finish();
  return value;
}

double microseconds(json::ObjectReader& reader, std::string_view key, double fallback_s) {
  return figure(reader, key, fallback_s / kMicrosecond, kMicroseconds) * kMicrosecond;
}

void read_libraries(json::ObjectReader& reader, Runtime& runtime) {
  const auto vendors = reader.optional("libraries");
  if (!vendors) return;
  json::ObjectReader by_vendor(*vendors);
  for (const std::string& vendor : vendors->keys()) {
    json::ObjectReader names(by_vendor.required(vendor));
    Libraries& libraries = runtime.libraries[vendor];
    libraries.gemm = names.string("gemm", libraries.gemm);
    libraries.attention = names.string("attention", libraries.attention);
    libraries.elementwise = names.string("elementwise", libraries.elementwise);
    libraries.all_reduce = names.string("all_reduce", libraries.all_reduce);
    libraries.collective = names.string("collective", libraries.collective);
    names.finish();
  }
}

void read_rates(json::ObjectReader& reader, RooflineRates& rates) {
  const auto node = reader.optional("rates");
  if (!node) return;
  json::ObjectReader shares(*node);
  rates.matrix_share = figure(shares, "matrix_share", rates.matrix_share, kShare);
  rates.hbm_share = figure(shares, "hbm_share", rates.hbm_share, kShare);
  rates.link_share = figure(shares, "link_share", rates.link_share, kShare);
  if (shares.optional("p2p_share")) rates.p2p_share = figure(shares, "p2p_share", 1, kShare);
  rates.kernel_latency_s = microseconds(shares, "kernel_latency_us", rates.kernel_latency_s);
  rates.collective_latency_s =
      microseconds(shares, "collective_latency_us", rates.collective_latency_s);
  shares.finish();
}

void read_host(json::ObjectReader& reader, Runtime& runtime) {
  const auto node = reader.optional("host");
  if (!node) return;
  json::ObjectReader host(*node);
  runtime.step_host_s = microseconds(host, "step_us", runtime.step_host_s);
  runtime.step_host_per_sequence_s =
      microseconds(host, "step_per_sequence_us", runtime.step_host_per_sequence_s);
  runtime.kernel_launch_s = microseconds(host, "kernel_launch_us", runtime.kernel_launch_s);
  runtime.graph_launch_s = microseconds(host, "graph_launch_us", runtime.graph_launch_s);
  runtime.graph_kernel_gap_s =
      microseconds(host, "graph_kernel_gap_us", runtime.graph_kernel_gap_s);
  runtime.eager_prefill = host.boolean("eager_prefill", runtime.eager_prefill);
  runtime.eager_decode = host.boolean("eager_decode", runtime.eager_decode);
  host.finish();
}

void read_fusions(json::ObjectReader& reader, Runtime& runtime) {
  const auto node = reader.optional("fused");
  if (!node) return;
  json::ObjectReader fused(*node);
  runtime.fused_add_rms_norm = fused.boolean("add_rms_norm", runtime.fused_add_rms_norm);
  runtime.fused_rope_kv_write = fused.boolean("rope_kv_cache_write", runtime.fused_rope_kv_write);
  runtime.fused_quantize = fused.boolean("quantize", runtime.fused_quantize);
  runtime.fused_projections = fused.boolean("projections", runtime.fused_projections);
  fused.finish();
}

void read_training(json::ObjectReader& reader, Runtime& runtime) {
  const auto node = reader.optional("training");
  if (!node) return;
  json::ObjectReader training(*node);
  runtime.regathers_input = training.boolean("regathers_input", runtime.regathers_input);
  runtime.gathers_quantized = training.boolean("gathers_quantized", runtime.gathers_quantized);
  training.finish();
}

void read_memory(json::ObjectReader& reader, Runtime& runtime) {
  const auto node = reader.optional("memory");
  if (!node) return;
  json::ObjectReader memory(*node);
  runtime.gpu_memory_utilization =
      figure(memory, "gpu_memory_utilization", runtime.gpu_memory_utilization, kShare);
  runtime.reserved_bytes =
      figure(memory, "reserved_bytes", runtime.reserved_bytes, json::Range{0, 1e15});
  runtime.counts_activations = memory.boolean("activations", runtime.counts_activations);
  runtime.weights_all_at_gemm_dtype =
      memory.boolean("weights_all_at_gemm_dtype", runtime.weights_all_at_gemm_dtype);
  memory.finish();
}

Runtime read(const json::Node& node, const fs::path& folder, int depth);

Runtime by_name(const json::Node& node, const fs::path& folder, int depth) {
  const std::string name = node.string();
  const bool is_path = name.find('/') != std::string::npos || name.ends_with(".json");
  fs::path file = is_path ? fs::path(name) : folder / (name + ".json");
  const std::string family = name.substr(0, name.find('@'));
  if (!is_path && !fs::exists(file)) file = folder / (family + ".json");
  if (!is_path && !fs::exists(file)) {
    node.fail(unknown_name("runtime", name, names_of_runtimes(folder)));
  }
  const json::Document document = json::Document::load(file.string());
  Runtime runtime = read(document.root(), folder, depth + 1);
  runtime.name = is_path ? file.stem().string() : name;
  return runtime;
}

Runtime read(const json::Node& node, const fs::path& folder, int depth) {
  if (depth > kDeepestBase) node.fail("runtimes name each other as base in a ring");
  if (node.is_string()) return by_name(node, folder, depth);
  json::ObjectReader reader(node);
  Runtime runtime;
  if (const auto base = reader.optional("base")) runtime = read(*base, folder, depth + 1);
  for (const char* known : {"description", "source", "note", "$schema"}) reader.ignore(known);
  runtime.name = reader.string("name", runtime.name.empty() ? "inline" : runtime.name);
  const std::vector<std::string> sources = {"calibrated", "roofline"};
  if (const auto costs = reader.optional("costs")) {
    runtime.costs = costs->name("cost source", sources) == "roofline" ? CostSource::roofline
                                                                      : CostSource::calibrated;
  }
  read_libraries(reader, runtime);
  read_rates(reader, runtime.rates);
  read_host(reader, runtime);
  read_fusions(reader, runtime);
  read_training(reader, runtime);
  read_memory(reader, runtime);
  runtime.max_num_batched_tokens = static_cast<int>(
      reader.integer("max_num_batched_tokens", runtime.max_num_batched_tokens, 0, 1'000'000'000));
  reader.finish();
  return runtime;
}

}  // namespace

const Libraries& Runtime::libraries_for(const std::string& vendor) const {
  static const Libraries kNone;
  const auto found = libraries.find(vendor);
  return found == libraries.end() ? kNone : found->second;
}

Runtime load_runtime(const json::Node& node, const fs::path& folder) {
  if (!node.is_string() && !node.is_object()) node.expected("a runtime's name, path or object");
  return read(node, folder, 0);
}

std::vector<std::string> names_of_runtimes(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tradewind::scenario
