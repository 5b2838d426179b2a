// The models that the fuzz targets start from: small ones of tests/data, one
// of each kind.
#ifndef LATIMER_TESTS_FUZZ_BASE_MODELS_H_
#define LATIMER_TESTS_FUZZ_BASE_MODELS_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tests/fuzz/model_slots.h"

namespace latimer {

class BaseModel {
 public:
  BaseModel(std::string name, std::span<const std::byte> file);
  BaseModel(const BaseModel&) = delete;
  BaseModel& operator=(const BaseModel&) = delete;
  ~BaseModel();

  const std::string& name() const { return name_; }
  // The file, with no byte to spare after it. May be edited; Restore undoes all
  // edits.
  std::span<std::byte> file() const { return file_; }
  void Restore() const;
  const ModelSlots& slots() const { return slots_; }

 private:
  std::string name_;
  std::span<std::byte> file_;
  std::vector<std::byte> original_;
  ModelSlots slots_;
};

// Converted at the first call.
std::span<const BaseModel* const> BaseModels();
// Those with a tokenizer.
std::span<const BaseModel* const> BaseModelsOfText();

}  // namespace latimer

#endif  // LATIMER_TESTS_FUZZ_BASE_MODELS_H_
