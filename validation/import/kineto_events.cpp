#include "validation/import/kineto_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <istream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "sim/core/error.h"

namespace tradewind::validation {
namespace {

using Json = nlohmann::json;

/// Host calls that start work on a device; HIP's as ROCm's tracer names them.
constexpr std::string_view kLaunches[] = {
    "cudaLaunchKernel",   "cudaLaunchKernelExC",        "cudaLaunchCooperativeKernel",
    "cuLaunchKernel",     "cuLaunchKernelEx",           "cudaGraphLaunch",
    "hipLaunchKernel",    "hipLaunchCooperativeKernel", "hipModuleLaunchKernel",
    "hipExtLaunchKernel", "hipExtModuleLaunchKernel",   "hipGraphLaunch"};
/// The capitals are of PyTorch before 1.12.
constexpr std::string_view kDeviceCategories[] = {"kernel", "gpu_memcpy", "gpu_memset",
                                                  "Kernel", "Memcpy",     "Memset"};
constexpr double kNsPerUs = 1e3;
/// 73 years in nanoseconds: sums of two stay within 64 bits.
constexpr double kLatestNs = 2.3e18;

template <std::size_t n>
bool is_one_of(std::string_view word, const std::string_view (&words)[n]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

/// Members of the event that is being read; only these are kept.
struct RawEvent {
  std::string phase, category, name;
  std::optional<double> ts_us, dur_us, process, thread, device, stream;
};

/// The parser's callbacks. An event is an object directly inside the event array; what is deeper
/// than its "args" is passed over.
class EventHandler : public nlohmann::json_sax<Json> {
 public:
  explicit EventHandler(std::string file) : file_(std::move(file)) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(Json::number_integer_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_unsigned(Json::number_unsigned_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_float(Json::number_float_t value, const std::string&) override {
    return number(value);
  }
  bool binary(Json::binary_t&) override { return true; }

  bool string(std::string& value) override {
    if (in_event_ == 0 || depth_ != in_event_) return true;
    if (key_ == "ph") event_.phase = value;
    if (key_ == "cat") event_.category = value;
    if (key_ == "name") event_.name.assign(value);
    return true;
  }

  bool key(std::string& value) override {
    if (in_event_ == 0 ? depth_ == 1 : depth_ <= in_event_ + 1) key_.assign(value);
    return true;
  }

  bool start_object(std::size_t) override {
    ++depth_;
    if (in_array_ != 0 && depth_ == in_array_ + 1) {
      in_event_ = depth_;
      event_ = {};
    } else if (in_event_ != 0 && depth_ == in_event_ + 1) {
      in_args_ = key_ == "args";
    }
    return true;
  }

  bool end_object() override {
    if (depth_ == in_event_) {
      finish_event();
      in_event_ = 0;
    } else if (in_event_ != 0 && depth_ == in_event_ + 1) {
      in_args_ = false;
    }
    --depth_;
    return true;
  }

  bool start_array(std::size_t) override {
    ++depth_;
    const bool holds_events = depth_ == 1 || (depth_ == 2 && key_ == "traceEvents");
    if (in_array_ == 0 && holds_events) {
      in_array_ = depth_;
      has_array_ = true;
    }
    return true;
  }

  bool end_array() override {
    if (depth_ == in_array_) in_array_ = 0;
    --depth_;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    std::string what = error.what();
    const std::size_t colon = what.find("] ");
    if (colon != std::string::npos) what = what.substr(colon + 2);
    std::replace_if(
        what.begin(), what.end(), [](unsigned char c) { return c < ' '; }, ' ');
    throw InputError(file_, "", fmt::format("is not JSON, or cut short: {}", what));
  }

  KinetoEvents result() && {
    if (!has_array_) throw InputError(file_, "/", "has no \"traceEvents\"");
    return std::move(result_);
  }

 private:
  bool number(double value) {
    if (in_event_ == 0) return true;
    if (depth_ == in_event_) {
      if (key_ == "ts") event_.ts_us = value;
      if (key_ == "dur") event_.dur_us = value;
      if (key_ == "pid") event_.process = value;
      if (key_ == "tid") event_.thread = value;
    } else if (in_args_ && depth_ == in_event_ + 1) {
      if (key_ == "stream") event_.stream = value;
      if (key_ == "device") event_.device = value;
    }
    return true;
  }

  void finish_event() {
    ++count_;
    if (event_.phase != "X") return;
    if (is_one_of(event_.category, kDeviceCategories)) {
      add_device_event();
    } else if (event_.category == "user_annotation" && event_.name.starts_with("ProfilerStep#")) {
      ++result_.steps;
    } else if (is_one_of(event_.name, kLaunches)) {
      ++result_.launches[event_.name];
    }
  }

  void add_device_event() {
    const auto nanoseconds = [&](const std::optional<double>& us, const char* name) {
      if (!us || !(*us >= 0) || !(*us * kNsPerUs < kLatestNs)) {
        fail(fmt::format("expected \"{}\", a number of microseconds from 0", name));
      }
      return std::llround(*us * kNsPerUs);
    };
    const std::int64_t begin = nanoseconds(event_.ts_us, "ts");
    const std::int64_t end = begin + nanoseconds(event_.dur_us, "dur");
    result_.events.push_back({{begin, end},
                              id(event_.device ? event_.device : event_.process, "pid"),
                              id(event_.stream ? event_.stream : event_.thread, "tid"),
                              index_of(event_.name)});
  }

  std::int64_t id(const std::optional<double>& number, const char* name) const {
    if (!number || !(std::abs(*number) < 1e15)) fail(fmt::format("expected a number \"{}\"", name));
    return std::llround(*number);
  }

  std::uint32_t index_of(const std::string& name) {
    const auto [found, is_new] =
        index_by_name_.emplace(name, static_cast<std::uint32_t>(result_.names.size()));
    if (is_new) result_.names.push_back(name);
    return found->second;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(
        file_, fmt::format("/traceEvents/{}", count_ - 1),
        fmt::format("{} \"{}\": {}", event_.category, event_.name.substr(0, 60), message));
  }

  std::string file_, key_;
  RawEvent event_;
  KinetoEvents result_;
  std::unordered_map<std::string, std::uint32_t> index_by_name_;
  std::int64_t count_ = 0;
  int depth_ = 0;
  int in_array_ = 0, in_event_ = 0;  ///< depth of the open event array and event; 0 outside
  bool in_args_ = false, has_array_ = false;
};

}  // namespace

KinetoEvents read_kineto_events(std::istream& in, const std::string& file) {
  EventHandler handler(file);
  Json::sax_parse(in, &handler);
  return std::move(handler).result();
}

}  // namespace tradewind::validation
