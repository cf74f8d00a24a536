#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tradewind::scenario {

/// Microseconds of "2023-11-16 18:15:46.6805900" (and with 'T', 'Z' or an offset such as +00:00)
/// since 1970; none for other text.
std::optional<std::int64_t> date_us(std::string_view text);

}  // namespace tradewind::scenario
