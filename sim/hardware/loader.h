#pragma once

#include <filesystem>
#include <string>

#include "sim/hardware/accelerator.h"
#include "sim/hardware/cluster.h"
#include "sim/hardware/network.h"
#include "sim/hardware/node.h"
#include "sim/hardware/profile_store.h"
#include "sim/json/reader.h"

namespace tradewind::hardware {

/// All loaders read strictly and throw InputError with file, JSON pointer and the nearest name.
/// `data` is the folder that holds hardware/; what is not found by name is a path
/// (profile_store.h).

/// With the coefficients of its `kernels_from` chain behind its own.
Accelerator load_accelerator(const Reference& reference, const std::filesystem::path& data);
/// With its accelerator.
Node load_node(const Reference& reference, const std::filesystem::path& data);
Network load_network(const Reference& reference, const std::filesystem::path& data);

/// A scenario's `cluster` (interface.md): the name of a node, a path to a node profile or to a file
/// that holds the object form, or the object form itself:
/// `{ "node", "nodes" = 1, "network", "accelerator", "override": { PATH: VALUE }, "device_speeds"
/// }` (device_speeds.h). `network` is needed for several nodes. `accelerator` replaces the node's
/// (a profile that `calibrate` wrote). PATH is that of all_figures(): a figure of the node, or with
/// `accelerator.` or `network.` before it.
Cluster load_cluster(const json::Node& cluster, const std::filesystem::path& data);

}  // namespace tradewind::hardware
