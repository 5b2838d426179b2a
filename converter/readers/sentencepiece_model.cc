#include "converter/readers/sentencepiece_model.h"

#include <cmath>
#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <set>

#include "converter/error.h"
#include "converter/readers/text_file.h"
#include "text/byte_piece.h"
#include "text/tokenizer_view.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// Field numbers of sentencepiece_model.proto.
enum class ModelField : protozero::pbf_tag_type {
  kPieces = 1,
  kTrainer = 2,
  kNormalizer = 3,
  kDenormalizer = 5,
};
enum class PieceField : protozero::pbf_tag_type {
  kText = 1,
  kScore = 2,
  kType = 3,
};
enum class TrainerField : protozero::pbf_tag_type {
  kModelType = 3,
  kTreatWhitespaceAsSuffix = 24,
  kByteFallback = 35,
  kUnknownSurface = 44,
};
enum class NormalizerField : protozero::pbf_tag_type {
  kCharsmap = 2,
  kAddDummyPrefix = 3,
  kRemoveExtraWhitespaces = 4,
  kEscapeWhitespaces = 5,
};

// Whether a field has this number and type. Any other field is skipped and
// keeps its default.
template <typename Field>
constexpr uint32_t Varint(Field field) {
  return protozero::tag_and_type(field, protozero::pbf_wire_type::varint);
}
template <typename Field>
constexpr uint32_t Fixed32(Field field) {
  return protozero::tag_and_type(field, protozero::pbf_wire_type::fixed32);
}
template <typename Field>
constexpr uint32_t Bytes(Field field) {
  return protozero::tag_and_type(field,
                                 protozero::pbf_wire_type::length_delimited);
}

SentencePiece ReadPiece(protozero::pbf_reader reader) {
  SentencePiece piece;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Bytes(PieceField::kText):
        piece.text = reader.get_string();
        break;
      case Fixed32(PieceField::kScore):
        piece.score = reader.get_float();
        break;
      case Varint(PieceField::kType):
        piece.type = static_cast<PieceType>(reader.get_enum());
        break;
      default:
        reader.skip();
    }
  }
  return piece;
}

void ReadTrainer(protozero::pbf_reader reader, SentencePieceModel& model) {
  auto type = static_cast<int32_t>(SentencePieceType::kUnigram);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Varint(TrainerField::kModelType):
        type = reader.get_enum();
        break;
      case Varint(TrainerField::kTreatWhitespaceAsSuffix):
        model.treat_whitespace_as_suffix = reader.get_bool();
        break;
      case Varint(TrainerField::kByteFallback):
        model.byte_fallback = reader.get_bool();
        break;
      case Bytes(TrainerField::kUnknownSurface):
        model.unknown_surface = reader.get_string();
        break;
      default:
        reader.skip();
    }
  }
  if (type < 1 || type > 4) {
    FailIn(model.name, "the SentencePiece model is of the unknown type ", type,
           "; unigram, BPE, word and char are supported");
  }
  model.type = static_cast<SentencePieceType>(type);
}

void ReadNormalizer(protozero::pbf_reader reader, SentencePieceModel& model) {
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Bytes(NormalizerField::kCharsmap):
        model.precompiled_charsmap = reader.get_bytes();
        break;
      case Varint(NormalizerField::kAddDummyPrefix):
        model.add_dummy_prefix = reader.get_bool();
        break;
      case Varint(NormalizerField::kRemoveExtraWhitespaces):
        model.remove_extra_whitespaces = reader.get_bool();
        break;
      case Varint(NormalizerField::kEscapeWhitespaces):
        model.escape_whitespaces = reader.get_bool();
        break;
      default:
        reader.skip();
    }
  }
}

void RefuseDenormalizer(protozero::pbf_reader reader, const std::string& name) {
  while (reader.next()) {
    if (reader.tag_and_type() != Bytes(NormalizerField::kCharsmap)) {
      reader.skip();
    } else if (!reader.get_bytes().empty()) {
      FailIn(name,
             "the SentencePiece model has denormalization rules, which are not "
             "supported");
    }
  }
}

SentencePieceModel ReadModel(protozero::pbf_reader reader,
                             const std::string& name) {
  SentencePieceModel model;
  model.name = name;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Bytes(ModelField::kPieces):
        model.pieces.push_back(ReadPiece(reader.get_message()));
        break;
      case Bytes(ModelField::kTrainer):
        ReadTrainer(reader.get_message(), model);
        break;
      case Bytes(ModelField::kNormalizer):
        ReadNormalizer(reader.get_message(), model);
        break;
      case Bytes(ModelField::kDenormalizer):
        RefuseDenormalizer(reader.get_message(), name);
        break;
      default:
        reader.skip();
    }
  }
  return model;
}

// Whether a piece stands for itself in a text. Other pieces are reserved and
// may have the same text as one of these.
bool IsOrdinary(PieceType type) {
  return type == PieceType::kNormal || type == PieceType::kUserDefined ||
         type == PieceType::kUnused;
}

void CheckPiece(const SentencePieceModel& model, size_t index) {
  const SentencePiece& piece = model.pieces[index];
  const auto fail = [&](const auto&... what) {
    FailIn(model.name, "piece ", index, " ", what...);
  };
  if (piece.text.empty()) fail("is empty");
  if (piece.type < PieceType::kNormal || piece.type > PieceType::kByte) {
    fail("is of an unknown type");
  }
  if (piece.text.find('\0') != piece.text.npos) fail("has a zero byte");
  if (!IsUtf8(piece.text)) fail("is not UTF-8");
  if (!std::isfinite(piece.score)) fail("has a score that is not finite");
  const size_t limit = piece.type == PieceType::kUserDefined
                           ? kMaxReplacementBytes
                           : kMaxPieceBytes;
  if (piece.text.size() > limit) fail("is longer than ", limit, " bytes");
  // SentencePiece splits an unused piece in at most this many steps.
  constexpr size_t kMaxUnusedBytes = 100;
  if (model.type == SentencePieceType::kBpe &&
      piece.type == PieceType::kUnused && piece.text.size() > kMaxUnusedBytes) {
    fail("is unused and longer than ", kMaxUnusedBytes, " bytes");
  }
  if (piece.type == PieceType::kByte &&
      (!model.byte_fallback || ByteOfPiece(piece.text) < 0)) {
    fail("is a byte piece, but reads '", piece.text,
         "' or comes without byte_fallback");
  }
}

void CheckModel(const SentencePieceModel& model) {
  if (model.pieces.empty()) {
    FailIn(model.name, "not a SentencePiece model: it has no pieces");
  }
  if (!IsUtf8(model.unknown_surface)) {
    FailIn(model.name, "its unknown_surface is not UTF-8");
  }
  std::set<std::string_view> ordinary;
  std::set<std::string_view> reserved;
  size_t unknown = 0;
  size_t bytes = 0;
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    CheckPiece(model, i);
    const SentencePiece& piece = model.pieces[i];
    const bool apart = model.type != SentencePieceType::kBpe;
    auto& names = apart && !IsOrdinary(piece.type) ? reserved : ordinary;
    if (!names.insert(piece.text).second) {
      FailIn(model.name, "piece '", piece.text, "' is defined twice");
    }
    unknown += piece.type == PieceType::kUnknown ? 1 : 0;
    bytes += piece.type == PieceType::kByte ? 1 : 0;
  }
  if (unknown != 1) {
    FailIn(model.name, "has ", unknown, " unknown pieces instead of one");
  }
  if (model.byte_fallback && bytes != 256) {
    FailIn(model.name, "has ", bytes, " byte pieces instead of 256");
  }
}

}  // namespace

SentencePieceModel ParseSentencePieceModel(std::string_view bytes,
                                           const std::string& name) {
  SentencePieceModel model;
  try {
    model = ReadModel(protozero::pbf_reader(bytes.data(), bytes.size()), name);
  } catch (const protozero::exception& error) {
    FailIn(name, "not a SentencePiece model: ", error.what());
  }
  CheckModel(model);
  return model;
}

SentencePieceModel ReadSentencePieceModel(const std::filesystem::path& path) {
  return ParseSentencePieceModel(ReadTextFile(path), path.string());
}

}  // namespace latimer
