#include "sim/scenario/request_files/request_file.h"

#include "sim/core/error.h"
#include "sim/scenario/request_files/csv_requests.h"
#include "sim/scenario/request_files/json_requests.h"
#include "sim/scenario/request_files/line_reader.h"

namespace tradewind::scenario {

RequestFile read_request_file(const std::filesystem::path& path) {
  LineReader reader(path);
  std::string_view first;
  if (!reader.next(first)) throw InputError(reader.file(), "", "is empty");
  RequestFile file = first.starts_with('[')   ? read_json_array(path)
                     : first.starts_with('{') ? read_json_lines(reader, first)
                                              : read_csv_requests(reader, first);
  file.requests.shrink_to_fit();
  return file;
}

}  // namespace tradewind::scenario
