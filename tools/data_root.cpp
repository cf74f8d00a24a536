#include "tools/data_root.h"

#include <fmt/core.h>

#include <cstdlib>
#include <system_error>

#include "sim/core/error.h"

namespace tradewind::tools {
namespace {

namespace fs = std::filesystem;

bool has_folder(const fs::path& root, const char* name) {
  std::error_code unreadable;
  return fs::is_directory(root / name, unreadable);
}

bool is_data_root(const fs::path& root) {
  return has_folder(root, "models") && has_folder(root, "hardware");
}

fs::path demanded(std::string_view root, std::string_view by) {
  if (is_data_root(root)) return fs::canonical(root);
  throw InputError(std::string(root), "",
                   fmt::format("{} must name a folder with models/ and hardware/ in it", by));
}

fs::path installed() {
  std::error_code unreadable;
  const fs::path program = fs::read_symlink("/proc/self/exe", unreadable);
  const fs::path prefix = program.parent_path().parent_path();
  return prefix / TRADEWIND_INSTALLED_DATA;
}

}  // namespace

fs::path find_data_root(std::string_view option) {
  if (!option.empty()) return demanded(option, "--data");
  const char* environment = std::getenv("TRADEWIND_DATA");
  if (environment != nullptr && *environment != '\0') {
    return demanded(environment, "TRADEWIND_DATA");
  }

  fs::path beside_program = installed();
  if (is_data_root(beside_program)) return beside_program;
  fs::path source = TRADEWIND_SOURCE_DATA;
  if (is_data_root(source)) return source;
  throw InputError(
      beside_program.string(), "",
      fmt::format("no data here nor in {}; give --data or set TRADEWIND_DATA", source.string()));
}

}  // namespace tradewind::tools
