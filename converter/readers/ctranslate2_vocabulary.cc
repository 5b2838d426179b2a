#include "converter/readers/ctranslate2_vocabulary.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "converter/error.h"
#include "converter/readers/huggingface_model.h"
#include "converter/readers/json_fields.h"
#include "converter/readers/languages.h"
#include "converter/readers/sentencepiece_model.h"
#include "converter/readers/text_file.h"
#include "converter/readers/tokenizer_class.h"
#include "converter/readers/vocabulary.h"
#include "converter/tokenizer_builder.h"
#include "text/utf8.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

// A token that every vocabulary of a family has, and no other's.
constexpr std::pair<const char*, TokenizerClass> kSigns[] = {
    {"eng_Latn", TokenizerClass::kNllb},
    {"__en__", TokenizerClass::kM2m100},
    {"af_ZA", TokenizerClass::kMBart50},  // Which has en_XX, too.
    {"en_XX", TokenizerClass::kMBart},
    {"<extra_id_0>", TokenizerClass::kT5},
    {"<mask_1>", TokenizerClass::kPegasus},
    {"\xC4\xA0", TokenizerClass::kBart},  // A space in byte-level BPE.
};

// The lines of a text. A token may end with a carriage return, so these count
// as ends of lines only if all lines have one.
std::vector<std::string> TokensOfLines(std::string_view text) {
  std::vector<std::string> tokens;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    tokens.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (std::ranges::all_of(tokens, [](const std::string& token) {
        return token.ends_with('\r');
      })) {
    for (std::string& token : tokens) token.pop_back();
  }
  return tokens;
}

// Source: src/vocabulary.cc of CTranslate2.
CTranslate2Vocabulary ReadTokens(const fs::path& path,
                                 const std::string& unknown) {
  CTranslate2Vocabulary out{path, {}};
  const std::string text = ReadTextFile(path);
  if (path.extension() == ".json") {
    const nlohmann::json list = ParseJsonText(text);
    const bool texts =
        list.is_array() && std::ranges::all_of(list, [](const auto& token) {
          return token.is_string();
        });
    if (!texts) FailIn(path, "it should be a list of tokens");
    out.tokens = list.get<std::vector<std::string>>();
  } else {
    if (!IsUtf8(text)) FailIn(path, "it is not UTF-8");
    out.tokens = TokensOfLines(text);
  }
  // OpenNMT-tf's files do not list it.
  if (std::ranges::count(out.tokens, unknown) == 0) {
    out.tokens.push_back(unknown);
  }
  return out;
}

// Nothing if there is no such file.
std::optional<CTranslate2Vocabulary> FindTokens(const fs::path& folder,
                                                const std::string& side,
                                                const std::string& unknown) {
  for (const char* ending : {".json", ".txt"}) {
    const fs::path path = folder / (side + "_vocabulary" + ending);
    if (FileExists(path)) return ReadTokens(path, unknown);
  }
  return std::nullopt;
}

class Vocabularies {
 public:
  Vocabularies(const fs::path& folder, const CTranslate2Config& config,
               CanonicalModel* model)
      : folder_(folder), config_(config), model_(*model) {}

  void Read(bool with_tokenizer) {
    ReadSides();
    FindClass();
    SetGeneration();
    if (with_tokenizer) ReadTokenizer();
    if (!config_.start && !with_tokenizer) {
      std::map<std::string, int32_t> ids;
      for (size_t id = 0; id < target_.tokens.size(); ++id) {
        ids.emplace(target_.tokens[id], static_cast<int32_t>(id));
      }
      if (class_) AddLanguages(*class_, false, ids, &model_.generation);
    }
    if (!config_.start && model_.generation.languages.empty()) {
      FailIn(folder_ / "config.json",
             "decoder_start_token is null, so every translation begins with a "
             "token of the caller's choice, which is supported for the "
             "languages of mBART only");
    }
  }

 private:
  void ReadSides() {
    const std::string& unknown = config_.unknown;
    if (auto shared = FindTokens(folder_, "shared", unknown)) {
      source_ = target_ = *std::move(shared);
    } else {
      auto source = FindTokens(folder_, "source", unknown);
      auto target = FindTokens(folder_, "target", unknown);
      if (!source || !target) {
        FailIn(folder_,
               "has neither shared_vocabulary.json nor source_vocabulary.json "
               "and target_vocabulary.json (or .txt); copy all files that "
               "CTranslate2 wrote");
      }
      source_ = *std::move(source);
      target_ = *std::move(target);
    }
    CheckRows(source_, model_.architecture.source_vocabulary);
    CheckRows(target_, model_.architecture.target_vocabulary);
  }

  static void CheckRows(const CTranslate2Vocabulary& side, uint32_t rows) {
    if (side.tokens.size() == rows) return;
    FailIn(side.path, "has ", side.tokens.size(),
           " tokens, but the embedding has ", rows,
           " rows; the files do not belong together");
  }

  static int32_t IdOf(const CTranslate2Vocabulary& side,
                      const std::string& token) {
    const auto found = std::ranges::find(side.tokens, token);
    if (found == side.tokens.end()) {
      FailIn(side.path, "lacks the token ", Printable(token),
             " that config.json names");
    }
    return static_cast<int32_t>(found - side.tokens.begin());
  }

  // Of Hugging Face's tokenizers, if it is one.
  void FindClass() {
    if (config_.starts_from_zero) return;  // Marian's.
    if (!TokenizerSettings(folder_).Text("tokenizer_class", "").empty()) {
      class_ = TokenizerClassOf(folder_);
      return;
    }
    for (const auto& [token, tokenizer_class] : kSigns) {
      if (std::ranges::count(target_.tokens, token) == 0) continue;
      class_ = FileExists(folder_ / "tokenization_small100.py")
                   ? TokenizerClass::kSmall100
                   : tokenizer_class;
      return;
    }
  }

  void SetGeneration() {
    CanonicalGeneration& g = model_.generation;
    g.pad = -1;
    g.eos = IdOf(target_, config_.eos);
    g.decoder_start = config_.starts_from_zero ? -1
                      : config_.start          ? IdOf(target_, *config_.start)
                                               : g.eos;
    g.max_target_tokens = model_.architecture.target_positions;
    g.min_target_tokens = 1;  // translate_batch(min_decoding_length=1).
    // A search of src/decoding.cc ends with as many hypotheses as beams, and
    // normalizes after it has taken tokens away.
    g.search.early_stopping = EarlyStopping::kAlways;
    g.search.renormalize = 1;
    // The tokenizers of Hugging Face add these, where config.json does not.
    if (config_.adds_bos || class_ == TokenizerClass::kBart) {
      g.source_prefix = {IdOf(source_, config_.bos)};
    }
    if (config_.adds_eos || config_.starts_from_zero || class_) {
      g.source_suffix = {IdOf(source_, config_.eos)};
    }
  }

  // ---- The tokenizer ----

  [[noreturn]] void FailWithoutTokenizer() const {
    FailIn(folder_,
           "CTranslate2 keeps no tokenizer; copy its files beside model.bin "
           "(source.spm and target.spm, or the SentencePiece model, or "
           "tokenizer.json and tokenizer_config.json), or convert with "
           "--no-tokenizer");
  }

  void ReadTokenizer() {
    if (class_) {
      ReadHuggingFace();
      return;
    }
    std::vector<fs::path> models = PieceModels();
    if (models.empty()) FailWithoutTokenizer();
    const SentencePieceModel source = ReadSentencePieceModel(models.front());
    const SentencePieceModel target = ReadSentencePieceModel(models.back());
    const Vocabulary source_ids = IdsOf(source_), target_ids = IdsOf(target_);
    const Architecture& a = model_.architecture;
    model_.tokenizer =
        BuildTokenizer(SideOf(source, source_ids, a.source_vocabulary),
                       SideOf(target, target_ids, a.target_vocabulary));
    if (config_.starts_from_zero) {
      AddMarianLanguages(source_.tokens, &model_.generation);
    }
  }

  static Vocabulary IdsOf(const CTranslate2Vocabulary& side) {
    return VocabularyInOrder(side.tokens, side.path.string());
  }

  TokenizerSide SideOf(const SentencePieceModel& pieces, const Vocabulary& ids,
                       size_t rows) const {
    return {.kind = TokenizerSide::Kind::kSentencePiece,
            .model = &pieces,
            .vocabulary = &ids,
            .rows = rows,
            .unknown = config_.unknown,
            .special = {config_.bos, config_.eos, config_.start.value_or(""),
                        "<blank>", "<pad>"}};
  }

  // source.spm and target.spm, or the only SentencePiece model of the folder or
  // of an Argos package, whose model/ it is.
  std::vector<fs::path> PieceModels() const {
    if (FileExists(folder_ / "source.spm") &&
        FileExists(folder_ / "target.spm")) {
      return {folder_ / "source.spm", folder_ / "target.spm"};
    }
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const fs::path ending = entry.path().extension();
      if (ending == ".spm" || ending == ".model") found.push_back(entry.path());
    }
    if (found.size() > 1) {
      FailIn(folder_, "has ", found.size(),
             " SentencePiece models; keep one, or name them source.spm and "
             "target.spm");
    }
    const fs::path package =
        fs::weakly_canonical(folder_).parent_path() / "sentencepiece.model";
    if (found.empty() && FileExists(package)) found.push_back(package);
    return found;
  }

  void ReadHuggingFace() {
    if (class_ == TokenizerClass::kIndicTrans) {
      FailIn(folder_,
             "IndicTrans2's tokenizer is read from Hugging Face's folders "
             "only; convert with --no-tokenizer");
    }
    const bool has_files = std::ranges::any_of(
        std::initializer_list<const char*>{"tokenizer.json", "spiece.model",
                                           "sentencepiece.bpe.model",
                                           "vocab.json"},
        [&](const char* name) { return FileExists(folder_ / name); });
    if (!has_files && class_ != TokenizerClass::kByT5) FailWithoutTokenizer();
    for (const auto& [token, id] :
         ReadModelTokenizer(folder_, *class_, &model_)) {
      const auto place = static_cast<size_t>(id);
      if (place < target_.tokens.size() && target_.tokens[place] != token) {
        FailIn(folder_, "the tokenizer's token ", id, " is ", Printable(token),
               ", but ", target_.path.filename(), " has ",
               Printable(target_.tokens[place]),
               " there; the files do not belong together");
      }
    }
  }

  const fs::path& folder_;
  const CTranslate2Config& config_;
  CanonicalModel& model_;
  CTranslate2Vocabulary source_, target_;
  std::optional<TokenizerClass> class_;
};

}  // namespace

void ReadCTranslate2Vocabularies(const fs::path& folder,
                                 const CTranslate2Config& config,
                                 bool with_tokenizer, CanonicalModel* model) {
  Vocabularies(folder, config, model).Read(with_tokenizer);
}

}  // namespace latimer
