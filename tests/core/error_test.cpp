#include "sim/core/error.h"

#include "tests/catch.h"

using namespace tradewind;

TEST_CASE("an error names file, place and complaint in one line") {
  CHECK(std::string(InputError("a.json", "/plan/tp", "found 0").what()) ==
        "a.json: /plan/tp: found 0");
  CHECK(std::string(InputError("", "", "no file").what()) == "no file");
}

TEST_CASE("the nearest name is what was meant, or nothing") {
  const std::vector<std::string> names = {"dp", "llama-3.1-405b", "llama-3.1-70b", "pp", "tp"};
  CHECK(nearest_name("llama3.1-70b", names) == "llama-3.1-70b");
  CHECK(nearest_name("LLAMA-3.1-70B", names) == "llama-3.1-70b");
  CHECK(nearest_name("tpp", names) == "tp");                // pp is as near, but begins otherwise
  CHECK(nearest_name("llama", names) == "llama-3.1-405b");  // begins so
  CHECK(nearest_name("gpt-4", names).empty());
  CHECK(nearest_name("tpp", names, 0).empty());
  CHECK(nearest_name(std::string(5000, 'x'), names).empty());
}

TEST_CASE("a long unknown word is shown shortened") {
  const std::vector<std::string> names = {"tp"};
  CHECK(unknown_name("key", std::string(1000, 'x'), names).size() < 120);
}
