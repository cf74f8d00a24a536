#include "sim/lowering/region.h"

#include <algorithm>
#include <cmath>

namespace tradewind::lowering {
namespace {

using scenario::PeerOrder;
using scenario::Scenario;
using scenario::Transport;

/// Against a computation's 1. An engine of its own clock yields nothing to compute units.
double weight_of(Transport transport, const hardware::Contention& contention) {
  constexpr double kOwnEngine = 1e3;
  switch (transport) {
    case Transport::copy_engines:
      return kOwnEngine;
    case Transport::kernels_without_priority:
      return contention.unprioritised_weight;
    default:
      return contention.prioritised_weight;
  }
}

int nodes_of_group(const Scenario& scenario) {
  const int per_node = scenario.cluster->node.devices;
  return std::max(1, (scenario.plan.group() + per_node - 1) / per_node);
}

bool links_in_pairs(const Scenario& scenario) {
  return scenario.cluster->node.fabric == hardware::Fabric::full_mesh &&
         nodes_of_group(scenario) == 1;
}

ProgramShape program_shape(const Scenario& scenario, const Strategy& strategy, Pair pair) {
  const scenario::Overlap& overlap = scenario.plan.overlap;
  const int ranks = scenario.plan.group();
  ProgramShape shape{pair, ranks, overlap.slices, Exchange::ring, 1};
  if (shape.slices == 0) shape.slices = strategy.natural_slices(pair, ranks);
  const bool mesh = links_in_pairs(scenario);
  if (overlap.order == PeerOrder::pairwise || (overlap.order == PeerOrder::automatic && mesh)) {
    shape.exchange = Exchange::pairwise;
  }
  // On a mesh every peer has a link of its own; a port takes one message after the other.
  const bool direct = shape.exchange == Exchange::pairwise || pair == Pair::compute_exchange;
  if (mesh && direct) shape.lanes = ranks - 1;
  return shape;
}

bool sends_slices(const Program& program) {
  return std::any_of(program.begin(), program.end(),
                     [](const Op& op) { return op.kind == OpKind::send; });
}

/// One slice straight to one peer: read here, written there, by this device's counterpart too.
Kernel send(const Scenario& scenario, const kernels::Book& book, const PairSpec& pair,
            double bytes) {
  const bool same_node = nodes_of_group(scenario) == 1;
  kernels::Cost cost = scenario.plan.overlap.transport == Transport::copy_engines
                           ? book.copy(bytes, same_node)
                           : book.point_to_point(bytes, same_node);
  cost.hbm_bytes *= 2;
  return {pair.communication, cost};
}

/// Which share of a device's links one transfer drives.
double driven_links(const Scenario& scenario, bool sends) {
  const hardware::Node& node = scenario.cluster->node;
  if (node.fabric != hardware::Fabric::full_mesh) return 1;
  const int driven = sends ? 1 : scenario.plan.group() - 1;
  return std::min(1.0, static_cast<double>(driven) / (node.devices - 1));
}

std::vector<Kernel> kernels_in(const Segment& segment) {
  std::vector<Kernel> kernels;
  for (const Step& step : segment) kernels.push_back(std::get<Kernel>(step));
  return kernels;
}

double seconds_of(const std::vector<Kernel>& kernels) {
  double seconds = 0;
  for (const Kernel& kernel : kernels) seconds += kernel.cost.duration_s;
  return seconds;
}

void set_contention(Region& region, const Scenario& scenario, const PairSpec& pair, double rows) {
  const hardware::Accelerator& accelerator = scenario.cluster->accelerator();
  const hardware::Contention& contention = accelerator.contention;
  region.hbm_bytes_per_s = accelerator.hbm_bandwidth_bytes_per_s;
  region.link_bytes_per_s = scenario.cluster->node.link_bandwidth_bytes_per_s;
  if (scenario.runtime->costs == scenario::CostSource::roofline) return;
  const double share =
      region.copy_engines ? contention.copy_engine_power_share : contention.collective_power_share;
  region.power_share = share * driven_links(scenario, sends_slices(region.program));
  region.transfer_weight = weight_of(scenario.plan.overlap.transport, contention);
  const double held = region.transfer.cost.compute_unit_share;
  if (held <= 0) return;
  const double crowded = seconds_of(kernels_in(pair.compute(rows, 1 - held)));
  region.units_taken = std::max(0.0, 1 - seconds_of(region.compute) / crowded);
}

/// The computation of `rows` of the pair's rows. Where slices run on several streams, one's last
/// wave is filled by the next one: each takes its part of what all rows take.
std::vector<Kernel> slice_kernels(const Scenario& scenario, const PairSpec& pair, double rows) {
  std::vector<Kernel> slice = kernels_in(pair.compute(rows, 1));
  if (!scenario.runtime->training.slices_fill_waves || rows >= pair.rows) return slice;
  const double slices = std::ceil(pair.rows / rows);  // the last one is padded
  const std::vector<Kernel> whole = kernels_in(pair.compute(rows * slices, 1));
  for (std::size_t i = 0; i < slice.size(); ++i) {
    kernels::Cost cost = slice[i].cost;
    const double work = whole[i].cost.duration_s - whole[i].cost.latency_s;
    const double part = cost.latency_s + work / slices;
    cost.duration_s = std::max(std::min(cost.duration_s, part), cost.speed_of_light_s);
    slice[i] = Kernel(slice[i].kind, cost);
  }
  return slice;
}

/// `rows` of the pair in one transfer and one computation.
std::shared_ptr<const Region> make_region(const Scenario& scenario, const kernels::Book& book,
                                          const Strategy& strategy, const ProgramShape& shape,
                                          const PairSpec& pair, double rows, double rows_computed) {
  Program program = strategy.program(shape, 0);
  const bool sends = sends_slices(program);
  Region region(sends ? send(scenario, book, pair, rows * pair.bytes_per_row)
                      : pair_collective(scenario, book, pair, rows));
  region.strategy = &strategy;
  region.shape = shape;
  region.program = std::move(program);
  region.compute = slice_kernels(scenario, pair, rows_computed);
  if (pair.add_columns > 0 && sends) {
    region.add.emplace_back(KernelKind::residual_add,
                            book.elementwise({kernels::ElementwiseKind::residual_add, rows,
                                              pair.add_columns, DataType::bf16}));
  }
  const bool calibrated = scenario.runtime->costs == scenario::CostSource::calibrated;
  if (calibrated) region.barrier = Time::from_seconds(scenario.cluster->node.link_latency_s);
  region.copy_engines = sends && scenario.plan.overlap.transport == Transport::copy_engines;
  set_contention(region, scenario, pair, rows_computed);
  return std::make_shared<const Region>(std::move(region));
}

}  // namespace

std::size_t Region::launches() const {
  std::size_t count = 0;
  for (const Op& op : program) {
    if (op.kind == OpKind::compute) count += compute.size();
    if (op.kind == OpKind::add) count += add.size();
    if (op.kind == OpKind::send || op.kind == OpKind::collective) ++count;
  }
  return count;
}

std::vector<RegionKernel> kernels_of(const Region& region) {
  int computes = 0, adds = 0, transfers = 0;
  for (const Op& op : region.program) {
    if (op.kind == OpKind::compute) ++computes;
    if (op.kind == OpKind::add) ++adds;
    if (op.kind == OpKind::send || op.kind == OpKind::collective) ++transfers;
  }
  std::vector<RegionKernel> kernels;
  for (const Kernel& kernel : region.compute) kernels.push_back({&kernel, computes});
  for (const Kernel& kernel : region.add) kernels.push_back({&kernel, adds});
  kernels.push_back({&region.transfer, transfers});
  return kernels;
}

kernels::CollectiveOp operation_of(KernelKind kind) {
  switch (kind) {
    case KernelKind::all_gather:
      return kernels::CollectiveOp::all_gather;
    case KernelKind::reduce_scatter:
      return kernels::CollectiveOp::reduce_scatter;
    case KernelKind::all_to_all:
      return kernels::CollectiveOp::all_to_all;
    default:
      return kernels::CollectiveOp::all_reduce;
  }
}

Kernel pair_collective(const Scenario& scenario, const kernels::Book& book, const PairSpec& pair,
                       double rows) {
  return {pair.communication,
          book.collective({operation_of(pair.communication), scenario.plan.group(),
                           nodes_of_group(scenario), rows * pair.bytes_per_row})};
}

void add_pair(Segment& segment, const Scenario& scenario, const kernels::Book& book,
              const PairSpec& pair, scenario::OverlapSite site) {
  const scenario::Overlap& overlap = scenario.plan.overlap;
  const Strategy& strategy = find_strategy(overlap.strategy);
  const ProgramShape shape = program_shape(scenario, strategy, pair.pair);
  if (overlap.takes_apart() && overlap.covers(site) && pair.rows >= shape.slices) {
    const double rows = std::ceil(pair.rows / shape.slices);
    segment.emplace_back(make_region(scenario, book, strategy, shape, pair, rows, rows));
    return;
  }
  Segment compute = pair.compute(pair.rows, 1);
  if (pair.pair == Pair::gather_compute) {
    segment.emplace_back(pair_collective(scenario, book, pair, pair.rows));
  }
  segment.insert(segment.end(), compute.begin(), compute.end());
  if (pair.pair != Pair::gather_compute) {
    segment.emplace_back(pair_collective(scenario, book, pair, pair.rows));
  }
}

std::shared_ptr<const Region> make_beside(const Scenario& scenario, const kernels::Book& book,
                                          const PairSpec& pair) {
  const bool sends = scenario.plan.overlap.transport == Transport::copy_engines;
  const int ranks = scenario.plan.group();
  const int lanes = sends && links_in_pairs(scenario) ? ranks - 1 : 1;
  const ProgramShape shape{pair.pair, ranks, 1, Exchange::pairwise, lanes};
  return make_region(scenario, book, beside(sends), shape, pair,
                     sends ? std::ceil(pair.rows / ranks) : pair.rows, pair.rows);
}

}  // namespace tradewind::lowering
