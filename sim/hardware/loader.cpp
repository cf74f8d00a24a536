#include "sim/hardware/loader.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/error.h"
#include "sim/hardware/carried_over.h"
#include "sim/hardware/device_speeds.h"
#include "sim/hardware/override.h"

namespace tradewind::hardware {
namespace fs = std::filesystem;
namespace {

constexpr int kMostNodes = 100'000;

/// Profiles before they are read, so that overrides pass the same checks as the files' own figures.
struct ClusterProfiles {
  json::Document node;
  json::Document accelerator;
  std::optional<json::Document> network;
  int nodes = 1;
};

json::Document load_profile(ProfileKind kind, const Reference& reference, const fs::path& data) {
  const fs::path path = profile_path(kind, reference, data);
  if (kind == ProfileKind::accelerator) {
    return load_with_carried_over_kernels(path, data);
  }
  return json::Document::load(path.string());
}

json::Document load_accelerator_of(const json::Document& node, const fs::path& data) {
  json::ObjectReader reader(node.root());
  if (reader.optional("compute_units")) {
    node.root().fail(
        "is an accelerator's profile, expected a node's; "
        "give { \"node\": NAME, \"accelerator\": this file }");
  }
  return load_profile(ProfileKind::accelerator, reference_at(reader.required("accelerator")), data);
}

Cluster read(const ClusterProfiles& profiles) {
  Cluster cluster;
  cluster.nodes = profiles.nodes;
  cluster.node = read_node(profiles.node.root(), read_accelerator(profiles.accelerator.root()));
  cluster.name = cluster.node.name;
  if (profiles.network) {
    cluster.network = read_network(profiles.network->root());
    if (cluster.nodes > 1) {
      cluster.name =
          fmt::format("{} x {} over {}", cluster.nodes, cluster.name, cluster.network->name);
    }
  }
  return cluster;
}

/// The profile that an override path speaks of, and the path inside it.
std::pair<json::Document*, std::string_view> target_of(std::string_view path,
                                                       ClusterProfiles& profiles) {
  constexpr std::string_view kAccelerator = "accelerator.";
  constexpr std::string_view kNetwork = "network.";
  if (path.starts_with(kAccelerator)) {
    return {&profiles.accelerator, path.substr(kAccelerator.size())};
  }
  if (path.starts_with(kNetwork)) {
    return {profiles.network ? &*profiles.network : nullptr, path.substr(kNetwork.size())};
  }
  return {&profiles.node, path};
}

[[noreturn]] void fail_unknown(const std::string& path, const Cluster& cluster,
                               const std::string& file, const std::string& pointer) {
  std::vector<std::string> known;
  for (const auto& [name, figure] : all_figures(cluster)) known.push_back(name);
  std::string message = fmt::format("unknown figure \"{}\"", path);
  const std::string_view nearest = nearest_name(path, known);
  if (!nearest.empty()) message += fmt::format("; did you mean \"{}\"?", nearest);
  throw InputError(
      file, pointer,
      fmt::format("{} (tradewind show hardware {} lists them)", message, cluster.node.name));
}

/// False when the profile has no place for a figure at that path.
bool override_document(json::Document* profile, std::string_view path, const nlohmann::json& value,
                       const std::string& source) {
  if (profile == nullptr) return false;
  nlohmann::json changed = profile->value();
  if (!override_figure(changed, path, value, source)) return false;
  *profile = json::Document::from_value(std::move(changed), profile->root().file());
  return true;
}

/// Applies one override after the other, reading anew after each, so that the one at fault is
/// named.
Cluster read_overridden(ClusterProfiles profiles, const json::Node& overrides) {
  Cluster cluster = read(profiles);
  for (const std::string& path : overrides.keys()) {
    const nlohmann::json& value = overrides.value()[path];
    const std::string pointer = overrides.pointer() + json::pointer_step(path);
    const auto [profile, inner] = target_of(path, profiles);
    const std::string source = fmt::format("override in {}", overrides.file());
    if (!override_document(profile, inner, value, source)) {
      fail_unknown(path, cluster, overrides.file(), pointer);
    }
    try {
      Cluster changed = read(profiles);
      cluster = std::move(changed);
    } catch (const InputError& error) {
      if (!all_figures(cluster).contains(path)) {
        fail_unknown(path, cluster, overrides.file(), pointer);
      }
      throw InputError(overrides.file(), pointer, error.message());
    }
  }
  return cluster;
}

Cluster read_object(const json::Node& object, const fs::path& data) {
  json::ObjectReader reader(object);
  ClusterProfiles profiles;
  profiles.node = load_profile(ProfileKind::node, reference_at(reader.required("node")), data);
  profiles.nodes = static_cast<int>(reader.integer("nodes", 1, 1, kMostNodes));
  const std::optional<json::Node> accelerator = reader.optional("accelerator");
  profiles.accelerator =
      accelerator ? load_profile(ProfileKind::accelerator, reference_at(*accelerator), data)
                  : load_accelerator_of(profiles.node, data);
  if (const std::optional<json::Node> network = reader.optional("network")) {
    profiles.network = load_profile(ProfileKind::network, reference_at(*network), data);
  } else if (profiles.nodes > 1) {
    object.fail(fmt::format("needs a member \"network\" to join {} nodes", profiles.nodes));
  }
  const std::optional<json::Node> overrides = reader.optional("override");
  const std::optional<json::Node> speeds = reader.optional("device_speeds");
  reader.finish();
  Cluster cluster = overrides ? read_overridden(std::move(profiles), *overrides) : read(profiles);
  if (speeds) cluster.device_speeds = read_device_speeds(*speeds, cluster.devices());
  return cluster;
}

}  // namespace

Accelerator load_accelerator(const Reference& reference, const fs::path& data) {
  return read_accelerator(load_profile(ProfileKind::accelerator, reference, data).root());
}

Node load_node(const Reference& reference, const fs::path& data) {
  ClusterProfiles profiles;
  profiles.node = load_profile(ProfileKind::node, reference, data);
  profiles.accelerator = load_accelerator_of(profiles.node, data);
  return read(profiles).node;
}

Network load_network(const Reference& reference, const fs::path& data) {
  return read_network(load_profile(ProfileKind::network, reference, data).root());
}

Cluster load_cluster(const json::Node& cluster, const fs::path& data) {
  if (cluster.is_object()) return read_object(cluster, data);
  if (!cluster.is_string()) cluster.expected("the name of a node, a path or an object");
  const Reference reference = reference_at(cluster);
  if (is_path(reference.name)) {
    const fs::path path = profile_path(ProfileKind::node, reference, data);
    const json::Document document = json::Document::load(path.string());
    if (document.root().is_object() && document.root().find("node")) {
      return read_object(document.root(), data);
    }
  }
  Node node = load_node(reference, data);
  std::string name = node.name;
  return {std::move(name), std::move(node), 1, std::nullopt, {}};
}

}  // namespace tradewind::hardware
