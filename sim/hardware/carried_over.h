#pragma once

#include <filesystem>

#include "sim/json/reader.h"

namespace tradewind::hardware {

/// The accelerator profile in `file` with the coefficient sets of the profile that its
/// `kernels_from` names (and of the one that names, and so on) added to its own `kernels`. What is
/// carried over is `assumed`, keeps its fit errors out of sight, and never replaces an own set. A
/// part that holds another clock under load says so in `kernels_clock_share`, of the base's: what
/// keeps pace with the clock is slowed down by it.
/// Throws InputError when the chain has no end or leads to an unknown name.
json::Document load_with_carried_over_kernels(const std::filesystem::path& file,
                                              const std::filesystem::path& data);

}  // namespace tradewind::hardware
