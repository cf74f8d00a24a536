#include "sim/scenario/request_files/request_file.h"

#include <unistd.h>

#include <fstream>

#include "sim/core/error.h"
#include "sim/scenario/request_files/date.h"
#include "tests/catch.h"

using namespace tradewind;
using Catch::Matchers::Contains;
using scenario::Request;
using scenario::RequestFile;

namespace {

/// A file of its own, whatever other tests run beside, gone at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("tradewind-request-file-" + std::to_string(getpid()))) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  RequestFile read() const { return scenario::read_request_file(path_); }

 private:
  std::filesystem::path path_;
};

RequestFile read(const std::string& text) {
  return TemporaryFile(text).read();
}

std::vector<std::int64_t> arrivals(const RequestFile& file) {
  std::vector<std::int64_t> all;
  for (const Request& request : file.requests) all.push_back(request.arrival_us);
  return all;
}

std::vector<std::pair<int, int>> lengths(const RequestFile& file) {
  std::vector<std::pair<int, int>> all;
  for (const Request& request : file.requests) {
    all.emplace_back(request.input_tokens, request.output_tokens);
  }
  return all;
}

using Lengths = std::vector<std::pair<int, int>>;
using Times = std::vector<std::int64_t>;

constexpr const char* kAzure = "TIMESTAMP,ContextTokens,GeneratedTokens\n";

}  // namespace

TEST_CASE("Azure's traces have dates with seven decimals, with or without an offset") {
  const RequestFile file = read(std::string("\xEF\xBB\xBF") + kAzure +
                                "2023-11-16 23:59:59.9799600,374,44\r\n"
                                "2023-11-17 00:00:00.5000000,396,109\r\n\r\n"
                                "2023-11-17 00:00:01+00:00,879,55\r\n");
  CHECK(file.has_arrivals);
  CHECK(arrivals(file) == Times{0, 520'040, 1'020'040});
  CHECK(lengths(file) == Lengths{{374, 44}, {396, 109}, {879, 55}});
}

TEST_CASE("dates become microseconds") {
  CHECK(scenario::date_us("1970-01-01 00:00:00") == 0);
  // 11016 days from 1970 to 2000-02-29: 30 years of 365 days, 7 leap days before 2000, 59 days.
  CHECK(scenario::date_us("2000-02-29T00:00:01.5Z") == (11016LL * 86400 + 1) * 1'000'000 + 500'000);
  CHECK(scenario::date_us("1970-01-01 01:00:00+01:00") == 0);
  for (const char* wrong : {"", "2023", "2023-13-01 00:00:00", "2023-02-29 00:00:00",
                            "2023-02-28 25:00:00", "2023-02-28 00:00:00 pm", "12.5"}) {
    CHECK_FALSE(scenario::date_us(wrong));
  }
}

TEST_CASE("BurstGPT's columns are found by name, its times are seconds") {
  const RequestFile file = read(
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
      "5,ChatGPT,472,18,490,Conversation log\n"
      "45.25,GPT-4,1087,230,1317,API log\n");
  CHECK(arrivals(file) == Times{0, 40'250'000});
  CHECK(lengths(file) == Lengths{{472, 18}, {1087, 230}});
}

TEST_CASE("an own file has its columns in any order, and times if it likes") {
  const RequestFile timed = read("output_tokens,arrival_s,input_tokens\n2,0.5,10\n4,0.75,30\n");
  CHECK(arrivals(timed) == Times{0, 250'000});
  CHECK(lengths(timed) == Lengths{{10, 2}, {30, 4}});
  const RequestFile untimed = read("input_tokens,output_tokens\n10,2\n");
  CHECK_FALSE(untimed.has_arrivals);
  CHECK(lengths(untimed) == Lengths{{10, 2}});
}

TEST_CASE("lists of lengths are an array or lines of objects") {
  const RequestFile array = read(
      "[ {\"prompt_len\": 10, \"output_len\": 2, \"id\": \"a\", \"more\": {\"output_len\": 9}},\n"
      "  {\"input_tokens\": 30, \"output_tokens\": 4} ]");
  CHECK_FALSE(array.has_arrivals);
  CHECK(lengths(array) == Lengths{{10, 2}, {30, 4}});
  const RequestFile lines = read(
      "{\"input_tokens\": 10, \"output_tokens\": 2, \"arrival_s\": 1}\n"
      "{\"input_tokens\": 30, \"output_tokens\": 4, \"arrival_s\": 1.5}\n");
  CHECK(arrivals(lines) == Times{0, 500'000});
}

TEST_CASE("Mooncake's conversations share all their blocks, siblings the ones before they part") {
  const auto line = [](int ms, int input, const std::string& hashes) {
    return "{\"timestamp\": " + std::to_string(ms) +
           ", \"input_length\": " + std::to_string(input) +
           ", \"output_length\": 5, \"hash_ids\": [" + hashes + "]}\n";
  };
  const RequestFile file = read(line(0, 1200, "1, 2, 3") +           // 0: two full blocks
                                line(3000, 2100, "1, 2, 4, 5, 6") +  // 1: continues 0
                                line(3001, 1024, "7, 8") +           // 2: first of its siblings
                                line(4000, 1024, "7, 9") +           // 3: parts after block 7
                                line(5000, 1024, "7, 10") +          // 4: and so does this
                                line(6000, 100, "11") +              // 5: no full block
                                line(7000, 2600, "1, 2, 4, 5, 12, 13") +  // 6: continues 1
                                line(8000, 512, "14"));                   // 7: alone
  CHECK(arrivals(file) ==
        Times{0, 3'000'000, 3'001'000, 4'000'000, 5'000'000, 6'000'000, 7'000'000, 8'000'000});
  const auto prefix = [&](std::size_t i) { return file.requests[i].prefix; };
  const auto tokens = [&](std::size_t i) { return file.requests[i].prefix_tokens; };
  CHECK((prefix(0) >= 0 && prefix(1) == prefix(0) && prefix(6) == prefix(0)));
  CHECK((tokens(0) == 2 * 512 && tokens(1) == 4 * 512 && tokens(6) == 5 * 512));
  CHECK((prefix(2) >= 0 && prefix(3) == prefix(2) && prefix(4) == prefix(2)));
  CHECK((tokens(2) == 512 && tokens(3) == 512 && tokens(4) == 512));
  CHECK(prefix(2) != prefix(0));
  CHECK((prefix(5) == -1 && prefix(7) == -1));
}

TEST_CASE("only one request continues a conversation: the second that does is a sibling") {
  const auto line = [](const std::string& hashes, int blocks) {
    return "{\"timestamp\": 0, \"input_length\": " + std::to_string(512 * blocks) +
           ", \"output_length\": 5, \"hash_ids\": [" + hashes + "]}\n";
  };
  const RequestFile file = read(line("1", 1) + line("1, 2", 2) + line("1, 3", 2) + line("1, 2", 2));
  const auto& requests = file.requests;
  CHECK(requests[1].prefix == requests[0].prefix);
  CHECK(requests[2].prefix != requests[0].prefix);
  CHECK(requests[2].prefix_tokens == 512);
  // The same prompt again is the conversation where it stood.
  CHECK((requests[3].prefix == requests[0].prefix && requests[3].prefix_tokens == 1024));
}

TEST_CASE("a request file that is wrong is refused with its line") {
  const std::string row = "2023-11-16 18:15:46,374,44\n";
  CHECK_THROWS_WITH(read(""), Contains("is empty"));
  CHECK_THROWS_WITH(read(kAzure), Contains("no requests"));
  CHECK_THROWS_WITH(read("TIMESTAMP,ContextTokens\n" + row),
                    Contains(":1") && Contains("\"GeneratedTokens\" is missing"));
  CHECK_THROWS_WITH(read("a,b,c\n1,2,3\n"), Contains("no known request file"));
  CHECK_THROWS_WITH(read(kAzure + row + "2023-11-16 18:15:45,374,44\n"),
                    Contains(":3") && Contains("backwards"));
  CHECK_THROWS_WITH(read(kAzure + row + "2023-11-16 18:15:47,0,44\n"),
                    Contains(":3") && Contains("a prompt of 0 tokens"));
  CHECK_THROWS_WITH(read(kAzure + row + "2023-11-16 18:15:47,5,0\n"),
                    Contains(":3") && Contains("an output of 0 tokens"));
  CHECK_THROWS_WITH(read(kAzure + row + "2023-11-16 18:15:47,37"),
                    Contains(":3") && Contains("truncated"));
  CHECK_THROWS_WITH(read(kAzure + row + "yesterday,37,4\n"), Contains("found \"yesterday\""));
  CHECK_THROWS_WITH(read(kAzure + row + "2023-11-16 18:15:47,3.5,4\n"),
                    Contains("ContextTokens: found \"3.5\""));
  CHECK_THROWS_WITH(scenario::read_request_file("no/such/file"), Contains("no/such/file"));
  CHECK_THROWS_WITH(scenario::read_request_file("."), Contains("folder"));
}

TEST_CASE("JSON requests that are wrong are refused with their line or place") {
  const std::string good = "{\"timestamp\": 5, \"input_length\": 8, \"output_length\": 5}\n";
  CHECK_THROWS_WITH(read(good + "{\"timestamp\": 6, \"input_length\": 8}\n"),
                    Contains(":2") && Contains("output_length"));
  CHECK_THROWS_WITH(read(good + "{\"timestamp\": 6, \"input_le"),
                    Contains(":2") && Contains("truncated"));
  CHECK_THROWS_WITH(read(good + "{\"input_length\": 8, \"output_length\": 5}\n"),
                    Contains(":2") && Contains("some have none"));
  CHECK_THROWS_WITH(read(good + "{\"timestamp\": 4, \"input_length\": 8, \"output_length\": 5}\n"),
                    Contains(":2") && Contains("backwards"));
  CHECK_THROWS_WITH(read("[{\"input_tokens\": 0, \"output_tokens\": 5}]"), Contains("/0"));
  CHECK_THROWS_WITH(read("[{\"input_tokens\": 7.5, \"output_tokens\": 5}]"), Contains("7.5"));
  CHECK_THROWS_WITH(read("[{\"input_tokens\": 7, \"output_tokens\": 5}"), Contains("truncated"));
  CHECK_THROWS_WITH(read("[{\"id\": \"x\", \"conversations\": [{\"value\": \"hello\"}]}]"),
                    Contains("conversations, not lengths"));
}
