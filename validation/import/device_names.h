#pragma once

#include <string>
#include <string_view>

namespace tradewind::validation {

/// What kernel CSVs call the device that a driver calls "NVIDIA H100 80GB HBM3" or "AMD Instinct
/// MI300X OAM": h100, mi300x; a form factor with its own profile stays (a100-pcie, a100-40). Empty
/// for a name without a model number (a container that shows only "gfx942").
std::string device_of_driver_name(std::string_view name);

}  // namespace tradewind::validation
