// Files of CTranslate2, right or wrong, made for one test.
#ifndef LATIMER_TESTS_CONVERTER_CTRANSLATE2_BYTES_H_
#define LATIMER_TESTS_CONVERTER_CTRANSLATE2_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/converter/zip_bytes.h"

namespace latimer {

// CTranslate2's numbers of types.
inline constexpr uint8_t kCt2F32 = 0, kCt2Int8 = 1, kCt2Int16 = 2,
                         kCt2Int32 = 3, kCt2F16 = 4, kCt2Types = 6;

inline size_t Ct2ItemBytes(uint8_t type) {
  constexpr size_t kBytes[kCt2Types] = {4, 1, 2, 4, 2, 2};
  return type < kCt2Types ? kBytes[type] : 1;
}

struct Ct2Variable {
  std::string name;
  uint8_t type;
  std::vector<uint32_t> shape;
  std::string data;
};

struct Ct2Model {
  uint32_t version = 6;
  std::string spec = "TransformerSpec";
  uint32_t revision = 7;
  std::vector<Ct2Variable> variables = {};
  // The name of each alias, and of what it stands for.
  std::vector<std::pair<std::string, std::string>> aliases = {};
};

inline std::string Ct2Text(const std::string& text) {
  return Bytes(text.size() + 1, 2) + text + '\0';
}

// As ModelSpec._serialize writes it, or an older version.
inline std::string Ct2Bytes(const Ct2Model& model) {
  std::string out = Bytes(model.version, 4);
  if (model.version != 1) out += Ct2Text(model.spec) + Bytes(model.revision, 4);
  out += Bytes(model.variables.size(), 4);
  for (const Ct2Variable& variable : model.variables) {
    out += Ct2Text(variable.name) + Bytes(variable.shape.size(), 1);
    for (const uint32_t extent : variable.shape) out += Bytes(extent, 4);
    const size_t item = Ct2ItemBytes(variable.type);
    out += model.version >= 4
               ? Bytes(variable.type, 1) + Bytes(variable.data.size(), 4)
               : Bytes(item, 1) + Bytes(variable.data.size() / item, 4);
    out += variable.data;
  }
  if (model.version < 3) return out;
  out += Bytes(model.aliases.size(), 4);
  for (const auto& [alias, name] : model.aliases) {
    out += Ct2Text(alias) + Ct2Text(name);
  }
  return out;
}

}  // namespace latimer

#endif  // LATIMER_TESTS_CONVERTER_CTRANSLATE2_BYTES_H_
