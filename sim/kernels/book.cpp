#include "sim/kernels/book.h"

#include <algorithm>
#include <set>

#include "sim/kernels/attention_decode.h"
#include "sim/kernels/attention_prefill.h"
#include "sim/kernels/collective.h"
#include "sim/kernels/copy_engine.h"
#include "sim/kernels/elementwise.h"
#include "sim/kernels/gemm.h"
#include "sim/kernels/point_to_point.h"
#include "sim/kernels/state_space_scan.h"

namespace tradewind::kernels {
namespace {

constexpr std::array<std::string_view, 4> kCollectiveNames = {"all_reduce", "all_gather",
                                                              "reduce_scatter", "all_to_all"};

std::size_t index(DataType type) {
  return static_cast<std::size_t>(type);
}

/// A type without a matrix rate of its own runs at bf16's.
double peak(const hardware::Accelerator& accelerator, DataType type) {
  return accelerator.peak(type) > 0 ? accelerator.peak(type) : accelerator.peak(DataType::bf16);
}

}  // namespace

Book::Book(const hardware::Cluster& cluster, const LibraryChoice& libraries,
           const model::Precision& precision, std::optional<Roofline> roofline,
           const KernelRates& rates)
    : cluster_(&cluster), roofline_(roofline), rates_(rates) {
  for (const DataType type : {DataType::bf16, precision.activations}) {
    gemm_[index(type)] = coefficients("gemm", gemm_parameters(), libraries.gemm, facts(type).name);
  }
  if (!roofline_) {
    for (const DataType type : std::set{DataType::bf16, precision.activations}) {
      matrix_vector_[index(type)] = gemm_[index(type)];
      apply_matrix_vector_rates(matrix_vector_[index(type)].values, rates_);
      apply_gemm_rates(gemm_[index(type)].values, type, rates_);
    }
  }
  choose_prefill_type(libraries.attention, precision.kv_cache);
  decode_ = coefficients("attention_decode", attention_decode_parameters(), libraries.attention,
                         facts(precision.kv_cache).name);
  apply_split(decode_.values, rates_);
  elementwise_ =
      coefficients("elementwise", elementwise_parameters(), libraries.elementwise, "bf16");
  if (!roofline_ && !rates_.quantizes_in_product && facts(precision.activations).bits < 16) {
    leave_out_quantization(gemm_[index(precision.activations)].values,
                           elementwise({ElementwiseKind::quantize, 1, 1}).latency_s);
  }
  scan_ = coefficients("state_space_scan", state_space_scan_parameters(), "", "bf16");
  state_update_ = coefficients("state_space_update", state_space_update_parameters(), "", "bf16");
  for (std::size_t i = 0; i < collectives_.size(); ++i) {
    const std::string& library = i == 0 ? libraries.all_reduce : libraries.collective;
    collectives_[i] = coefficients(
        kCollectiveNames[i], collective_parameters(static_cast<CollectiveOp>(i)), library, "any");
  }
  library_all_reduce_ = coefficients("all_reduce", collective_parameters(CollectiveOp::all_reduce),
                                     libraries.collective, "any");
  point_to_point_ =
      coefficients("send_recv", point_to_point_parameters(), libraries.collective, "any");
}

void Book::choose_prefill_type(const std::string& library, DataType kv_cache) {
  const auto of = [&](DataType type) {
    return coefficients("attention_prefill", attention_prefill_parameters(), library,
                        facts(type).name);
  };
  prefill_ = of(DataType::bf16);
  if (kv_cache == DataType::bf16 || roofline_) return;
  // With a quantised cache a library multiplies in the cache's type where it has such a kernel.
  ResolvedCoefficients quantised = of(kv_cache);
  if (quantised.provenance == Provenance::assumed) return;
  prefill_ = std::move(quantised);
  prefill_type_ = kv_cache;
}

ResolvedCoefficients Book::coefficients(std::string_view op, std::span<const Parameter> parameters,
                                        std::string_view library, std::string_view dtype) const {
  if (!roofline_) return resolve(cluster_->accelerator(), op, parameters, library, dtype);
  // A roofline takes only the counts of work from the models, which no coefficient changes.
  ResolvedCoefficients textbook;
  for (const Parameter& parameter : parameters) textbook.values.push_back(parameter.initial);
  return textbook;
}

KernelMachine Book::machine(double compute_units_free) const {
  return {cluster_->accelerator(), &cluster_->node,
          cluster_->network ? &*cluster_->network : nullptr, compute_units_free};
}

Cost Book::on_roofline(Cost cost, DataType dtype, double compute_units_free) const {
  const hardware::Accelerator& accelerator = cluster_->accelerator();
  const double compute_s =
      cost.flops / (peak(accelerator, dtype) * roofline_->matrix_share * compute_units_free);
  const double memory_s =
      cost.hbm_bytes / (accelerator.hbm_bandwidth_bytes_per_s * roofline_->hbm_share);
  cost.latency_s = roofline_->kernel_latency_s;
  cost.duration_s = cost.latency_s + std::max(compute_s, memory_s);
  cost.bound = compute_s > memory_s ? Bound::compute : Bound::memory;
  if (cost.latency_s > std::max(compute_s, memory_s)) cost.bound = Bound::latency;
  cost.provenance = Provenance::datasheet;
  return cost;
}

Cost Book::on_wire(Cost cost, double share) const {
  const double transfer_s = cost.duration_s / share;
  cost.latency_s = roofline_->collective_latency_s;
  cost.duration_s = cost.latency_s + transfer_s;
  cost.bound = cost.latency_s > transfer_s ? Bound::latency : Bound::network;
  cost.provenance = Provenance::datasheet;
  return cost;
}

Cost Book::gemm(const GemmShape& shape, double free) const {
  const bool tiled = roofline_ || shape.m > rates_.matrix_vector_rows;
  const ResolvedCoefficients& found = (tiled ? gemm_ : matrix_vector_)[index(shape.dtype)];
  Cost cost = price_gemm(shape, machine(free), found.values, found.provenance);
  if (!roofline_) return cost;
  const DataTypeFacts& stored = facts(shape.weight_dtype);
  const double weight_bits = roofline_->block_scales ? stored.bits_with_scale : stored.bits;
  cost.hbm_bytes = shape.m * shape.k * bytes_per_element(shape.dtype) +
                   shape.k * shape.n * weight_bits / 8 +
                   shape.m * shape.n * bytes_per_element(shape.output_dtype);
  const hardware::Accelerator& accelerator = cluster_->accelerator();
  cost.speed_of_light_s = std::max(cost.flops / peak(accelerator, shape.dtype),
                                   cost.hbm_bytes / accelerator.hbm_bandwidth_bytes_per_s);
  return on_roofline(cost, shape.dtype, free);
}

Cost Book::attention_prefill(AttentionPrefillShape shape, double free) const {
  shape.dtype = prefill_type_;
  const Cost cost =
      price_attention_prefill(shape, machine(free), prefill_.values, prefill_.provenance);
  return roofline_ ? on_roofline(cost, shape.dtype, free) : at_rate(cost, rates_.attention_prefill);
}

Cost Book::attention_decode(const AttentionDecodeShape& shape, double free) const {
  if (!roofline_ && rates_.decode == DecodeKernel::paged) {
    const PagedAttention kernel = paged_attention(decode_.values, rates_);
    return at_rate(price_paged_attention(shape, machine(free), kernel, decode_.provenance),
                   rates_.attention_decode);
  }
  const Cost cost =
      price_attention_decode(shape, machine(free), decode_.values, decode_.provenance);
  if (roofline_) return on_roofline(cost, DataType::bf16, free);
  if (rates_.shares_kv_heads) return at_rate(cost, rates_.attention_decode);
  AttentionDecodeShape apart = shape;
  apart.kv_heads = shape.q_heads;
  Cost repeated = price_attention_decode(apart, machine(free), decode_.values, decode_.provenance);
  repeated.speed_of_light_s = cost.speed_of_light_s;
  return at_rate(repeated, rates_.attention_decode);
}

Cost Book::scan(const StateSpaceShape& shape) const {
  const Cost cost = price_state_space_scan(shape, machine(), scan_.values, scan_.provenance);
  return roofline_ ? on_roofline(cost, shape.dtype, 1) : cost;
}

Cost Book::state_update(const StateSpaceShape& shape) const {
  const Cost cost =
      price_state_space_update(shape, machine(), state_update_.values, state_update_.provenance);
  return roofline_ ? on_roofline(cost, shape.dtype, 1) : cost;
}

Cost Book::elementwise(const ElementwiseShape& shape, double free) const {
  const Cost cost = fused_elementwise(shape, free);
  return roofline_ ? cost : at_rate(cost, rates_.elementwise);
}

Cost Book::fused_elementwise(const ElementwiseShape& shape, double free) const {
  const Cost cost =
      price_elementwise(shape, machine(free), elementwise_.values, elementwise_.provenance);
  return roofline_ ? on_roofline(cost, shape.dtype, free) : cost;
}

Cost Book::collective(const CollectiveShape& shape) const {
  if (roofline_) {
    const auto ideal = ideal_collective_coefficients(shape.op);
    const Cost cost = price_collective(shape, machine(), ideal, Provenance::datasheet).cost;
    return on_wire(cost, roofline_->link_share);
  }
  const ResolvedCoefficients& found = collectives_[static_cast<std::size_t>(shape.op)];
  const Cost cost = price_collective(shape, machine(), found.values, found.provenance).cost;
  if (shape.op != CollectiveOp::all_reduce) return cost;
  const ResolvedCoefficients& other = library_all_reduce_;
  const Cost fallback = price_collective(shape, machine(), other.values, other.provenance).cost;
  const Cost best = fallback.duration_s < cost.duration_s ? fallback : cost;
  return after_wait(at_whole_rate(best, rates_.all_reduce), rates_.all_reduce_wait_s);
}

Cost Book::point_to_point(double bytes, bool same_node) const {
  if (roofline_) {
    const auto ideal = ideal_point_to_point_coefficients();
    const Cost cost =
        price_point_to_point(bytes, same_node, machine(), ideal, Provenance::datasheet);
    return on_wire(cost, roofline_->p2p_share);
  }
  return price_point_to_point(bytes, same_node, machine(), point_to_point_.values,
                              point_to_point_.provenance);
}

Cost Book::copy(double bytes, bool same_node) const {
  if (roofline_ || !same_node) return point_to_point(bytes, same_node);
  return price_copy(bytes, cluster_->node);
}

}  // namespace tradewind::kernels
