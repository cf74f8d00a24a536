#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tradewind {

/// The whole file (`-` is stdin). Throws InputError when it can't be read or is not a file.
std::string read_file(const std::filesystem::path& path);

/// Writes to a temporary name beside `path`, then renames: a reader sees the old file or the new
/// one, never a half. `-` is stdout. Throws InputError when the folder can't be written.
void write_file(const std::filesystem::path& path, std::string_view text);

struct OutputFile {
  std::filesystem::path path;
  std::string text;
};
/// All of them or none: every text is written to its temporary name before the first is renamed.
void write_files(const std::vector<OutputFile>& files);

/// Makes the folder (with its parents) and proves that a file can be written there; throws
/// InputError otherwise. Called before long work, not after it.
void make_output_folder(const std::filesystem::path& folder);

}  // namespace tradewind
