// The models of tests/data/own_models: as they are, and copies that a test
// edits.
#ifndef LATIMER_TESTS_CONVERTER_OWN_MODEL_H_
#define LATIMER_TESTS_CONVERTER_OWN_MODEL_H_

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "converter/readers/mapped_model.h"
#include "converter/readers/tensor_file.h"
#include "tests/converter/model_folder.h"

namespace latimer {

inline std::filesystem::path OwnModelsFolder() {
  return TestData("own_models");
}

inline std::vector<std::string> OwnModelNames() {
  return NamesIn(OwnModelsFolder());
}

// A model's fixture and how to convert it.
struct OwnModel {
  explicit OwnModel(const std::string& name)
      : folder(OwnModelsFolder() / name),
        fixture(nlohmann::json::parse(ReadFile(folder / "fixture.json"))),
        weights(folder / fixture["checkpoint"].get<std::string>()),
        map(fixture["map"]) {
    for (const auto& setting : fixture["set"]) {
      settings.push_back(Placed(setting));
    }
  }

  // With "{folder}" replaced by the folder.
  std::string Placed(std::string setting) const {
    const std::string placeholder = "{folder}";
    const size_t at = setting.find(placeholder);
    if (at != std::string::npos) {
      setting.replace(at, placeholder.size(), folder.string());
    }
    return setting;
  }

  // With more settings, which win.
  CanonicalModel Read(const std::vector<std::string>& more = {},
                      bool with_tokenizer = false) const {
    std::vector<std::string> all = settings;
    all.insert(all.end(), more.begin(), more.end());
    return ReadMappedModel(weights, ReadModelMap(map, all), with_tokenizer);
  }

  std::filesystem::path folder;
  nlohmann::json fixture;
  std::filesystem::path weights;
  std::string map;
  std::vector<std::string> settings;
};

// One whose tensors may be edited; they are f32 in a safetensors file.
class OwnModelCopy {
 public:
  explicit OwnModelCopy(const std::string& name) : model_(name) {
    const auto file = OpenTensorFile(model_.weights);
    for (const auto& [tensor_name, tensor] : file.tensors) {
      tensors_.push_back(F32Tensor(tensor_name, tensor.shape, tensor.Values()));
    }
    model_.weights = folder_.path() / "model.safetensors";
    Edit([](std::vector<StoredTensor>&) {});
  }

  void Edit(const std::function<void(std::vector<StoredTensor>&)>& edit) {
    edit(tensors_);
    WriteFile(model_.weights, SafetensorsBytes(tensors_));
  }

  CanonicalModel Read(const std::vector<std::string>& settings = {}) const {
    return model_.Read(settings);
  }
  std::string Error(const std::vector<std::string>& settings = {}) const {
    return ErrorOf([&] { (void)Read(settings); });
  }

 private:
  TempFolder folder_;
  OwnModel model_;
  std::vector<StoredTensor> tensors_;
};

}  // namespace latimer

#endif  // LATIMER_TESTS_CONVERTER_OWN_MODEL_H_
