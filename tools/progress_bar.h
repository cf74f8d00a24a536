#pragma once

#include <cstddef>
#include <string>

namespace tradewind::tools {

/// One line on a terminal, nothing elsewhere.
class ProgressBar {
 public:
  /// Of `what` there are so many.
  explicit ProgressBar(std::string what);
  void show(std::size_t done, std::size_t all);

 private:
  std::string what_;
  bool is_terminal_;
};

}  // namespace tradewind::tools
