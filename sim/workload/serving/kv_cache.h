#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>

#include "sim/workload/serving/sequence.h"

namespace tradewind::workload {

/// The cache of one replica in blocks of `block_tokens` (PagedAttention, arXiv 2309.06180, section
/// 4). With prefix caching, whole blocks of a prefix that requests share are kept once: as long as
/// a sequence uses them, and after that until room is needed, least recently used first (a prefix
/// leaves as a whole).
class KvCache {
 public:
  /// `capacity_blocks` < 0: no bound (a model without attention).
  KvCache(std::int64_t capacity_blocks, int block_tokens, bool prefix_caching)
      : capacity_(capacity_blocks), block_tokens_(block_tokens), prefix_caching_(prefix_caching) {}

  std::int64_t blocks_for(std::int64_t tokens) const {
    return (tokens + block_tokens_ - 1) / block_tokens_;
  }
  std::int64_t capacity_blocks() const { return capacity_; }
  int block_tokens() const { return block_tokens_; }
  /// Could a sequence of so many tokens be held if it were alone?
  bool could_hold(std::int64_t tokens) const {
    return capacity_ < 0 || blocks_for(tokens) <= capacity_;
  }
  /// Not held by any sequence.
  std::int64_t free_blocks() const;
  std::int64_t used_blocks() const { return own_ + in_use_; }

  /// Tokens of the sequence's prompt that the cache has.
  std::int64_t found_prefix_tokens(const Sequence& sequence) const;
  /// Counts what the cache has of the sequence's prefix as computed. The last token of a prompt is
  /// always computed, as in vLLM.
  void find_prefix(Sequence& sequence);
  /// Gives the sequence blocks for `tokens`; false, and nothing changed, where they are not there.
  bool grow(Sequence& sequence, std::int64_t tokens) {
    const std::int64_t held = sequence.blocks + sequence.shared_blocks;
    return tokens <= held * block_tokens_ || take(sequence, blocks_for(tokens) - held, tokens);
  }
  void release(Sequence& sequence);

 private:
  struct Prefix {
    std::int32_t blocks = 0;
    std::int32_t users = 0;
    std::uint64_t last_use = 0;
  };
  bool take(Sequence& sequence, std::int64_t more, std::int64_t tokens);
  void use(Sequence& sequence, Prefix& prefix, std::int32_t blocks);
  void make_room(std::int64_t blocks);
  bool shares(const Sequence& sequence) const { return prefix_caching_ && sequence.prefix >= 0; }

  std::int64_t capacity_;
  int block_tokens_;
  bool prefix_caching_;
  std::int64_t own_ = 0;     ///< held by one sequence each
  std::int64_t in_use_ = 0;  ///< of prefixes with users
  std::int64_t idle_ = 0;    ///< of prefixes without
  std::unordered_map<std::int32_t, Prefix> prefixes_;
  std::set<std::pair<std::uint64_t, std::int32_t>> idle_by_use_;
  std::uint64_t uses_ = 0;
};

}  // namespace tradewind::workload
