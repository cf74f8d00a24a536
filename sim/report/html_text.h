#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tradewind::report {

/// Text that may stand in HTML, in an attribute too.
std::string escaped(std::string_view text);

/// The template with each `{{name}}` replaced; what is put in is not looked at again.
std::string filled(std::string_view page,
                   const std::vector<std::pair<std::string_view, std::string>>& parts);

}  // namespace tradewind::report
