#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sim/json/reader.h"
#include "sim/scenario/dataset.h"
#include "sim/scenario/request_files/request_file.h"
#include "sim/scenario/scenario.h"

namespace tradewind::scenario {

/// The data folders (`models/`, `hardware/`, `configs/`) under one root, each profile read once and
/// shared. Safe to use from several threads.
class Catalogue {
 public:
  explicit Catalogue(std::filesystem::path root);

  const std::filesystem::path& root() const { return root_; }

  /// Each takes what interface.md allows in that place: a name, a path, or an object.
  std::shared_ptr<const model::ModelConfig> model(const json::Node& node);
  std::shared_ptr<const hardware::Cluster> cluster(const json::Node& node);
  std::shared_ptr<const Runtime> runtime(const json::Node& node);
  std::shared_ptr<const Dataset> dataset(const json::Node& name);

  /// The requests of a file; a relative path is looked for beside the file that asks, then in the
  /// current folder.
  std::shared_ptr<const RequestFile> request_file(const json::Node& path);

  /// Names in configs/runtimes, sorted.
  std::vector<std::string> runtime_names() const;

 private:
  template <class Value, class Load>
  std::shared_ptr<const Value> cached(std::map<std::string, std::shared_ptr<const Value>>& cache,
                                      const std::string& key, Load load);

  std::filesystem::path root_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const model::ModelConfig>> models_;
  std::map<std::string, std::shared_ptr<const hardware::Cluster>> clusters_;
  std::map<std::string, std::shared_ptr<const Runtime>> runtimes_;
  std::map<std::string, std::shared_ptr<const Dataset>> datasets_;
  std::map<std::string, std::shared_ptr<const RequestFile>> request_files_;
};

}  // namespace tradewind::scenario
