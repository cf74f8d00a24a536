#include "sim/workload/serving/kv_cache.h"

#include <algorithm>
#include <limits>

namespace tradewind::workload {

std::int64_t KvCache::free_blocks() const {
  if (capacity_ < 0) return std::numeric_limits<std::int64_t>::max();
  return capacity_ - own_ - in_use_;
}

void KvCache::use(Sequence& sequence, Prefix& prefix, std::int32_t blocks) {
  if (sequence.shared_blocks == 0) {
    if (prefix.users == 0 && prefix.blocks > 0) {
      idle_by_use_.erase({prefix.last_use, sequence.prefix});
      idle_ -= prefix.blocks;
      in_use_ += prefix.blocks;
    }
    ++prefix.users;
  }
  sequence.shared_blocks += blocks;
}

std::int64_t KvCache::found_prefix_tokens(const Sequence& sequence) const {
  // What comes with its cache from a prefill pool has it already.
  if (!shares(sequence) || sequence.computed > 0) return 0;
  const auto known = prefixes_.find(sequence.prefix);
  if (known == prefixes_.end()) return 0;
  const std::int32_t most = (sequence.length() - 1) / block_tokens_;
  return std::min({known->second.blocks, sequence.prefix_tokens / block_tokens_, most}) *
         std::int64_t{block_tokens_};
}

void KvCache::find_prefix(Sequence& sequence) {
  const auto found = static_cast<std::int32_t>(found_prefix_tokens(sequence));
  if (found == 0) return;
  use(sequence, prefixes_[sequence.prefix], found / block_tokens_);
  sequence.computed = found;
}

bool KvCache::take(Sequence& sequence, std::int64_t more, std::int64_t tokens) {
  if (more > free_blocks()) return false;
  make_room(more);
  if (shares(sequence)) {
    const std::int64_t whole =
        std::min<std::int64_t>(sequence.prefix_tokens, tokens) / block_tokens_;
    Prefix& prefix = prefixes_[sequence.prefix];
    // Whoever computes a block of the prefix first shares it.
    if (prefix.blocks == sequence.shared_blocks && whole > prefix.blocks) {
      const auto added = static_cast<std::int32_t>(std::min(whole - prefix.blocks, more));
      use(sequence, prefix, added);
      prefix.blocks += added;
      in_use_ += added;
      more -= added;
    }
  }
  sequence.blocks += static_cast<std::int32_t>(more);
  own_ += more;
  return true;
}

void KvCache::release(Sequence& sequence) {
  own_ -= sequence.blocks;
  sequence.blocks = 0;
  if (sequence.shared_blocks == 0) return;
  sequence.shared_blocks = 0;
  Prefix& prefix = prefixes_[sequence.prefix];
  if (--prefix.users > 0) return;
  prefix.last_use = ++uses_;
  idle_by_use_.insert({prefix.last_use, sequence.prefix});
  in_use_ -= prefix.blocks;
  idle_ += prefix.blocks;
}

void KvCache::make_room(std::int64_t blocks) {
  while (capacity_ >= 0 && capacity_ - own_ - in_use_ - idle_ < blocks) {
    const auto oldest = idle_by_use_.begin();
    const auto evicted = prefixes_.find(oldest->second);
    idle_ -= evicted->second.blocks;
    prefixes_.erase(evicted);
    idle_by_use_.erase(oldest);
  }
}

}  // namespace tradewind::workload
