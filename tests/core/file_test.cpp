#include "sim/core/file.h"

#include <unistd.h>

#include "sim/core/error.h"
#include "tests/catch.h"

using namespace tradewind;
namespace fs = std::filesystem;

namespace {

/// An empty folder of its own, gone with the test.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("tradewind-file-test-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

}  // namespace

TEST_CASE("several files are written all or none") {
  const Folder folder;
  const fs::path first = folder.path / "a.html", second = folder.path / "b.json";
  write_files({{first, "page"}, {second, "trace"}});
  CHECK(read_file(first) == "page");
  CHECK(read_file(second) == "trace");

  const fs::path third = folder.path / "c.html";
  CHECK_THROWS_AS(write_files({{third, "page"}, {folder.path / "none" / "d.json", "trace"}}),
                  InputError);
  CHECK_FALSE(fs::exists(third));
  // Nothing under a temporary name either.
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 2);
}
