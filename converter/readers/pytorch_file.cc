#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "converter/error.h"
#include "converter/readers/pickle.h"
#include "converter/readers/tensor_file.h"
#include "converter/readers/zip_file.h"

namespace latimer {
namespace {

using Kind = PickleValue::Kind;

constexpr int kMaxDepth = 8;
constexpr uint64_t kMaxNames = 100'000;
constexpr size_t kMaxNameBytes = 1024;
// More than any tensor of a model has. Many tensors may have one long list.
constexpr size_t kMaxDimensions = 64;

constexpr char kMalformedEntry[] = "has a malformed entry in data.pkl";
constexpr char kSaveStateDict[] =
    "; save the model's state_dict alone: torch.save(model.state_dict(), path)";

std::optional<SourceType> StorageType(const std::string& storage) {
  if (storage == "torch.FloatStorage") return SourceType::kF32;
  if (storage == "torch.HalfStorage") return SourceType::kF16;
  if (storage == "torch.BFloat16Storage") return SourceType::kBf16;
  if (storage == "torch.DoubleStorage") return SourceType::kF64;
  return std::nullopt;
}

// The names by which users know the most common other types.
constexpr std::pair<std::string_view, std::string_view> kOtherTypes[] = {
    {"torch.LongStorage", "int64"},  {"torch.IntStorage", "int32"},
    {"torch.ShortStorage", "int16"}, {"torch.CharStorage", "int8"},
    {"torch.ByteStorage", "uint8"},  {"torch.BoolStorage", "bool"},
};

std::string TypeName(const std::string& storage) {
  for (const auto& [name, type] : kOtherTypes) {
    if (name == storage) return std::string(type);
  }
  return Printable(storage);
}

bool IsParameter(const PickleValue& value) {
  return value.IsCall("torch._utils._rebuild_parameter") ||
         value.IsCall("torch._utils._rebuild_parameter_with_state");
}

// Whether it is a tensor of another kind than _rebuild_tensor_v2 makes.
bool IsOtherTensor(const PickleValue& value) {
  return value.kind == Kind::kCall && !IsParameter(value) &&
         !value.IsCall("torch._utils._rebuild_tensor_v2") &&
         (value.items[0]->text.starts_with("torch._utils._rebuild_") ||
          value.IsCall("torch._tensor._rebuild_from_type_v2"));
}

bool IsTensor(const PickleValue& value) {
  return IsParameter(value) || IsOtherTensor(value) ||
         value.IsCall("torch._utils._rebuild_tensor_v2");
}

// A quantized layer saves a pair of its weight and bias; the weight counts.
const PickleValue& TensorOf(const PickleValue& value) {
  const bool pair = value.kind == Kind::kTuple && value.items.size() == 2 &&
                    IsOtherTensor(*value.items[0]);
  return pair ? *value.items[0] : value;
}

// "has type float8_e4m3fn", and so on, of such a tensor.
std::string WhyUnreadable(const PickleValue& tensor) {
  constexpr size_t kTypeAt = 6;
  constexpr std::string_view kTorch = "torch.";
  if (tensor.IsCall("torch._utils._rebuild_qtensor")) return "is quantized";
  if (tensor.IsCall("torch._utils._rebuild_tensor_v3") &&
      tensor.arguments().size() > kTypeAt) {
    const std::string& type = tensor.arguments()[kTypeAt]->text;
    if (type.starts_with(kTorch) && type.size() <= kMaxNameBytes) {
      return "has type " + Printable(type.substr(kTorch.size()));
    }
  }
  return Concat("is no plain tensor (", Printable(tensor.items[0]->text), ")");
}

// The toolkit whose converter of CTranslate2 reads such a checkpoint.
std::string ToolkitOf(const PickleValue& root) {
  const auto has = [&](const char* key) { return root.Find(key) != nullptr; };
  if (!has("model")) return "";
  if ((has("args") || has("cfg")) &&
      (has("extra_state") || has("optimizer_history"))) {
    return "fairseq";
  }
  if (has("opt") && (has("generator") || has("vocab"))) return "OpenNMT-py";
  return "";
}

const PickleValue& FindStateDict(const PickleValue& root) {
  const PickleValue* dict = &root;
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    const PickleValue* inner = nullptr;
    for (const char* key : {"state_dict", "model_state_dict", "model"}) {
      const PickleValue* value = dict->Find(key);
      if (value != nullptr && value->kind == Kind::kDict) {
        inner = value;
        break;
      }
    }
    if (inner == nullptr) break;
    dict = inner;
  }
  return *dict;
}

// Reads numbers that must not be negative, of so many dimensions.
std::optional<std::vector<uint64_t>> Counts(const PickleValue& tuple) {
  if (tuple.kind != Kind::kTuple || tuple.items.size() > kMaxDimensions) {
    return std::nullopt;
  }
  std::vector<uint64_t> counts;
  for (const PickleValue* item : tuple.items) {
    if (item->kind != Kind::kInteger || item->integer < 0) return std::nullopt;
    counts.push_back(static_cast<uint64_t>(item->integer));
  }
  return counts;
}

// Whether strides are row-major without gaps. Precondition: no extent is zero,
// and their product fits 64 bits.
bool IsContiguous(const std::vector<uint64_t>& shape,
                  const std::vector<uint64_t>& strides) {
  uint64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

// The arguments of _rebuild_tensor_v2(storage, offset, size, stride, ...) and
// of the storage ("storage", class, key, location, elements).
struct TensorRecord {
  std::string storage_class;
  std::string key;
  uint64_t storage_elements = 0;
  uint64_t offset = 0;
  std::vector<uint64_t> shape;
  std::vector<uint64_t> strides;
};

std::optional<TensorRecord> ParseTensor(const PickleValue& value) {
  if (value.arguments().size() < 4) return std::nullopt;
  const PickleValue& storage = *value.arguments()[0];
  const PickleValue& offset = *value.arguments()[1];
  auto shape = Counts(*value.arguments()[2]);
  auto strides = Counts(*value.arguments()[3]);
  if (storage.kind != Kind::kPersistent || offset.kind != Kind::kInteger ||
      offset.integer < 0 || !shape || !strides ||
      shape->size() != strides->size()) {
    return std::nullopt;
  }
  const PickleValue& id = *storage.items[0];
  if (id.kind != Kind::kTuple || id.items.size() != 5 ||
      id.items[0]->text != "storage" || id.items[1]->kind != Kind::kGlobal ||
      id.items[2]->kind != Kind::kText ||
      id.items[2]->text.size() > kMaxNameBytes ||
      id.items[4]->kind != Kind::kInteger || id.items[4]->integer < 0) {
    return std::nullopt;
  }
  return TensorRecord{
      .storage_class = id.items[1]->text,
      .key = id.items[2]->text,
      .storage_elements = static_cast<uint64_t>(id.items[4]->integer),
      .offset = static_cast<uint64_t>(offset.integer),
      .shape = std::move(*shape),
      .strides = std::move(*strides)};
}

class PytorchReader {
 public:
  explicit PytorchReader(const std::filesystem::path& path)
      : path_(path.string()), zip_(std::make_shared<ZipFile>(path)) {
    out_.storage = zip_;
  }

  TensorFile Read() {
    CheckArchive();
    const Pickle pickle = ReadPickle();
    const PickleValue& root = pickle.root();
    if (root.kind == Kind::kObject) {
      FailIn(path_, "holds an object of class ", Printable(root.items[0]->text),
             kSaveStateDict);
    }
    if (root.kind == Kind::kDict) {
      out_.toolkit = ToolkitOf(root);
      AddTensors(FindStateDict(root), "", 0);
    }
    if (out_.tensors.empty() && out_.unreadable.empty()) {
      FailIn(path_, "holds no tensors under names", kSaveStateDict);
    }
    return std::move(out_);
  }

 private:
  // Finds the folder of the entries, which is named after the saved file.
  void CheckArchive() {
    for (const auto& [name, entry] : zip_->entries()) {
      const size_t slash = name.find('/');
      if (slash != std::string::npos && name.substr(slash) == "/data.pkl") {
        if (!folder_.empty()) FailIn(path_, "holds two entries data.pkl");
        folder_ = name.substr(0, slash + 1);
      }
    }
    if (folder_.empty()) {
      FailIn(path_,
             "is a zip file without data.pkl and so no PyTorch checkpoint");
    }
    if (zip_->entries().contains(folder_ + "constants.pkl")) {
      FailIn(path_, "is a TorchScript program", kSaveStateDict);
    }
    const auto order = zip_->entries().find(folder_ + "byteorder");
    if (order == zip_->entries().end()) return;  // PyTorch before 2.1.
    if (order->second.size > kMaxNameBytes) {
      FailIn(path_, "has a malformed byteorder");
    }
    const std::string_view text = AsText(zip_->Read(order->first));
    if (text != "little") {
      FailIn(path_, "was saved with byte order ", Printable(text),
             " and only little can be read: load it and save it again on a "
             "little-endian machine");
    }
  }

  Pickle ReadPickle() {
    const std::string name = folder_ + "data.pkl";
    if (zip_->entries().at(name).size > Pickle::kMaxBytes) {
      FailIn(path_, "holds more than ", Pickle::kMaxBytes >> 20,
             " MiB besides the tensors", kSaveStateDict);
    }
    const std::span<const std::byte> bytes = zip_->Read(name);
    try {
      return Pickle(bytes);
    } catch (const ConversionError& error) {
      FailIn(path_, "data.pkl ", error.what());
    }
  }

  void AddTensors(const PickleValue& dict, const std::string& prefix,
                  int depth) {
    if (depth == kMaxDepth) FailIn(path_, "holds dicts nested too deeply");
    for (size_t i = 0; i + 1 < dict.items.size(); i += 2) {
      const PickleValue& key = *dict.items[i];
      const PickleValue& value = TensorOf(*dict.items[i + 1]);
      if (++visited_ > kMaxNames) {
        FailIn(path_, "holds more than ", kMaxNames, " names", kSaveStateDict);
      }
      // An optimizer's state has numbers as keys.
      if (key.kind != Kind::kText) continue;
      if (!IsTensor(value) && value.kind != Kind::kDict) continue;
      const std::string name = prefix + key.text;
      if (name.size() > kMaxNameBytes ||
          !std::ranges::all_of(name, IsPrintable)) {
        FailIn(path_, "holds a tensor of the impossible name ",
               Printable(name));
      }
      if (value.kind == Kind::kDict) {
        AddTensors(value, name + ".", depth + 1);
        continue;
      }
      if (out_.tensors.contains(name) || out_.unreadable.contains(name)) {
        FailIn(path_, "holds two tensors named ", name);
      }
      AddTensor(name, value);
    }
  }

  void AddTensor(const std::string& name, const PickleValue& value) {
    const auto fail = [&](const auto&... what) {
      FailIn(path_, "tensor ", name, " ", what...);
    };
    const PickleValue* tensor = &value;
    if (IsParameter(value) && !value.arguments().empty()) {
      tensor = value.arguments()[0];
    }
    if (IsParameter(*tensor) || !IsTensor(*tensor)) fail(kMalformedEntry);
    if (IsOtherTensor(*tensor)) {
      out_.unreadable.emplace(name, WhyUnreadable(*tensor));
      return;
    }
    const std::optional<TensorRecord> record = ParseTensor(*tensor);
    if (!record) fail(kMalformedEntry);

    const std::optional<SourceType> type = StorageType(record->storage_class);
    if (!type) {
      out_.unreadable.emplace(name,
                              "has type " + TypeName(record->storage_class));
      return;
    }
    uint64_t count = 1;
    for (const uint64_t extent : record->shape) {
      if (__builtin_mul_overflow(count, extent, &count)) {
        fail("has an impossible shape ", ShapeText(record->shape));
      }
    }
    if (count > 0 && !IsContiguous(record->shape, record->strides)) {
      out_.unreadable.emplace(name,
                              "is a transposed, sliced or expanded view: save "
                              "it with .contiguous()");
      return;
    }
    uint64_t end = 0;
    if (__builtin_add_overflow(record->offset, count, &end) ||
        end > record->storage_elements) {
      fail("reaches beyond its storage, which has ", record->storage_elements,
           " numbers");
    }
    const size_t size = SizeOf(*type);
    uint64_t storage_bytes = 0;
    const std::string entry = folder_ + "data/" + record->key;
    const auto found = zip_->entries().find(entry);
    if (found == zip_->entries().end()) {
      fail("needs the entry ", Printable(entry),
           ", which is missing; copy or download the file again");
    }
    if (__builtin_mul_overflow(record->storage_elements, size,
                               &storage_bytes) ||
        found->second.size != storage_bytes) {
      fail("needs ", record->storage_elements, " numbers of ", size,
           " bytes in entry ", Printable(entry), ", which has ",
           found->second.size, " bytes");
    }
    const auto data =
        zip_->Read(entry).subspan(record->offset * size, count * size);
    out_.tensors.emplace(name, SourceTensor{.name = name,
                                            .type = *type,
                                            .shape = record->shape,
                                            .data = data,
                                            .file = zip_->FileOf(data)});
  }

  const std::string path_;
  const std::shared_ptr<ZipFile> zip_;
  std::string folder_;  // Of the entries, with "/".
  uint64_t visited_ = 0;
  TensorFile out_;
};

}  // namespace

TensorFile ReadPytorchFile(const std::filesystem::path& path) {
  return PytorchReader(path).Read();
}

}  // namespace latimer
