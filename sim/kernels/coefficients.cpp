#include "sim/kernels/coefficients.h"

#include <array>

#include "sim/kernels/kernel_rates.h"
#include "sim/kernels/sustained_product.h"

namespace tradewind::kernels {
namespace {

using hardware::CoefficientSet;

using Variants = std::vector<std::string>;

/// A data type and its blockwise-scaled variant.
Variants variants(std::string_view type) {
  return {std::string(type), std::string(type) + "-block"};
}

/// Data types to try, nearest first.
std::vector<Variants> related_types(std::string_view dtype) {
  const std::string_view base = dtype.substr(0, dtype.find("-block"));
  std::vector<Variants> types = {variants(base)};
  if (base == "fp4" || base == "fp6" || base == "int8" || base == "int4") {
    types.push_back(variants("fp8"));
  }
  if (base != "bf16") types.push_back({"bf16"});
  if (base != "fp16") types.push_back({"fp16"});
  types.push_back({"any"});
  return types;
}

const CoefficientSet* find(const hardware::Accelerator& accelerator, std::string_view op,
                           std::string_view library, std::string_view dtype) {
  for (const CoefficientSet& set : accelerator.coefficients) {
    if (set.op == op && set.dtype == dtype && (library.empty() || set.library == library)) {
      return &set;
    }
  }
  return nullptr;
}

ResolvedCoefficients take(const CoefficientSet& set, std::span<const Parameter> parameters,
                          bool exact) {
  ResolvedCoefficients resolved;
  for (const Parameter& parameter : parameters) {
    const auto value = set.values.find(std::string(parameter.name));
    resolved.values.push_back(value == set.values.end() ? parameter.initial : value->second);
  }
  resolved.provenance = exact ? set.provenance : Provenance::assumed;
  resolved.origin = set.library + "/" + set.dtype;
  return resolved;
}

ResolvedCoefficients nearest_set(const hardware::Accelerator& accelerator, std::string_view op,
                                 std::span<const Parameter> parameters, std::string_view library,
                                 std::string_view dtype) {
  if (const CoefficientSet* set = find(accelerator, op, library, dtype)) {
    return take(*set, parameters, true);
  }
  for (const Variants& types : related_types(dtype)) {
    for (const std::string_view from : std::array{library, std::string_view{}}) {
      for (const std::string& type : types) {
        const CoefficientSet* set = find(accelerator, op, from, type);
        if (set) return take(*set, parameters, type == "any" && from == library);
      }
    }
  }
  ResolvedCoefficients textbook;
  for (const Parameter& parameter : parameters) textbook.values.push_back(parameter.initial);
  textbook.origin = "textbook values";
  return textbook;
}

}  // namespace

ResolvedCoefficients resolve(const hardware::Accelerator& accelerator, std::string_view op,
                             std::span<const Parameter> parameters, std::string_view library,
                             std::string_view dtype) {
  ResolvedCoefficients resolved = nearest_set(accelerator, op, parameters, library, dtype);
  const std::optional<DataType> type = parse_data_type(dtype);
  if (op == "gemm" && type && resolved.provenance == Provenance::assumed) {
    hold_to_sustained(resolved.values, accelerator, *type);
  }
  return resolved;
}

}  // namespace tradewind::kernels
