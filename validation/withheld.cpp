#include "validation/withheld.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/core/error.h"
#include "sim/hardware/loader.h"
#include "sim/hardware/nearest.h"
#include "sim/scenario/runtime_reader.h"
#include "validation/statistics.h"

namespace tradewind::validation {
namespace {

using hardware::Accelerator;

std::vector<Accelerator> all_accelerators(const std::filesystem::path& data) {
  std::vector<Accelerator> all;
  for (const std::string& name :
       hardware::profile_names(hardware::ProfileKind::accelerator, data)) {
    all.push_back(hardware::load_accelerator({name, "", ""}, data));
  }
  return all;
}

std::vector<std::string> families_of(std::span<const Accelerator> accelerators) {
  std::set<std::string> families;
  for (const Accelerator& one : accelerators) families.emplace(hardware::family_of(one.name));
  return {families.begin(), families.end()};
}

}  // namespace

Withheld::Withheld(const std::string& family, scenario::Catalogue& catalogue)
    : family_(family), catalogue_(&catalogue) {
  others_ = all_accelerators(catalogue.root());
  const std::vector<std::string> known = families_of(others_);
  const auto mine = std::stable_partition(
      others_.begin(), others_.end(),
      [&](const Accelerator& one) { return hardware::family_of(one.name) != family; });
  const std::vector<Accelerator> devices(mine, others_.end());
  others_.erase(mine, others_.end());
  if (devices.empty()) throw InputError("--withhold", "", unknown_name("device", family, known));
  for (const Accelerator& device : devices) {
    const Accelerator* stand_in = hardware::nearest(device, others_);
    if (stand_in == nullptr) {
      throw InputError("--withhold", "",
                       fmt::format("nothing of {} was measured but \"{}\"", device.vendor, family));
    }
    stand_ins_.emplace(device.name, *stand_in);
  }
}

bool Withheld::concerns(const hardware::Cluster& cluster) const {
  return stand_ins_.contains(cluster.accelerator().name);
}

hardware::Cluster Withheld::without_measurements(hardware::Cluster cluster) const {
  const auto stand_in = stand_ins_.find(cluster.accelerator().name);
  if (stand_in == stand_ins_.end()) return cluster;
  Accelerator& accelerator = cluster.node.accelerator;
  accelerator = hardware::carried_over(std::move(accelerator), stand_in->second, others_);
  return cluster;
}

std::shared_ptr<const scenario::Runtime> Withheld::runtime_of(const TracePoint& point) {
  const Accelerator& device = point.scenario.cluster->accelerator();
  const Accelerator& stand_in = stand_ins_.at(device.name);
  const nlohmann::json json = nlohmann::json::parse(point.scenario.runtime_json);
  const auto runtime = catalogue_->runtime(json::Node(json, point.place, ""));
  const std::string own = scenario::architecture_key(device);
  const std::string relative = scenario::architecture_key(stand_in);
  if (own == relative || !runtime->on.contains(own)) return point.scenario.runtime;
  const bool carried = runtime->on.contains(relative);
  runtime_notes_.emplace(
      runtime->name,
      carried ? fmt::format("{}: host times and rates of {}", runtime->name, relative)
              : fmt::format("{}: host times and rates of its own, none were measured on {}",
                            runtime->name, relative));
  return carried ? runtime->on.at(relative) : point.scenario.runtime;
}

std::vector<TracePoint> Withheld::points(std::vector<TracePoint> points) {
  std::erase_if(points,
                [&](const TracePoint& point) { return !concerns(*point.scenario.cluster); });
  for (TracePoint& point : points) {
    point.scenario.runtime = runtime_of(point);
    point.scenario.cluster =
        std::make_shared<const hardware::Cluster>(without_measurements(*point.scenario.cluster));
  }
  return points;
}

std::vector<std::string> Withheld::notes() const {
  std::vector<std::string> notes;
  for (const auto& [device, stand_in] : stand_ins_) {
    notes.push_back(fmt::format("{}: its measurements withheld, those of {} carried over (assumed)",
                                device, stand_in.name));
  }
  for (const auto& [runtime, note] : runtime_notes_) notes.push_back(note);
  return notes;
}

std::optional<double> mean_error_of_static_batches(const Validation& validation) {
  std::vector<double> errors;
  std::size_t next = 0;  // the errors of the traces come first, in the order of their points
  for (const TracePoint& point : validation.points) {
    for (const Measurement& measurement : point.measured) {
      const PointError& error = validation.errors[next++];
      if (measurement.uncertainty > kWithheldTolerance) continue;
      if (!std::holds_alternative<scenario::StaticBatch>(point.scenario.workload)) continue;
      errors.push_back(std::abs(error.relative_error));
    }
  }
  return errors.empty() ? std::nullopt : std::optional(mean(errors));
}

}  // namespace tradewind::validation
