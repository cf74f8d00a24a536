#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/scenario/scenario.h"

namespace tradewind::scenario {

enum class PassKind { prefill, decode, block };
inline constexpr std::array<std::string_view, 3> kPassNames = {"prefill pass", "decode step",
                                                               "block"};

/// How many tokens (rows of the linear layers) one forward pass of a replica carries.
struct PassTokens {
  PassKind kind;
  std::int64_t tokens;

  std::string_view name() const { return kPassNames[static_cast<std::size_t>(kind)]; }
};

/// The different sizes of the scenario's passes, prefill before decode, each size of a kind once.
/// Nano-batches share a batch out evenly; a prefill follows the runtime's `max_num_batched_tokens`:
/// whole sequences while they fit, a longer sequence in chunks. Serving's steps are of any size up
/// to its token budget: that one, and the most sequences that decode together.
std::vector<PassTokens> pass_tokens(const Scenario& scenario);

}  // namespace tradewind::scenario
