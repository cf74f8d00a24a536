#include "validation/kernel_machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/core/error.h"
#include "sim/hardware/loader.h"
#include "validation/kernel_rules.h"

namespace tradewind::validation {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kNodeSuffix = "-8";

std::vector<std::string> known_devices(const fs::path& data) {
  std::vector<std::string> devices;
  for (const std::string& node : hardware::profile_names(hardware::ProfileKind::node, data)) {
    if (!node.ends_with(kNodeSuffix)) continue;
    devices.push_back(node.substr(0, node.size() - kNodeSuffix.size()));
  }
  return devices;
}

/// As many nodes as any row needs: a price looks only at the group's own.
hardware::Cluster load_device(const std::string& device, const fs::path& data) {
  hardware::Cluster cluster;
  cluster.name = device + std::string(kNodeSuffix);
  cluster.node = hardware::load_node({cluster.name, "", ""}, data);
  cluster.network = hardware::load_network({std::string(measured_network(device)), "", ""}, data);
  return cluster;
}

}  // namespace

Machines load_machines(std::span<const KernelRow> rows, const fs::path& data) {
  const std::vector<std::string> known = known_devices(data);
  Machines machines;
  for (const KernelRow& row : rows) {
    const bool is_known = std::find(known.begin(), known.end(), row.device) != known.end();
    if (!is_known || machines.contains(row.device)) continue;
    machines.emplace(row.device, load_device(row.device, data));
  }
  if (machines.empty() && !rows.empty()) {
    const KernelRow& row = rows.front();
    throw InputError(row.place(), "",
                     "column \"device\": " + unknown_name("device", row.device, known));
  }
  return machines;
}

kernels::KernelMachine machine_of(const hardware::Cluster& cluster) {
  return {cluster.node.accelerator, &cluster.node, cluster.network ? &*cluster.network : nullptr};
}

NamedMachine find_machine(const std::string& name, const fs::path& data) {
  std::vector<std::string> known;
  std::optional<NamedMachine> by_accelerator;
  for (const std::string& device : known_devices(data)) {
    hardware::Cluster cluster = load_device(device, data);
    if (name == device || name == cluster.name) return {device, std::move(cluster)};
    known.push_back(device);
    if (name == cluster.accelerator().name) by_accelerator = {device, std::move(cluster)};
  }
  if (by_accelerator) return *by_accelerator;
  throw InputError("--hardware", "", unknown_name("hardware", name, known));
}

}  // namespace tradewind::validation
