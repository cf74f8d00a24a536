#include "sim/scenario/overlap.h"

#include "sim/scenario/memory.h"
#include "sim/scenario/overlap_notes.h"
#include "sim/scenario/overlap_sites.h"
#include "sim/scenario/pass_tokens.h"
#include "tests/catch.h"
#include "tests/scenario_builder.h"

using namespace tradewind;
using Catch::Matchers::Contains;
using scenario::OverlapSite;
using testing::scenario_with;

namespace {

using Changes = std::vector<std::pair<std::string, nlohmann::json>>;

Changes joined(Changes changes, const Changes& more) {
  changes.insert(changes.end(), more.begin(), more.end());
  return changes;
}

/// One block of 2 sequences of 512 tokens: 1,024 rows.
Changes block(const std::string& part, const Changes& more = {}) {
  return joined(
      {{"workload", {{"kind", "block"}, {"block", part}, {"batch", 2}, {"sequence_length", 512}}}},
      more);
}

std::string reason(const Changes& changes) {
  return scenario::structural_reason(scenario_with(changes));
}

std::vector<std::string> notes(const Changes& changes) {
  const scenario::Scenario scenario = scenario_with(changes);
  REQUIRE(scenario::structural_reason(scenario).empty());
  return scenario::overlap_notes(scenario);
}

std::vector<std::pair<std::string, std::int64_t>> passes(const Changes& changes) {
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  for (const scenario::PassTokens& pass : scenario::pass_tokens(scenario_with(changes))) {
    sizes.emplace_back(pass.name(), pass.tokens);
  }
  return sizes;
}

}  // namespace

TEST_CASE("an overlap is read from a name, an alias or an object, and resolves to the same") {
  const auto overlap = [](const nlohmann::json& value) {
    return scenario_with({{"plan.overlap", value}}).plan.overlap;
  };
  CHECK(overlap("none").strategy == "vanilla");
  for (const char* alias : {"flash", "flash-overlap", "commfuse"}) {
    CHECK(overlap(alias).strategy == "flash");
    CHECK(overlap({{"strategy", alias}}).strategy == "flash");
  }
  const scenario::Overlap all = overlap({{"strategy", "commfuse"},
                                         {"slices", 16},
                                         {"on", {"all_to_all", "row_parallel"}},
                                         {"transport", "copy_engines"},
                                         {"order", "pairwise"}});
  CHECK(all.slices == 16);
  CHECK(all.covers(OverlapSite::row_parallel));
  CHECK(all.covers(OverlapSite::all_to_all));
  CHECK_FALSE(all.covers(OverlapSite::column_parallel));
  CHECK(all.transport == scenario::Transport::copy_engines);
  CHECK(all.order == scenario::PeerOrder::pairwise);
  CHECK(overlap("slicing").covers(OverlapSite::column_parallel));
}

TEST_CASE("a resolved overlap names every choice and leaves out what is left to the strategy") {
  const auto resolved = [](const nlohmann::json& value) {
    return nlohmann::json(
        scenario::to_json(scenario_with({{"plan.overlap", value}})))["plan"]["overlap"];
  };
  CHECK(resolved("commfuse") ==
        nlohmann::json({{"strategy", "flash"}, {"transport", "kernels"}, {"order", "auto"}}));
  const nlohmann::json full = {{"strategy", "slicing"},
                               {"slices", 3},
                               {"on", {"row_parallel", "column_parallel"}},
                               {"transport", "kernels_without_priority"},
                               {"order", "ring"}};
  CHECK(resolved(full) == full);
}

TEST_CASE("mistakes in an overlap are one clear line") {
  const auto read = [](const nlohmann::json& value) {
    return scenario_with({{"plan.overlap", value}});
  };
  CHECK_THROWS_WITH(read("flahs"), Contains("did you mean \"flash\"?"));
  CHECK_THROWS_WITH(read("comfuse"), Contains("did you mean \"commfuse\"?"));
  CHECK_THROWS_WITH(read({{"strategy", "slicingg"}}),
                    Contains("/plan/overlap/strategy") && Contains("did you mean \"slicing\"?"));
  CHECK_THROWS_WITH(read({{"slices", 4}}), Contains("needs a member \"strategy\""));
  CHECK_THROWS_WITH(read({{"strategy", "flash"}, {"slice", 4}}),
                    Contains("did you mean \"slices\"?"));
  CHECK_THROWS_WITH(read({{"strategy", "flash"}, {"slices", 0}}), Contains("/plan/overlap/slices"));
  CHECK_THROWS_WITH(read({{"strategy", "flash"}, {"on", nlohmann::json::array({"row_parallell"})}}),
                    Contains("/plan/overlap/on/0") && Contains("did you mean \"row_parallel\"?"));
  CHECK_THROWS_WITH(read({{"strategy", "flash"}, {"on", {"all_to_all", "all_to_all"}}}),
                    Contains("/plan/overlap/on/1") && Contains("named twice"));
  CHECK_THROWS_WITH(read({{"strategy", "flash"}, {"on", nlohmann::json::array()}}),
                    Contains("at least one site"));
  CHECK_THROWS_WITH(read({{"strategy", "flash"}, {"transport", "copy_engine"}}),
                    Contains("did you mean \"copy_engines\"?"));
  CHECK_THROWS_WITH(read({{"strategy", "flash"}, {"order", "pairwize"}}),
                    Contains("did you mean \"pairwise\"?"));
  CHECK_THROWS_WITH(read({{"strategy", "vanilla"}, {"slices", 4}}),
                    Contains("vanilla takes nothing apart: \"slices\""));
  CHECK_THROWS_WITH(read({{"strategy", "none"}, {"on", nlohmann::json::array({"row_parallel"})}}),
                    Contains("vanilla takes nothing apart: \"on\""));
  CHECK_THROWS_WITH(read(7), Contains("/plan/overlap: found 7"));
}

TEST_CASE("a dotted path sets one part of an overlap, or all of it by a strategy's name") {
  nlohmann::json document = {{"plan", {{"overlap", "flash"}}}};
  scenario::set_path(document, "plan.overlap.slices", 16, "--set");
  CHECK(document["plan"]["overlap"] == nlohmann::json({{"strategy", "flash"}, {"slices", 16}}));
  scenario::set_path(document, "plan.overlap.strategy", "slicing", "--set");
  CHECK(document["plan"]["overlap"]["slices"] == 16);
  scenario::set_path(document, "plan.overlap", "vanilla", "--set");
  CHECK(document["plan"]["overlap"] == "vanilla");
}

TEST_CASE("sequence parallelism and Ulysses are read and resolved") {
  const scenario::Scenario sequence =
      scenario_with({{"plan.tp", 4}, {"plan.sequence_parallel", true}});
  CHECK(sequence.plan.sequence_parallel);
  CHECK(scenario::to_json(sequence)["plan"]["sequence_parallel"] == true);
  const scenario::Scenario ulysses = scenario_with({{"plan.ulysses", 4}, {"plan.dp", 2}});
  CHECK(ulysses.plan.devices() == 8);
  CHECK(scenario::to_json(ulysses)["plan"]["ulysses"] == 4);
  CHECK_THROWS_WITH(scenario_with({{"plan.ulysses", 0}}), Contains("/plan/ulysses"));
  CHECK_THROWS_WITH(scenario_with({{"plan.sequence_parallel", 1}}), Contains("true or false"));
  CHECK_THROWS_WITH(scenario_with({{"plan.tp", 1000000}, {"plan.dp", 1000000}}),
                    Contains("/plan: asks for more than 1000000 devices"));
}

TEST_CASE("a block has a forward pass, or both") {
  const auto pass = [](const nlohmann::json& value) {
    const scenario::Scenario scenario = scenario_with(block("mlp", {{"workload.pass", value}}));
    return scenario::to_json(scenario)["workload"]["pass"];
  };
  CHECK(pass(nullptr) == "forward");
  CHECK(pass("forward_backward") == "forward_backward");
  CHECK_THROWS_WITH(pass("backward"), Contains("/workload/pass"));
}

TEST_CASE("Ulysses that can't be laid out says why") {
  CHECK(reason({{"plan.ulysses", 8}}).empty());
  CHECK_THAT(reason({{"plan.ulysses", 4}, {"plan.tp", 2}}),
             Contains("ulysses shards whole layers: tp must be 1"));
  CHECK_THAT(reason({{"plan.ulysses", 8}, {"plan.dp", 2}}),
             Contains("needs 16 devices (tp 1 x ulysses 8 x pp 1 x dp 2)"));
  // 32 heads, 8 key/value heads.
  CHECK_THAT(reason({{"plan.ulysses", 3}}), Contains("ulysses 3 does not divide the 32 attention"));
  CHECK_THAT(reason({{"plan.ulysses", 4},
                     {"model.num_key_value_heads", 6},
                     {"model.num_attention_heads", 24},
                     {"model.head_dim", 128}}),
             Contains("neither divides nor is a multiple of the 6 key/value heads"));
}

TEST_CASE("slices that do not fit the ranks or the tokens say why") {
  const auto sliced = [](const char* strategy, int slices, const Changes& more = {}) {
    return reason(joined({{"plan.tp", 8},
                          {"workload.batch", 64},
                          {"plan.overlap", {{"strategy", strategy}, {"slices", slices}}}},
                         more));
  };
  CHECK(sliced("flash", 8).empty());
  CHECK(sliced("flash", 24).empty());
  CHECK_THAT(sliced("flash", 12), Contains("12 is no multiple of tp 8"));
  CHECK(sliced("decompose", 8).empty());
  CHECK_THAT(sliced("decompose", 16), Contains("16 is not tp 8"));
  CHECK(sliced("slicing", 7).empty());
  // 64 sequences: a decode step has 64 tokens, their prefill 64 times as many.
  // A decode step that is too small runs whole.
  CHECK(sliced("slicing", 65).empty());
  CHECK_THAT(sliced("slicing", 4097), Contains("more than the 4096 tokens of a prefill pass"));
  // Nothing to slice: a note, not a reason.
  CHECK(sliced("flash", 12, {{"plan.tp", 1}}).empty());
  CHECK_THAT(
      reason({{"plan.ulysses", 4}, {"plan.overlap", {{"strategy", "flash"}, {"slices", 6}}}}),
      Contains("6 is no multiple of ulysses 4"));
  // A decode step splits no queries: only the prefill of 4 x 64 tokens counts.
  CHECK(reason({{"plan.ulysses", 4}, {"plan.overlap", {{"strategy", "flash"}, {"slices", 256}}}})
            .empty());
}

TEST_CASE("slices are as many as asked for, else the strategy's natural count") {
  const auto count = [](const nlohmann::json& overlap, int tp, int ulysses) {
    return scenario::slice_count(
        scenario_with({{"plan.overlap", overlap}, {"plan.tp", tp}, {"plan.ulysses", ulysses}})
            .plan);
  };
  CHECK(count("vanilla", 8, 1) == 1);
  CHECK(count("slicing", 8, 1) == 4);
  CHECK(count("decompose", 8, 1) == 8);
  CHECK(count("flash", 2, 1) == 2);
  CHECK(count("flash", 1, 4) == 4);
  CHECK(count({{"strategy", "flash"}, {"slices", 32}}, 8, 1) == 32);
}

TEST_CASE("passes have the tokens of their nano-batches, within the runtime's budget") {
  using Passes = std::vector<std::pair<std::string, std::int64_t>>;
  CHECK(passes({}) == Passes{{"prefill pass", 256}, {"decode step", 4}});
  CHECK(passes({{"workload.output_tokens", 1}}) == Passes{{"prefill pass", 256}});
  // 7 sequences in 2 nano-batches: 4 and 3.
  CHECK(
      passes({{"plan.pp", 2}, {"workload.batch", 7}}) ==
      Passes{{"prefill pass", 256}, {"prefill pass", 192}, {"decode step", 4}, {"decode step", 3}});
  // 200 tokens hold 3 sequences of 64, the fourth goes alone.
  const Changes budget = {{"runtime.max_num_batched_tokens", 200}};
  CHECK(passes(budget) == Passes{{"prefill pass", 192}, {"prefill pass", 64}, {"decode step", 4}});
  // 500 = 200 + 200 + 100.
  CHECK(passes(joined(budget, {{"workload.input_tokens", 500}})) ==
        Passes{{"prefill pass", 200}, {"prefill pass", 100}, {"decode step", 4}});
  CHECK(passes(block("mlp")) == Passes{{"block", 1024}});
}

TEST_CASE("nothing to say about plans that do what they say") {
  CHECK(notes({}).empty());
  CHECK(notes({{"plan.tp", 8}}).empty());
  CHECK(notes(block("transformer", {{"plan.tp", 8}, {"plan.overlap", "flash"}})).empty());
  CHECK(notes(block("attention", {{"plan.ulysses", 8}, {"plan.overlap", "slicing"}})).empty());
  CHECK(notes(block("mlp",
                    {{"plan.tp", 8},
                     {"plan.sequence_parallel", true},
                     {"plan.overlap",
                      {{"strategy", "decompose"}, {"on", {"column_parallel", "row_parallel"}}}}}))
            .empty());
}

TEST_CASE("a strategy without any collective is noted") {
  using Catch::Matchers::Equals;
  const auto note = [](const Changes& changes) {
    const std::vector<std::string> all = notes(changes);
    REQUIRE(all.size() == 1);
    return all[0];
  };
  CHECK_THAT(note({{"plan.overlap", "flash"}}),
             Contains("flash has nothing to hide") && Contains("(tp 1, ulysses 1)"));
  CHECK_THAT(note({{"plan.overlap", "slicing"}, {"plan.dp", 8}}), Contains("no collective"));
  CHECK_THAT(note(block("mlp", {{"plan.ulysses", 4}, {"plan.overlap", "flash"}})),
             Contains("no collective here (tp 1, ulysses 4)"));
  CHECK_THAT(note({{"plan.sequence_parallel", true}}),
             Equals("sequence_parallel has no effect: tp is 1"));
}

TEST_CASE("sites that can't exist are noted one by one") {
  const auto on = [](const std::string& part, const nlohmann::json& sites, const Changes& more) {
    return notes(
        block(part, joined({{"plan.overlap", {{"strategy", "flash"}, {"on", sites}}}}, more)));
  };
  const auto all =
      on("transformer", {"data_parallel", "all_to_all", "column_parallel"}, {{"plan.tp", 8}});
  REQUIRE(all.size() == 4);
  CHECK_THAT(all[0], Contains("column_parallel") && Contains("without sequence_parallel"));
  CHECK_THAT(all[1], Contains("all_to_all") && Contains("ulysses is 1"));
  CHECK_THAT(all[2], Contains("data_parallel") && Contains("no gradients"));
  CHECK_THAT(all[3], Contains("the result is vanilla's"));

  CHECK_THAT(on("mlp", {"attention_query_split", "row_parallel"}, {{"plan.tp", 8}}),
             Catch::Matchers::VectorContains(
                 std::string("overlap: attention_query_split has no collective to hide: "
                             "there is no attention")));
  CHECK_THAT(on("transformer", {"row_parallel", "all_to_all"}, {{"plan.ulysses", 4}})[0],
             Contains("row_parallel") && Contains("tp is 1"));
  const Changes backward = {{"plan.tp", 4}, {"plan.dp", 2}, {"workload.pass", "forward_backward"}};
  CHECK(on("transformer", {"column_parallel", "data_parallel"}, backward).empty());
}

TEST_CASE("a training step says what no strategy takes apart in it") {
  const auto on = [](const nlohmann::json& sites) {
    return notes({{"cluster", "h100-8"},
                  {"plan.tp", 4},
                  {"plan.dp", 2},
                  {"plan.overlap", {{"strategy", "decompose"}, {"on", sites}}},
                  {"workload",
                   {{"kind", "training"},
                    {"sequence_length", 512},
                    {"micro_batch", 1},
                    {"global_batch", 2}}}});
  };
  CHECK(on({"row_parallel", "column_parallel"}).empty());
  const auto replicas = on({"data_parallel", "row_parallel"});
  REQUIRE(replicas.size() == 1);
  CHECK(replicas[0] ==
        "overlap: a training step takes data_parallel apart for no strategy: the runtime says "
        "whether it runs beside computation");
  CHECK_THAT(on(nlohmann::json::array({"attention_query_split"})).back(),
             Contains("the result is vanilla's"));
}

TEST_CASE("query splitting belongs to flash") {
  const auto split = [](const char* strategy) {
    return notes(block(
        "attention",
        {{"plan.tp", 8},
         {"plan.overlap",
          {{"strategy", strategy}, {"on", nlohmann::json::array({"attention_query_split"})}}}}));
  };
  CHECK(split("flash").empty());
  REQUIRE(split("slicing").size() == 2);
  CHECK_THAT(split("slicing")[0], Contains("attention_query_split is defined for flash only"));
}

TEST_CASE("tokens that do not divide are padded to whole slices, and fewer than slices run whole") {
  // Prefill of 3 x 100 = 300 tokens in 8 slices of 38 rows; 3 tokens do not fill 8 slices.
  const Changes three = {{"plan.tp", 8}, {"workload.batch", 3}, {"workload.input_tokens", 100}};
  const auto flash = notes(joined(three, {{"plan.overlap", "flash"}}));
  REQUIRE(flash.size() == 2);
  CHECK(flash[0] == "prefill pass: 300 tokens are padded to 304 (8 slices of 38)");
  CHECK_THAT(flash[1], Contains("decode step: 3 tokens are fewer than the 8 slices of flash"));
  // 300 = 4 x 75.
  CHECK(notes(joined(three, {{"plan.overlap", "slicing"}})).size() == 1);
  const auto shards = notes(joined(three, {{"plan.sequence_parallel", true}}));
  REQUIRE(shards.size() == 2);
  CHECK(shards[0] == "prefill pass: 300 tokens are padded to 304 (8 sequence shards of 38)");
  CHECK(shards[1] == "decode step: 3 tokens are padded to 8 (8 sequence shards of 1)");
}
