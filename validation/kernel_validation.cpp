#include "validation/kernel_validation.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "sim/core/error.h"
#include "sim/kernels/coefficients.h"
#include "validation/kernel_rules.h"

namespace tradewind::validation {
namespace {

struct PricedGroup {
  const kernels::Operation* operation;
  kernels::KernelMachine machine;
  kernels::ResolvedCoefficients coefficients;
};

PricedGroup priced_group(const KernelRow& row, const Machines& machines) {
  const kernels::Operation* operation = kernels::find_operation(row.op);
  if (operation == nullptr) {
    throw InputError(row.place(), "", fmt::format("no cost model for \"{}\"", row.op));
  }
  const kernels::KernelMachine machine = machine_of(machines.at(row.device));
  return {operation, machine,
          kernels::resolve(machine.accelerator, operation->name, operation->parameters, row.library,
                           coefficient_dtype(row))};
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
    const PricedGroup& group = found->second;
    points.push_back(point_error(
        row.place(), name, is_check(row) ? "check" : "fit", "time_us", row.time_us,
        price_us(*group.operation, row.shape, group.machine, group.coefficients.values)));
  }
  return points;
}

std::vector<PointError> validate_kernel_file(const std::string& path,
                                             const std::filesystem::path& data) {
  const std::vector<KernelRow> rows = read_kernel_csv(path);
  return validate_kernels(rows, load_machines(rows, data));
}

}  // namespace tradewind::validation
