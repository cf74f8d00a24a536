#include "sim/core/file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
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

void write_file(const fs::path& path, std::string_view text) {
  if (path == "-") {
    std::cout << text << std::flush;
    return;
  }
  // The process id keeps two runs that write the same file out of each other's temporary.
  fs::path temporary = path;
  temporary += fmt::format(".tmp{}", ::getpid());
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  if (!out) {
    throw InputError(path.string(), "", fmt::format("can't write: {}", std::strerror(errno)));
  }
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  std::error_code error;
  if (out) fs::rename(temporary, path, error);
  if (!out || error) {
    const std::string why = error ? error.message() : "the disk is full or failed";
    fs::remove(temporary, error);
    throw InputError(path.string(), "", "can't write: " + why);
  }
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
