#include "sim/workload/schedule.h"

#include <algorithm>

namespace tradewind::workload {
namespace {

using lowering::PassShape;
using lowering::Phase;

std::vector<PassShape> prefill_passes(int sequences, int input_tokens, int budget) {
  std::vector<PassShape> passes;
  if (budget == 0) budget = sequences * input_tokens;
  if (input_tokens > budget) {
    for (int sequence = 0; sequence < sequences; ++sequence) {
      for (int done = 0; done < input_tokens;) {
        const int chunk = std::min(budget, input_tokens - done);
        done += chunk;
        passes.push_back({Phase::prefill, 1, chunk, done, done == input_tokens});
      }
    }
    return passes;
  }
  const int together = budget / input_tokens;
  for (int left = sequences; left > 0; left -= together) {
    passes.push_back({Phase::prefill, std::min(left, together), input_tokens, input_tokens, true});
  }
  return passes;
}

}  // namespace

std::vector<NanoBatch> nano_batches(const scenario::Scenario& scenario,
                                    const scenario::StaticBatch& batch) {
  const scenario::Plan& plan = scenario.plan;
  const bool paper = plan.kv_accounting == scenario::KvAccounting::paper;
  const int count =
      paper ? plan.nano_batch_count() : std::min(plan.nano_batch_count(), batch.batch);
  std::vector<NanoBatch> nanos;
  for (int i = 0; i < count; ++i) {
    const int sequences = paper ? batch.batch : batch.batch / count + (i < batch.batch % count);
    nanos.push_back({sequences, prefill_passes(sequences, batch.input_tokens,
                                               scenario.runtime->max_num_batched_tokens)});
  }
  return nanos;
}

}  // namespace tradewind::workload
