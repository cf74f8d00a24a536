#include "sim/hardware/profile_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "sim/core/error.h"

namespace tradewind::hardware {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kExtension = ".json";

fs::path folder_of(ProfileKind kind, const fs::path& data) {
  return data / "hardware" / facts(kind).folder;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

fs::path existing_path(const Reference& reference) {
  fs::path path(reference.name);
  if (is_file(path)) return path;
  fs::path beside = fs::path(reference.file).parent_path() / path;
  if (path.is_relative() && is_file(beside)) return beside;
  throw InputError(reference.file, reference.pointer,
                   fmt::format("no file \"{}\"", reference.name));
}

}  // namespace

Reference reference_at(const json::Node& node) {
  return {node.string(), node.file(), node.pointer()};
}

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(kExtension);
}

std::vector<std::string> profile_names(ProfileKind kind, const fs::path& data) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder_of(kind, data), error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() == kExtension) names.push_back(at->path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path profile_path(ProfileKind kind, const Reference& reference, const fs::path& data) {
  if (is_path(reference.name)) return existing_path(reference);
  fs::path path = folder_of(kind, data) / (reference.name + std::string(kExtension));
  if (is_file(path)) return path;
  const std::vector<std::string> names = profile_names(kind, data);
  if (names.empty()) {
    throw InputError(
        reference.file, reference.pointer,
        fmt::format("no {} profiles in {}", facts(kind).word, folder_of(kind, data).string()));
  }
  throw InputError(reference.file, reference.pointer,
                   unknown_name(facts(kind).word, reference.name, names));
}

}  // namespace tradewind::hardware
