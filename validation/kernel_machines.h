#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "sim/hardware/cluster.h"
#include "sim/kernels/operation.h"
#include "validation/kernel_csv.h"

namespace tradewind::validation {

/// The machines that rows were measured on, by the CSV's device name: "h100" is the node "h100-8".
using Machines = std::map<std::string, hardware::Cluster>;

/// Loads the node of every known device in `rows` from `data` (the folder that holds hardware/).
/// Throws InputError, with the nearest known name, when no row's device is known.
Machines load_machines(std::span<const KernelRow> rows, const std::filesystem::path& data);

/// The cluster as cost models see it; the result refers into it.
kernels::KernelMachine machine_of(const hardware::Cluster& cluster);

/// The machine that `calibrate --hardware NAME` means: a device name ("h100"), a node ("h100-8"),
/// or an accelerator ("h100-sxm") that some eight-device node has. Throws InputError when there is
/// none.
struct NamedMachine {
  std::string device;  ///< as kernel CSVs call it
  hardware::Cluster cluster;
};
NamedMachine find_machine(const std::string& name, const std::filesystem::path& data);

}  // namespace tradewind::validation
