#include "sim/kernels/coefficients.h"

#include <array>

namespace tradewind::kernels {
namespace {

using hardware::CoefficientSet;

/// Data types to try, nearest first.
std::vector<std::string> related_types(std::string_view dtype) {
  std::vector<std::string> types;
  const auto with_block = [&](std::string_view type) {
    types.emplace_back(type);
    types.push_back(std::string(type) + "-block");
  };
  const std::string_view base = dtype.substr(0, dtype.find("-block"));
  if (base != dtype) types.emplace_back(dtype);
  with_block(base);
  if (base == "fp4" || base == "fp6" || base == "int8" || base == "int4") with_block("fp8");
  if (base != "bf16") types.emplace_back("bf16");
  if (base != "fp16") types.emplace_back("fp16");
  types.emplace_back("any");
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

}  // namespace

ResolvedCoefficients resolve(const hardware::Accelerator& accelerator, std::string_view op,
                             std::span<const Parameter> parameters, std::string_view library,
                             std::string_view dtype) {
  if (const CoefficientSet* set = find(accelerator, op, library, dtype)) {
    return take(*set, parameters, true);
  }
  for (const std::string& type : related_types(dtype)) {
    for (const std::string_view from : std::array{library, std::string_view{}}) {
      if (const CoefficientSet* set = find(accelerator, op, from, type)) {
        return take(*set, parameters, type == "any" && from == library);
      }
    }
  }
  ResolvedCoefficients textbook;
  for (const Parameter& parameter : parameters) textbook.values.push_back(parameter.initial);
  textbook.origin = "textbook values";
  return textbook;
}

}  // namespace tradewind::kernels
