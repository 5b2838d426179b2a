// The models of tests/data/recurrent, converted in memory.
#ifndef LATIMER_TESTS_SYSTEM_RECURRENT_MODELS_H_
#define LATIMER_TESTS_SYSTEM_RECURRENT_MODELS_H_

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/converter/own_model.h"
#include "tests/system/tiny_model.h"

namespace latimer {

inline std::filesystem::path RecurrentFolder(const std::string& name) {
  return std::filesystem::path(LATIMER_SOURCE_DIR) / "tests" / "data" /
         "recurrent" / name;
}

inline std::vector<std::string> RecurrentNames() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(RecurrentFolder(""))) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

inline OwnModel RecurrentModel(const std::string& name) {
  OwnModel model(RecurrentFolder(name).string());
  if (!model.map.starts_with("preset:")) {
    model.map = (model.folder / model.map).string();
  }
  return model;
}

inline WriteOptions RecurrentOptions(WeightType weights,
                                     Tile tile = UsableTile()) {
  return {.weights = weights,
          .tile = tile,
          .f32_tile = UsableTile(WeightType::kF32),
          .progress = {}};
}

inline ModelBytes ConvertRecurrent(const std::string& name, WeightType weights,
                                   Tile tile = UsableTile()) {
  return WriteModel(RecurrentModel(name).Read(),
                    RecurrentOptions(weights, tile));
}

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_RECURRENT_MODELS_H_
