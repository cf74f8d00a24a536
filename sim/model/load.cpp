#include "sim/model/load.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "sim/core/error.h"
#include "sim/model/read.h"

namespace tradewind::model {
namespace {

struct Location {
  std::string path;
  std::string name;
};

/// Hugging Face calls every file `config.json`, so there the folder tells the model.
std::string name_of_path(const std::filesystem::path& path) {
  const bool says_nothing = path.stem() == "config" && path.has_parent_path();
  return says_nothing ? path.parent_path().filename().string() : path.stem().string();
}

std::optional<Location> locate(const std::string& text, const std::filesystem::path& folder) {
  const std::vector<std::string> known = known_models(folder);
  if (std::binary_search(known.begin(), known.end(), text)) {
    return Location{(folder / (text + ".json")).string(), text};
  }
  if (text.find('/') != std::string::npos || text.ends_with(".json")) {
    return Location{text, name_of_path(text)};
  }
  return std::nullopt;
}

Location locate(const json::Node& node, const std::filesystem::path& folder) {
  const std::string text = node.string();
  std::optional<Location> found = locate(text, folder);
  if (!found) node.fail(unknown_name("model", text, known_models(folder)));
  return *found;
}

ModelConfig load_file(const Location& location) {
  return read_model(json::Document::load(location.path).root(), location.name);
}

ModelConfig load_modified(const json::Node& node, const json::Node& base,
                          const std::filesystem::path& folder) {
  const Location location = locate(base, folder);
  nlohmann::json merged = json::Document::load(location.path).value();
  const ModelConfig unchanged = read_model(json::Node(merged, location.path, ""), location.name);
  merged.erase("name");
  const std::vector<std::string> fields = model_fields(unchanged.model_type);
  for (const std::string& key : node.keys()) {
    if (key == "base") continue;
    if (std::find(fields.begin(), fields.end(), key) == fields.end()) {
      throw InputError(node.file(), node.pointer() + json::pointer_step(key),
                       unknown_name("key", key, fields));
    }
    merged[key] = node.value().at(key);
  }
  const bool is_same = node.value().size() == 1;
  return read_model(json::Node(merged, node.file(), node.pointer()),
                    location.name + (is_same ? "" : "-modified"));
}

}  // namespace

std::vector<std::string> known_models(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  if (error) throw InputError(folder.string(), "", "can't be read as the folder of models");
  std::sort(names.begin(), names.end());
  return names;
}

ModelConfig load_model(const json::Node& node, const std::filesystem::path& folder) {
  if (node.is_string()) return load_file(locate(node, folder));
  if (!node.is_object()) node.expected("a model's name, a path or an object");
  if (const auto base = node.find("base")) return load_modified(node, *base, folder);
  if (!node.find("model_type")) node.fail("needs a member \"model_type\" or \"base\"");
  return read_model(node, "inline");
}

ModelConfig load_model(const std::string& name_or_path, const std::filesystem::path& folder) {
  const std::optional<Location> found = locate(name_or_path, folder);
  if (!found) throw InputError("", "", unknown_name("model", name_or_path, known_models(folder)));
  return load_file(*found);
}

}  // namespace tradewind::model
