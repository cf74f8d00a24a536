#pragma once

#include "validation/import/importer.h"

namespace tradewind::validation {

/// The readers behind import_formats(), one file each, whose head says what is read and in which
/// units.
Imported import_aiperf(std::istream& in, const ImportRequest& request);
Imported import_kineto(std::istream& in, const ImportRequest& request);
Imported import_mlperf(std::istream& in, const ImportRequest& request);
Imported import_nccl_tests(std::istream& in, const ImportRequest& request);
Imported import_sglang_bench(std::istream& in, const ImportRequest& request);
Imported import_trtllm_bench(std::istream& in, const ImportRequest& request);
Imported import_vllm_bench(std::istream& in, const ImportRequest& request);

}  // namespace tradewind::validation
