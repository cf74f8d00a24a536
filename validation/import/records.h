#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json/reader.h"

namespace tradewind::validation {

/// All that is left in the stream. Throws InputError when that is nothing but white space.
std::string read_text(std::istream& in, const std::string& file);

/// The records of a file that Python's `json` wrote: one document, or a document on every line
/// (then called `file:line`). Python's Infinity and NaN, which JSON does not have, become the
/// strings "inf" and "nan". Throws InputError for what is not JSON, cut short, or no object.
std::vector<json::Document> read_records(std::istream& in, const std::string& file);

/// A figure of at least 0; none when absent, null or "nan". Throws InputError where it stands.
std::optional<double> figure(const json::Node& object, std::string_view key);
/// The same where "inf" is an answer (the rate of requests that are all sent at once).
std::optional<double> figure_or_infinity(const json::Node& object, std::string_view key);
/// The figure that the record can't do without.
double required_figure(const json::Node& object, std::string_view key);
/// The member, which must be there.
json::Node member(const json::Node& object, std::string_view key);

}  // namespace tradewind::validation
