#include "validation/kernel_validation.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "sim/core/error.h"
#include "sim/kernels/coefficients.h"
#include "validation/kernel_rules.h"

namespace tradewind::validation {
namespace {

/// What one device, library, op and data type are priced with; no operation: unknown device.
struct PricedGroup {
  const kernels::Operation* operation = nullptr;
  const hardware::Cluster* cluster = nullptr;
  std::vector<double> coefficients;

  std::optional<double> price(const KernelRow& row) const {
    if (operation == nullptr) return std::nullopt;
    return price_us(*operation, row.shape, machine_of(*cluster), coefficients);
  }
};

PricedGroup priced_group(const KernelRow& row, const Machines& machines) {
  const auto found = machines.find(row.device);
  if (found == machines.end()) return {};
  const kernels::Operation* operation = kernels::find_operation(row.op);
  if (operation == nullptr) {
    throw InputError(row.place(), "", fmt::format("no cost model for \"{}\"", row.op));
  }
  return {operation, &found->second,
          kernels::resolve(found->second.accelerator(), operation->name, operation->parameters,
                           row.library, coefficient_dtype(row))
              .values};
}

}  // namespace

std::vector<PointError> validate_kernels(std::span<const KernelRow> rows,
                                         const Machines& machines) {
  std::map<std::string, PricedGroup> groups;
  std::vector<PointError> points;
  points.reserve(rows.size());
  for (const KernelRow& row : rows) {
    const std::string name = fmt::format("{}/{}/{}/{}", row.device, row.library, row.op, row.dtype);
    auto found = groups.find(name);
    if (found == groups.end()) found = groups.emplace(name, priced_group(row, machines)).first;
    points.push_back(point_error(row.place(), name, is_check(row) ? "check" : "fit", "time_us",
                                 row.time_us, found->second.price(row)));
    points.back().configuration = row.shape_key;
  }
  return points;
}

std::vector<PointError> validate_kernel_file(const std::string& path,
                                             const std::filesystem::path& data) {
  const std::vector<KernelRow> rows = read_kernel_csv(path);
  return validate_kernels(rows, load_machines(rows, data));
}

}  // namespace tradewind::validation
