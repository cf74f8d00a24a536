#include "sim/scenario/request_files/date.h"

#include <charconv>
#include <chrono>

namespace tradewind::scenario {
namespace {

/// Takes a number of `digits` digits and the character behind it off the front.
std::optional<int> take(std::string_view& text, std::size_t digits, std::string_view behind) {
  if (text.size() < digits) return std::nullopt;
  int number = 0;
  const char* end = text.data() + digits;
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end || number < 0) return std::nullopt;
  text.remove_prefix(digits);
  if (behind.empty()) return number;
  if (text.empty() || behind.find(text.front()) == std::string_view::npos) return std::nullopt;
  text.remove_prefix(1);
  return number;
}

/// Takes ".6805900" off the front, in microseconds.
std::int64_t take_fraction_us(std::string_view& text) {
  if (!text.starts_with('.')) return 0;
  text.remove_prefix(1);
  std::int64_t us = 0, unit = 100'000;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    us += unit * (text.front() - '0');
    unit /= 10;
    text.remove_prefix(1);
  }
  return us;
}

/// Minutes east of "+01:00"; 0 for "" and "Z".
std::optional<int> offset_minutes(std::string_view text) {
  if (text.empty() || text == "Z") return 0;
  const int sign = text.front() == '-' ? -1 : 1;
  if (text.front() != '+' && text.front() != '-') return std::nullopt;
  text.remove_prefix(1);
  const auto hours = take(text, 2, ":");
  const auto minutes = take(text, 2, "");
  if (!hours || !minutes || !text.empty()) return std::nullopt;
  return sign * (60 * *hours + *minutes);
}

}  // namespace

std::optional<std::int64_t> date_us(std::string_view text) {
  using namespace std::chrono;
  const auto year_number = take(text, 4, "-");
  const auto month_number = take(text, 2, "-");
  const auto day_number = take(text, 2, " T");
  const auto hour = take(text, 2, ":");
  const auto minute = take(text, 2, ":");
  const auto second = take(text, 2, "");
  if (!year_number || !month_number || !day_number || !hour || !minute || !second) {
    return std::nullopt;
  }
  const std::int64_t fraction_us = take_fraction_us(text);
  const auto offset = offset_minutes(text);
  const year_month_day date{year(*year_number), month(static_cast<unsigned>(*month_number)),
                            day(static_cast<unsigned>(*day_number))};
  if (!offset || !date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const std::int64_t days = sys_days(date).time_since_epoch().count();
  const std::int64_t minutes = (days * 24 + *hour) * 60 + *minute - *offset;
  return (minutes * 60 + *second) * 1'000'000 + fraction_us;
}

}  // namespace tradewind::scenario
