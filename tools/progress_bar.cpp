#include "tools/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

namespace tradewind::tools {

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)), is_terminal_(::isatty(STDERR_FILENO) != 0) {}

void ProgressBar::show(std::size_t done, std::size_t all) {
  if (!is_terminal_) return;
  constexpr std::size_t kWidth = 40;
  const std::size_t filled = all > 0 ? kWidth * done / all : kWidth;
  std::cerr << fmt::format("\r[{}{}] {}/{} {}", std::string(filled, '#'),
                           std::string(kWidth - filled, '.'), done, all, what_)
            << (done == all ? "\n" : "") << std::flush;
}

}  // namespace tradewind::tools
