#include "sim/scenario/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/hardware/loader.h"
#include "sim/model/load.h"
#include "sim/scenario/runtime_reader.h"

namespace tradewind::scenario {

Catalogue::Catalogue(std::filesystem::path root) : root_(std::move(root)) {}

template <class Value, class Load>
std::shared_ptr<const Value> Catalogue::cached(
    std::map<std::string, std::shared_ptr<const Value>>& cache, const std::string& key, Load load) {
  // An error must name the place it was asked from, so only what loaded is kept.
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = cache.find(key); found != cache.end()) return found->second;
  }
  auto value = std::make_shared<const Value>(load());
  const std::scoped_lock lock(mutex_);
  return cache.emplace(key, std::move(value)).first->second;
}

std::shared_ptr<const model::ModelConfig> Catalogue::model(const json::Node& node) {
  return cached(models_, node.value().dump(),
                [&] { return model::load_model(node, root_ / "models"); });
}

std::shared_ptr<const hardware::Cluster> Catalogue::cluster(const json::Node& node) {
  return cached(clusters_, node.value().dump(),
                [&] { return hardware::load_cluster(node, root_); });
}

std::shared_ptr<const Runtime> Catalogue::runtime(const json::Node& node) {
  return cached(runtimes_, node.value().dump(),
                [&] { return load_runtime(node, root_ / "configs" / "runtimes"); });
}

std::shared_ptr<const Dataset> Catalogue::dataset(const json::Node& name) {
  return cached(datasets_, name.value().dump(),
                [&] { return load_dataset(name, root_ / "configs" / "datasets"); });
}

std::shared_ptr<const RequestFile> Catalogue::request_file(const json::Node& path) {
  const std::filesystem::path given = path.string();
  std::filesystem::path found = std::filesystem::path(path.file()).parent_path() / given;
  if (!std::filesystem::exists(found)) found = given;
  if (!std::filesystem::exists(found))
    path.fail(fmt::format("there is no file \"{}\"", given.string()));
  return cached(request_files_, found.string(), [&] { return read_request_file(found); });
}

std::vector<std::string> Catalogue::runtime_names() const {
  return names_of_runtimes(root_ / "configs" / "runtimes");
}

}  // namespace tradewind::scenario
