#include "validation/import/importer.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include "sim/core/error.h"
#include "validation/import/formats.h"

namespace tradewind::validation {
namespace {
namespace fs = std::filesystem;

constexpr ImportFormat kFormats[] = {
    {"aiperf", "AIPerf: profile_export_aiperf.json or profile_export.jsonl", import_aiperf},
    {"kineto", "PyTorch profiler: Chrome trace (.json) of one process", import_kineto},
    {"mlperf", "MLPerf inference: mlperf_log_summary.txt", import_mlperf},
    {"nccl-tests", "nccl-tests and rccl-tests: what they print", import_nccl_tests, true},
    {"sglang-bench", "sglang.bench_serving: the .jsonl it appends to", import_sglang_bench},
    {"trtllm-bench", "trtllm-bench: --report_json", import_trtllm_bench},
    {"vllm-bench", "vllm bench serve, latency or throughput: the result JSON", import_vllm_bench},
};

const ImportFormat& format_named(std::string_view name) {
  std::vector<std::string> known;
  for (const ImportFormat& format : kFormats) {
    if (format.name == name) return format;
    known.emplace_back(format.name);
  }
  throw InputError("import", "", unknown_name("format", name, known));
}

void refuse(const ImportFormat& format, const char* option, const std::string& value) {
  if (value.empty()) return;
  throw InputError(option, "",
                   fmt::format("means nothing for {}, which gives {}", format.name,
                               format.gives_kernels ? "kernel rows" : "trace points"));
}

void check_options(const ImportFormat& format, const ImportRequest& request) {
  if (request.file == "-" && request.scenario == "-") {
    throw InputError("--scenario", "", "stdin can't be the file and the scenario as well");
  }
  if (format.gives_kernels) {
    refuse(format, "--scenario", request.scenario);
    refuse(format, "--group", request.group);
    refuse(format, "--split", request.split);
  } else {
    refuse(format, "--op", request.operation);
    refuse(format, "--device", request.device);
  }
}

std::ifstream open(const std::string& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) throw InputError(file, "", "is a folder, expected a file");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(file, "", fmt::format("can't read: {}", std::strerror(errno)));
  constexpr int kGzip = 0x1f;
  if (in.peek() == kGzip) throw InputError(file, "", "is compressed: gunzip it first");
  return in;
}

}  // namespace

std::span<const ImportFormat> import_formats() {
  return kFormats;
}

Imported import_measurements(std::string_view format_name, const ImportRequest& request) {
  const ImportFormat& format = format_named(format_name);
  check_options(format, request);
  if (request.file == "-") return format.read(std::cin, request);
  std::ifstream in = open(request.file);
  return format.read(in, request);
}

}  // namespace tradewind::validation
