#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/catch.h"

/// Runs the built program as a person would, from a folder of its own.
namespace tradewind::testing {

struct Outcome {
  int exit_code = -1;
  std::string out, error;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder that goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tradewind-XXXXXX").string();
    if (!::mkdtemp(name.data())) std::abort();
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }

  /// `arguments` as a shell would read them.
  Outcome run(const std::string& arguments) const {
    const std::string out = (path_ / ".out").string(), error = (path_ / ".error").string();
    const std::string command = "cd '" + path_.string() + "' && " TRADEWIND_PROGRAM " " +
                                arguments + " >'" + out + "' 2>'" + error + "' </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, slurp(out), slurp(error)};
  }

 private:
  std::filesystem::path path_;
};

/// Bad input: exit code 2, nothing on stdout, one line on stderr.
inline void check_refused(const Outcome& outcome, const std::string& says) {
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(std::count(outcome.error.begin(), outcome.error.end(), '\n') == 1);
  CHECK_THAT(outcome.error, Catch::Matchers::Contains(says));
}

inline const std::string kScenario =
    R"({"model": "llama-3.1-8b", "cluster": "h100-8", "precision": "bf16", "runtime": "vllm",
  "plan": {"tp": 2}, "workload": {"kind": "static_batch", "batch": 4, "input_tokens": 64, "output_tokens": 8}})";

}  // namespace tradewind::testing
