#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

namespace tradewind {

/// A moment or a duration of simulated time in integer picoseconds: sums are exact and ties are
/// ties, so that a run gives the same bits on any machine. The range is about 106 days.
struct Time {
  std::int64_t ps = 0;

  /// Nearest picosecond. `seconds` beyond the range saturates (an absurd input must stay absurd,
  /// not wrap around to something plausible).
  static Time from_seconds(double seconds) {
    const double ps = seconds * 1e12;
    constexpr double kLimit = 9.2e18;
    if (!(ps < kLimit)) return max();
    if (ps < -kLimit) return Time{std::numeric_limits<std::int64_t>::min()};
    return Time{std::llround(ps)};
  }
  static constexpr Time max() { return Time{std::numeric_limits<std::int64_t>::max()}; }

  constexpr double seconds() const { return static_cast<double>(ps) * 1e-12; }
  constexpr double milliseconds() const { return static_cast<double>(ps) * 1e-9; }
  constexpr double microseconds() const { return static_cast<double>(ps) * 1e-6; }

  constexpr auto operator<=>(const Time&) const = default;
  constexpr Time& operator+=(Time other) { return *this = *this + other; }
  constexpr Time& operator-=(Time other) { return ps -= other.ps, *this; }
  /// Saturates as from_seconds does.
  friend constexpr Time operator+(Time a, Time b) {
    Time sum;
    if (!__builtin_add_overflow(a.ps, b.ps, &sum.ps)) return sum;
    return a.ps > 0 ? max() : Time{std::numeric_limits<std::int64_t>::min()};
  }
  friend constexpr Time operator-(Time a, Time b) { return Time{a.ps - b.ps}; }
  friend constexpr Time operator*(Time a, std::int64_t n) {
    Time product;
    if (!__builtin_mul_overflow(a.ps, n, &product.ps)) return product;
    return (a.ps > 0) == (n > 0) ? max() : Time{std::numeric_limits<std::int64_t>::min()};
  }
  friend constexpr Time operator*(std::int64_t n, Time a) { return a * n; }
};

}  // namespace tradewind
