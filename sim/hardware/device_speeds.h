#pragma once

#include <vector>

#include "sim/json/reader.h"

namespace tradewind::hardware {

/// `device_speeds` of a cluster: an array with the speed of every device, or an object of those
/// that differ, { "3": 0.8 }: how fast a device computes, above 0 and at most 2, 1 = as its profile
/// says. Returns one speed for each of the `devices`, or none when all are 1. Throws InputError
/// where a device or a speed can't be.
std::vector<double> read_device_speeds(const json::Node& node, int devices);

}  // namespace tradewind::hardware
