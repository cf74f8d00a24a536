// What nccl-tests (NVIDIA/nccl-tests, src/common.cu) and rccl-tests (ROCm/rccl-tests, a fork with
// the same table) print. Lines that start with # are comments, among them
//
//   # Rank 0 Group 0 Pid 99 on host device 0 [0x1b] NAME    one a rank: the devices, the hosts
//   #  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong
//
// and then a row a size: size in bytes (B), count in elements, time in microseconds (us),
// bandwidths in GB/s; first out of place, then in place. Bytes are what the CSV wants: a rank's
// buffer of all_reduce, the whole output of all_gather, the whole input of reduce_scatter. Each
// row gives a kernel row for every side that has a time. A file may hold several runs.
//
// Which collective ran stands in newer logs ("Collective test starting: all_gather_perf") or in an
// echoed command line; else in the file's name; else it follows from busbw / algbw where that
// tells (2 (n - 1) / n is an all-reduce's alone); else --op says it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "sim/core/error.h"
#include "validation/import/device_names.h"
#include "validation/import/formats.h"
#include "validation/import/nccl_log.h"
#include "validation/import/records.h"
#include "validation/kernel_csv.h"

namespace tradewind::validation {
namespace {

/// A program and what interface.md calls its collective.
struct Test {
  std::string_view program, op;
};
constexpr Test kTests[] = {{"all_reduce_perf", "all_reduce"},
                           {"all_gather_perf", "all_gather"},
                           {"reduce_scatter_perf", "reduce_scatter"},
                           {"alltoall_perf", "all_to_all"},
                           {"sendrecv_perf", "send_recv"}};

struct TypeName {
  std::string_view theirs, ours;
};
constexpr TypeName kTypes[] = {{"float", "fp32"},   {"half", "fp16"},    {"bfloat16", "bf16"},
                               {"fp8_e4m3", "fp8"}, {"fp8_e5m2", "fp8"}, {"f8e4m3", "fp8"},
                               {"f8e5m2", "fp8"},   {"fp8e4m3", "fp8"},  {"fp8e5m2", "fp8"}};

std::vector<std::string> known_ops() {
  std::vector<std::string> ops;
  for (const Test& test : kTests) ops.emplace_back(test.op);
  return ops;
}

/// Fit to stand in a quoted CSV field.
std::string log_name(const ImportRequest& request) {
  std::string name = std::filesystem::path(request.name()).filename().string();
  std::replace(name.begin(), name.end(), '"', '\'');
  return name;
}

[[noreturn]] void fail(const ImportRequest& request, const NcclTable& table,
                       const std::string& message) {
  throw InputError(fmt::format("{}:{}", request.name(), table.line), "", message);
}

/// The collective whose definition of busbw fits (nccl-tests, doc/PERFORMANCE.md), if only one
/// does: an all-reduce of two looks like a send. 1 %: bandwidths are printed with two decimals.
std::string op_of_ratio(const NcclTable& table) {
  const double all_reduce = 2.0 * (table.ranks - 1) / table.ranks;
  return table.ranks > 2 && std::abs(table.bus_ratio / all_reduce - 1) < 0.01 ? "all_reduce" : "";
}

std::string op_of(const NcclTable& table, const ImportRequest& request) {
  if (!request.operation.empty()) return request.operation;
  for (const Test& test : kTests) {
    if (table.program == test.program) return std::string(test.op);
  }
  if (!table.program.empty()) {
    fail(request, table,
         fmt::format("{} has no row in a kernel CSV (known: {})", table.program,
                     fmt::join(known_ops(), ", ")));
  }
  for (const Test& test : kTests) {
    if (log_name(request).find(test.program) != std::string::npos) return std::string(test.op);
  }
  const std::string op = op_of_ratio(table);
  if (op.empty()) {
    fail(request, table, "the log does not say which collective ran: say it with --op");
  }
  return op;
}

std::string device_of(const NcclTable& table, const ImportRequest& request) {
  if (!request.device.empty()) return request.device;
  if (table.device_names.size() != 1) {
    fail(request, table,
         fmt::format("ranks run on different devices ({}): a kernel row is of one",
                     fmt::join(table.device_names, ", ")));
  }
  const std::string device = device_of_driver_name(*table.device_names.begin());
  if (device.empty()) {
    fail(request, table,
         fmt::format("\"{}\" names no device that is known: say which with --device",
                     *table.device_names.begin()));
  }
  return device;
}

std::string_view type_name(std::string_view theirs) {
  for (const TypeName& type : kTypes) {
    if (type.theirs == theirs) return type.ours;
  }
  return theirs;
}

std::string rows_of(const NcclTable& table, const ImportRequest& request) {
  const std::string op = op_of(table, request), device = device_of(table, request);
  if (table.ranks % static_cast<int>(table.hosts.size()) != 0) {
    fail(request, table, "ranks do not divide evenly among the hosts");
  }
  const bool is_amd = device.starts_with("mi");
  std::string rows;
  for (const NcclTime& time : table.times) {
    rows += fmt::format("{},{},{},{},{},{},{:.0f},{},\"{} log {}, {}\"\n", device,
                        is_amd ? "rccl" : "nccl", op, type_name(time.type), table.ranks,
                        table.hosts.size(), time.bytes, time.time_us,
                        is_amd ? "rccl-tests" : "nccl-tests", log_name(request),
                        time.in_place ? "in place" : "out of place");
  }
  return rows;
}

}  // namespace

Imported import_nccl_tests(std::istream& in, const ImportRequest& request) {
  const std::vector<std::string> known = known_ops();
  if (!request.operation.empty() &&
      std::find(known.begin(), known.end(), request.operation) == known.end()) {
    throw InputError("--op", "", unknown_name("collective", request.operation, known));
  }
  Imported imported;
  imported.text = "device,library,op,dtype,devices,nodes,bytes,time_us,source\n";
  for (const NcclTable& table : parse_nccl_log(read_text(in, request.name()), request.name())) {
    imported.text += rows_of(table, request);
  }
  parse_kernel_csv(imported.text, request.name());  // as validate will
  return imported;
}

}  // namespace tradewind::validation
