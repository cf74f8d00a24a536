#include "tests/validation/import_support.h"
#include "validation/import/device_names.h"
#include "validation/kernel_csv.h"

using namespace tradewind;
using namespace tradewind::testing;
using namespace tradewind::validation;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::string ranks(int count, const std::string& device, const std::string& prefix = "#  Rank  ") {
  std::string text = "# Using devices\n";
  for (int i = 0; i < count; ++i) {
    text += prefix + std::to_string(i) + " Group  0 Pid  " + std::to_string(100 + i) +
            " on   node-" + std::to_string(i / 8) + " device  " + std::to_string(i % 8) +
            " [0x1b] " + device + "\n";
  }
  return text + "#\n";
}

const std::string kHeader =
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time"
    "   algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)"
    "  (GB/s)  (GB/s)\n";
const std::string kEnd = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 180.0\n#\n";

/// Of eight ranks: 64 MiB in 400 us are 167.77 GB/s, and 2 x 7 / 8 times that on the bus.
const std::string kAllReduceRows =
    "           0             0  bfloat16     sum      -1    10.00    0.00    0.00      0    "
    "10.00    0.00    0.00      0\n"
    "    67108864      33554432  bfloat16     sum      -1   400.00  167.77  293.60      0   410.50 "
    " "
    "163.48  286.09      0\n";

std::vector<KernelRow> rows_of(const std::string& log, const std::string& file = "log.txt") {
  ImportRequest request;
  request.file = file;
  return parse_kernel_csv(import_text("nccl-tests", log, request).text, "out.csv");
}

std::string complaint(const std::string& log) {
  ImportRequest request;
  request.file = "log.txt";
  return import_complaint("nccl-tests", log, request);
}

}  // namespace

TEST_CASE("a row of nccl-tests gives a kernel row out of place and one in place") {
  const auto rows = rows_of(
      "# nccl-tests version 2.17.1 nccl-headers=22703\n"
      "# Collective test starting: all_reduce_perf\n"
      "# nThread 1 nGpus 8 minBytes 8 maxBytes 67108864\n#\n" +
      ranks(8, "NVIDIA H100 80GB HBM3") + kHeader + kAllReduceRows + kEnd);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].device == "h100");
  CHECK(rows[0].library == "nccl");
  CHECK(rows[0].op == "all_reduce");
  CHECK(rows[0].dtype == "bf16");
  const auto& shape = std::get<kernels::CollectiveShape>(rows[0].shape);
  CHECK(shape.devices == 8);
  CHECK(shape.nodes == 1);
  CHECK(shape.bytes == 67108864);
  CHECK(rows[0].time_us == 400);
  CHECK(rows[1].time_us == 410.5);
  CHECK_THAT(rows[1].source, Contains("in place"));
}

TEST_CASE(
    "rccl-tests on two nodes of MI300X are rccl's rows; an older log's bandwidths tell which") {
  const auto rows =
      rows_of("# nThread 1 nGpus 1\n" + ranks(16, "AMD Instinct MI300X OAM") + kHeader +
              "  67108864  16777216  float  sum  -1  400.0  167.77  314.57  0  "
              "400.0  167.77  314.57  0\n" +
              kEnd);  // 2 x 15 / 16 = 1.875
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].device == "mi300x");
  CHECK(rows[0].library == "rccl");
  CHECK(rows[0].op == "all_reduce");
  CHECK(std::get<kernels::CollectiveShape>(rows[0].shape).devices == 16);
  CHECK(std::get<kernels::CollectiveShape>(rows[0].shape).nodes == 2);
}

TEST_CASE("two runs in one log, one side not taken, tagged by mpirun") {
  const std::string gather =
      "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n"
      "1024 128 int8 none -1 12.5 0.08 0.07 0 N/A N/A N/A N/A\n";
  std::string log = "./build/all_gather_perf -b 1K\n" + ranks(8, "NVIDIA H200", "# Rank ") +
                    gather + kEnd + "./build/alltoall_perf -b 1K\n" + ranks(8, "NVIDIA H200") +
                    gather + kEnd;
  std::string tagged;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = log.find('\n', at) + 1;
    tagged += "[1,0]<stdout>:" + log.substr(at, end - at);
    at = end;
  }
  for (const std::string& text : {log, tagged}) {
    const auto rows = rows_of(text);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].op == "all_gather");
    CHECK(rows[1].op == "all_to_all");
    CHECK(rows[1].time_us == 12.5);
  }
}

TEST_CASE("an all-gather's log that names nothing needs its file's name or --op") {
  const std::string log =
      ranks(8, "NVIDIA B200") + kHeader +
      "67108864 8388608 int8 none -1 200.0 335.5 293.6 0 200.0 335.5 293.6 0\n" + kEnd;
  CHECK_THAT(complaint(log), Contains("--op"));
  CHECK(rows_of(log, "runs/all_gather_perf-8.log")[0].op == "all_gather");
  ImportRequest request;
  request.file = "log.txt";
  request.operation = "all_to_all";
  CHECK(parse_kernel_csv(import_text("nccl-tests", log, request).text, "o")[0].op == "all_to_all");
  request.operation = "all_gathr";
  CHECK_THAT(import_complaint("nccl-tests", log, request),
             Contains("--op") && Contains("\"all_gather\""));
}

TEST_CASE("logs that are no measurement are refused with file and line") {
  const std::string head = "# Collective test starting: all_reduce_perf\n" +
                           ranks(2, "NVIDIA H100 80GB HBM3") + kHeader;  // 7 lines
  CHECK_THAT(complaint("hello\n"), Contains("has no table"));
  CHECK_THAT(complaint(head + kAllReduceRows), Contains("cut short"));
  CHECK_THAT(complaint(head + "1024 256 float sum -1 12.5\n"),
             StartsWith("log.txt:8: ") && Contains("6 columns, the table 13"));
  CHECK_THAT(complaint(head + "1024 256 float sum -1 1x 0 0 0 12 0 0 0\n" + kEnd),
             StartsWith("log.txt:8: ") && Contains("\"time\": found \"1x\""));
  CHECK_THAT(complaint(head + "1024 256 float sum -1 12 0 0 3 12 0 0 0\n" + kEnd),
             Contains("3 results are wrong"));
  CHECK_THAT(complaint(head + "# Out of bounds values : 0 OK\n"), Contains("no row"));
  CHECK_THAT(complaint(kHeader + kAllReduceRows + kEnd), Contains("fewer than two"));
  CHECK_THAT(complaint("# Collective test starting: broadcast_perf\n" +
                       ranks(2, "NVIDIA H100 80GB HBM3") + kHeader + kAllReduceRows + kEnd),
             Contains("broadcast_perf has no row in a kernel CSV"));
  CHECK_THAT(complaint(ranks(8, "gfx942") + kHeader + kAllReduceRows + kEnd), Contains("--device"));
}

TEST_CASE("drivers' device names become the profiles' names") {
  CHECK(device_of_driver_name("NVIDIA A100-SXM4-80GB") == "a100");
  CHECK(device_of_driver_name("NVIDIA A100-SXM4-40GB") == "a100-40");
  CHECK(device_of_driver_name("NVIDIA A100-PCIE-40GB") == "a100-pcie");
  CHECK(device_of_driver_name("NVIDIA H100 80GB HBM3") == "h100");
  CHECK(device_of_driver_name("NVIDIA GB200") == "gb200");
  CHECK(device_of_driver_name("AMD Instinct MI355X") == "mi355x");
  CHECK(device_of_driver_name("AMD Instinct MI325X OAM") == "mi325x");
  CHECK(device_of_driver_name("gfx942").empty());
  CHECK(device_of_driver_name("").empty());
}
