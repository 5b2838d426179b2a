#include "converter/readers/tensor_file.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "converter/error.h"
#include "converter/readers/compressed.h"
#include "converter/readers/json_fields.h"
#include "converter/readers/text_file.h"
#include "converter/readers/zip_file.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndexSuffix = ".index.json";

// Reads the index that huggingface_hub's split_state_dict_into_shards writes:
// weight_map names the file, in the same folder, of each tensor.
TensorFile ReadShards(const fs::path& path) {
  const std::optional<JsonFields> index = JsonFields::Open(path);
  if (!index) FailIn(path, "cannot open the file");
  const nlohmann::json* weight_map = index->Find("weight_map");
  if (weight_map == nullptr || !weight_map->is_object() ||
      weight_map->empty()) {
    FailIn(path, "has no weight_map that names shards");
  }
  std::map<std::string, std::vector<std::string>> names_of;
  for (const auto& [name, file] : weight_map->items()) {
    const std::string shard =
        file.is_string() ? file.get<std::string>() : std::string();
    if (shard.empty() || fs::path(shard).filename() != shard ||
        shard.ends_with(kIndexSuffix)) {
      FailIn(path, "weight_map gives tensor ", name,
             " no file of the same folder");
    }
    names_of[shard].push_back(name);
  }
  for (const auto& [shard, names] : names_of) {
    if (!FileExists(path.parent_path() / shard)) {
      FailIn(path, shard, " is missing; copy or download every shard");
    }
  }
  TensorFile out;
  const auto storages =
      std::make_shared<std::vector<std::shared_ptr<const void>>>();
  out.storage = storages;
  std::map<std::string, std::string> shard_of;
  for (const auto& entry : names_of) {
    const std::string& shard = entry.first;
    TensorFile file = OpenTensorFile(path.parent_path() / shard);
    const auto claim = [&](const auto& entries) {
      for (const auto& [name, unused] : entries) {
        const auto [other, is_new] = shard_of.emplace(name, shard);
        if (is_new) continue;
        FailIn(path, "tensor ", name, " lies in both ", other->second, " and ",
               shard, "; the files do not belong together");
      }
    };
    claim(file.tensors);
    claim(file.unreadable);
    out.tensors.merge(file.tensors);
    out.unreadable.merge(file.unreadable);
    storages->push_back(file.storage);
    for (const std::string& name : entry.second) {
      const auto found = shard_of.find(name);
      if (found == shard_of.end() || found->second != shard) {
        FailIn(path, "tensor ", name, " is absent from ", shard,
               "; the files do not belong together");
      }
    }
  }
  return out;
}

// The pickled magic number of torch.save before 1.6. Before 0.1.10 it wrote tar
// files.
bool IsOldPytorch(std::string_view begin) {
  constexpr std::string_view kMagic =
      "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e";
  constexpr size_t kTarMagicAt = 257;
  return begin.starts_with(kMagic) ||
         (begin.size() > kTarMagicAt &&
          begin.substr(kTarMagicAt).starts_with("ustar"));
}

// Latimer quantizes, from more than eight bits.
TensorFile WithoutQuantized(TensorFile file, const fs::path& path) {
  for (const auto& [name, why] : file.unreadable) {
    for (const char* small : {"is quantized", "has type float8", "has type F8",
                              "has type float4", "has type F4"}) {
      if (!why.starts_with(small)) continue;
      FailIn(path, "tensor ", name, " ", why,
             "; save the float model's state_dict, which Latimer quantizes "
             "itself");
    }
  }
  return file;
}

}  // namespace

bool IsSafetensors(std::string_view begin) {
  // A length of less than 4 GiB, and JSON.
  constexpr size_t kHeaderAt = 8;
  return begin.size() > kHeaderAt && begin[kHeaderAt] == '{' &&
         begin.substr(4, 4) == std::string_view("\0\0\0\0", 4);
}

bool IsZip(std::string_view begin) { return begin.starts_with("PK\x03\x04"); }

bool IsNpz(std::string_view begin) {
  constexpr size_t kNameLengthAt = 26, kNameAt = 30;
  if (!IsZip(begin) || begin.size() <= kNameAt) return false;
  const size_t length =
      static_cast<uint8_t>(begin[kNameLengthAt]) +
      size_t{256} * static_cast<uint8_t>(begin[kNameLengthAt + 1]);
  return begin.substr(kNameAt).substr(0, length).ends_with(".npy");
}

bool IsPickle(std::string_view begin) {
  return begin.size() > 1 && begin[0] == '\x80' && begin[1] >= 2 &&
         begin[1] <= 5;
}

bool IsCheckpoint(const fs::path& path) {
  const std::string begin = FirstBytes(path);
  if (IsZip(begin) && !IsNpz(begin)) {
    const ZipFile zip(path);
    return std::ranges::any_of(zip.entries(), [](const auto& entry) {
      return entry.first.ends_with("/data.pkl");
    });
  }
  return IsOldPytorch(begin) || IsSafetensors(begin);
}

TensorFile OpenTensorFile(const fs::path& path) {
  if (path.string().ends_with(kIndexSuffix)) {
    return ReadShards(path);
  }
  RequireRegularFile(path);
  const std::string begin = FirstBytes(path);
  RefuseStandIns(path, begin);
  if (IsOldPytorch(begin)) {
    FailIn(
        path,
        "was saved by PyTorch before 1.6 or in its old format; save it again "
        "with torch.save(torch.load(path, map_location=\"cpu\"), new_path)");
  }
  if (IsNpz(begin)) return ReadNpz(path);
  if (IsZip(begin)) return WithoutQuantized(ReadPytorchFile(path), path);
  if (IsMarianBin(begin)) return ReadMarianBin(path);
  return WithoutQuantized(ReadSafetensors(path), path);
}

fs::path FindWeights(const fs::path& directory) {
  for (const char* name :
       {"model.safetensors", "model.safetensors.index.json",
        "pytorch_model.bin", "pytorch_model.bin.index.json"}) {
    if (FileExists(directory / name)) return directory / name;
  }
  FailIn(directory,
         "has neither model.safetensors nor pytorch_model.bin, whole or in "
         "shards");
}

}  // namespace latimer
