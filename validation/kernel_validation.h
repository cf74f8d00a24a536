#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "validation/error_table.h"
#include "validation/kernel_csv.h"
#include "validation/kernel_machines.h"

namespace tradewind::validation {

/// Each row against the price of its kernel with the profile's coefficients: metric `time_us`,
/// group `device/library/op/dtype`, id `file:line`, split by is_check(). All rows count, also those
/// that no fit uses. A row without a price is an error of 100 %. Throws InputError for an op
/// without cost model.
std::vector<PointError> validate_kernels(std::span<const KernelRow> rows, const Machines& machines);
/// The same from a CSV file, machines from `data` (the folder that holds hardware/).
std::vector<PointError> validate_kernel_file(const std::string& path,
                                             const std::filesystem::path& data);

}  // namespace tradewind::validation
