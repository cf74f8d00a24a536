#pragma once

#include <string_view>

namespace tradewind::validation {

/// Parts of validation.html, from the folder assets/; cmake/embed.cmake writes their definitions.
std::string_view validation_html();
std::string_view validation_css();
std::string_view validation_js();

}  // namespace tradewind::validation
