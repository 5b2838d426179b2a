#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "converter/error.h"
#include "converter/input_file.h"
#include "converter/readers/json_fields.h"
#include "converter/readers/tensor_file.h"

namespace latimer {
namespace {

using Json = nlohmann::json;

// The format's own limit.
constexpr uint64_t kMaxHeaderBytes = 100'000'000;

constexpr char kMalformedHeader[] = "has a malformed entry in the header";

// Refuses fractions and negative numbers, which nlohmann would convert.
std::vector<uint64_t> ParseCounts(const Json& list) {
  if (!list.is_array()) FailWith(kMalformedHeader);
  std::vector<uint64_t> counts;
  for (const Json& count : list) {
    if (!count.is_number_unsigned()) FailWith(kMalformedHeader);
    counts.push_back(count.get<uint64_t>());
  }
  return counts;
}

std::optional<SourceType> SafetensorsType(const std::string& name) {
  if (name == "F32") return SourceType::kF32;
  if (name == "F16") return SourceType::kF16;
  if (name == "BF16") return SourceType::kBf16;
  if (name == "F64") return SourceType::kF64;
  return std::nullopt;
}

SourceTensor ParseTensor(const std::string& name, SourceType type,
                         const Json& entry, std::span<const std::byte> data) {
  SourceTensor tensor;
  tensor.name = name;
  tensor.type = type;
  tensor.shape = ParseCounts(entry.at("shape"));
  uint64_t bytes = SizeOf(tensor.type);
  for (uint64_t extent : tensor.shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) {
      FailWith("has an impossible shape ", ShapeText(tensor.shape));
    }
  }
  const std::vector<uint64_t> offsets = ParseCounts(entry.at("data_offsets"));
  if (offsets.size() != 2 || offsets[0] > offsets[1])
    FailWith(kMalformedHeader);
  if (offsets[1] > data.size()) {
    FailWith("lies outside the file, which is truncated");
  }
  if (offsets[1] - offsets[0] != bytes) {
    FailWith("has ", offsets[1] - offsets[0], " bytes where its shape needs ",
             bytes);
  }
  tensor.data = data.subspan(offsets[0], bytes);
  return tensor;
}

}  // namespace

TensorFile ReadSafetensors(const std::filesystem::path& path) {
  const auto fail = [&](const auto&... what) { FailIn(path, what...); };
  const auto file = std::make_shared<const InputFile>(path);
  TensorFile out{.storage = file};
  const std::span<const std::byte> bytes = file->bytes();
  if (bytes.size() < sizeof(uint64_t)) fail("not a safetensors file");
  const auto header_bytes = Load<uint64_t>(bytes);
  if (header_bytes > kMaxHeaderBytes) fail("not a safetensors file");
  if (header_bytes > bytes.size() - sizeof(header_bytes)) {
    fail("the file is truncated inside its header");
  }
  const Json header =
      ParseJsonText(AsText(bytes.subspan(sizeof(header_bytes), header_bytes)));
  if (!header.is_object()) fail("the header is not valid JSON");
  const auto data = bytes.subspan(sizeof(header_bytes) + header_bytes);
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    try {
      const std::string type_name = entry.at("dtype").get<std::string>();
      if (const auto type = SafetensorsType(type_name)) {
        SourceTensor tensor = ParseTensor(name, *type, entry, data);
        tensor.file = file.get();
        out.tensors.emplace(name, std::move(tensor));
      } else {
        out.unreadable.emplace(name, "has type " + type_name);
      }
    } catch (const ConversionError& error) {
      fail("tensor ", name, " ", error.what());
    } catch (const Json::exception&) {
      fail("tensor ", name, " ", kMalformedHeader);
    }
  }
  return out;
}

}  // namespace latimer
