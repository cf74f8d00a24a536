#include "sim/workload/serving/serving_run.h"

#include "sim/core/error.h"

namespace tradewind::workload {

void run_serving(const scenario::Scenario&, const scenario::Serving&, Result&) {
  throw InputError("", "/workload/kind", "serving is not built yet");
}

}  // namespace tradewind::workload
