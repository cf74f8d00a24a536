#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/scenario/overlap_sites.h"
#include "sim/scenario/pass_tokens.h"
#include "sim/workload/limits.h"
#include "sim/workload/run.h"
#include "sim/workload/schedule.h"
#include "tests/catch.h"
#include "tests/workload/random_scenario.h"

/// More hardware is never slower and more tokens are never faster, over random scenarios.
///
/// Without overlap a run is a max-plus map of its kernels' times (chain.h, pipeline.h), which is
/// monotone: kernels that are monotone, each for itself, make a run that is. A strategy that takes
/// pairs apart keeps this as long as nothing is shared: every stream runs its tasks in a fixed
/// order. Sharing breaks it, as on silicon: a transfer on a faster link asks for more of the HBM
/// bandwidth, the compute units and the power at once, and may meet a kernel on the critical path
/// that it would have missed, while what it gains elsewhere hides anyway (a multiprocessor anomaly,
/// Graham, SIAM J. Appl. Math. 17, 1969). So there the time without contention is monotone, and the
/// time with it grows by no more than the contention that pass_limits reports.
using namespace tradewind;
using namespace tradewind::testing;
using scenario::Scenario;

namespace {

/// Figures whose growth is an improvement, as override paths, with what the profiles say.
std::map<std::string, double> improvable(const Scenario& scenario) {
  const hardware::Cluster& cluster = *scenario.cluster;
  const hardware::Accelerator& accelerator = cluster.accelerator();
  std::map<std::string, double> figures = {
      {"accelerator.hbm_bandwidth_bytes_per_s", accelerator.hbm_bandwidth_bytes_per_s},
      {"link.bandwidth_bytes_per_s", cluster.node.link_bandwidth_bytes_per_s}};
  for (const DataType type :
       {DataType::bf16, scenario.precision.activations, scenario.precision.kv_cache}) {
    const double peak = accelerator.peak(type);
    if (peak > 0) figures[fmt::format("accelerator.peak_flops_per_s.{}", to_string(type))] = peak;
  }
  if (const auto& network = cluster.network) {
    figures["network.nic.bandwidth_bytes_per_s"] =
        network->bandwidth_per_node_bytes_per_s / network->nics_per_node;
  }
  return figures;
}

struct Contended {
  Time alone;       ///< without what transfers and computations take from each other
  Time contention;  ///< that, added
};

std::vector<Contended> passes_of(const Scenario& scenario) {
  std::vector<Contended> passes;
  for (const workload::PassLimits& limits : workload::pass_limits(scenario)) {
    Contended pass;
    for (const workload::Limit limit :
         {workload::Limit::compute_units, workload::Limit::hbm, workload::Limit::power}) {
      pass.contention += limits.beyond[static_cast<std::size_t>(limit)];
    }
    pass.alone = limits.total() - pass.contention;
    passes.push_back(pass);
  }
  return passes;
}

void check_passes(const std::vector<Contended>& less, const std::vector<Contended>& more) {
  REQUIRE(less.size() <= more.size());
  for (std::size_t i = 0; i < less.size(); ++i) {
    CHECK(less[i].alone <= more[i].alone);
    CHECK(less[i].contention >= Time{});
  }
}

/// To the picosecond: times are integers, and rounding is monotone too.
void check_runs(const Scenario& less, const Scenario& more) {
  CHECK(*workload::run(less).metrics.makespan_ms <= *workload::run(more).metrics.makespan_ms);
}

/// `less` has less to do, or more to do it with.
void check_never_slower(const Scenario& less, const Scenario& more) {
  if (less.plan.overlap.takes_apart()) {
    check_passes(passes_of(less), passes_of(more));
  } else {
    check_runs(less, more);
  }
}

/// Every pass of `fewer` has its counterpart in `more`, at least as large. Else the runtime packs
/// other sequences together (fewer fit into its token budget), and fuller or emptier waves of tiles
/// can outweigh the tokens.
bool same_packing(const Scenario& fewer, const Scenario& more) {
  const auto* less = std::get_if<scenario::StaticBatch>(&fewer.workload);
  if (!less) return true;
  const auto small = workload::nano_batches(fewer, *less);
  const auto large = workload::nano_batches(more, std::get<scenario::StaticBatch>(more.workload));
  for (std::size_t n = 0; n < small.size(); ++n) {
    for (std::size_t i = 0; i < small[n].prefill.size(); ++i) {
      if (n >= large.size() || i >= large[n].prefill.size()) return false;
      const lowering::PassShape &a = small[n].prefill[i], &b = large[n].prefill[i];
      if (a.sequences > b.sequences || a.new_tokens > b.new_tokens) return false;
    }
  }
  return true;
}

/// With fewer tokens than slices a pass runs as without overlap.
bool always_sliced(const Scenario& scenario) {
  const auto passes = scenario::pass_tokens(scenario);
  return !scenario.plan.overlap.takes_apart() ||
         std::all_of(passes.begin(), passes.end(), [&](const scenario::PassTokens& pass) {
           return pass.tokens >= scenario::slice_count(scenario.plan);
         });
}

}  // namespace

TEST_CASE("more bandwidth, FLOP/s or link is never slower") {
  std::mt19937_64 random(5);
  for (int draw = 0; draw < 150; ++draw) {
    const nlohmann::json document = random_scenario(random);
    const Scenario scenario = read(document);
    for (const auto& [path, value] : improvable(scenario)) {
      const double better = value * between(random, 1.001, 4);
      INFO(document.dump() << "\nwith " << path << " " << better);
      check_never_slower(read(with(document, "cluster.override." + path, better)), scenario);
    }
  }
}

TEST_CASE("more tokens are never faster") {
  std::mt19937_64 random(6);
  int compared = 0;
  for (int draw = 0; draw < 400; ++draw) {
    const nlohmann::json document = random_scenario(random);
    const Scenario scenario = read(document);
    if (!always_sliced(scenario)) continue;
    for (const std::string of : {"batch", "input_tokens", "output_tokens", "sequence_length"}) {
      if (!document["workload"].contains(of)) continue;
      const int count = document["workload"][of];
      const int larger = std::max(count + 1, static_cast<int>(count * between(random, 1, 3)));
      const Scenario more = read(with(document, "workload." + of, larger));
      if (!same_packing(scenario, more) || !scenario::structural_reason(more).empty()) continue;
      INFO(document.dump() << "\nwith " << larger << " " << of);
      check_never_slower(scenario, more);
      ++compared;
    }
  }
  CHECK(compared > 500);
}
