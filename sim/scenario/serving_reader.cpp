#include "sim/scenario/serving_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "sim/scenario/dataset.h"
#include "sim/scenario/length_reader.h"
#include "sim/scenario/request_files/request_file.h"

namespace tradewind::scenario {
namespace {

constexpr int kMostRequests = 100'000'000;
constexpr json::Range kRates{1e-6, 1e9};
constexpr json::Range kShapes{1e-3, 1e6};
constexpr json::Range kMilliseconds{1e-6, 1e12};

std::size_t read_name(const json::Node& node, std::string_view what,
                      std::span<const std::string_view> names) {
  const std::vector<std::string> known(names.begin(), names.end());
  const std::string name = node.name(what, known);
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

int count_of(const json::Node& node, int most = kMostRequests) {
  return static_cast<int>(node.integer(1, most));
}

void read_prefixes(json::ObjectReader& reader, RequestSource& requests) {
  const auto groups = reader.optional("prefix_groups");
  const auto tokens = reader.optional("prefix_tokens");
  if (!groups && !tokens) return;
  requests.prefix_groups = count_of(reader.required("prefix_groups"));
  requests.prefix_tokens = count_of(reader.required("prefix_tokens"), kMostRequestTokens);
}

void read_file_requests(const json::Node& node, json::ObjectReader& reader, Catalogue& catalogue,
                        RequestSource& requests) {
  const std::shared_ptr<const RequestFile> file = catalogue.request_file(node);
  requests.file = {file, &file->requests};
  requests.file_has_arrivals = file->has_arrivals;
  requests.file_json = node.value().dump();
  const auto all = static_cast<int>(file->requests.size());
  const auto count = reader.optional("count");
  requests.count = count ? count_of(*count) : all;
  if (requests.count > all) {
    count->fail(fmt::format("asks for {} requests, the file has {}", requests.count, all));
  }
}

RequestSource read_requests(const json::Node& node, Catalogue& catalogue) {
  json::ObjectReader reader(node);
  RequestSource requests;
  if (const auto file = reader.optional("file")) {
    read_file_requests(*file, reader, catalogue, requests);
  } else if (const auto name = reader.optional("dataset")) {
    const std::shared_ptr<const Dataset> dataset = catalogue.dataset(*name);
    requests.dataset = dataset->name;
    requests.input = dataset->input;
    requests.output = dataset->output;
    const auto count = reader.optional("count");
    requests.count = count ? count_of(*count) : dataset->requests;
    read_prefixes(reader, requests);
  } else {
    requests.count = count_of(reader.required("count"));
    requests.input = read_length(reader.required("input_tokens"));
    requests.output = read_length(reader.required("output_tokens"));
    read_prefixes(reader, requests);
  }
  reader.finish();
  return requests;
}

Arrival read_arrival(const json::Node& node) {
  using Kind = Arrival::Kind;
  json::ObjectReader reader(node);
  Arrival arrival;
  arrival.kind = static_cast<Kind>(read_name(reader.required("kind"), "arrival", kArrivalNames));
  if (arrival.kind == Kind::closed_loop) {
    arrival.concurrency = count_of(reader.required("concurrency"));
  }
  if (arrival.kind == Kind::poisson || arrival.kind == Kind::gamma) {
    arrival.requests_per_s = reader.required("requests_per_s").number(kRates);
  }
  if (arrival.kind == Kind::gamma) {
    arrival.burstiness = reader.number("burstiness", arrival.burstiness, kShapes);
  }
  reader.finish();
  return arrival;
}

void read_options(json::ObjectReader& reader, SchedulerOptions& options) {
  const auto whole = [&](std::string_view key, std::optional<int>& option) {
    if (const auto node = reader.optional(key)) option = count_of(*node);
  };
  const auto flag = [&](std::string_view key, std::optional<bool>& option) {
    if (const auto node = reader.optional(key)) option = node->boolean();
  };
  whole("max_num_seqs", options.max_num_seqs);
  whole("max_num_batched_tokens", options.max_num_batched_tokens);
  whole("block_size", options.block_size);
  flag("enable_chunked_prefill", options.enable_chunked_prefill);
  flag("enable_prefix_caching", options.enable_prefix_caching);
  if (const auto node = reader.optional("gpu_memory_utilization")) {
    options.gpu_memory_utilization = node->number({1e-3, 1});
  }
  if (const auto node = reader.optional("capacity_scheduler_policy")) {
    options.capacity_scheduler_policy =
        kCapacityPolicyNames[read_name(*node, "policy", kCapacityPolicyNames)];
  }
}

SchedulerOptions read_scheduler(const json::Node& node) {
  SchedulerOptions options;
  if (node.is_string()) {
    options.name = kSchedulerNames[read_name(node, "scheduler", kSchedulerNames)];
    return options;
  }
  if (!node.is_object()) node.expected("the name of a scheduler or an object");
  json::ObjectReader reader(node);
  if (const auto name = reader.optional("name")) {
    options.name = kSchedulerNames[read_name(*name, "scheduler", kSchedulerNames)];
  }
  read_options(reader, options);
  reader.finish();
  return options;
}

ServiceLevel read_service_level(const json::Node& node) {
  json::ObjectReader reader(node);
  ServiceLevel level;
  const auto limit = [&](std::string_view key, std::optional<double>& milliseconds) {
    if (const auto value = reader.optional(key)) milliseconds = value->number(kMilliseconds);
  };
  limit("ttft_ms", level.ttft_ms);
  limit("tpot_ms", level.tpot_ms);
  limit("e2e_latency_ms", level.e2e_latency_ms);
  reader.finish();
  return level;
}

nlohmann::ordered_json requests_json(const RequestSource& requests) {
  nlohmann::ordered_json json{{"count", requests.count}};
  if (requests.file) {
    json["file"] = nlohmann::ordered_json::parse(requests.file_json);
    return json;
  }
  if (requests.dataset.empty()) {
    json["input_tokens"] = to_json(requests.input);
    json["output_tokens"] = to_json(requests.output);
  } else {
    json["dataset"] = requests.dataset;
  }
  if (requests.prefix_groups > 0) {
    json["prefix_groups"] = requests.prefix_groups;
    json["prefix_tokens"] = requests.prefix_tokens;
  }
  return json;
}

nlohmann::ordered_json arrival_json(const Arrival& arrival) {
  using Kind = Arrival::Kind;
  nlohmann::ordered_json json{{"kind", kArrivalNames[static_cast<std::size_t>(arrival.kind)]}};
  if (arrival.kind == Kind::closed_loop) json["concurrency"] = arrival.concurrency;
  if (arrival.kind == Kind::poisson || arrival.kind == Kind::gamma) {
    json["requests_per_s"] = arrival.requests_per_s;
  }
  if (arrival.kind == Kind::gamma) json["burstiness"] = arrival.burstiness;
  return json;
}

nlohmann::ordered_json scheduler_json(const SchedulerOptions& options) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (!options.name.empty()) json["name"] = options.name;
  const auto add = [&](const char* key, const auto& option) {
    if (option) json[key] = *option;
  };
  add("max_num_seqs", options.max_num_seqs);
  add("max_num_batched_tokens", options.max_num_batched_tokens);
  add("enable_chunked_prefill", options.enable_chunked_prefill);
  add("gpu_memory_utilization", options.gpu_memory_utilization);
  add("block_size", options.block_size);
  add("enable_prefix_caching", options.enable_prefix_caching);
  add("capacity_scheduler_policy", options.capacity_scheduler_policy);
  return json;
}

nlohmann::ordered_json service_level_json(const ServiceLevel& level) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (level.ttft_ms) json["ttft_ms"] = *level.ttft_ms;
  if (level.tpot_ms) json["tpot_ms"] = *level.tpot_ms;
  if (level.e2e_latency_ms) json["e2e_latency_ms"] = *level.e2e_latency_ms;
  return json;
}

}  // namespace

Serving read_serving(json::ObjectReader& reader, Catalogue& catalogue) {
  Serving serving;
  serving.requests = read_requests(reader.required("requests"), catalogue);
  if (const auto arrival = reader.optional("arrival")) {
    serving.arrival = read_arrival(*arrival);
    if (serving.arrival.kind == Arrival::Kind::file && !serving.requests.file_has_arrivals) {
      arrival->fail("the requests have no times of their own: arrival must be another kind");
    }
  }
  if (const auto scheduler = reader.optional("scheduler")) {
    serving.scheduler = read_scheduler(*scheduler);
  }
  if (const auto level = reader.optional("slo")) serving.slo = read_service_level(*level);
  if (const auto router = reader.optional("router")) {
    serving.router = static_cast<Router>(read_name(*router, "router", kRouterNames));
  }
  return serving;
}

nlohmann::ordered_json to_json(const Serving& serving) {
  return {{"kind", "serving"},
          {"requests", requests_json(serving.requests)},
          {"arrival", arrival_json(serving.arrival)},
          {"scheduler", scheduler_json(serving.scheduler)},
          {"slo", service_level_json(serving.slo)},
          {"router", kRouterNames[static_cast<std::size_t>(serving.router)]}};
}

}  // namespace tradewind::scenario
