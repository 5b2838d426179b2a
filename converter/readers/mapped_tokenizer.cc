#include "converter/readers/mapped_tokenizer.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "converter/error.h"
#include "converter/readers/sentencepiece_model.h"
#include "converter/readers/unreachable_entries.h"
#include "converter/readers/vocabulary.h"
#include "converter/tokenizer_builder.h"

namespace latimer {
namespace {

// One special id, and the usual names of its token, in lower case and without
// brackets.
struct Special {
  const char* flag;
  int32_t id;
  std::vector<std::string_view> spellings;
};

std::vector<Special> SpecialsOf(const SpecialIds& ids) {
  return {{"pad", ids.pad, {"pad", "padding"}},
          {"sos", ids.sos, {"sos", "bos", "s", "start", "go"}},
          {"eos", ids.eos, {"eos", "/s", "end"}},
          {"unk", ids.unk, {"unk", "unknown"}}};
}

// "pad" for "<PAD>" and "[pad]"; nothing for text without brackets.
std::string InsideBrackets(const std::string& piece) {
  const bool brackets =
      piece.size() > 2 && ((piece.front() == '<' && piece.back() == '>') ||
                           (piece.front() == '[' && piece.back() == ']'));
  if (!brackets) return "";
  std::string inside = piece.substr(1, piece.size() - 2);
  for (char& c : inside) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return inside;
}

// A side with everything that it borrows.
struct Side {
  SentencePieceModel model;
  Vocabulary vocabulary;
  TokenizerSide side;
};

// The texts of the ids.
std::vector<std::string> PiecesOf(const Side& side) {
  if (side.side.vocabulary != nullptr) return side.vocabulary.pieces;
  std::vector<std::string> pieces;
  for (const SentencePiece& piece : side.model.pieces) {
    pieces.push_back(piece.text);
  }
  return pieces;
}

// Refuses a vocabulary in which an id of the map is clearly another special
// token: either the vocabulary or the map belongs to another model.
void CheckSpecials(const std::vector<std::string>& pieces,
                   const std::vector<Special>& specials,
                   const std::string& file, const std::string& flags) {
  for (const Special& special : specials) {
    for (size_t id = 0; id < pieces.size(); ++id) {
      const std::string inside = InsideBrackets(pieces[id]);
      const bool meant = std::ranges::find(special.spellings, inside) !=
                         special.spellings.end();
      if (!meant || special.id < 0 || special.id == static_cast<int32_t>(id)) {
        continue;
      }
      const std::string flag = flags + "." + special.flag;
      FailIn(file, "'", pieces[id], "' has the id ", id, ", but in the map ",
             flag, " is ", special.id, "; --set ", flag, "=", id,
             " if the file is right");
    }
  }
}

void ReadSide(const VocabularyFlags& flags, const SpecialIds& ids,
              uint32_t rows, const std::string& ids_flag, Side* side) {
  using Kind = TokenizerSide::Kind;
  TokenizerSide& to = side->side;
  to.kind = flags.kind;
  to.rows = rows;
  to.more_rows = true;
  to.lower_case = flags.lower_case;
  to.skips_spaces = flags.skips_spaces;
  to.skips_unknown = flags.skips_unknown;
  if (flags.kind == Kind::kSentencePiece) {
    side->model = ReadSentencePieceModel(flags.file);
    to.model = &side->model;
  }
  const bool words = flags.kind != Kind::kSentencePiece;
  if (words || !flags.ids.empty()) {
    side->vocabulary = ReadVocabulary(words ? flags.file : flags.ids);
    to.vocabulary = &side->vocabulary;
  }
  const std::vector<std::string> pieces = PiecesOf(*side);
  const std::vector<Special> specials = SpecialsOf(ids);
  CheckSpecials(pieces, specials, flags.file.string(), ids_flag);
  const auto text = [&](int32_t id) {
    return id >= 0 && static_cast<size_t>(id) < pieces.size()
               ? pieces[static_cast<size_t>(id)]
               : "";
  };
  for (const int32_t id : {ids.pad, ids.sos, ids.eos}) {
    if (!text(id).empty()) to.special.push_back(text(id));
  }
  if (!text(ids.unk).empty()) to.unknown = text(ids.unk);
}

// A side whose vocabulary has another number of words than the embedding rows.
struct Misfit {
  std::string file;
  size_t words;
  size_t rows;
};

std::string Compared(const Misfit& side, const char* which) {
  return Concat(side.file, " has ", side.words, " pieces and the ", which,
                " embedding ", side.rows, " rows");
}

// Refuses vocabularies with more words than rows. Those with fewer are noted:
// models are often made with more rows than their vocabulary has words. The
// target's rows without a word are banned, since nothing could be written for
// them; `eos` alone may be such a row.
void CompareWithRows(const Misfit& source, const Misfit& target, int32_t eos,
                     CanonicalModel* model) {
  std::string both;
  bool too_many = false;
  for (const auto& [side, which] :
       {std::pair(&source, "source"), std::pair(&target, "target")}) {
    if (side->words == side->rows) continue;
    too_many = too_many || side->words > side->rows;
    both += (both.empty() ? "" : "; ") + Compared(*side, which);
  }
  if (both.empty()) return;
  if (too_many) {
    FailWith(both,
             "; a vocabulary cannot have more pieces than rows, so it is "
             "not that of this model.");
  }
  model->warnings.push_back(
      Concat(both,
             "; rows without a piece are not read, and banned as outputs. "
             "Is it the vocabulary of the model's training?"));
  for (size_t id = target.words; id < target.rows; ++id) {
    const auto token = static_cast<int32_t>(id);
    if (token != eos) model->generation.banned_sequences.push_back({token});
  }
}

}  // namespace

std::optional<TokenizerData> ReadMappedTokenizer(const ModelMap& map,
                                                 CanonicalModel* model) {
  const Architecture& architecture = model->architecture;
  const bool has_source = !map.source_vocabulary.file.empty();
  const bool has_target = !map.target_vocabulary.file.empty();
  if (!has_source && !has_target) return std::nullopt;
  if (!has_source || !has_target) {
    FailIn(map.name, has_source ? "target" : "source",
           "_vocabulary.file is missing; a tokenizer needs both vocabularies, "
           "which may be the same file");
  }
  if (map.source_ids.unk < 0 && !map.source_vocabulary.skips_unknown &&
      map.source_vocabulary.kind != TokenizerSide::Kind::kSentencePiece) {
    FailIn(map.name,
           "source_ids has no unk, the id that words are read as which the "
           "vocabulary lacks; --set source_ids.unk=ID names one, and --set "
           "source_vocabulary.unknown=skip leaves them out");
  }
  Side source, target;
  ReadSide(map.source_vocabulary, map.source_ids,
           architecture.source_vocabulary, "source_ids", &source);
  ReadSide(map.target_vocabulary, map.target_ids,
           architecture.target_vocabulary, "target_ids", &target);
  const auto misfit = [](const Side& side, const VocabularyFlags& flags) {
    return Misfit{flags.file.string(), PiecesOf(side).size(), side.side.rows};
  };
  CompareWithRows(misfit(source, map.source_vocabulary),
                  misfit(target, map.target_vocabulary), map.target_ids.eos,
                  model);
  TokenizerData data = BuildTokenizer(source.side, target.side);
  if (source.side.kind != TokenizerSide::Kind::kSentencePiece) {
    for (std::string& warning : WarnOfUnreachableEntries(
             source.side, map.source_vocabulary.says_lower_case)) {
      model->warnings.push_back(std::move(warning));
    }
  }
  return data;
}

}  // namespace latimer
