#include "sim/study/sweep_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "sim/scenario/reader.h"

namespace tradewind::study {
namespace {

const std::vector<std::string> kFillable = {"plan.tp", "plan.pp", "plan.dp"};

int& degree(scenario::Plan& plan, const std::string& path) {
  if (path == "plan.tp") return plan.tp;
  return path == "plan.pp" ? plan.pp : plan.dp;
}

std::vector<Axis> read_axes(const json::Node& axes, const nlohmann::ordered_json& in_order) {
  std::vector<Axis> read;
  std::size_t points = 1;
  for (const auto& item : in_order.items()) {
    const auto found = axes.find(item.key());
    if (!found) axes.fail(fmt::format("axis \"{}\" is null, expected an array", item.key()));
    const json::Node& values = *found;
    Axis axis{item.key(), {}};
    for (const json::Node& value : values.elements()) axis.values.push_back(value.value().dump());
    if (axis.values.empty()) values.fail("an axis needs at least one value");
    if (axis.values.size() > kMostPoints || (points *= axis.values.size()) > kMostPoints) {
      axes.fail(fmt::format("the axes span more than {} points; narrow them or split the sweep",
                            kMostPoints));
    }
    read.push_back(std::move(axis));
  }
  return read;
}

std::string read_base(const json::Node& base, const std::string& sweep_file) {
  if (!base.is_string()) {
    if (!base.is_object()) base.expected("a scenario object or the path of one");
    return base.value().dump();
  }
  // A path means what it means beside the sweep file; failing that, from the current folder.
  std::filesystem::path path = base.string();
  const std::filesystem::path beside = std::filesystem::path(sweep_file).parent_path() / path;
  if (path.is_relative() && std::filesystem::exists(beside)) path = beside;
  return json::Document::load(path.string()).value().dump();
}

std::string describe(const Sweep& sweep, const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size() && i < sweep.axes.size(); ++i) {
    text += fmt::format("{}{}={}", i > 0 ? ", " : "", sweep.axes[i].path, values[i]);
  }
  return text.empty() ? sweep.file : fmt::format("{} (point {})", sweep.file, text);
}

}  // namespace

Sweep read_sweep(std::string_view text, const std::string& file) {
  const json::Document document = json::Document::parse(text, file);
  json::ObjectReader reader(document.root());
  for (const char* known : {"$schema", "description"}) reader.ignore(known);
  Sweep sweep;
  sweep.file = file;
  sweep.name = reader.string("name", std::filesystem::path(file).stem().string());
  sweep.base = read_base(reader.required("base"), file);
  const json::Node axes = reader.required("axes");
  if (!axes.is_object()) axes.expected("an object of paths and their values");
  // The reader's objects are sorted; the order of the axes is the writer's.
  sweep.axes = read_axes(axes, nlohmann::ordered_json::parse(text)["axes"]);
  sweep.devices = static_cast<int>(reader.integer("devices", 0, 1, 1'000'000));
  if (const auto fill = reader.optional("fill")) {
    sweep.fill = fill->name("degree to fill", kFillable);
    if (sweep.devices == 0) fill->fail("needs \"devices\" beside it");
    for (const Axis& axis : sweep.axes) {
      if (axis.path == sweep.fill) fill->fail("is an axis already: it can't be filled as well");
    }
  }
  reader.finish();
  return sweep;
}

std::vector<std::string> axis_paths(const Sweep& sweep) {
  std::vector<std::string> paths;
  for (const Axis& axis : sweep.axes) paths.push_back(axis.path);
  if (!sweep.fill.empty()) paths.push_back(sweep.fill);
  return paths;
}

std::vector<PointPlan> expand(const Sweep& sweep, scenario::Catalogue& catalogue, Shard shard) {
  const nlohmann::json base = nlohmann::json::parse(sweep.base);
  std::vector<std::vector<nlohmann::json>> values;
  std::size_t count = 1;
  for (const Axis& axis : sweep.axes) {
    values.emplace_back();
    for (const std::string& text : axis.values)
      values.back().push_back(nlohmann::json::parse(text));
    count *= axis.values.size();
  }
  const std::size_t columns = axis_paths(sweep).size();

  std::vector<PointPlan> plans;
  for (std::size_t index = 0, kept = 0; index < count; ++index) {
    PointPlan point;
    nlohmann::json document = base;
    std::size_t rest = index, block = count;
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
      block /= values[a].size();
      const std::size_t chosen = rest / block;
      rest %= block;
      scenario::set_path(document, sweep.axes[a].path, values[a][chosen], sweep.file);
      point.axis_values.push_back(sweep.axes[a].values[chosen]);
    }
    // The name is only built when something is wrong: most points are fine.
    try {
      point.scenario = scenario::read_scenario(json::Node(document, sweep.file, ""), catalogue);
    } catch (const InputError& error) {
      throw InputError(describe(sweep, point.axis_values), error.pointer(), error.message());
    }
    if (sweep.devices > 0) {
      const int used = point.scenario.plan.devices();
      if (sweep.fill.empty() ? used != sweep.devices : sweep.devices % used != 0) continue;
      if (!sweep.fill.empty()) degree(point.scenario.plan, sweep.fill) *= sweep.devices / used;
    }
    if (point.axis_values.size() < columns) {
      point.axis_values.push_back(std::to_string(degree(point.scenario.plan, sweep.fill)));
    }
    if (kept++ % shard.count == shard.index) plans.push_back(std::move(point));
  }
  return plans;
}

}  // namespace tradewind::study
