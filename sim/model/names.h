#pragma once

#include <string>
#include <vector>

namespace tradewind::model {

/// The `name`s of a table, for messages that list them.
template <typename Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  names.reserve(table.size());
  for (const auto& row : table) names.emplace_back(row.name);
  return names;
}

}  // namespace tradewind::model
