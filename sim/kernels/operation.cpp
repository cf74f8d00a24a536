#include "sim/kernels/operation.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "sim/kernels/attention_decode.h"
#include "sim/kernels/attention_prefill.h"
#include "sim/kernels/collective.h"
#include "sim/kernels/elementwise.h"
#include "sim/kernels/gemm.h"
#include "sim/kernels/point_to_point.h"
#include "sim/kernels/state_space_scan.h"

namespace tradewind::kernels {
namespace {

/// The price of a shape of one kind as the price of any shape.
template <class Kind,
          Cost (*price)(const Kind&, const KernelMachine&, std::span<const double>, Provenance)>
Cost price_kind(const Shape& shape, const KernelMachine& machine,
                std::span<const double> coefficients) {
  return price(std::get<Kind>(shape), machine, coefficients, Provenance::fitted);
}

std::vector<Operation> all_operations() {
  std::vector<Operation> all = {
      {"gemm", gemm_parameters(), price_kind<GemmShape, price_gemm>},
      {"attention_prefill", attention_prefill_parameters(),
       price_kind<AttentionPrefillShape, price_attention_prefill>},
      {"attention_decode", attention_decode_parameters(),
       price_kind<AttentionDecodeShape, price_attention_decode>},
      {"elementwise", elementwise_parameters(), price_kind<ElementwiseShape, price_elementwise>},
      {"state_space_scan", state_space_scan_parameters(),
       price_kind<StateSpaceShape, price_state_space_scan>},
      {"state_space_update", state_space_update_parameters(),
       price_kind<StateSpaceShape, price_state_space_update>},
  };
  for (const Operation& operation : collective_operations()) all.push_back(operation);
  all.push_back(point_to_point_operation());
  return all;
}

}  // namespace

std::span<const Operation> operations() {
  static const std::vector<Operation> all = all_operations();
  return all;
}

const Operation* find_operation(std::string_view name) {
  const auto all = operations();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Operation& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tradewind::kernels
