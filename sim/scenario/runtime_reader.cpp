#include "sim/scenario/runtime_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>

#include "sim/core/error.h"

namespace tradewind::scenario {
namespace {
namespace fs = std::filesystem;

constexpr double kMicrosecond = 1e-6;
constexpr json::Range kShare{1e-6, 1};
constexpr json::Range kMicroseconds{0, 1e9};
constexpr json::Range kRate{1e-3, 1.5};
constexpr int kMostBlockTokens = 1 << 20;
constexpr int kDeepestBase = 32;
const std::vector<std::string> kArchitectures = {"ampere", "hopper", "blackwell", "cdna3", "cdna4"};

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
  constexpr double kThousand = 1e3;
  runtime.step_host_per_token_s =
      microseconds(host, "step_per_kilotoken_us", runtime.step_host_per_token_s * kThousand) /
      kThousand;
  runtime.kernel_launch_s = microseconds(host, "kernel_launch_us", runtime.kernel_launch_s);
  runtime.graph_launch_s = microseconds(host, "graph_launch_us", runtime.graph_launch_s);
  runtime.graph_kernel_gap_s =
      microseconds(host, "graph_kernel_gap_us", runtime.graph_kernel_gap_s);
  runtime.all_reduce_wait_s = microseconds(host, "all_reduce_wait_us", runtime.all_reduce_wait_s);
  runtime.request_host_s = microseconds(host, "request_us", runtime.request_host_s);
  runtime.eager_prefill = host.boolean("eager_prefill", runtime.eager_prefill);
  runtime.eager_decode = host.boolean("eager_decode", runtime.eager_decode);
  host.finish();
}

void read_kernel_rates(json::ObjectReader& reader, KernelRates& rates) {
  const auto node = reader.optional("kernel_rates");
  if (!node) return;
  json::ObjectReader given(*node);
  rates.gemm_arithmetic = figure(given, "gemm_arithmetic", rates.gemm_arithmetic, kRate);
  rates.gemm_arithmetic_8bit =
      figure(given, "gemm_arithmetic_8bit", rates.gemm_arithmetic_8bit, kRate);
  rates.gemm_memory = figure(given, "gemm_memory", rates.gemm_memory, kRate);
  rates.attention_prefill = figure(given, "attention_prefill", rates.attention_prefill, kRate);
  rates.attention_decode = figure(given, "attention_decode", rates.attention_decode, kRate);
  rates.elementwise = figure(given, "elementwise", rates.elementwise, kRate);
  rates.all_reduce = figure(given, "all_reduce", rates.all_reduce, kRate);
  given.finish();
}

/// The enumerator that stands where `names` has the string of `node`.
template <class Enumeration>
Enumeration read_choice(const json::Node& node, std::string_view what,
                        std::span<const std::string_view> names) {
  const std::vector<std::string> known(names.begin(), names.end());
  const std::string name = node.name(what, known);
  return static_cast<Enumeration>(std::find(names.begin(), names.end(), name) - names.begin());
}

void read_attention(json::ObjectReader& reader, Runtime& runtime) {
  const auto node = reader.optional("decode_attention");
  if (!node) return;
  json::ObjectReader attention(*node);
  runtime.shares_kv_heads = attention.boolean("shares_kv_heads", runtime.shares_kv_heads);
  runtime.shares_windowed_kv_heads =
      attention.boolean("shares_windowed_kv_heads", runtime.shares_windowed_kv_heads);
  if (const auto kernel = attention.optional("kernel")) {
    runtime.decode_attention =
        read_choice<DecodeAttention>(*kernel, "decode kernel", kDecodeAttentions);
  }
  attention.finish();
}

void read_fusions(json::ObjectReader& reader, Runtime& runtime) {
  const auto node = reader.optional("fused");
  if (!node) return;
  json::ObjectReader fused(*node);
  runtime.fused_add_rms_norm = fused.boolean("add_rms_norm", runtime.fused_add_rms_norm);
  runtime.fused_rope_kv_write = fused.boolean("rope_kv_cache_write", runtime.fused_rope_kv_write);
  if (const auto place = fused.optional("quantize")) {
    runtime.quantization = read_choice<Quantization>(*place, "place to quantise", kQuantizations);
  }
  runtime.fused_projections = fused.boolean("projections", runtime.fused_projections);
  fused.finish();
}

void read_training(json::ObjectReader& reader, Runtime& runtime) {
  const auto node = reader.optional("training");
  if (!node) return;
  json::ObjectReader training(*node);
  runtime.regathers_input = training.boolean("regathers_input", runtime.regathers_input);
  runtime.gathers_quantized = training.boolean("gathers_quantized", runtime.gathers_quantized);
  TrainingBehaviour& behaviour = runtime.training;
  behaviour.unfused_attention_tokens = static_cast<int>(training.integer(
      "unfused_attention_tokens", behaviour.unfused_attention_tokens, 0, 1'000'000'000));
  behaviour.keeps_alternate_products =
      training.boolean("keeps_alternate_products", behaviour.keeps_alternate_products);
  behaviour.gradient_bytes =
      figure(training, "gradient_bytes", behaviour.gradient_bytes, json::Range{1, 8});
  behaviour.overlaps_gradients =
      training.boolean("overlaps_gradients", behaviour.overlaps_gradients);
  behaviour.overlaps_parameters =
      training.boolean("overlaps_parameters", behaviour.overlaps_parameters);
  behaviour.overlaps_input_gradient =
      training.boolean("overlaps_input_gradient", behaviour.overlaps_input_gradient);
  behaviour.sums_bias_gradients =
      training.boolean("sums_bias_gradients", behaviour.sums_bias_gradients);
  behaviour.sends_block = training.boolean("sends_block", behaviour.sends_block);
  behaviour.message_host_s = microseconds(training, "message_host_us", behaviour.message_host_s);
  behaviour.batches_messages = training.boolean("batches_messages", behaviour.batches_messages);
  behaviour.forward_host_s = microseconds(training, "forward_host_us", behaviour.forward_host_s);
  behaviour.shards_weights_in_pipeline =
      training.boolean("shards_weights_in_pipeline", behaviour.shards_weights_in_pipeline);
  behaviour.fuses_accumulation =
      training.boolean("fuses_accumulation", behaviour.fuses_accumulation);
  behaviour.slices_fill_waves = training.boolean("slices_fill_waves", behaviour.slices_fill_waves);
  behaviour.keeps_quantized_inputs =
      training.boolean("keeps_quantized_inputs", behaviour.keeps_quantized_inputs);
  if (const auto loss = training.optional("loss")) {
    behaviour.loss = read_choice<Loss>(*loss, "loss", kLosses);
  }
  behaviour.buffers_whole_step =
      training.boolean("buffers_whole_step", behaviour.buffers_whole_step);
  behaviour.accumulates_whole_gradients =
      training.boolean("accumulates_whole_gradients", behaviour.accumulates_whole_gradients);
  behaviour.keeps_backward_gradients =
      training.boolean("keeps_backward_gradients", behaviour.keeps_backward_gradients);
  behaviour.gathers_quantized_weights =
      training.boolean("gathers_quantized_weights", behaviour.gathers_quantized_weights);
  behaviour.dropout = training.boolean("dropout", behaviour.dropout);
  behaviour.rank_spread =
      figure(training, "rank_spread", behaviour.rank_spread, json::Range{0, 0.2});
  behaviour.optimizer_bandwidth =
      figure(training, "optimizer_bandwidth", behaviour.optimizer_bandwidth, kShare);
  for (const char* known : {"source", "note"}) training.ignore(known);
  training.finish();
}

void read_serving(json::ObjectReader& reader, Runtime& runtime) {
  static const std::vector<std::string> kPolicies = {"guaranteed_no_evict", "max_utilization"};
  constexpr int kMostSequences = 1'000'000;
  const auto node = reader.optional("serving");
  if (!node) return;
  json::ObjectReader serving(*node);
  runtime.scheduler = serving.string("scheduler", runtime.scheduler);
  runtime.max_num_seqs =
      static_cast<int>(serving.integer("max_num_seqs", runtime.max_num_seqs, 1, kMostSequences));
  runtime.enable_chunked_prefill =
      serving.boolean("enable_chunked_prefill", runtime.enable_chunked_prefill);
  runtime.balances_steps = serving.boolean("balances_steps", runtime.balances_steps);
  if (const auto policy = serving.optional("capacity_scheduler_policy")) {
    runtime.capacity_scheduler_policy = policy->name("capacity scheduler policy", kPolicies);
  }
  for (const char* known : {"source", "note"}) serving.ignore(known);
  serving.finish();
}

void read_memory(json::ObjectReader& reader, Runtime& runtime) {
  const auto node = reader.optional("memory");
  if (!node) return;
  json::ObjectReader memory(*node);
  runtime.gpu_memory_utilization =
      figure(memory, "gpu_memory_utilization", runtime.gpu_memory_utilization, kShare);
  runtime.reserved_bytes =
      figure(memory, "reserved_bytes", runtime.reserved_bytes, json::Range{0, 1e15});
  runtime.kv_cache_free_share =
      figure(memory, "kv_cache_free_share", runtime.kv_cache_free_share, kShare);
  runtime.kv_block_tokens = static_cast<int>(
      memory.integer("kv_block_tokens", runtime.kv_block_tokens, 1, kMostBlockTokens));
  runtime.queues_beyond_kv_cache =
      memory.boolean("queues_beyond_kv_cache", runtime.queues_beyond_kv_cache);
  runtime.counts_activations = memory.boolean("activations", runtime.counts_activations);
  runtime.weights_all_at_gemm_dtype =
      memory.boolean("weights_all_at_gemm_dtype", runtime.weights_all_at_gemm_dtype);
  memory.finish();
}

/// Whatever of a runtime may depend on the device it runs on.
void read_constants(json::ObjectReader& reader, Runtime& runtime) {
  read_libraries(reader, runtime);
  read_host(reader, runtime);
  read_kernel_rates(reader, runtime.kernel_rates);
  read_training(reader, runtime);
  constexpr json::Range kFewTokens{0, 64};
  runtime.matrix_vector_tokens = static_cast<int>(
      figure(reader, "matrix_vector_tokens", runtime.matrix_vector_tokens, kFewTokens));
  read_attention(reader, runtime);
  read_memory(reader, runtime);
}

void read_sections(json::ObjectReader& reader, Runtime& runtime) {
  const std::vector<std::string> sources = {"calibrated", "roofline"};
  if (const auto costs = reader.optional("costs")) {
    runtime.costs = costs->name("cost source", sources) == "roofline" ? CostSource::roofline
                                                                      : CostSource::calibrated;
  }
  read_rates(reader, runtime.rates);
  read_fusions(reader, runtime);
  read_serving(reader, runtime);
  runtime.max_num_batched_tokens = static_cast<int>(
      reader.integer("max_num_batched_tokens", runtime.max_num_batched_tokens, 0, 1'000'000'000));
  read_constants(reader, runtime);
}

/// What a file says for all devices counts for those that its base names too; then what it says for
/// each of them.
void read_devices(json::ObjectReader& reader, Runtime& runtime) {
  std::map<std::string, Runtime> devices;
  for (const auto& [architecture, base] : runtime.on) devices[architecture] = *base;
  for (auto& [architecture, device] : devices) read_sections(reader, device);
  if (const auto on = reader.optional("on")) {
    json::ObjectReader by_architecture(*on);
    for (const std::string& architecture : on->keys()) {
      if (std::find(kArchitectures.begin(), kArchitectures.end(), architecture) ==
          kArchitectures.end()) {
        on->fail(unknown_name("architecture", architecture, kArchitectures));
      }
      json::ObjectReader constants(by_architecture.required(architecture));
      const auto [device, is_new] = devices.try_emplace(architecture, runtime);
      for (const char* known : {"source", "note", "fit", "check"}) constants.ignore(known);
      read_constants(constants, device->second);
      constants.finish();
    }
  }
  runtime.on.clear();
  for (auto& [architecture, device] : devices) {
    device.on.clear();
    runtime.on[architecture] = std::make_shared<const Runtime>(std::move(device));
  }
}

/// Gives the runtime and its devices a name, and one more note if there is one.
void rename(Runtime& runtime, const std::string& name, const std::string& note) {
  const auto apply = [&](Runtime& one) {
    one.name = name;
    if (!note.empty()) one.notes.push_back(note);
  };
  apply(runtime);
  for (auto& [architecture, device] : runtime.on) {
    Runtime renamed = *device;
    apply(renamed);
    device = std::make_shared<const Runtime>(std::move(renamed));
  }
}

Runtime read(const json::Node& node, const fs::path& folder, int depth);

Runtime by_name(const json::Node& node, const fs::path& folder, int depth) {
  const std::string name = node.string();
  const bool is_path = name.find('/') != std::string::npos || name.ends_with(".json");
  const std::string known = is_path ? name : known_version(name, folder);
  const fs::path file = is_path ? fs::path(name) : folder / (known + ".json");
  if (!is_path && !fs::exists(file)) {
    node.fail(unknown_name("runtime", name, names_of_runtimes(folder)));
  }
  const json::Document document = json::Document::load(file.string());
  Runtime runtime = read(document.root(), folder, depth + 1);
  const bool other_version = !is_path && known != name && known.find('@') == std::string::npos;
  rename(runtime, is_path ? file.stem().string() : name,
         other_version ? fmt::format("runtime {} is not calibrated: constants of {}", name, known)
                       : "");
  return runtime;
}

Runtime read(const json::Node& node, const fs::path& folder, int depth) {
  if (depth > kDeepestBase) node.fail("runtimes name each other as base in a ring");
  if (node.is_string()) return by_name(node, folder, depth);
  json::ObjectReader reader(node);
  Runtime runtime;
  if (const auto base = reader.optional("base")) runtime = read(*base, folder, depth + 1);
  for (const char* known : {"description", "source", "note", "$schema"}) reader.ignore(known);
  const std::string name = reader.string("name", runtime.name.empty() ? "inline" : runtime.name);
  read_sections(reader, runtime);
  read_devices(reader, runtime);
  rename(runtime, name, "");
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

std::string known_version(const std::string& name, const fs::path& folder) {
  std::string shorter = name;
  while (!fs::exists(folder / (shorter + ".json"))) {
    const std::size_t version = shorter.find('@');
    if (version == std::string::npos) return name;
    const std::size_t dot = shorter.rfind('.');
    shorter.resize(dot == std::string::npos || dot < version ? version : dot);
  }
  return shorter;
}

std::string architecture_key(const hardware::Accelerator& accelerator) {
  std::string key = accelerator.architecture.substr(0, accelerator.architecture.find(' '));
  std::transform(key.begin(), key.end(), key.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return key;
}

std::shared_ptr<const Runtime> runtime_on(std::shared_ptr<const Runtime> runtime,
                                          const hardware::Accelerator& accelerator) {
  if (runtime->costs == CostSource::roofline) return runtime;
  const auto measured = runtime->on.find(architecture_key(accelerator));
  if (measured != runtime->on.end()) return measured->second;
  Runtime assumed = *runtime;
  assumed.notes.push_back(
      fmt::format("host times and kernel rates of {} are assumed on {}: none "
                  "were measured on {}",
                  runtime->name, accelerator.name, accelerator.architecture));
  return std::make_shared<const Runtime>(std::move(assumed));
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
