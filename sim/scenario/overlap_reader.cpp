#include "sim/scenario/overlap_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace tradewind::scenario {
namespace {

constexpr int kMostSlices = 1'000'000;

std::vector<std::string> texts(std::span<const std::string_view> names) {
  return {names.begin(), names.end()};
}

/// The place of the node's text among `names`; InputError with the nearest if it is none of them.
std::size_t read_name(const json::Node& node, std::string_view what,
                      std::span<const std::string_view> names) {
  const std::string name = node.name(what, texts(names));
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::string read_strategy(const json::Node& node) {
  std::vector<std::string> known = texts(kOverlapStrategyNames);
  known.insert(known.end(), {"none", "flash-overlap", "commfuse"});
  std::string name = node.name("overlap strategy", known);
  if (name == "none") return "vanilla";
  return name == "flash-overlap" || name == "commfuse" ? "flash" : name;
}

void read_sites(const json::Node& node, Overlap& overlap) {
  const std::vector<json::Node> sites = node.elements();
  if (sites.empty()) node.expected("at least one site; leave \"on\" out for all that apply");
  for (const json::Node& site : sites) {
    bool& on = overlap.on[read_name(site, "site", kOverlapSiteNames)];
    if (on) site.fail(fmt::format("\"{}\" is named twice", site.string()));
    on = true;
  }
}

}  // namespace

Overlap read_overlap(const json::Node& node) {
  Overlap overlap;
  if (node.is_string()) {
    overlap.strategy = read_strategy(node);
    return overlap;
  }
  if (!node.is_object()) node.expected("the name of a strategy or an object");
  json::ObjectReader reader(node);
  overlap.strategy = read_strategy(reader.required("strategy"));
  overlap.slices = static_cast<int>(reader.integer("slices", overlap.slices, 1, kMostSlices));
  if (const auto sites = reader.optional("on")) read_sites(*sites, overlap);
  if (const auto transport = reader.optional("transport")) {
    overlap.transport = static_cast<Transport>(read_name(*transport, "transport", kTransportNames));
  }
  if (const auto order = reader.optional("order")) {
    overlap.order = static_cast<PeerOrder>(read_name(*order, "order", kPeerOrderNames));
  }
  reader.finish();
  if (overlap.strategy == "vanilla" && (overlap.slices > 0 || overlap.asks_for_any())) {
    node.fail(fmt::format("vanilla takes nothing apart: \"{}\" is for the other strategies",
                          overlap.slices > 0 ? "slices" : "on"));
  }
  return overlap;
}

nlohmann::ordered_json to_json(const Overlap& overlap) {
  nlohmann::ordered_json json = {{"strategy", overlap.strategy}};
  if (overlap.slices > 0) json["slices"] = overlap.slices;
  for (std::size_t site = 0; site < kOverlapSiteCount; ++site) {
    if (overlap.on[site]) json["on"].push_back(kOverlapSiteNames[site]);
  }
  json["transport"] = kTransportNames[static_cast<std::size_t>(overlap.transport)];
  json["order"] = kPeerOrderNames[static_cast<std::size_t>(overlap.order)];
  return json;
}

}  // namespace tradewind::scenario
