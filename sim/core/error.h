#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tradewind {

/// Bad input from a person: names the file (or `--set`, `-` ...), the JSON pointer inside it, and
/// what was found against what is allowed, all in one line. The command line turns it into exit 2.
class InputError : public std::runtime_error {
 public:
  InputError(std::string file, std::string pointer, std::string message);

  const std::string& file() const { return file_; }
  const std::string& pointer() const { return pointer_; }
  const std::string& message() const { return message_; }

 private:
  std::string file_, pointer_, message_;
};

/// The candidate closest to `word` by edit distance, or empty when none is close enough to be
/// what the writer meant (more than a third of the word differs).
std::string_view nearest_name(std::string_view word, std::span<const std::string> candidates);
/// The same with at most `farthest` letters to insert, delete or replace.
std::string_view nearest_name(std::string_view word, std::span<const std::string> candidates,
                              std::size_t farthest);

/// `"tpp" is unknown; did you mean "tp"? (known: dp, pp, tp)`, for messages about names.
std::string unknown_name(std::string_view what, std::string_view word,
                         std::span<const std::string> candidates);

}  // namespace tradewind
