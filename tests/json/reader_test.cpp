#include "sim/json/reader.h"

#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "tests/catch.h"

using namespace tradewind;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

json::Document parse(const std::string& text) {
  return json::Document::parse(text, "f.json");
}

}  // namespace

TEST_CASE("broken JSON is one line with the place") {
  CHECK_THROWS_WITH(parse("{\"a\": 1,\n \"b\": }"), Contains("f.json: is not JSON: line 2"));
  CHECK_THROWS_WITH(parse(""), Contains("is not JSON"));
  CHECK_THROWS_WITH(parse("{\"a\": NaN}"), Contains("is not JSON"));
  CHECK_THROWS_WITH(parse("{\"a\": 1, \"a\": 2}"), Equals("f.json: member \"a\" is given twice"));
  CHECK_THROWS_WITH(parse(std::string(100000, '[')), Contains("nested deeper"));
  CHECK_THROWS_WITH(parse("{\"a\": 1e999}"), Contains("f.json"));
}

TEST_CASE("numbers outside their range say what is allowed") {
  const json::Document document = parse(
      R"({"big": 1e300, "edge": 9223372036854775808, "half": 1.5, "minus": -1, "whole": 64.0})");
  const json::Node root = document.root();
  CHECK_THROWS_WITH(root.find("big")->integer(1, 10),
                    Equals("f.json: /big: found 1e+300, expected an integer from 1 to 10"));
  CHECK_THROWS_WITH(root.find("edge")->integer(0, 1000), Contains("found 9223372036854775808"));
  CHECK_THROWS_WITH(root.find("half")->integer(0, 9), Contains("an integer from 0 to 9"));
  CHECK_THROWS_WITH(root.find("minus")->number(json::kPositive), Contains("a positive number"));
  CHECK(root.find("whole")->integer(1, 100) == 64);
}

TEST_CASE("a wrong type says what was found and what is expected") {
  const json::Document document = parse(R"({"a": "x", "b": {"c": []}})");
  const json::Node root = document.root();
  CHECK_THROWS_WITH(root.find("a")->number(), Equals("f.json: /a: found \"x\", expected a number"));
  CHECK_THROWS_WITH(root.find("b")->find("c")->string(),
                    Equals("f.json: /b/c: found an array, expected a string"));
  CHECK_THROWS_WITH(root.find("a")->boolean(), Contains("expected true or false"));
}

TEST_CASE("an unknown key is refused with the nearest known one") {
  const json::Document document = parse(R"({"tp": 1, "ppp": 2})");
  json::ObjectReader reader(document.root());
  CHECK(reader.integer("tp", 4, 1, 8) == 1);
  CHECK(reader.integer("pp", 4, 1, 8) == 4);
  CHECK_THROWS_WITH(
      reader.finish(),
      Equals("f.json: /ppp: unknown key \"ppp\"; did you mean \"pp\"? (known: pp, tp)"));
}

TEST_CASE("null counts as absent, and a required member must be there") {
  const json::Document document = parse(R"({"a": null})");
  json::ObjectReader reader(document.root());
  CHECK(reader.number("a", 3) == 3);
  CHECK_THROWS_WITH(reader.required("a"), Equals("f.json: /: needs a member \"a\""));
}

TEST_CASE("pointers escape what JSON pointers must") {
  CHECK(json::pointer_step("a/b~c") == "/a~1b~0c");
}
