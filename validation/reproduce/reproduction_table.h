#pragma once

#include <string>
#include <string_view>

#include "validation/reproduce/reproduction.h"
#include "validation/reproduce/solve_rates.h"

namespace tradewind::validation {

/// Published beside simulated, for a terminal.
std::string reproduction_table(const Facts& facts, const Reproduction& reproduction);
/// The same as a Markdown table with what its marks mean.
std::string reproduction_markdown(const Facts& facts, const Reproduction& reproduction);
/// The rates and the residuals that they leave, for a terminal.
std::string solved_rates_table(const SolvedRates& rates);

/// `page` with what stands between the lines `<!-- generated: NAME -->` and
/// `<!-- end of NAME -->` replaced by `block`. Throws InputError when the lines are not there.
std::string with_generated_block(std::string_view page, const std::string& file,
                                 const std::string& name, std::string_view block);

}  // namespace tradewind::validation
