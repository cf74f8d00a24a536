#pragma once

#include <string>

#include "sim/report/html.h"
#include "sim/workload/result.h"

namespace tradewind::report {

/// One training step as an HTML page that needs no other file, no network and no script: what came
/// out, the schedule as the engine ran it (stages x time), what each kind of communication adds,
/// memory by stage, where the time goes. Parts that an infeasible plan has not are left out.
std::string training_page(const scenario::Scenario& scenario, const workload::Result& result,
                          const ReportOrigin& origin);

}  // namespace tradewind::report
