#pragma once

#include <array>
#include <optional>
#include <string>

#include "sim/hardware/cluster.h"
#include "sim/kernels/coefficients.h"
#include "sim/kernels/kernel_rates.h"
#include "sim/kernels/operation.h"
#include "sim/model/precision.h"

namespace tradewind::kernels {

/// Which library's kernels to price, by the names of the kernel CSVs; empty = whichever the profile
/// has.
struct LibraryChoice {
  std::string gemm, attention, elementwise, all_reduce, collective;
};

/// Shares of the datasheet peaks and fixed latencies: prices without any fitted coefficient.
struct Roofline {
  double matrix_share = 1;
  double hbm_share = 1;
  double link_share = 1;  ///< of the links, by collectives
  double p2p_share = 1;   ///< of a pair's link, by single messages
  double kernel_latency_s = 0;
  double collective_latency_s = 0;
  bool block_scales = true;  ///< read the scales of microscaling weights
};

/// Prices kernels of one cluster as one runtime would run them. Built once a scenario; every price
/// is then a pure function without look-ups or allocation. The cluster must outlive the book.
class Book {
 public:
  /// Prices GEMMs in bf16 and `precision.activations`, and caches of `precision.kv_cache`, only.
  Book(const hardware::Cluster& cluster, const LibraryChoice& libraries,
       const model::Precision& precision, std::optional<Roofline> roofline,
       const KernelRates& rates = {});

  /// `compute_units_free`: the share of the device's units that no other kernel holds, (0, 1].
  Cost gemm(const GemmShape& shape, double compute_units_free = 1) const;
  /// In the cache's type where the library has been measured to (`shape.dtype` is not read).
  Cost attention_prefill(AttentionPrefillShape shape, double compute_units_free = 1) const;
  Cost attention_decode(const AttentionDecodeShape& shape, double compute_units_free = 1) const;
  /// The recurrence of a Mamba-2 layer, over chunks of tokens or for one new token a sequence.
  Cost scan(const StateSpaceShape& shape) const;
  Cost state_update(const StateSpaceShape& shape) const;
  Cost elementwise(const ElementwiseShape& shape, double compute_units_free = 1) const;
  /// The same of one fused kernel as the library has it, whatever the runtime does elsewhere.
  Cost fused_elementwise(const ElementwiseShape& shape, double compute_units_free = 1) const;
  /// All-reduce: by the runtime's own library or by the collective library, whichever is faster
  /// for the message (serving runtimes switch at a size threshold of that purpose).
  Cost collective(const CollectiveShape& shape) const;
  /// One message between two devices, in the same node or across the network.
  Cost point_to_point(double bytes, bool same_node) const;
  /// The same by a copy engine, which holds no compute units; the device must have some
  /// (`contention.copy_engine_efficiency` > 0). Across nodes, and on a roofline, as
  /// point_to_point: NICs read and write device memory by themselves.
  Cost copy(double bytes, bool same_node) const;

 private:
  Cost on_roofline(Cost cost, DataType dtype, double compute_units_free) const;
  Cost on_wire(Cost cost, double share) const;
  void choose_prefill_type(const std::string& library, DataType kv_cache);
  ResolvedCoefficients coefficients(std::string_view op, std::span<const Parameter> parameters,
                                    std::string_view library, std::string_view dtype) const;
  KernelMachine machine(double compute_units_free = 1) const;

  const hardware::Cluster* cluster_;
  std::optional<Roofline> roofline_;
  KernelRates rates_;
  std::array<ResolvedCoefficients, kDataTypeCount> gemm_;  ///< by arithmetic type
  std::array<ResolvedCoefficients, kDataTypeCount> matrix_vector_;
  ResolvedCoefficients prefill_;
  DataType prefill_type_ = DataType::bf16;
  ResolvedCoefficients decode_;
  ResolvedCoefficients elementwise_;
  ResolvedCoefficients scan_, state_update_;
  std::array<ResolvedCoefficients, 4> collectives_;  ///< by CollectiveOp, send_recv apart
  ResolvedCoefficients library_all_reduce_;          ///< the collective library's
  ResolvedCoefficients point_to_point_;
};

}  // namespace tradewind::kernels
