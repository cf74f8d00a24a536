#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/hardware/cluster.h"
#include "sim/model/config.h"
#include "sim/model/precision.h"
#include "sim/scenario/plan.h"
#include "sim/scenario/runtime.h"
#include "sim/scenario/workload.h"

namespace tradewind::scenario {

/// One question, fully resolved: everything the simulator reads. Profiles are shared between the
/// points of a sweep and never change.
struct Scenario {
  std::string name;
  std::shared_ptr<const model::ModelConfig> model;
  std::shared_ptr<const hardware::Cluster> cluster;
  model::Precision precision;
  std::shared_ptr<const Runtime> runtime;
  Plan plan;
  Workload workload;
  double price_usd_per_device_hour = 0;  ///< 0 = the profile's, if it has one
  std::uint64_t seed = 0;

  /// `model`, `cluster` and `runtime` as they were given, as JSON text: a resolved scenario names
  /// what it was asked for, so that it can be run again.
  std::string model_json, cluster_json, runtime_json;
};

}  // namespace tradewind::scenario
