#include "sim/scenario/request_files/prefix_groups.h"

#include <algorithm>

namespace tradewind::scenario {
namespace {

constexpr std::int64_t kBlockTokens = 512;

}  // namespace

/// The request whose full blocks are the start of this one's, if no other has extended it.
std::int32_t PrefixGroups::continued_by(const Row& row) const {
  if (row.shared == 0) return -1;
  const std::int32_t before = blocks_.at(row.shared_block).last;
  if (before < 0) return -1;
  const bool repeats = row.shared == row.blocks;
  return repeats || !rows_[static_cast<std::size_t>(before)].is_extended ? before : -1;
}

void PrefixGroups::add(std::span<const std::int64_t> hashes, std::int64_t input_tokens) {
  const auto index = static_cast<std::int32_t>(rows_.size());
  const auto full = std::min(hashes.size(), static_cast<std::size_t>(input_tokens / kBlockTokens));
  Row row;
  row.blocks = static_cast<std::int32_t>(full);
  std::size_t shared = 0;
  while (shared < full && blocks_.contains(hashes[shared])) ++shared;
  row.shared = static_cast<std::int32_t>(shared);
  if (shared > 0) row.shared_block = hashes[shared - 1];
  for (std::size_t b = shared; b < full; ++b) blocks_.insert({hashes[b], Block{index}});
  row.continued = continued_by(row);
  if (row.continued >= 0) {
    Row& before = rows_[static_cast<std::size_t>(row.continued)];
    before.is_continued = true;
    before.is_extended = before.is_extended || shared < full;
  }
  if (shared < full) blocks_.at(hashes[full - 1]).last = index;
  rows_.push_back(row);
}

void PrefixGroups::assign(std::vector<Request>& requests) const {
  std::int32_t groups = 0;
  std::unordered_map<std::int64_t, std::int32_t> siblings;
  const auto join = [&](std::size_t request, std::int32_t group, std::int32_t blocks) {
    requests[request].prefix = group;
    requests[request].prefix_tokens = static_cast<std::int32_t>(blocks * kBlockTokens);
  };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    if (row.continued >= 0) {
      join(i, requests[static_cast<std::size_t>(row.continued)].prefix, row.blocks);
    } else if (row.is_continued) {
      join(i, groups++, row.blocks);
    } else if (row.shared > 0) {
      const auto [group, is_new] = siblings.emplace(row.shared_block, groups);
      join(i, group->second, row.shared);
      if (!is_new) continue;
      ++groups;
      const auto first = static_cast<std::size_t>(blocks_.at(row.shared_block).first);
      if (requests[first].prefix < 0) join(first, group->second, row.shared);
    }
  }
}

}  // namespace tradewind::scenario
