#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "sim/core/file.h"
#include "sim/hardware/loader.h"
#include "sim/lowering/overlap/strategy.h"
#include "sim/lowering/schedule/schedule.h"
#include "sim/model/count.h"
#include "sim/model/load.h"
#include "sim/scenario/catalogue.h"
#include "sim/scenario/dataset.h"
#include "sim/scenario/overlap_sites.h"
#include "sim/workload/serving/scheduler.h"
#include "tools/command.h"

namespace tradewind::tools {
namespace {

using hardware::ProfileKind;

std::string models(const std::filesystem::path& data) {
  std::string text = fmt::format("{:<18}{:>8}{:>8}{:>8}{:>12}{:>14}\n", "model", "layers", "hidden",
                                 "heads", "kv heads", "parameters");
  for (const std::string& name : model::known_models(data / "models")) {
    const model::ModelConfig config = model::load_model(name, data / "models");
    text += fmt::format("{:<18}{:>8}{:>8}{:>8}{:>12}{:>13.1f}B\n", name, config.num_hidden_layers,
                        config.hidden_size, config.num_attention_heads, config.num_key_value_heads,
                        static_cast<double>(model::parameters(config).total()) / 1e9);
  }
  return text;
}

std::string clusters(const std::filesystem::path& data) {
  std::string text =
      fmt::format("{:<16}{:<18}{:>8}  {:<10}{:>12}{:>12}{:>10}\n", "node", "accelerator", "devices",
                  "fabric", "link GB/s", "HBM TB/s", "HBM GB");
  for (const std::string& name : hardware::profile_names(ProfileKind::node, data)) {
    const hardware::Node node = hardware::load_node({name, "", ""}, data);
    const bool mesh = node.fabric == hardware::Fabric::full_mesh;
    text += fmt::format("{:<16}{:<18}{:>8}  {:<10}{:>12.1f}{:>12.2f}{:>10.1f}\n", name,
                        node.accelerator.name, node.devices, mesh ? "full mesh" : "star",
                        node.link_bandwidth_bytes_per_s / 1e9,
                        node.accelerator.hbm_bandwidth_bytes_per_s / 1e12,
                        node.accelerator.hbm_capacity_bytes / 1e9);
  }
  text += fmt::format("\n{:<16}{:>14}{:>8}\n", "network", "GB/s a node", "NICs");
  for (const std::string& name : hardware::profile_names(ProfileKind::network, data)) {
    const hardware::Network network = hardware::load_network({name, "", ""}, data);
    text += fmt::format("{:<16}{:>14.1f}{:>8}\n", name,
                        network.bandwidth_per_node_bytes_per_s / 1e9, network.nics_per_node);
  }
  return text;
}

std::string runtimes(const std::filesystem::path& data) {
  std::string text;
  scenario::Catalogue catalogue(data);
  const std::vector<std::string> names = catalogue.runtime_names();
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size() + 1);
  for (const std::string& name : names) {
    const std::filesystem::path file = data / "configs" / "runtimes" / (name + ".json");
    const json::Document document = json::Document::load(file.string());
    const auto description = document.root().find("description");
    text += fmt::format("{:<{}}{}\n", name, width, description ? description->string() : "");
  }
  return text;
}

/// The sites of interface.md's overlap.on where the strategy takes something apart.
std::string sites_of(std::string_view strategy) {
  std::string sites;
  for (const scenario::OverlapSite site : scenario::kOverlapSites) {
    if (!scenario::is_defined_at(strategy, site)) continue;
    sites += sites.empty() ? "" : ", ";
    sites += scenario::kOverlapSiteNames[static_cast<std::size_t>(site)];
  }
  return sites.empty() ? "nowhere" : sites;
}

std::string overlaps(const std::filesystem::path&) {
  std::string text;
  for (const lowering::Strategy& strategy : lowering::strategies()) {
    text += fmt::format("{:<16}{}\n{:<16}on: {}\n", strategy.name, strategy.summary, "",
                        sites_of(strategy.name));
  }
  return text + fmt::format("{:<16}= vanilla\n{:<16}= flash\n{:<16}= flash\n", "none",
                            "flash-overlap", "commfuse");
}

std::string pipeline_schedules(const std::filesystem::path&) {
  std::string text = fmt::format(
      "{:<18}nano-batches in turn, first come first served, at every stage\n", "inference");
  for (const lowering::Schedule& schedule : lowering::schedules()) {
    text += fmt::format("{:<18}{}\n", schedule.name, schedule.summary);
  }
  return text;
}

std::string serving_schedulers(const std::filesystem::path&) {
  std::string text;
  for (const workload::Scheduler& scheduler : workload::schedulers()) {
    text += fmt::format("{:<18}{}\n", scheduler.name, scheduler.description);
  }
  return text;
}

std::string datasets(const std::filesystem::path& data) {
  const std::filesystem::path folder = data / "configs" / "datasets";
  std::string text = fmt::format("{:<26}{:>9}{:>12}{:>13}  {}\n", "data set", "requests",
                                 "mean input", "mean output", "description");
  for (const std::string& name : scenario::dataset_names(folder)) {
    const scenario::Dataset set = scenario::load_dataset(name, folder);
    text += fmt::format("{:<26}{:>9}{:>12}{:>13}  {}\n{:26}means are {}\n{:26}spread is {}\n", name,
                        set.requests, set.input.mean, set.output.mean, set.description, "",
                        set.mean_source, "", set.spread_source);
  }
  return text;
}

/// Errors of the fitted cost models as the profiles keep them, as a Markdown table.
std::string accuracy(const std::filesystem::path& data) {
  std::string text =
      "| device | kernel | library | type | fitted on | median / p90 % | checked on | median / p90 "
      "% "
      "|\n|---|---|---|---|---:|---:|---:|---:|\n";
  const auto cells = [](const std::optional<hardware::FitError>& error) {
    if (!error) return std::string(" - | - |");
    return fmt::format(" {} | {:.1f} / {:.1f} |", error->points, 100 * error->median,
                       100 * error->p90);
  };
  for (const std::string& name : hardware::profile_names(ProfileKind::accelerator, data)) {
    const hardware::Accelerator accelerator = hardware::load_accelerator({name, "", ""}, data);
    for (const hardware::CoefficientSet& set : accelerator.coefficients) {
      if (set.provenance != Provenance::fitted || !set.fit) continue;
      text += fmt::format("| {} | {} | {} | {} |{}{}\n", name, set.op, set.library, set.dtype,
                          cells(set.fit), cells(set.check));
    }
  }
  return text;
}

struct Kind {
  const char* name;
  std::string (*list)(const std::filesystem::path& data);
};
constexpr Kind kKinds[] = {{"models", models},
                           {"hardware", clusters},
                           {"runtimes", runtimes},
                           {"overlaps", overlaps},
                           {"schedules", pipeline_schedules},
                           {"schedulers", serving_schedulers},
                           {"datasets", datasets},
                           {"accuracy", accuracy}};

}  // namespace

void add_list(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("list", "What is known");
  auto kind = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const Kind& known : kKinds) names.emplace_back(known.name);
  command->add_option("kind", *kind, fmt::format("{}", fmt::join(names, ", ")))
      ->required()
      ->check(CLI::IsMember(names));
  command->callback([kind, &session] {
    for (const Kind& known : kKinds) {
      if (*kind == known.name) write_file("-", known.list(session.data_root()));
    }
  });
}

}  // namespace tradewind::tools
