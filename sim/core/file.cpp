#include "sim/core/file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <iostream>
#include <iterator>

#include "sim/core/error.h"

namespace tradewind {
namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    throw InputError(path.string(), "", "is a folder, expected a file");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path.string(), "", fmt::format("can't read: {}", std::strerror(errno)));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) throw InputError(path.string(), "", "reading failed half-way");
  return text;
}

namespace {

/// A text on its way to `path`, under a temporary name: gone again if it isn't renamed.
class Pending {
 public:
  Pending(const fs::path& path, std::string_view text) : path_(path), temporary_(path) {
    // The process id keeps two runs that write the same file out of each other's temporary.
    temporary_ += fmt::format(".tmp{}", ::getpid());
    std::ofstream out(temporary_, std::ios::binary | std::ios::trunc);
    if (!out) fail(std::strerror(errno));
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out) fail("the disk is full or failed");
  }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending() { remove(); }

  void rename() {
    std::error_code error;
    fs::rename(temporary_, path_, error);
    if (error) fail(error.message());
  }

 private:
  void remove() const {
    std::error_code ignored;
    fs::remove(temporary_, ignored);
  }
  /// The destructor does not run where the constructor throws.
  [[noreturn]] void fail(const std::string& why) const {
    remove();
    throw InputError(path_.string(), "", "can't write: " + why);
  }

  fs::path path_, temporary_;
};

}  // namespace

void write_file(const fs::path& path, std::string_view text) {
  if (path == "-") {
    std::cout << text << std::flush;
    return;
  }
  Pending(path, text).rename();
}

void write_files(const std::vector<OutputFile>& files) {
  std::deque<Pending> pending;
  for (const OutputFile& file : files) pending.emplace_back(file.path, file.text);
  for (Pending& file : pending) file.rename();
}

void make_output_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) {
    throw InputError(folder.string(), "",
                     fmt::format("can't make this output folder: {}",
                                 error ? error.message() : "a file is in the way"));
  }
  const fs::path probe = folder / fmt::format(".tradewind-probe{}", ::getpid());
  if (!std::ofstream(probe)) {
    throw InputError(folder.string(), "",
                     fmt::format("can't write into this output folder: {}", std::strerror(errno)));
  }
  fs::remove(probe, error);
}

}  // namespace tradewind
