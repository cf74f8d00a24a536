#include "sim/core/csv.h"

#include "sim/core/error.h"
#include "tests/catch.h"

using tradewind::CsvRecord;
using tradewind::InputError;
using tradewind::parse_csv;
using Fields = std::vector<std::string>;

TEST_CASE("fields are split at commas and records at line ends of both kinds") {
  const auto records = parse_csv("a,b\r\n1,,3\n", "x.csv");
  REQUIRE(records.size() == 2);
  CHECK(records[0].fields == Fields{"a", "b"});
  CHECK(records[1].fields == Fields{"1", "", "3"});
  CHECK(records[1].line == 2);
}

TEST_CASE(
    "a quoted field keeps commas, line breaks and doubled quotes, and lines are still counted") {
  const auto records = parse_csv("\"a,b\",\"say \"\"hi\"\"\"\n\"two\nlines\",x\nlast", "x.csv");
  REQUIRE(records.size() == 3);
  CHECK(records[0].fields == Fields{"a,b", "say \"hi\""});
  CHECK(records[1].fields == Fields{"two\nlines", "x"});
  CHECK(records[2].line == 4);
  CHECK(records[2].fields == Fields{"last"});
}

TEST_CASE("a byte order mark and empty lines are passed over") {
  const auto records = parse_csv(
      "\xef\xbb\xbf"
      "a\n\n\nb\n",
      "x.csv");
  REQUIRE(records.size() == 2);
  CHECK(records[0].fields == Fields{"a"});
  CHECK(records[1].line == 4);
}

TEST_CASE("broken quotes are errors that name file and line") {
  CHECK_THROWS_WITH(parse_csv("a\n\"open", "x.csv"), "x.csv:2: a quoted field never ends");
  CHECK_THROWS_WITH(parse_csv("a\n\n\"b\"c", "x.csv"), "x.csv:3: text follows a closing quote");
}

TEST_CASE("an empty text has no records, a trailing comma an empty last field") {
  CHECK(parse_csv("", "x.csv").empty());
  CHECK(parse_csv("a,", "x.csv").at(0).fields == Fields{"a", ""});
}
