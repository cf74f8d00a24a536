#include "sim/scenario/catalogue.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/hardware/loader.h"
#include "sim/model/load.h"
#include "sim/scenario/runtime_reader.h"

namespace tradewind::scenario {

Catalogue::Catalogue(std::filesystem::path root) : root_(std::move(root)) {}

template <class Value, class Load>
std::shared_ptr<const Value> Catalogue::cached(
    std::map<std::string, std::shared_ptr<const Value>>& cache, const json::Node& node, Load load) {
  // An error must name the place it was asked from, so only what loaded is kept.
  const std::string key = node.value().dump();
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = cache.find(key); found != cache.end()) return found->second;
  }
  auto value = std::make_shared<const Value>(load(node));
  const std::scoped_lock lock(mutex_);
  return cache.emplace(key, std::move(value)).first->second;
}

std::shared_ptr<const model::ModelConfig> Catalogue::model(const json::Node& node) {
  return cached(models_, node,
                [&](const json::Node& n) { return model::load_model(n, root_ / "models"); });
}

std::shared_ptr<const hardware::Cluster> Catalogue::cluster(const json::Node& node) {
  return cached(clusters_, node,
                [&](const json::Node& n) { return hardware::load_cluster(n, root_); });
}

std::shared_ptr<const Runtime> Catalogue::runtime(const json::Node& node) {
  return cached(runtimes_, node, [&](const json::Node& n) {
    return load_runtime(n, root_ / "configs" / "runtimes");
  });
}

std::vector<std::string> Catalogue::runtime_names() const {
  return names_of_runtimes(root_ / "configs" / "runtimes");
}

}  // namespace tradewind::scenario
