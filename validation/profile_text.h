#pragma once

#include <span>
#include <string>
#include <string_view>

#include "validation/calibration.h"

namespace tradewind::validation {

/// The accelerator profile `text` with its `kernels` member replaced: sets of the same (op,
/// library, dtype) give way to the new ones in place but leave them their `note`, the others stay,
/// new ones follow. Every other byte stays as it was. Throws InputError when the text is not a
/// profile.
std::string with_calibrated_kernels(std::string_view text, const std::string& file,
                                    std::span<const CalibratedSet> sets);

}  // namespace tradewind::validation
