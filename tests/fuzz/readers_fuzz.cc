// Converts a model folder with the input as one of its files, and loads the
// result.
//
// The first byte of an input says which folder and which file. Whatever the
// converter writes, the runtime loads; all else is a ConversionError.
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/check.h"
#include "converter/error.h"
#include "converter/readers/mapped_model.h"
#include "converter/readers/open_model.h"
#include "converter/readers/pickle.h"
#include "converter/readers/tensor_file.h"
#include "tests/converter/zip_bytes.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/source_folder.h"
#include "tests/fuzz/written.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

enum class Kind {
  kFolder,   // OpenModel of the folder.
  kMapped,   // ReadMappedModel of model.pt with map.json.
  kTensors,  // OpenTensorFile of the file.
  kPickle,   // The bytes of a pickle.
  kPyTorch,  // The pickle of a .pt file.
  kNpy,      // An array of a .npz file.
};

struct Case {
  Kind kind;
  const char* folder;  // Below tests/data.
  const char* file;
  const char* more = nullptr;  // A folder whose files come first.
};

// Inputs refer to them by number: add new ones at the end.
const Case kCases[] = {
    {Kind::kFolder, "tiny_marian/no_scale", "config.json"},
    {Kind::kFolder, "tiny_marian/no_scale", "generation_config.json"},
    {Kind::kFolder, "tiny_marian/no_scale", "model.safetensors"},
    {Kind::kFolder, "family_texts/bart", "config.json",
     "huggingface_tokenizer/bart"},
    {Kind::kFolder, "family_texts/bart", "vocab.json",
     "huggingface_tokenizer/bart"},
    {Kind::kFolder, "family_texts/bart", "merges.txt",
     "huggingface_tokenizer/bart"},
    {Kind::kFolder, "family_texts/bart", "tokenizer_config.json",
     "huggingface_tokenizer/bart"},
    {Kind::kFolder, "family_texts/nllb_json", "tokenizer.json",
     "huggingface_tokenizer/nllb_json"},
    {Kind::kFolder, "family_texts/mbart50_json", "tokenizer.json",
     "huggingface_tokenizer/mbart50_json"},
    {Kind::kFolder, "family_texts/t5", "spiece.model",
     "huggingface_tokenizer/t5"},
    {Kind::kFolder, "family_texts/t5", "config.json",
     "huggingface_tokenizer/t5"},
    {Kind::kFolder, "family_texts/m2m100", "sentencepiece.bpe.model",
     "huggingface_tokenizer/m2m100"},
    {Kind::kFolder, "family_texts/m2m100", "vocab.json",
     "huggingface_tokenizer/m2m100"},
    {Kind::kFolder, "family_texts/byt5", "tokenizer_config.json",
     "huggingface_tokenizer/byt5"},
    {Kind::kFolder, "checkpoints/bin_shards", "pytorch_model.bin.index.json"},
    {Kind::kFolder, "tiny_native/prenorm", "decoder.yml"},
    {Kind::kFolder, "tiny_native/prenorm", "vocab.source.yml"},
    {Kind::kFolder, "tiny_native/prenorm", "model.npz"},
    {Kind::kFolder, "tiny_native/student_shortlist", "vocab.xxyy.spm"},
    {Kind::kFolder, "tiny_native/student_shortlist", "lex.50.50.xxyy.s2t.bin"},
    {Kind::kFolder, "tiny_native/student_shortlist",
     "model.xxyy.intgemm.alphas.bin"},
    {Kind::kMapped, "recurrent/mixed", "map.json"},
    {Kind::kMapped, "recurrent/lstm_layers", "map.json"},
    {Kind::kTensors, "checkpoints", "kinds.pt"},
    {Kind::kTensors, "checkpoints", "deflated.pt"},
    {Kind::kPickle, "", ""},
    {Kind::kPyTorch, "", ""},
    {Kind::kNpy, "", ""},
    {Kind::kFolder, "ctranslate2/text_marian", "model.bin",
     "marian_tokenizer/added_tokens"},
    {Kind::kFolder, "ctranslate2/text_marian", "config.json",
     "marian_tokenizer/added_tokens"},
    {Kind::kFolder, "ctranslate2/text_marian", "shared_vocabulary.json",
     "marian_tokenizer/added_tokens"},
};

fs::path Data(const char* name) {
  return SourceFolder() / "tests" / "data" / name;
}

// Copies of the cases' folders, in memory if the system has such a folder.
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
    for (size_t i = 0; i < std::size(kCases); ++i) {
      fs::create_directory(Of(i));
      if (kCases[i].more != nullptr) Copy(kCases[i].more, i);
      if (kCases[i].folder[0] != '\0') Copy(kCases[i].folder, i);
    }
  }
  ~Folders() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  fs::path Of(size_t which) const { return root_ / std::to_string(which); }

 private:
  void Copy(const char* folder, size_t which) const {
    for (const auto& entry : fs::directory_iterator(Data(folder))) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_regular_file() || name.starts_with("fixture.")) continue;
      fs::copy(entry.path(), Of(which) / name,
               fs::copy_options::overwrite_existing);
    }
  }

  fs::path root_;
};

void WriteFile(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A .npz or .pt file.
fs::path WriteZip(const fs::path& path,
                  std::vector<std::pair<std::string, std::string>> entries) {
  WriteFile(path, ZipBytes(entries));
  return path;
}

void Run(const Case& c, const fs::path& folder, std::string_view bytes) {
  switch (c.kind) {
    case Kind::kFolder:
      WriteFile(folder / c.file, bytes);
      ExpectLoadable(OpenModel(folder, /*with_tokenizer=*/true));
      break;
    case Kind::kMapped:
      WriteFile(folder / c.file, bytes);
      ExpectLoadable(ReadMappedModel(
          folder / "model.pt", ReadModelMap((folder / c.file).string(), {}),
          /*with_tokenizer=*/false));
      break;
    case Kind::kTensors:
      WriteFile(folder / c.file, bytes);
      (void)OpenTensorFile(folder / c.file);
      break;
    case Kind::kPickle:
      (void)Pickle(std::as_bytes(std::span(bytes)));
      break;
    case Kind::kPyTorch:
      (void)ReadPytorchFile(WriteZip(folder / "model.pt",
                                     {{"model/data.pkl", std::string(bytes)},
                                      {"model/version", "3\n"},
                                      {"model/data/0", std::string(256, 'x')},
                                      {"model/data/1", std::string(64, 'y')}}));
      break;
    case Kind::kNpy:
      (void)ReadNpz(
          WriteZip(folder / "model.npz", {{"Wemb.npy", std::string(bytes)}}));
      break;
  }
}

}  // namespace
}  // namespace latimer

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace latimer;
  static const Folders folders;
  Input input(data, size);
  const size_t which = input.Byte() % std::size(kCases);
  try {
    Run(kCases[which], folders.Of(which), input.rest());
  } catch (const ConversionError& error) {
    LATIMER_EXPECT(error.what()[0] != '\0');
  }
  return 0;
}
