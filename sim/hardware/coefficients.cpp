#include "sim/hardware/coefficients.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/hardware/figure_reader.h"

namespace tradewind::hardware {
namespace {

std::optional<FitError> read_fit_error(const std::optional<json::Node>& node) {
  if (!node) return std::nullopt;
  json::ObjectReader reader(*node);
  FitError error;
  error.points = static_cast<int>(reader.required("points").integer(0, 1'000'000'000));
  error.median = reader.number("median", 0, json::kNotNegative);
  error.p90 = reader.number("p90", 0, json::kNotNegative);
  reader.finish();
  return error;
}

bool same_key(const CoefficientSet& a, const CoefficientSet& b) {
  return a.op == b.op && a.library == b.library && a.dtype == b.dtype;
}

CoefficientSet read_set(const json::Node& node, Figures& figures) {
  json::ObjectReader reader(node);
  CoefficientSet set;
  set.op = reader.required("op").string();
  set.library = reader.required("library").string();
  set.dtype = reader.required("dtype").string();
  const std::string kind = read_kind(reader);
  set.provenance = provenance_of(kind);
  set.source = read_source(reader);
  const std::string note = reader.string("note", "");
  const json::Node coefficients = reader.required("coefficients");
  for (const std::string& name : coefficients.keys()) {
    const std::optional<json::Node> value = coefficients.find(name);
    if (!value) coefficients.fail(fmt::format("\"{}\" is null, expected a number", name));
    set.values[name] = value->number();
    figures[fmt::format("kernels.{}.{}.{}.{}", set.op, set.library, set.dtype, name)] =
        Figure{set.values[name], kind, set.source, note, fmt::format("{}", set.values[name])};
  }
  set.fit = read_fit_error(reader.optional("fit"));
  set.check = read_fit_error(reader.optional("check"));
  reader.finish();
  return set;
}

}  // namespace

std::vector<CoefficientSet> read_coefficients(const json::Node& kernels, Figures& figures) {
  std::vector<CoefficientSet> sets;
  for (const json::Node& node : kernels.elements()) {
    CoefficientSet set = read_set(node, figures);
    if (std::any_of(sets.begin(), sets.end(),
                    [&](const CoefficientSet& other) { return same_key(other, set); })) {
      node.fail(
          fmt::format("coefficients of {}/{}/{} are given twice", set.op, set.library, set.dtype));
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace tradewind::hardware
