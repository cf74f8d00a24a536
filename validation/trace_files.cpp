#include "validation/trace_files.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/json/reader.h"

namespace tradewind::validation {
namespace fs = std::filesystem;
namespace {

enum class Kind { trace, lines, kernel_csv, other };

Kind kind_of(const std::string& file) {
  if (file == "-") {
    const int first = (std::cin >> std::ws).peek();
    return first == '{' || first == '[' ? Kind::trace : Kind::kernel_csv;
  }
  const fs::path extension = fs::path(file).extension();
  if (extension == ".csv") return Kind::kernel_csv;
  if (extension == ".jsonl") return Kind::lines;
  return extension == ".json" ? Kind::trace : Kind::other;
}

bool is_trace(const std::string& file) {
  const json::Document document = json::Document::load(file);
  return document.value().is_object() && document.value().contains("points");
}

void add_file(const std::string& file, Kind kind, MeasurementFiles& files) {
  (kind == Kind::kernel_csv ? files.kernel_csvs : files.traces).push_back(file);
}

void add_folder(const std::string& folder, MeasurementFiles& files) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  bool any = false;
  for (const std::string& file : found) {
    const Kind kind = kind_of(file);
    if (kind == Kind::other) continue;
    if (kind == Kind::trace && !is_trace(file)) {
      files.skipped.push_back({file, "is no trace: there are no \"points\" in it"});
      continue;
    }
    add_file(file, kind, files);
    any = true;
  }
  if (!any) throw InputError(folder, "", "holds no traces (.json, .jsonl) and no kernel .csv");
}

}  // namespace

MeasurementFiles find_measurements(const std::vector<std::string>& paths) {
  MeasurementFiles files;
  for (const std::string& path : paths) {
    if (path != "-" && fs::is_directory(path)) {
      add_folder(path, files);
      continue;
    }
    const Kind kind = kind_of(path);
    if (kind == Kind::other) {
      throw InputError(path, "",
                       "expected a trace (.json, .jsonl), a .csv of kernel measurements, or a "
                       "folder of them");
    }
    add_file(path, kind, files);
  }
  return files;
}

}  // namespace tradewind::validation
