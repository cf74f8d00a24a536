#include "validation/kernel_csv.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <span>

#include "sim/core/csv.h"
#include "sim/core/error.h"
#include "sim/core/file.h"
#include "sim/kernels/elementwise.h"

namespace tradewind::validation {
namespace {

using namespace kernels;

/// Larger sizes and times are slips of the pen; products of three stay finite.
constexpr double kLargest = 1e15;

/// The cells of one record by column name; every complaint names file, line and column.
class Cells {
 public:
  Cells(const std::map<std::string, std::size_t>& columns, const CsvRecord& record,
        const std::string& file)
      : columns_(columns), record_(record), file_(file) {}

  const std::string& text(std::string_view column) const {
    const auto found = columns_.find(std::string(column));
    if (found == columns_.end()) {
      throw InputError(file_ + ":1", "", fmt::format("column \"{}\" is missing", column));
    }
    return record_.fields[found->second];
  }

  double number(std::string_view column) const {
    const std::string& cell = text(column);
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    const bool whole = error == std::errc{} && end == cell.data() + cell.size();
    if (!whole || !(value > 0) || !(value <= kLargest)) {
      fail(column, fmt::format("found \"{}\", expected a number above 0 and up to {:g}",
                               cell.substr(0, 60), kLargest));
    }
    return value;
  }

  int count(std::string_view column) const {
    constexpr double kMost = 1e6;
    const double value = number(column);
    if (value != std::floor(value) || value > kMost) {
      fail(column, fmt::format("found {}, expected a whole number up to {:g}", value, kMost));
    }
    return static_cast<int>(value);
  }

  bool flag(std::string_view column) const {
    const std::string& cell = text(column);
    if (cell != "0" && cell != "1")
      fail(column, fmt::format("found \"{}\", expected 0 or 1", cell));
    return cell == "1";
  }

  [[noreturn]] void fail(std::string_view column, const std::string& message) const {
    throw InputError(fmt::format("{}:{}", file_, record_.line), "",
                     fmt::format("column \"{}\": {}", column, message));
  }

 private:
  const std::map<std::string, std::size_t>& columns_;
  const CsvRecord& record_;
  const std::string& file_;
};

/// What the dtype column says of arithmetic and storage: "fp8-block" is fp8, "w4a16" int4 weights
/// under bf16 arithmetic.
struct KernelTypes {
  DataType arithmetic, weights;
};

KernelTypes types_of(const Cells& cells) {
  const std::string& name = cells.text("dtype");
  if (name == "w4a16") return {DataType::bf16, DataType::int4};
  if (name == "w8a16") return {DataType::bf16, DataType::int8};
  const auto type = parse_data_type(std::string_view(name).substr(0, name.find('-')));
  if (!type) {
    std::vector<std::string> known = {"w4a16", "w8a16"};
    for (const DataTypeFacts& one : kDataTypes) known.emplace_back(one.name);
    cells.fail("dtype", unknown_name("data type", name, known));
  }
  return {*type, *type};
}

Shape read_gemm(const Cells& cells) {
  const KernelTypes types = types_of(cells);
  const DataType output = types.arithmetic == DataType::fp16 ? DataType::fp16 : DataType::bf16;
  return GemmShape{cells.number("m"), cells.number("n"), cells.number("k"),
                   types.arithmetic,  types.weights,     output};
}

Shape read_prefill(const Cells& cells) {
  AttentionPrefillShape shape;
  shape.batch = cells.number("batch");
  shape.q_tokens = cells.number("q_tokens");
  shape.kv_tokens = cells.number("kv_tokens");
  shape.q_heads = cells.number("q_heads");
  shape.kv_heads = cells.number("kv_heads");
  shape.head_dim = cells.number("head_dim");
  shape.causal = cells.flag("causal");
  shape.dtype = shape.kv_dtype = types_of(cells).arithmetic;
  if (shape.causal && shape.kv_tokens < shape.q_tokens) {
    cells.fail("kv_tokens", "is smaller than q_tokens, which it must include");
  }
  return shape;
}

Shape read_decode(const Cells& cells) {
  AttentionDecodeShape shape;
  shape.batch = cells.number("batch");
  shape.kv_tokens = cells.number("kv_tokens");
  shape.q_heads = cells.number("q_heads");
  shape.kv_heads = cells.number("kv_heads");
  shape.head_dim = cells.number("head_dim");
  shape.kv_dtype = types_of(cells).arithmetic;
  return shape;
}

Shape read_elementwise(const Cells& cells) {
  const std::string& name = cells.text("name");
  const auto kind = parse_elementwise_kind(name);
  if (!kind)
    cells.fail("name", fmt::format("unknown element-wise kernel \"{}\"", name.substr(0, 60)));
  return ElementwiseShape{*kind, cells.number("rows"), cells.number("cols"),
                          types_of(cells).arithmetic};
}

template <CollectiveOp op>
Shape read_collective(const Cells& cells) {
  const CollectiveShape shape{op, cells.count("devices"), cells.count("nodes"),
                              cells.number("bytes")};
  if (shape.devices % shape.nodes != 0) {
    cells.fail("devices", "does not divide by the number of nodes");
  }
  return shape;
}

constexpr std::string_view kGemmColumns[] = {"m", "n", "k"};
constexpr std::string_view kPrefillColumns[] = {"batch",    "q_tokens", "kv_tokens", "q_heads",
                                                "kv_heads", "head_dim", "causal"};
constexpr std::string_view kDecodeColumns[] = {"batch", "kv_tokens", "q_heads", "kv_heads",
                                               "head_dim"};
constexpr std::string_view kElementwiseColumns[] = {"name", "rows", "cols"};
constexpr std::string_view kCollectiveColumns[] = {"devices", "nodes", "bytes"};

/// How one op is written: its shape columns in the order of interface.md, and their meaning.
struct OpFormat {
  std::string_view op;
  std::span<const std::string_view> columns;
  Shape (*read)(const Cells&);
};
constexpr OpFormat kFormats[] = {
    {"gemm", kGemmColumns, read_gemm},
    {"attention_prefill", kPrefillColumns, read_prefill},
    {"attention_decode", kDecodeColumns, read_decode},
    {"elementwise", kElementwiseColumns, read_elementwise},
    {"all_reduce", kCollectiveColumns, read_collective<CollectiveOp::all_reduce>},
    {"all_gather", kCollectiveColumns, read_collective<CollectiveOp::all_gather>},
    {"reduce_scatter", kCollectiveColumns, read_collective<CollectiveOp::reduce_scatter>},
    {"all_to_all", kCollectiveColumns, read_collective<CollectiveOp::all_to_all>},
    {"send_recv", kCollectiveColumns, read_collective<CollectiveOp::send_recv>},
};

const OpFormat& format_of(const Cells& cells) {
  const std::string& op = cells.text("op");
  for (const OpFormat& format : kFormats) {
    if (format.op == op) return format;
  }
  std::vector<std::string> known;
  for (const OpFormat& format : kFormats) known.emplace_back(format.op);
  cells.fail("op", unknown_name("op", op, known));
}

KernelRow read_row(const Cells& cells) {
  const OpFormat& format = format_of(cells);
  KernelRow row;
  row.device = cells.text("device");
  row.library = cells.text("library");
  if (row.device.empty()) cells.fail("device", "is empty");
  if (row.library.empty()) cells.fail("library", "is empty");
  row.op = format.op;
  row.dtype = cells.text("dtype");
  row.shape = format.read(cells);
  row.time_us = cells.number("time_us");
  row.source = cells.text("source");
  row.shape_key = format.op;
  for (const std::string_view column : format.columns) row.shape_key += "," + cells.text(column);
  return row;
}

std::map<std::string, std::size_t> columns_of(const CsvRecord& header, const std::string& file) {
  std::map<std::string, std::size_t> columns;
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    if (!columns.emplace(header.fields[i], i).second) {
      throw InputError(fmt::format("{}:{}", file, header.line), "",
                       fmt::format("column \"{}\" is given twice", header.fields[i]));
    }
  }
  return columns;
}

}  // namespace

std::vector<KernelRow> parse_kernel_csv(std::string_view text, const std::string& file) {
  const std::vector<CsvRecord> records = parse_csv(text, file);
  if (records.empty()) throw InputError(file, "", "is empty, expected a header row");
  const auto columns = columns_of(records.front(), file);
  std::vector<KernelRow> rows;
  rows.reserve(records.size());
  for (const CsvRecord& record : std::span(records).subspan(1)) {
    if (record.fields.size() != records.front().fields.size()) {
      throw InputError(fmt::format("{}:{}", file, record.line), "",
                       fmt::format("has {} fields, the header has {}", record.fields.size(),
                                   records.front().fields.size()));
    }
    rows.push_back(read_row(Cells(columns, record, file)));
    rows.back().file = file;
    rows.back().line = record.line;
  }
  return rows;
}

std::vector<KernelRow> read_kernel_csv(const std::string& path) {
  return parse_kernel_csv(read_file(path), path == "-" ? "stdin" : path);
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

bool is_check(const KernelRow& row) {
  return (fnv1a(row.shape_key) >> 33) % 4 == 0;
}

}  // namespace tradewind::validation
