#include "sim/scenario/dataset.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/scenario/length_reader.h"

namespace tradewind::scenario {
namespace {

constexpr int kMostRequests = 100'000'000;

std::string file_name(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
    return c == '+' || c == '_' || c == ' ' ? '-' : c;
  });
  return name;
}

std::string read_source(const json::Node& node) {
  json::ObjectReader reader(node);
  const std::string kind = reader.required("kind").string();
  const std::string source = reader.required("source").string();
  reader.finish();
  return kind + ": " + source;
}

}  // namespace

Dataset load_dataset(const json::Node& name, const std::filesystem::path& folder) {
  const std::vector<std::string> names = dataset_names(folder);
  const std::string file = file_name(name.string());
  if (std::find(names.begin(), names.end(), file) == names.end()) name.name("data set", names);
  return load_dataset(file, folder);
}

Dataset load_dataset(const std::string& name, const std::filesystem::path& folder) {
  Dataset dataset;
  dataset.name = name;
  const auto document = json::Document::load((folder / (name + ".json")).string());
  json::ObjectReader reader(document.root());
  dataset.description = reader.required("description").string();
  dataset.requests = static_cast<int>(reader.required("requests").integer(1, kMostRequests));
  dataset.input = read_length(reader.required("input_tokens"));
  dataset.output = read_length(reader.required("output_tokens"));
  dataset.mean_source = read_source(reader.required("means"));
  dataset.spread_source = read_source(reader.required("spread"));
  reader.finish();
  return dataset;
}

std::vector<std::string> dataset_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  if (!std::filesystem::is_directory(folder)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tradewind::scenario
