#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json/reader.h"

namespace tradewind::hardware {

/// The three folders of hardware/.
enum class ProfileKind { accelerator, node, network };

struct ProfileKindFacts {
  std::string_view word;    ///< in messages
  std::string_view folder;  ///< under hardware/
};
inline constexpr std::array<ProfileKindFacts, 3> kProfileKinds = {{
    {"accelerator", "accelerators"},
    {"node", "nodes"},
    {"network", "networks"},
}};
constexpr const ProfileKindFacts& facts(ProfileKind kind) {
  return kProfileKinds[static_cast<std::size_t>(kind)];
}

/// A profile as a person names it, by name ("h100-8") or by path ("mine/h100.json": anything with
/// a slash or ending in .json), and where they wrote it, for messages and relative paths.
struct Reference {
  std::string name;
  std::string file;     ///< empty: the command line
  std::string pointer;  ///< JSON pointer inside `file`
};

/// Throws InputError when the node is not a string.
Reference reference_at(const json::Node& node);
bool is_path(std::string_view name);

/// Names in DATA/hardware/FOLDER, sorted. Empty when there is no such folder.
std::vector<std::string> profile_names(ProfileKind kind, const std::filesystem::path& data);

/// The file meant; a relative path counts from the current folder, else from the folder of the
/// file that names it. Throws InputError at the reference for a name that is unknown (with the
/// nearest) or a path without a file. `data` is the folder that holds hardware/.
std::filesystem::path profile_path(ProfileKind kind, const Reference& reference,
                                   const std::filesystem::path& data);

}  // namespace tradewind::hardware
