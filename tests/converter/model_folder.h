// Model folders made for one test: small safetensors files, and copies of the
// tiny models that a test edits.
#ifndef LATIMER_TESTS_CONVERTER_MODEL_FOLDER_H_
#define LATIMER_TESTS_CONVERTER_MODEL_FOLDER_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "converter/error.h"

namespace latimer {

// A folder that is removed with the object.
class TempFolder {
 public:
  TempFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "latimer_test_XXXXXX")
            .string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void WriteFile(const std::filesystem::path& path,
                      const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  EXPECT_TRUE(file.good()) << path;
}

// The sentence of the ConversionError that `f` throws. If it throws none, the
// test fails.
inline std::string ErrorOf(const std::function<void()>& f) {
  try {
    f();
  } catch (const ConversionError& error) {
    return error.what();
  }
  ADD_FAILURE() << "expected a ConversionError";
  return "";
}

// Calls `open` with every truncation of `whole`, and with every byte changed in
// three ways.
inline void ForEachDamage(const std::string& whole,
                          const std::function<void(const std::string&)>& open) {
  for (size_t size = 0; size < whole.size(); ++size) {
    open(whole.substr(0, size));
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const char change : {'\x01', '\x80', '\xff'}) {
      std::string bytes = whole;
      bytes[i] = static_cast<char>(bytes[i] ^ change);
      open(bytes);
    }
  }
}

// A folder of tests/data.
inline std::filesystem::path TestData(const std::string& name) {
  return std::filesystem::path(LATIMER_SOURCE_DIR) / "tests" / "data" / name;
}

// Writes config.json and, unless `rules` is null, generation_config.json.
inline void WriteConfigs(const TempFolder& folder, const nlohmann::json& config,
                         const nlohmann::json& rules) {
  WriteFile(folder.path() / "config.json", config.dump());
  if (!rules.is_null()) {
    WriteFile(folder.path() / "generation_config.json", rules.dump());
  }
}

// Copies a model of tests/data/family_texts and its tokenizer into one folder,
// as they are published. The tokenizer is in a folder of the same name, or in
// that which the model's file `tokenizer` names, or beside the model.
inline void CopyFamily(const std::string& name,
                       const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::string tokenizer = "huggingface_tokenizer/" + name;
  std::ifstream named(TestData("family_texts") / name / "tokenizer");
  if (named) std::getline(named, tokenizer);
  if (fs::exists(TestData(tokenizer))) fs::copy(TestData(tokenizer), folder);
  fs::copy(TestData("family_texts") / name, folder,
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
}

// The bytes of some numbers, as files hold them.
template <typename T>
std::string Raw(const std::vector<T>& values) {
  std::string data(values.size() * sizeof(T), '\0');
  std::memcpy(data.data(), values.data(), data.size());
  return data;
}

// A tensor as a safetensors file holds it.
struct StoredTensor {
  std::string name;
  std::string type;  // "F32", "F16", "BF16"
  std::vector<uint64_t> shape;
  std::string data;
};

inline StoredTensor F32Tensor(std::string name, std::vector<uint64_t> shape,
                              const std::vector<float>& values) {
  return {std::move(name), "F32", std::move(shape), Raw(values)};
}

// A file with any header, right or wrong.
inline std::string SafetensorsBytes(const std::string& header,
                                    const std::string& data) {
  const uint64_t length = header.size();
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes + header + data;
}

inline std::string SafetensorsBytes(const std::vector<StoredTensor>& tensors) {
  nlohmann::ordered_json header = {{"__metadata__", {{"format", "pt"}}}};
  std::string data;
  for (const StoredTensor& tensor : tensors) {
    const size_t begin = data.size();
    data += tensor.data;
    header[tensor.name] = {{"dtype", tensor.type},
                           {"shape", tensor.shape},
                           {"data_offsets", {begin, data.size()}}};
  }
  return SafetensorsBytes(header.dump(), data);
}

// Reads what SafetensorsBytes and save_pretrained write.
inline std::vector<StoredTensor> ReadTensors(
    const std::filesystem::path& path) {
  const std::string bytes = ReadFile(path);
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  const auto header =
      nlohmann::json::parse(bytes.substr(sizeof(length), length));
  const std::string data = bytes.substr(sizeof(length) + length);
  std::vector<StoredTensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const size_t begin = entry["data_offsets"][0];
    const size_t end = entry["data_offsets"][1];
    tensors.push_back({name, entry["dtype"], entry["shape"],
                       data.substr(begin, end - begin)});
  }
  return tensors;
}

// The names in a folder, sorted.
inline std::vector<std::string> NamesIn(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

inline std::filesystem::path TinyModelsFolder() {
  return TestData("tiny_marian");
}

// A copy of one of the tiny models; its files may be edited.
class TinyModelCopy {
 public:
  explicit TinyModelCopy(const std::string& name = "no_scale") {
    for (const auto& entry :
         std::filesystem::directory_iterator(TinyModelsFolder() / name)) {
      std::filesystem::copy(entry.path(), path() / entry.path().filename());
    }
  }

  const std::filesystem::path& path() const { return folder_.path(); }

  // Sets fields of config.json or generation_config.json; null removes one.
  void Edit(const std::string& file, const nlohmann::json& fields) {
    auto json = nlohmann::json::parse(ReadFile(path() / file));
    json.merge_patch(fields);
    WriteFile(path() / file, json.dump());
  }
  void EditConfig(const nlohmann::json& fields) { Edit("config.json", fields); }
  void EditGeneration(const nlohmann::json& fields) {
    Edit("generation_config.json", fields);
  }

  void EditTensors(
      const std::function<void(std::vector<StoredTensor>&)>& edit) {
    const auto file = path() / "model.safetensors";
    std::vector<StoredTensor> tensors = ReadTensors(file);
    edit(tensors);
    WriteFile(file, SafetensorsBytes(tensors));
  }

 private:
  TempFolder folder_;
};

// The tensor of that name, which must be there.
inline StoredTensor& Named(std::vector<StoredTensor>& tensors,
                           const std::string& name) {
  for (StoredTensor& tensor : tensors) {
    if (tensor.name == name) return tensor;
  }
  ADD_FAILURE() << "no tensor " << name;
  return tensors.front();
}

inline void Remove(std::vector<StoredTensor>& tensors,
                   const std::string& name) {
  const size_t removed = std::erase_if(
      tensors, [&](const StoredTensor& t) { return t.name == name; });
  EXPECT_EQ(removed, 1u) << name;
}

}  // namespace latimer

#endif  // LATIMER_TESTS_CONVERTER_MODEL_FOLDER_H_
