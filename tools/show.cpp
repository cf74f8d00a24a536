#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/core/file.h"
#include "sim/hardware/loader.h"
#include "sim/model/cache_bytes.h"
#include "sim/model/count.h"
#include "sim/model/load.h"
#include "sim/model/read.h"
#include "sim/scenario/catalogue.h"
#include "tools/command.h"

namespace tradewind::tools {
namespace {

std::string figures_table(const hardware::Figures& figures) {
  std::string text;
  for (const auto& [path, figure] : figures) {
    text += fmt::format("{:<52} {:>16}  {:<10} {}{}\n", path, figure.text, figure.kind,
                        figure.source, figure.note.empty() ? "" : "; " + figure.note);
  }
  return text;
}

std::string show_model(const std::string& name, const std::filesystem::path& data) {
  const model::ModelConfig config = model::load_model(name, data / "models");
  const model::ParameterCount count = model::parameters(config);
  nlohmann::ordered_json json = model::to_json(config);
  std::string text = json.dump(2) + "\n";
  text += fmt::format("parameters           {}\n", count.total());
  text += fmt::format("  embedding          {}\n", count.embedding);
  for (const model::LayerKind kind : model::kLayerKinds) {
    const std::int64_t layers = model::layers_of_kind(config, kind, model::all_layers(config));
    if (layers == 0) continue;
    const model::LayerParameters layer = model::layer_parameters(config, kind);
    text += fmt::format("  {:>3} x {:<13}{} (attention {}, mlp {}, mamba {}, norms {})\n", layers,
                        model::to_string(kind), layer.total(), layer.attention, layer.mlp,
                        layer.mamba, layer.norms);
  }
  text += fmt::format("  head               {}\n", count.head);
  text += fmt::format("KV cache bytes a token: {} in bf16, {} in fp8\n",
                      model::kv_bytes_per_token(config, DataType::bf16),
                      model::kv_bytes_per_token(config, DataType::fp8));
  const double state_bytes = model::state_bytes(config, model::all_layers(config));
  if (state_bytes > 0) text += fmt::format("state bytes a sequence: {}\n", state_bytes);
  return text;
}

/// A node with its accelerator, an accelerator, or a network, whichever has the name.
std::string show_hardware(const std::string& name, const std::filesystem::path& data) {
  using hardware::ProfileKind;
  std::vector<std::string> known;
  for (const ProfileKind kind :
       {ProfileKind::node, ProfileKind::accelerator, ProfileKind::network}) {
    const std::vector<std::string> names = hardware::profile_names(kind, data);
    known.insert(known.end(), names.begin(), names.end());
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    if (kind == ProfileKind::accelerator) {
      return figures_table(hardware::load_accelerator({name, "", ""}, data).figures);
    }
    if (kind == ProfileKind::network) {
      return figures_table(hardware::load_network({name, "", ""}, data).figures);
    }
    hardware::Cluster cluster;
    cluster.node = hardware::load_node({name, "", ""}, data);
    return figures_table(hardware::all_figures(cluster));
  }
  throw InputError("tradewind show", "", unknown_name("hardware", name, known));
}

std::string show_runtime(const std::string& name, const std::filesystem::path& data) {
  const std::vector<std::string> known = scenario::Catalogue(data).runtime_names();
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw InputError("tradewind show", "", unknown_name("runtime", name, known));
  }
  return read_file(data / "configs" / "runtimes" / (name + ".json"));
}

}  // namespace

void add_show(CLI::App& app, Session& session) {
  struct Arguments {
    std::string kind, name;
  };
  CLI::App* command = app.add_subcommand("show", "One profile with the provenance of its figures");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("kind", arguments->kind, "model, hardware or runtime")
      ->required()
      ->check(CLI::IsMember({"model", "models", "hardware", "runtime", "runtimes"}));
  command->add_option("name", arguments->name, "As `tradewind list` shows it")->required();
  command->callback([arguments, &session] {
    const std::filesystem::path data = session.data_root();
    std::string text;
    if (arguments->kind.starts_with("model")) {
      text = show_model(arguments->name, data);
    } else if (arguments->kind == "hardware") {
      text = show_hardware(arguments->name, data);
    } else {
      text = show_runtime(arguments->name, data);
    }
    write_file("-", text);
  });
}

}  // namespace tradewind::tools
