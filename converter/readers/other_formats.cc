#include "converter/readers/other_formats.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "converter/error.h"
#include "converter/readers/compressed.h"
#include "converter/readers/tensor_file.h"
#include "converter/readers/text_file.h"
#include "converter/readers/zip_file.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOriginal =
    "; give the model that it was made from, in the format of Hugging Face "
    "(safetensors or pytorch_model.bin) or of Marian, or your PyTorch "
    "checkpoint with --map";

struct Format {
  std::string_view name;
  // Suffixes of names of its files.
  std::string_view suffixes[4];
  std::string_view advice = kOriginal;
  // What its files begin with, whatever they are called.
  std::string_view magic = {};
  size_t magic_at = 0;
};

constexpr std::string_view kWithPyTorch =
    "; write it as safetensors: load it with from_pretrained(..., from_tf=True "
    "or from_flax=True) of transformers 4, which has both, and call "
    "save_pretrained";

constexpr std::string_view kArrays =
    "; write its weights with numpy.savez, each kernel transposed to PyTorch's "
    "[outputs, inputs], and give the .npz with a --map of its names";

constexpr std::string_view kExport =
    "; write its weights as .npz with examples/keras/export.py (docs/keras.md) "
    "and give the .npz with a --map of its names";

constexpr std::string_view kOnnx =
    "; give the checkpoint that it was made from, or write its weights as .npz "
    "with examples/onnx/export.py (docs/onnx.md) and give the .npz with a "
    "--map "
    "of its names";

constexpr std::string_view kStateDict =
    "; save the model's state_dict, torch.save(model.state_dict(), path), and "
    "give it with --map";

constexpr std::string_view kMerge =
    "; merge it into the model that it was trained for: in Python, with the "
    "library peft, PeftModel.from_pretrained(model, folder)"
    ".merge_and_unload().save_pretrained(merged)";

// The first that fits counts.
constexpr Format kFormats[] = {
    {"a LoRA adapter",
     {"adapter_config.json", "adapter_model.safetensors", "adapter_model.bin"},
     kMerge},
    {"an ONNX model", {".onnx", ".ort", ".onnx_data"}, kOnnx},
    {"a GGUF model", {".gguf", ".ggml"}, kOriginal, "GGUF"},
    {"an Argos package",
     {".argosmodel"},
     "; it is a zip file: unpack it and give the folder"},
    {"a TensorFlow Lite model", {".tflite"}, kOriginal, "TFL3", 4},
    {"a TensorFlow model", {"tf_model.h5"}, kWithPyTorch},
    {"a Flax model", {"flax_model.msgpack"}, kWithPyTorch},
    {"a TensorFlow model (SavedModel)", {"saved_model.pb"}, kExport},
    {"a TensorFlow checkpoint", {".index", ".data-00000-of-00001"}, kExport},
    {"a Keras model", {".keras", ".h5", ".hdf5"}, kExport, "\x89HDF\r\n\x1a\n"},
    {"a program of torch.export", {".pt2"}, kStateDict},
    {"one array of NumPy", {".npy"}, kArrays, "\x93NUMPY"},
    {"a pickle of Python", {".pkl", ".pickle"}, kStateDict},
};

constexpr const Format* FormatNamed(std::string_view name) {
  return std::ranges::find(kFormats, name, &Format::name);
}

bool HasMagic(const Format& format, std::string_view begin) {
  return !format.magic.empty() && begin.size() > format.magic_at &&
         begin.substr(format.magic_at).starts_with(format.magic);
}

// Of a zip file that is no checkpoint. Throws ConversionError if it is none of
// the formats.
const Format* FormatOfZip(const fs::path& path) {
  const ZipFile zip(path);
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(zip.entries(), [&](const auto& entry) {
      return fs::path(entry.first).filename() == name;
    });
  };
  if (has("model.weights.h5")) return FormatNamed("a Keras model");
  if (has("archive_format") || has("serialized_exported_program.json")) {
    return FormatNamed("a program of torch.export");
  }
  FailIn(path,
         "is a zip file of other files than a checkpoint's; unpack it and give "
         "the folder of the model");
}

const Format* FormatOfName(const fs::path& file) {
  const std::string name = file.filename().string();
  for (const Format& format : kFormats) {
    for (const std::string_view suffix : format.suffixes) {
      if (!suffix.empty() && name.ends_with(suffix)) return &format;
    }
  }
  return nullptr;
}

// By its first bytes, else by its name.
const Format* FormatOf(const fs::path& file) {
  const Format* named = FormatOfName(file);
  if (IsCheckpoint(file)) {
    return named == FormatNamed("a LoRA adapter") ? named : nullptr;
  }
  if (named != nullptr) return named;
  const std::string begin = FirstBytes(file);
  for (const Format& format : kFormats) {
    if (HasMagic(format, begin)) return &format;
  }
  if (IsZip(begin) && !IsNpz(begin)) return FormatOfZip(file);
  return IsPickle(begin) ? FormatNamed("a pickle of Python") : nullptr;
}

// "ORGANIZATION/NAME", and no path of this computer.
bool IsHubName(const fs::path& path) {
  const std::string text = path.string();
  const size_t slash = text.find('/');
  return slash != text.npos && slash > 0 && slash + 1 < text.size() &&
         text.front() != '.' && text.find('/', slash + 1) == text.npos &&
         std::ranges::all_of(text, [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '/' || c == '-' || c == '_' ||
                  c == '.';
         });
}

[[noreturn]] void RefuseMissing(const fs::path& path) {
  if (!IsHubName(path)) FailIn(path, "there is no such file or folder");
  const std::string name = path.filename().string();
  FailIn(path,
         "there is no such folder; if this is a model of the Hugging Face Hub, "
         "download it first: hf download ",
         path.string(), " --local-dir ", name);
}

// Weights that other readers know, or refuse better.
bool HasWeights(const std::string& name) {
  return (name.ends_with(".safetensors") &&
          !name.starts_with("adapter_model.")) ||
         name.ends_with(".safetensors.index.json") ||
         name.starts_with("pytorch_model") || name == "model.bin" ||
         name.ends_with(".npz") || name.ends_with("decoder.yml");
}

// Weights of Hugging Face are found by their names, which compressed ones do
// not have.
void RefuseCompressedWeights(const fs::path& folder) {
  for (const char* name : {"model.safetensors", "pytorch_model.bin"}) {
    const auto found = FindPacked(folder / name);
    if (!found || *found == folder / name) continue;
    FailIn(*found, "is compressed; unpack it first (", UnpackCommand(*found),
           ")");
  }
}

void RefuseFolder(const fs::path& path) {
  RefuseCompressedWeights(path);
  const Format* found = nullptr;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    const std::string name = entry.path().filename().string();
    if (HasWeights(name)) return;
    if (found == nullptr) found = FormatOfName(entry.path());
  }
  if (found != nullptr) {
    FailIn(path, "this is ", found->name, found->advice);
  }
}

}  // namespace

void RefuseOtherFormats(const fs::path& path) {
  std::error_code ignored;
  RequireRegularFile(path);
  if (!fs::exists(path, ignored)) RefuseMissing(path);
  if (fs::is_directory(path, ignored)) {
    RefuseFolder(path);
    return;
  }
  if (!fs::is_regular_file(path, ignored)) return;
  RefuseStandIns(path, FirstBytes(path));
  if (const Format* format = FormatOf(path)) {
    FailIn(path, "this is ", format->name, format->advice);
  }
}

}  // namespace latimer
