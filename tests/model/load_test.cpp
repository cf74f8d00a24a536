#include "sim/model/load.h"

#include <unistd.h>

#include <fstream>

#include "sim/model/count.h"
#include "tests/catch.h"
#include "tests/model/fixtures.h"

namespace tradewind::model {
namespace {

/// A folder of its own, gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(std::filesystem::temp_directory_path() /
              ("tradewind-model-test-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_ / "Tiny-Llama");
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string write(const char* name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

std::string refusal(nlohmann::json model) {
  return complaint([&] { load(std::move(model)); });
}

TEST_CASE("a name means the file of the catalogue") {
  CHECK(load("llama-3.1-8b") == load_model("llama-3.1-8b", models_folder()));
}

TEST_CASE("a wrong name is refused with the nearest") {
  const std::string text = refusal("llama-3.1-70");
  CHECK(
      text.starts_with("scenario.json: /model: unknown model \"llama-3.1-70\"; did you mean "
                       "\"llama-3.1-70b\"? (known: llama-2-13b, llama-2-70b, "));
  CHECK(refusal("Llama-3.1-70B").find("did you mean \"llama-3.1-70b\"?") != std::string::npos);
  CHECK(refusal("").starts_with("scenario.json: /model: unknown model \"\""));
  CHECK(complaint([] {
          load_model("no-such-thing", models_folder());
        }).starts_with("unknown model \"no-such-thing\" (known: "));
}

TEST_CASE("a string with a slash or ending in .json is a path") {
  const TemporaryFolder folder;
  const std::string text = small_model().dump();
  const ModelConfig downloaded = load(folder.write("Tiny-Llama/config.json", text));
  CHECK(parameters(downloaded).total() == 2232);
  CHECK(downloaded.name == "Tiny-Llama");
  CHECK(load(folder.write("tiny.json", text)).name == "tiny");
  CHECK(refusal("./no/such/file.json").starts_with("./no/such/file.json: "));
}

TEST_CASE("a bad file is named in the message, not the scenario") {
  const TemporaryFolder folder;
  nlohmann::json object = small_model();
  object.erase("hidden_size");
  const std::string path = folder.write("bad.json", object.dump());
  CHECK(refusal(path) == path + ": /: needs a member \"hidden_size\"");
  const std::string broken = folder.write("broken.json", "{ \"model_type\": ");
  CHECK(refusal(broken).starts_with(broken + ": is not JSON: line 1"));
  const std::string list = folder.write("list.json", "[1]");
  CHECK(refusal(list) == list + ": /: found an array, expected an object");
  CHECK(refusal({{"base", list}, {"hidden_size", 8}}) ==
        list + ": /: found an array, expected an object");
}

TEST_CASE("an object with a model_type is the model itself") {
  CHECK(parameters(load(small_model())).total() == 2232);
  nlohmann::json named = small_model();
  named["name"] = "tiny";
  CHECK(load(named).name == "tiny");
  CHECK(refusal({{"hidden_size", 8}}) ==
        "scenario.json: /model: needs a member \"model_type\" or \"base\"");
  nlohmann::json bad = small_model();
  bad["vocab_size"] = 0;
  CHECK(refusal(bad) ==
        "scenario.json: /model/vocab_size: found 0, expected an integer from 1 to 16777216");
}

TEST_CASE("fields over a base replace the base's") {
  const ModelConfig base = load("llama-3.1-405b");
  const ModelConfig short_model = load({{"base", "llama-3.1-405b"}, {"num_hidden_layers", 7}});
  CHECK(short_model.num_hidden_layers == 7);
  CHECK(short_model.name == "llama-3.1-405b-modified");
  CHECK(126 * parameters(short_model).layers == 7 * parameters(base).layers);
  CHECK(load({{"base", "llama-3.1-405b"}}) == base);
  CHECK(load({{"base", "qwen3-8b"}, {"name", "mine"}}).name == "mine");
}

TEST_CASE("a size that follows from others follows when they are replaced") {
  const ModelConfig narrow = load({{"base", "llama-3.1-8b"}, {"hidden_size", 2048}});
  CHECK(narrow.head_dim == 2048 / 32);
  CHECK(load({{"base", "qwen3-8b"}, {"hidden_size", 2048}}).head_dim == 128);
}

TEST_CASE("a field set to null is as if the base had none") {
  CHECK(load({{"base", "mistral-7b"}, {"sliding_window", nullptr}}).sliding_window == 0);
  CHECK(load({{"base", "llama-3.1-8b"}, {"num_key_value_heads", nullptr}}).num_key_value_heads ==
        32);
}

TEST_CASE("fields over a base are checked, their names too") {
  CHECK(refusal({{"base", "llama-3.1-8b"}, {"num_hidden_layer", 7}})
            .starts_with("scenario.json: /model/num_hidden_layer: unknown key "
                         "\"num_hidden_layer\"; did you mean \"num_hidden_layers\"? (known: "));
  CHECK(refusal({{"base", "llama-3.1-8b"}, {"rope_theta", 1}})
            .starts_with("scenario.json: /model/rope_theta: unknown key"));
  CHECK(refusal({{"base", "llama-3.1-8b"}, {"num_key_value_heads", 5}}) ==
        "scenario.json: /model/num_key_value_heads: found 5, expected a divisor of "
        "num_attention_heads (32)");
  CHECK(refusal({{"base", "llama-3.1-8"}, {"vocab_size", 5}})
            .starts_with("scenario.json: /model/base: unknown model \"llama-3.1-8\"; did you"));
  CHECK(refusal({{"base", 5}}) == "scenario.json: /model/base: found 5, expected a string");
}

TEST_CASE("what is neither a string nor an object is refused") {
  CHECK(refusal(70) ==
        "scenario.json: /model: found 70, expected a model's name, a path or an object");
  CHECK_FALSE(refusal(nlohmann::json::array({"llama-3.1-8b"})).empty());
}

TEST_CASE("a folder that is not there is an error, not an empty catalogue") {
  CHECK(complaint([] { known_models("no/such/folder"); }) ==
        "no/such/folder: can't be read as the folder of models");
}

}  // namespace
}  // namespace tradewind::model
