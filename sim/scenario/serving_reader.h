#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/json/reader.h"
#include "sim/scenario/catalogue.h"
#include "sim/scenario/serving.h"

namespace tradewind::scenario {

/// The workload kind `serving` (interface.md), `kind` itself read already. `requests` is drawn
/// (`count`, `input_tokens`, `output_tokens`, and shared prefixes by `prefix_groups` and
/// `prefix_tokens`), a data set's (`dataset`; `count` default all of it) or a file's (`file`,
/// relative to the scenario's folder; `count` default all). `arrival` defaults to a burst, as
/// vLLM's benchmark sends; `scheduler` is a name or an object.
Serving read_serving(json::ObjectReader& reader, Catalogue& catalogue);

/// In the form that `read_serving` takes; scheduler options that are the runtime's stay out.
nlohmann::ordered_json to_json(const Serving& serving);

}  // namespace tradewind::scenario
