#include "tests/fuzz/base_models.h"

#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "converter/known_answer.h"
#include "converter/model_writer.h"
#include "converter/readers/mapped_model.h"
#include "converter/readers/open_model.h"
#include "converter/vocabulary_pruning.h"
#include "tests/fuzz/source_folder.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;
using Models = std::vector<std::unique_ptr<const BaseModel>>;

const fs::path kData = SourceFolder() / "tests" / "data";

class TempFolder {
 public:
  TempFolder() : path_(fs::temp_directory_path() / "latimer_fuzz_XXXXXX") {
    std::string name = path_.string();
    LATIMER_CHECK(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

struct Parts {
  MatrixTypes types = {};
  const QuantizedMatrices* quantized = nullptr;
  KnownAnswer answer = {};
};

void Add(const std::string& name, const CanonicalModel& model,
         WeightType weights, Models* models, const Parts& parts = {}) {
  const ModelBytes file =
      WriteModel(model, {.weights = weights,
                         .tile = *TileForThisCpu(WeightType::kInt8),
                         .f32_tile = *TileForThisCpu(WeightType::kF32),
                         .smallest_pruned = 1,
                         .types = &parts.types,
                         .quantized = parts.quantized,
                         .known_answer = parts.answer,
                         .certificate = parts.quantized != nullptr,
                         .progress = {}});
  models->push_back(std::make_unique<BaseModel>(name, file.bytes()));
}

// The model of tests/data/family_texts and its tokenizer, in one folder.
CanonicalModel ReadFamily(const std::string& name) {
  const TempFolder folder;
  const auto options =
      fs::copy_options::recursive | fs::copy_options::overwrite_existing;
  fs::copy(kData / "huggingface_tokenizer" / name, folder.path(), options);
  fs::copy(kData / "family_texts" / name, folder.path(), options);
  return OpenModel(folder.path(), /*with_tokenizer=*/true);
}

// A PyTorch model and its map; see tests/reference/README.md.
CanonicalModel ReadOwn(const fs::path& folder, bool with_tokenizer) {
  std::ifstream file(folder / "fixture.json");
  const auto fixture = nlohmann::json::parse(file);
  std::vector<std::string> settings;
  for (std::string setting : fixture["set"]) {
    const std::string placeholder = "{folder}";
    const size_t at = setting.find(placeholder);
    if (at != setting.npos) {
      setting.replace(at, placeholder.size(), folder.string());
    }
    settings.push_back(setting);
  }
  std::string map = fixture["map"];
  if (!map.starts_with("preset:")) map = (folder / map).string();
  return ReadMappedModel(folder / fixture["checkpoint"].get<std::string>(),
                         ReadModelMap(map, settings), with_tokenizer);
}

// The demo with a layer of each kind and few tokens. It is wide enough for a
// pruned argmax, and its matrices become int4 if they can.
CanonicalModel ReadDemo() {
  const TempFolder folder;
  const fs::path text = folder.path() / "text";
  std::ofstream(text) << "How are you? I am fine, thank you.\n"
                         "Wie geht es Ihnen? Mir geht es gut, danke.\n";
  CanonicalModel model = OpenModel(SourceFolder() / "examples" / "en-de",
                                   /*with_tokenizer=*/true);
  PruneVocabulary(ChooseTokens(model, {.texts = {text}}), &model);
  model.architecture.encoder_layers = 1;
  model.architecture.decoder_layers = 1;
  return model;
}

Models Convert(bool of_text) {
  Models models;
  constexpr WeightType kInt8 = WeightType::kInt8;
  if (!of_text) {
    const CanonicalModel marian =
        OpenModel(kData / "tiny_marian" / "bad_words", false);
    Add("marian", marian, kInt8, &models);
    Add("marian_f32", marian, WeightType::kF32, &models);
    Add("marian_f16", marian, WeightType::kF16, &models);
    for (const char* name : {"gated_silu", "relu_tied"}) {
      Add(name, OpenModel(kData / "t5" / name, false), kInt8, &models);
    }
    for (const char* name : {"bahdanau", "luong_general", "mixed", "seq2seq",
                             "lstm_layers", "lstm_energy", "gru_context"}) {
      Add(name, ReadOwn(kData / "recurrent" / name, false), kInt8, &models);
    }
    Add("ssru", OpenModel(kData / "tiny_native" / "ssru", false), kInt8,
        &models);
  }
  Add("shortlist", OpenModel(kData / "tiny_native" / "student_shortlist", true),
      kInt8, &models);
  for (const char* name :
       {"encoder_layers_words", "encoder_layers_characters"}) {
    Add(name, ReadOwn(kData / "own_models" / name, true), kInt8, &models);
  }
  for (const char* name :
       {"bart", "byt5", "m2m100", "mbart50_json", "mt5", "nllb_json", "t5"}) {
    Add(name, ReadFamily(name), kInt8, &models);
  }
  CanonicalModel demo = ReadDemo();
  const QuantizedMatrices int4 = QuantizeToInt4(/*largest_error=*/1, &demo);
  MatrixTypes types = TypesOf(int4);
  Add("demo", demo, kInt8, &models, {.types = types, .quantized = &int4});
  // Inputs refer to models by number: further ones are at the end.
  if (!of_text) {
    for (const char* name : {"padded", "keras", "lstm_top", "gru_mean"}) {
      Add(name, ReadOwn(kData / "recurrent" / name, false), kInt8, &models);
    }
  }
  for (const char* name : {"encoder_layers_padded", "encoder_layers_pieces"}) {
    Add(name, ReadOwn(kData / "own_models" / name, true), kInt8, &models);
  }
  Add("pegasus", ReadFamily("pegasus"), kInt8, &models);
  Add("demo_int6", ReadDemo(), WeightType::kInt6, &models);
  if (!of_text) {
    Add("extras", ReadOwn(kData / "recurrent" / "extras", false), kInt8,
        &models);
    constexpr int32_t kSource[] = {2, 3, 4}, kTarget[] = {4, 3, 2};
    Add("answer", ReadOwn(kData / "recurrent" / "lstm_seq2seq", false), kInt8,
        &models, {.answer = {kSource, kTarget}});
  }
  // As --weights auto chooses: some int4, some int6, and the rest int8.
  bool is_int6 = false;
  for (auto& [name, type] : types) {
    if (is_int6) type = WeightType::kInt6;
    is_int6 = !is_int6;
  }
  Add("demo_auto", demo, kInt8, &models, {.types = types, .quantized = &int4});
  return models;
}

std::vector<const BaseModel*> Pointers(const Models& models) {
  std::vector<const BaseModel*> pointers;
  pointers.reserve(models.size());
  for (const auto& model : models) pointers.push_back(model.get());
  return pointers;
}

}  // namespace

BaseModel::BaseModel(std::string name, std::span<const std::byte> file)
    : name_(std::move(name)), original_(file.begin(), file.end()) {
  void* memory = nullptr;
  LATIMER_CHECK(posix_memalign(&memory, 64, file.size()) == 0);
  std::memcpy(memory, file.data(), file.size());
  file_ = {static_cast<std::byte*>(memory), file.size()};
  slots_ = FindModelSlots(file_);
}

void BaseModel::Restore() const {
  std::memcpy(file_.data(), original_.data(), file_.size());
}

BaseModel::~BaseModel() { free(file_.data()); }

std::span<const BaseModel* const> BaseModels() {
  static const Models models = Convert(/*of_text=*/false);
  static const std::vector<const BaseModel*> pointers = Pointers(models);
  return pointers;
}

std::span<const BaseModel* const> BaseModelsOfText() {
  static const Models models = Convert(/*of_text=*/true);
  static const std::vector<const BaseModel*> pointers = Pointers(models);
  return pointers;
}

}  // namespace latimer
