// Converts a folder of CTranslate2 whose model.bin was edited, and loads the
// result.
//
// The first byte of an input says which folder. Four bytes are an edit: what,
// which variable, which other one, and a number. The file stays well-formed, so
// that edits reach what reads its variables: their types, shapes, scales and
// aliases.
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/check.h"
#include "converter/error.h"
#include "converter/readers/open_model.h"
#include "tests/converter/ctranslate2_bytes.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/source_folder.h"
#include "tests/fuzz/written.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

// Inputs refer to them by number: add new ones at the end.
const char* const kFolders[] = {
    "marian_int8", "marian_int16",
    "marian_old",  "marian_float16",
    "t5",          "mbart50",
    "opennmt_py",  "opennmt_tf",
    "fairseq",     "native_separate",
    "m2m100",      "pegasus_untied",
    "bart",        "mt5",
    "text_argos",  "t5_untied",
    "marian",      "marian_bfloat16",
    "text_marian",
};

std::string Bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string TakeText(Input& input) {
  const std::string text(input.Text(input.Take<uint16_t>()));
  return text.substr(0, text.size() - 1);
}

Ct2Model Parse(const std::string& bytes) {
  Input input(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  Ct2Model model;
  model.version = input.Take<uint32_t>();
  model.spec = TakeText(input);
  model.revision = input.Take<uint32_t>();
  model.variables.resize(input.Take<uint32_t>());
  for (Ct2Variable& variable : model.variables) {
    variable.name = TakeText(input);
    variable.shape.resize(input.Byte());
    for (uint32_t& extent : variable.shape) extent = input.Take<uint32_t>();
    variable.type = input.Byte();
    variable.data = input.Text(input.Take<uint32_t>());
  }
  model.aliases.resize(input.Take<uint32_t>());
  for (auto& [alias, name] : model.aliases) {
    alias = TakeText(input);
    name = TakeText(input);
  }
  return model;
}

// The folders and their models, in memory if the system has such a folder.
class Folders {
 public:
  Folders() {
    const fs::path memory = "/dev/shm";
    std::string name =
        ((fs::exists(memory) ? memory : fs::temp_directory_path()) /
         "latimer_fuzz_XXXXXX")
            .string();
    LATIMER_CHECK(mkdtemp(name.data()) != nullptr);
    root_ = name;
    const fs::path data = SourceFolder() / "tests" / "data" / "ctranslate2";
    for (const char* folder : kFolders) {
      fs::copy(data / folder, Of(models_.size()));
      models_.push_back(Parse(Bytes(data / folder / "model.bin")));
    }
  }
  ~Folders() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  fs::path Of(size_t which) const { return root_ / std::to_string(which); }
  const Ct2Model& Model(size_t which) const { return models_[which]; }

 private:
  fs::path root_;
  std::vector<Ct2Model> models_;
};

enum class What : uint8_t {
  kType,
  kSwapTypes,
  kSwapShapes,
  kSwapData,
  kShape,
  kExtent,
  kName,
  kDouble,
  kRemove,
  kFill,
  kScale,
  kAlias,
  kRemoveAlias,
  kNumber,
  kVersion,
  kRevision,
  kCount,
};

const char* const kSuffixes[] = {"", "_scale", "_scale_scale", "_zero"};

// As many bytes as its shape asks for.
void Fit(Ct2Variable& variable) {
  uint64_t bytes = Ct2ItemBytes(variable.type);
  for (const uint32_t extent : variable.shape) bytes *= extent;
  constexpr uint64_t kMost = 1 << 20;
  if (bytes <= kMost) variable.data.resize(bytes, '\x40');
}

// Another shape of as many numbers, or of one.
void Reshape(Ct2Variable& variable, uint8_t how) {
  std::vector<uint32_t>& shape = variable.shape;
  const auto count =
      static_cast<uint32_t>(variable.data.size() / Ct2ItemBytes(variable.type));
  switch (how % 7) {
    case 0:
      std::ranges::reverse(shape);
      return;
    case 1:
      shape = {count};
      return;
    case 2:
      shape.push_back(1);
      return;
    case 3:
      shape.insert(shape.begin(), 1);
      return;
    case 4:
      shape = {};
      return;
    case 5:
      if (!shape.empty()) shape.pop_back();
      return;
    case 6:
      shape = {0};
      return;
  }
}

// The variable with this name, after adding it if there is none.
Ct2Variable& Find(Ct2Model& model, const std::string& name) {
  const auto found = std::ranges::find(model.variables, name,
                                       [](const auto& v) { return v.name; });
  if (found != model.variables.end()) return *found;
  model.variables.push_back({.name = name, .type = 0, .shape = {}, .data = ""});
  return model.variables.back();
}

void Fill(Ct2Variable& variable, uint8_t how) {
  // As float32: 0, 1, -1, infinite, no number, the smallest, the largest.
  constexpr std::array<uint32_t, 8> kPatterns = {
      0,          0x3f800000, 0xbf800000, 0x7f800000,
      0x7fc00000, 1,          0x7f7fffff, 0x40404040};
  const uint32_t pattern = kPatterns[how % kPatterns.size()];
  for (size_t i = 0; i < variable.data.size(); ++i) {
    variable.data[i] = static_cast<char>(pattern >> (8 * (i % 4)));
  }
}

void Edit(Input& input, Ct2Model& model) {
  std::vector<Ct2Variable>& variables = model.variables;
  const auto what =
      static_cast<What>(input.Byte() % static_cast<uint8_t>(What::kCount));
  const uint8_t at = input.Byte(), other_at = input.Byte();
  const uint8_t number = input.Byte();
  if (variables.empty()) return;
  Ct2Variable& one = variables[at % variables.size()];
  Ct2Variable& other = variables[other_at % variables.size()];
  const std::string suffix = kSuffixes[number % std::size(kSuffixes)];
  switch (what) {
    case What::kType:
      one.type = number % (kCt2Types + 1);
      Fit(one);
      return;
    case What::kSwapTypes:
      std::swap(one.type, other.type);
      Fit(one);
      Fit(other);
      return;
    case What::kSwapShapes:
      std::swap(one.shape, other.shape);
      Fit(one);
      Fit(other);
      return;
    case What::kSwapData:
      std::swap(one.data, other.data);
      Fit(one);
      Fit(other);
      return;
    case What::kShape:
      Reshape(one, number);
      Fit(one);
      return;
    case What::kExtent:
      if (one.shape.empty()) return;
      one.shape[other_at % one.shape.size()] += static_cast<int8_t>(number);
      Fit(one);
      return;
    case What::kName:
      one.name = other.name + suffix;
      return;
    case What::kDouble: {
      Ct2Variable copy = one;
      copy.name = other.name + suffix;
      variables.push_back(std::move(copy));
      return;
    }
    case What::kRemove:
      variables.erase(variables.begin() + at % variables.size());
      return;
    case What::kFill:
      Fill(one, number);
      return;
    case What::kScale: {
      const std::vector<uint32_t> of = one.shape;
      Ct2Variable& scale = Find(model, one.name + "_scale");
      scale.type = number % (kCt2Types + 1);
      scale.shape = of;
      if (!of.empty()) scale.shape.resize(other_at % (of.size() + 1));
      if (other_at >= 128) scale.shape.push_back(1);
      Fit(scale);
      Fill(scale, 7);
      return;
    }
    case What::kAlias:
      model.aliases.emplace_back(one.name + suffix, other.name + suffix);
      return;
    case What::kRemoveAlias:
      if (model.aliases.empty()) return;
      model.aliases.erase(model.aliases.begin() + at % model.aliases.size());
      return;
    case What::kNumber:
      one.shape = {};
      one.data.assign(Ct2ItemBytes(one.type), static_cast<char>(number));
      return;
    case What::kVersion:
      model.version = number % 8;
      return;
    case What::kRevision:
      model.revision = number % 9;
      return;
    case What::kCount:
      return;
  }
}

}  // namespace
}  // namespace latimer

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace latimer;
  static const Folders folders;
  Input input(data, size);
  const size_t which = input.Byte() % std::size(kFolders);
  Ct2Model model = folders.Model(which);
  constexpr size_t kMostEdits = 16;
  for (size_t i = 0; i < kMostEdits && !input.rest().empty(); ++i) {
    Edit(input, model);
  }
  std::ofstream(folders.Of(which) / "model.bin", std::ios::binary)
      << Ct2Bytes(model);
  try {
    ExpectLoadable(OpenModel(folders.Of(which), /*with_tokenizer=*/false));
  } catch (const ConversionError& error) {
    LATIMER_EXPECT(error.what()[0] != '\0');
  }
  return 0;
}
