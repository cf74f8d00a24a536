#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "sim/scenario/scenario.h"
#include "sim/workload/result.h"

namespace tradewind::tools {

/// Results of an earlier sweep, by the resolved scenario they answer: what has changed in the base
/// or in the axes is simulated anew. Changed data files are not noticed: --resume is for a sweep
/// that was interrupted.
class KnownResults {
 public:
  /// Adds the lines of a results.jsonl; a missing file is none. Lines of another version of the
  /// program, and a last line cut short by an interruption, are passed over.
  void add(const std::filesystem::path& file);
  bool find(const scenario::Scenario& scenario, workload::Result& result) const;

 private:
  std::map<std::string, workload::Result> by_scenario_;
};

}  // namespace tradewind::tools
