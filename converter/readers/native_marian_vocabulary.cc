#include "converter/readers/native_marian_vocabulary.h"

#include <charconv>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "converter/error.h"
#include "converter/readers/compressed.h"
#include "converter/readers/languages.h"
#include "converter/readers/sentencepiece_model.h"
#include "converter/readers/shortlist.h"
#include "converter/readers/text_file.h"
#include "converter/readers/vocabulary.h"
#include "converter/tokenizer_builder.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEos = "</s>";
constexpr std::string_view kUnknown = "<unk>";

// One side's vocabulary. The ids of a SentencePiece model are its own or those
// of an accompanying .yml.
struct Side {
  std::optional<SentencePieceModel> pieces;
  std::optional<Vocabulary> words;
  int32_t eos = 0;
  int32_t unknown = 1;
  // Control characters of byte fallback; Marian never produces them.
  std::vector<int32_t> suppressed;

  std::optional<int32_t> Find(std::string_view text) const {
    if (words) return words->Find(text);
    for (size_t i = 0; i < pieces->pieces.size(); ++i) {
      if (pieces->pieces[i].text == text) return static_cast<int32_t>(i);
    }
    return std::nullopt;
  }
};

// Like Marian, falls back to id 0 or 1 for a special token that Nematus calls
// differently.
int32_t Special(const Side& side, const fs::path& path, std::string_view text,
                int32_t usual, std::string_view nematus) {
  if (side.words) {
    const auto& words = side.words->pieces;
    const auto index = static_cast<size_t>(usual);
    if (index < words.size() &&
        (words[index].empty() || words[index] == nematus)) {
      return usual;
    }
  }
  const std::optional<int32_t> id = side.Find(text);
  if (!id) FailIn(path, "has no ", text);
  return *id;
}

Side ReadSide(const fs::path& path, uint32_t rows) {
  Side side;
  size_t ids = 0;
  if (UnpackedName(path).ends_with(".spm")) {
    side.pieces = ReadSentencePieceModel(path);
    ids = side.pieces->pieces.size();
  } else {
    side.words = ReadVocabulary(path);
    ids = side.words->pieces.size();
  }
  if (ids != rows) {
    FailIn(path, "has ", ids, " entries, but the embedding has ", rows,
           " rows; the files do not belong together");
  }
  side.eos = Special(side, path, kEos, 0, "eos");
  side.unknown = Special(side, path, kUnknown, 1, "UNK");
  constexpr int kControlCharacters = 32;
  for (int i = 0; i < kControlCharacters; ++i) {
    char piece[8];
    std::snprintf(piece, sizeof(piece), "<0x%02X>", i);
    if (const auto id = side.Find(piece)) side.suppressed.push_back(*id);
  }
  return side;
}

void SetGeneration(const NativeMarianFiles& files, const Side& source,
                   const Side& target, CanonicalModel* model) {
  const auto allows = [&](const char* option) {
    return files.decoder_options && files.decoder_options->Bool(option, false);
  };
  CanonicalGeneration& g = model->generation;
  g.decoder_start = -1;
  g.pad = -1;
  g.eos = target.eos;
  g.source_suffix = {source.eos};
  g.max_target_tokens = model->architecture.target_positions;
  if (!allows("allow-unk")) g.banned_sequences.push_back({target.unknown});
  if (!allows("allow-special")) {
    for (const int32_t id : target.suppressed) {
      g.banned_sequences.push_back({id});
    }
  }
}

// Without a SentencePiece model Marian splits at spaces; the scripts that come
// with OPUS-MT models segment with source.spm first.
TokenizerSide SideOf(const Side& side, uint32_t rows) {
  TokenizerSide out;
  out.kind = side.pieces ? TokenizerSide::Kind::kSentencePiece
                         : TokenizerSide::Kind::kWords;
  if (side.pieces) out.model = &*side.pieces;
  if (side.words) {
    const auto& words = side.words->pieces;
    out.vocabulary = &*side.words;
    out.unknown = words[static_cast<size_t>(side.unknown)];
    out.special = {words[static_cast<size_t>(side.eos)]};
  }
  out.rows = rows;
  return out;
}

void MakeTokenizer(const NativeMarianFiles& files, Side* source, Side* target,
                   CanonicalModel* model) {
  if (!files.pieces.empty()) {
    source->pieces = ReadSentencePieceModel(files.pieces[0]);
    target->pieces = ReadSentencePieceModel(files.pieces[1]);
  }
  const fs::path folder = files.vocabularies[0].parent_path();
  if (!source->pieces && FileExists(folder / "source.bpe")) {
    model->warnings.push_back(
        Concat(folder / "source.bpe",
               ": subword-nmt's BPE is not supported; texts are split at "
               "spaces, as Marian itself does."));
  }
  const Architecture& a = model->architecture;
  model->tokenizer = BuildTokenizer(SideOf(*source, a.source_vocabulary),
                                    SideOf(*target, a.target_vocabulary));
  // A text's own code is found only where texts are cut into pieces.
  if (source->words && source->pieces) {
    AddMarianLanguages(source->words->pieces, &model->generation);
  }
}

// Looks up ids by text; built once for many lookups.
std::unordered_map<std::string, uint32_t> IdsOf(const Side& side) {
  std::unordered_map<std::string, uint32_t> ids;
  const size_t count =
      side.words ? side.words->pieces.size() : side.pieces->pieces.size();
  for (size_t i = 0; i < count; ++i) {
    ids.emplace(
        side.words ? side.words->pieces[i] : side.pieces->pieces[i].text,
        static_cast<uint32_t>(i));
  }
  return ids;
}

std::function<uint32_t(const std::string&)> LookUpOf(const Side& side) {
  return [ids = IdsOf(side), unknown = static_cast<uint32_t>(side.unknown)](
             const std::string& word) {
    const auto found = ids.find(word);
    return found == ids.end() ? unknown : found->second;
  };
}

// decoder.yml: shortlist: [file, first, best, threshold].
ShortlistLimits LimitsOf(const NativeMarianFiles& files) {
  ShortlistLimits limits;
  if (!files.decoder_options) return limits;
  const MarianOptions& options = *files.decoder_options;
  const std::vector<std::string> list = options.List("shortlist");
  const auto number = [&](size_t i, auto* out) {
    // The entry after a binary file says whether to check it.
    if (i >= list.size() || list[i] == "true" || list[i] == "false") return;
    const char* end = list[i].data() + list[i].size();
    const auto [last, error] = std::from_chars(list[i].data(), end, *out);
    if (error != std::errc() || last != end) {
      options.Fail("shortlist",
                   "it must be a file and up to three numbers: how many "
                   "frequent words, how many of a word, least probability");
    }
  };
  number(1, &limits.first);
  number(2, &limits.best);
  number(3, &limits.threshold);
  return limits;
}

void MakeShortlist(const NativeMarianFiles& files, const Side& source,
                   const Side& target, CanonicalModel* model) {
  if (files.shortlist.empty()) return;
  if (files.vocabularies.empty()) {
    model->warnings.push_back(Concat(
        files.shortlist, ": is not used because there is no vocabulary."));
    return;
  }
  ShortlistSides sides;
  sides.source_vocabulary = model->architecture.source_vocabulary;
  sides.target_vocabulary = model->architecture.target_vocabulary;
  sides.source_id = LookUpOf(source);
  sides.target_id = LookUpOf(target);
  sides.same_vocabulary = files.vocabularies[0] == files.vocabularies[1];
  model->shortlist = ReadShortlist(files.shortlist, LimitsOf(files), sides);
}

}  // namespace

void ReadNativeVocabularies(const NativeMarianFiles& files, bool with_tokenizer,
                            CanonicalModel* model) {
  Side source, target;
  if (files.vocabularies.empty()) {
    if (with_tokenizer) {
      FailIn(files.weights,
             "no vocabulary was found next to it; name it in decoder.yml, or "
             "convert with --no-tokenizer");
    }
    model->warnings.push_back(Concat(files.weights,
                                     ": no vocabulary was found next to it; "
                                     "</s> is taken for 0 and <unk> for 1."));
  } else {
    const Architecture& a = model->architecture;
    source = ReadSide(files.vocabularies[0], a.source_vocabulary);
    target = ReadSide(files.vocabularies[1], a.target_vocabulary);
  }
  SetGeneration(files, source, target, model);
  MakeShortlist(files, source, target, model);
  if (with_tokenizer) MakeTokenizer(files, &source, &target, model);
}

}  // namespace latimer
