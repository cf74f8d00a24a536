#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/json/reader.h"
#include "sim/scenario/serving.h"

namespace tradewind::scenario {

/// Lengths of the requests of a data set (configs/datasets/NAME.json): published means with a
/// stated spread.
struct Dataset {
  std::string name;
  std::string description;
  int requests = 0;  ///< so many it has
  Length input, output;
  std::string mean_source, spread_source;  ///< what they stand on
};

/// Capital letters do not count in a name, and '+', '_' and ' ' stand for '-':
/// "BBH+GSM8K+HumanEval" is bbh-gsm8k-humaneval. InputError with the nearest name for others.
Dataset load_dataset(const json::Node& name, const std::filesystem::path& folder);
/// One of dataset_names(folder).
Dataset load_dataset(const std::string& name, const std::filesystem::path& folder);

/// Names in the folder, sorted.
std::vector<std::string> dataset_names(const std::filesystem::path& folder);

}  // namespace tradewind::scenario
