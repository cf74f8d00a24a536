#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/core/error.h"
#include "sim/hardware/loader.h"
#include "tests/catch.h"

namespace tradewind::hardware::test {

inline std::filesystem::path shipped() {
  return TRADEWIND_SOURCE_DIR;
}

/// The cluster of a scenario that says `"cluster": TEXT`.
inline Cluster cluster_of(const std::string& text, const std::filesystem::path& data = shipped()) {
  const json::Document document =
      json::Document::parse("{\"cluster\": " + text + "}", "scenario.json");
  return load_cluster(*document.root().find("cluster"), data);
}

/// What the error of `action` says, or "" when there is none.
template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// A data folder of its own under the build's current folder, gone with the object. Starts with
/// the shipped h100-8, mi300x-8 and ib-ndr.
class DataFolder {
 public:
  explicit DataFolder(const std::string& name) : root_("hardware_test_" + name) {
    std::filesystem::remove_all(root_);
    for (const char* file :
         {"accelerators/h100-sxm.json", "accelerators/mi300x.json", "accelerators/mi355x.json",
          "nodes/h100-8.json", "nodes/mi300x-8.json", "networks/ib-ndr.json"}) {
      write(file, read_shipped(file));
    }
  }
  ~DataFolder() { std::filesystem::remove_all(root_); }
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  const std::filesystem::path& root() const { return root_; }

  static nlohmann::json read_shipped(const std::string& file) {
    std::ifstream in(shipped() / "hardware" / file);
    return nlohmann::json::parse(in);
  }
  void write(const std::string& file, const nlohmann::json& value) const {
    const std::filesystem::path path = root_ / "hardware" / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << value.dump(1);
  }

 private:
  std::filesystem::path root_;
};

}  // namespace tradewind::hardware::test
