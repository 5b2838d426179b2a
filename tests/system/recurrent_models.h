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
  return TestData("recurrent") / name;
}

inline std::vector<std::string> RecurrentNames() {
  return NamesIn(TestData("recurrent"));
}

inline OwnModel RecurrentModel(const std::string& name) {
  OwnModel model(RecurrentFolder(name).string());
  if (!model.map.starts_with("preset:")) {
    model.map = (model.folder / model.map).string();
  }
  return model;
}

inline ModelBytes ConvertRecurrent(const std::string& name, WeightType weights,
                                   Tile tile = UsableTile()) {
  return WriteForThisCpu(RecurrentModel(name).Read(), weights, tile);
}

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_RECURRENT_MODELS_H_
