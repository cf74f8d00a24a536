#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "sim/core/error.h"
#include "tests/catch.h"
#include "validation/import/importer.h"

/// Imports texts as if they were files.
namespace tradewind::testing {

/// A scenario whose workload the measurement completes.
inline const std::string kOpenScenario =
    R"({"model": "llama-3.1-8b", "cluster": "h100-8", "runtime": "vllm", "plan": {"tp": 2}})";
inline const std::string kStaticScenario =
    R"({"model": "llama-3.1-8b", "cluster": "h100-8", "runtime": "vllm", "plan": {"tp": 2},
        "workload": {"kind": "static_batch", "batch": 8, "input_tokens": 32, "output_tokens": 128}})";

inline validation::Imported import_text(const std::string& format, const std::string& text,
                                        validation::ImportRequest request) {
  for (const validation::ImportFormat& known : validation::import_formats()) {
    if (known.name != format) continue;
    std::istringstream in(text);
    return known.read(in, request);
  }
  throw std::logic_error("no format " + format);
}

/// A request for the file "run.txt" of that scenario.
inline validation::ImportRequest request_for(const std::string& scenario) {
  validation::ImportRequest request;
  request.file = "run.txt";
  request.data = TRADEWIND_SOURCE_DIR;
  if (scenario.empty()) return request;
  const auto path = std::filesystem::temp_directory_path() /
                    ("tradewind-import-" + std::to_string(getpid()) + "-" +
                     std::to_string(std::hash<std::string>{}(scenario)));
  std::ofstream(path) << scenario;
  request.scenario = path.string();
  return request;
}

inline nlohmann::json import_trace(const std::string& format, const std::string& text,
                                   const std::string& scenario = kOpenScenario) {
  return nlohmann::json::parse(import_text(format, text, request_for(scenario)).text);
}

inline nlohmann::json import_point(const std::string& format, const std::string& text,
                                   const std::string& scenario = kOpenScenario) {
  const nlohmann::json trace = import_trace(format, text, scenario);
  REQUIRE(trace["points"].size() == 1);
  return trace["points"][0];
}

inline std::string import_complaint(const std::string& format, const std::string& text,
                                    const validation::ImportRequest& request) {
  try {
    import_text(format, text, request);
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
    return error.what();
  }
  return "no complaint";
}

inline std::string import_complaint(const std::string& format, const std::string& text,
                                    const std::string& scenario = kOpenScenario) {
  return import_complaint(format, text, request_for(scenario));
}

}  // namespace tradewind::testing
