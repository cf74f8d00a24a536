#pragma once

#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tradewind::validation {

/// What a person asks of `tradewind import`, besides the format.
struct ImportRequest {
  std::string file;       ///< what to read; "-" is stdin
  std::string scenario;   ///< scenario file that ran; its workload is completed from `file`
  std::string group;      ///< of the points; empty: the trace's file name, as for any trace
  std::string split;      ///< "fit" or "check"; empty: check
  std::string operation;  ///< of a kernel log that does not say: all_reduce ...
  std::string device;     ///< of a kernel log, instead of the name its driver gives: mi300x ...
  std::filesystem::path data;  ///< folder with models/ and hardware/, to check the scenario with

  /// What messages call the file.
  std::string name() const { return file == "-" ? "stdin" : file; }
};

/// What a measurement became.
struct Imported {
  std::string text;                ///< a trace (JSON) or kernel rows (CSV), whole
  std::vector<std::string> notes;  ///< one line each: what was passed over or assumed
};

/// One tool's result format.
struct ImportFormat {
  std::string_view name;
  std::string_view summary;
  /// Throws InputError with file and place for anything that is not what the tool writes.
  Imported (*read)(std::istream& in, const ImportRequest& request);
  bool gives_kernels = false;  ///< a kernel CSV; else a trace
};

/// Every format, sorted by name.
std::span<const ImportFormat> import_formats();

/// Reads `request.file`. Throws InputError for an unknown format (with the nearest), an option that
/// has no meaning for it, and whatever is wrong in the file or the scenario.
Imported import_measurements(std::string_view format, const ImportRequest& request);

}  // namespace tradewind::validation
