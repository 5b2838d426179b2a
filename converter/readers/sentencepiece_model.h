// Reads a SentencePiece model file: a protocol buffer, ModelProto in
// sentencepiece_model.proto of sentencepiece 0.2.3.
#ifndef LATIMER_CONVERTER_READERS_SENTENCEPIECE_MODEL_H_
#define LATIMER_CONVERTER_READERS_SENTENCEPIECE_MODEL_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace latimer {

// The values are those of the file.
enum class PieceType {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6,
};

struct SentencePiece {
  std::string text;
  float score = 0;
  PieceType type = PieceType::kNormal;
};

// The values are those of the file.
enum class SentencePieceType {
  kUnigram = 1,
  kBpe = 2,
  kWord = 3,
  kCharacter = 4,
};

struct SentencePieceModel {
  std::string name;  // The file, for messages.
  SentencePieceType type = SentencePieceType::kUnigram;
  std::vector<SentencePiece> pieces;
  bool byte_fallback = false;
  bool treat_whitespace_as_suffix = false;
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
  std::string unknown_surface = " \xE2\x81\x87 ";
  // Normalization rules, as charsmap.h decodes them; empty: none.
  std::string precompiled_charsmap = {};
};

// Throws ConversionError if the file cannot be read, is not a SentencePiece
// model, or uses what Latimer does not support: a denormalizer, or unused BPE
// pieces of more than 100 bytes. The result has passed SentencePiece's own
// checks: no piece is empty, longer than the runtime accepts, or a duplicate;
// one is the unknown piece; scores are finite; byte fallback has all its bytes.
SentencePieceModel ReadSentencePieceModel(const std::filesystem::path& path);

// The same for the bytes of such a file; `name` is for messages.
SentencePieceModel ParseSentencePieceModel(std::string_view bytes,
                                           const std::string& name);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_SENTENCEPIECE_MODEL_H_
