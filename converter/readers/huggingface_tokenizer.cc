#include "converter/readers/huggingface_tokenizer.h"

#include <algorithm>
#include <span>
#include <vector>

#include "converter/error.h"
#include "converter/marian_tokenizer_builder.h"
#include "converter/readers/huggingface_vocabulary.h"
#include "converter/readers/json_fields.h"
#include "converter/readers/languages.h"
#include "converter/readers/sentencepiece_model.h"
#include "converter/readers/text_file.h"
#include "converter/readers/tokenizer_class.h"
#include "converter/readers/tokenizer_config.h"
#include "converter/readers/tokenizer_parts.h"
#include "converter/readers/vocabulary.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Model = HuggingFaceTokenizerParts::Model;
using Pieces = std::vector<std::pair<std::string, float>>;

// "<extra_id_7>".
std::string ExtraId(uint32_t i) { return Concat("<extra_id_", i, ">"); }

class TokenizerReader {
 public:
  TokenizerReader(const fs::path& directory, TokenizerClass tokenizer_class,
                  const Architecture& architecture)
      : directory_(directory),
        class_(tokenizer_class),
        architecture_(architecture),
        settings_(TokenizerSettings(directory)) {}

  HuggingFaceTokenizer Read();

 private:
  HuggingFaceTokenizer ReadBytes();
  HuggingFaceTokenizer ReadM2m100();
  HuggingFaceTokenizer ReadIndicTrans();
  HuggingFaceTokenizer WithVocabularies(const SentencePieceModel& source,
                                        const SentencePieceModel& target,
                                        const Vocabulary& source_ids,
                                        Vocabulary target_ids);
  HuggingFaceTokenizer ReadParts();

  // Of the library's BPE and Unigram, what the class of the family has.
  bool is_bpe() const {
    return is_byte_bpe() || class_ == TokenizerClass::kNllb ||
           class_ == TokenizerClass::kGemma;
  }
  bool is_byte_bpe() const {
    return class_ == TokenizerClass::kBart ||
           class_ == TokenizerClass::kWhisper;
  }

  fs::path SentencePieceFile() const;
  void ReadVocabulary();
  void ReadJson(const fs::path& path);
  void ReadSentencePiece();
  void ReadConfig();
  void ArrangePieces();
  HuggingFaceTokenizer BuildOriginal();
  void SetClass();
  void SetSteps();
  // Whether the class's own list counts: not if the files have a list, which
  // may be null except for NLLB.
  bool TakesExtra() const {
    return class_ == TokenizerClass::kNllb ? !config_.lists_extra_tokens
                                           : !config_.names_extra_tokens;
  }
  void AddExtra(const std::vector<std::string>& texts);
  std::vector<std::string> ExtraOfClass() const;
  std::string Named(const char* name) const { return config_.named.at(name); }
  int32_t Find(const std::string& piece) const;
  void NoteEos(HuggingFaceTokenizer& out) const;
  void NoteFrame(HuggingFaceTokenizer* out) const;

  const fs::path& directory_;
  const TokenizerClass class_;
  const Architecture& architecture_;
  const JsonFields settings_;
  TokenizerConfig config_;
  HuggingFaceVocabulary vocabulary_;
  bool from_sentencepiece_ = false;
  // Control and user-defined pieces of the SentencePiece model.
  std::vector<AddedTokenConfig> reserved_;
  HuggingFaceTokenizerParts parts_;
  // What counts in place of the class if the files have another kind of model:
  // the SentencePiece model, or the steps of tokenizer.json.
  std::optional<SentencePieceModel> original_;
  std::optional<TokenizerSteps> steps_;
  std::vector<std::string> warnings_;
};

const char* NameOf(SentencePieceType type) {
  switch (type) {
    case SentencePieceType::kUnigram:
      return "unigram";
    case SentencePieceType::kBpe:
      return "BPE";
    case SentencePieceType::kWord:
      return "a model of words";
    case SentencePieceType::kCharacter:
      return "a model of characters";
  }
  return "";
}

HuggingFaceTokenizer TokenizerReader::Read() {
  if (class_ == TokenizerClass::kByT5) return ReadBytes();
  if (class_ == TokenizerClass::kM2m100 ||
      class_ == TokenizerClass::kSmall100) {
    return ReadM2m100();
  }
  if (class_ == TokenizerClass::kIndicTrans) return ReadIndicTrans();
  return ReadParts();
}

// ---- Bytes ----

HuggingFaceTokenizer TokenizerReader::ReadBytes() {
  config_ =
      ReadTokenizerConfig(directory_, DefaultTokens(class_), Json::array());
  const char* const kNames[] = {"pad_token", "eos_token", "unk_token"};
  for (AddedTokenConfig& token : config_.tokens) {
    for (int32_t id = 0; id < 3; ++id) {
      if (token.text == Named(kNames[id])) token.id = id;
    }
  }
  if (!config_.names_extra_tokens && config_.additional.empty()) {
    const uint32_t extra = settings_.Count("extra_ids", 125);
    for (uint32_t i = 0; i < extra; ++i) {
      config_.tokens.push_back({.text = ExtraId(i), .special = true});
    }
  } else {
    AddExtra({});
  }
  HuggingFaceTokenizer out =
      BuildByteTokenizer(config_, std::min(architecture_.source_vocabulary,
                                           architecture_.target_vocabulary));
  NoteEos(out);
  return out;
}

// ---- M2M100: SentencePiece and a vocabulary ----

HuggingFaceTokenizer TokenizerReader::ReadM2m100() {
  config_ =
      ReadTokenizerConfig(directory_, DefaultTokens(class_), Json::array());
  AddExtra({});
  RequireTokenizerFiles(directory_, {"sentencepiece.bpe.model", "vocab.json"});
  const SentencePieceModel model =
      ReadSentencePieceModel(directory_ / "sentencepiece.bpe.model");
  const Vocabulary source = latimer::ReadVocabulary(directory_ / "vocab.json");
  const std::string codes = settings_.Text("language_codes", "m2m100");
  if (codes != "m2m100" && codes != "wmt21") {
    settings_.Fail("language_codes", "m2m100 and wmt21 are known");
  }
  const auto languages =
      codes == "wmt21" ? Wmt21Languages() : M2m100Languages();
  Vocabulary target{source.name + " with its languages", source.pieces};
  for (const char* language : languages) {
    target.pieces.push_back("__" + std::string(language) + "__");
  }
  HuggingFaceTokenizer out = WithVocabularies(model, model, source, target);
  for (size_t id = source.pieces.size(); id < target.pieces.size(); ++id) {
    out.ids[target.pieces[id]] = static_cast<int32_t>(id);
  }
  return out;
}

// ---- IndicTrans2: the same for each side ----

HuggingFaceTokenizer TokenizerReader::ReadIndicTrans() {
  config_ =
      ReadTokenizerConfig(directory_, DefaultTokens(class_), Json::array());
  config_.separate_vocabularies = true;
  AddExtra({});
  RequireTokenizerFiles(
      directory_, {"model.SRC", "model.TGT", "dict.SRC.json", "dict.TGT.json"});
  return WithVocabularies(
      ReadSentencePieceModel(directory_ / "model.SRC"),
      ReadSentencePieceModel(directory_ / "model.TGT"),
      latimer::ReadVocabulary(directory_ / "dict.SRC.json"),
      latimer::ReadVocabulary(directory_ / "dict.TGT.json"));
}

// SentencePiece models whose pieces have the ids of vocabularies.
HuggingFaceTokenizer TokenizerReader::WithVocabularies(
    const SentencePieceModel& source, const SentencePieceModel& target,
    const Vocabulary& source_ids, Vocabulary target_ids) {
  // Rows without a token decode as the unknown token.
  const size_t known = target_ids.pieces.size();
  const size_t rows = architecture_.target_vocabulary;
  if (known > rows) {
    FailIn(target_ids.name, "has ", known, " tokens, more than the ", rows,
           " rows of the model's embedding");
  }
  target_ids.pieces.resize(rows, config_.unknown);
  HuggingFaceTokenizer out;
  out.data =
      BuildMarianTokenizer({source, target, source_ids, target_ids, config_,
                            architecture_.source_vocabulary, rows});
  for (size_t id = known; id < rows; ++id) {
    out.data.target_kinds[id] = TargetKind::kText;
  }
  out.data.no_language_codes = true;
  for (size_t id = 0; id < source_ids.pieces.size(); ++id) {
    out.ids[source_ids.pieces[id]] = static_cast<int32_t>(id);
  }
  for (const AddedTokenConfig& token : config_.tokens) {
    if (token.special) out.special.push_back(token.text);
  }
  return out;
}

// ---- Tokenizers of the library `tokenizers` ----

// The family's vocabulary file, which may not exist.
fs::path TokenizerReader::SentencePieceFile() const {
  const bool is_spiece =
      class_ == TokenizerClass::kT5 || class_ == TokenizerClass::kPegasus;
  return directory_ / (is_spiece ? "spiece.model" : "sentencepiece.bpe.model");
}

void TokenizerReader::ReadVocabulary() {
  const fs::path json = directory_ / "tokenizer.json";
  if (FileExists(json)) {
    ReadJson(json);
  } else if (is_byte_bpe()) {
    if (!FileExists(directory_ / "vocab.json")) {
      FailIn(directory_,
             "has neither tokenizer.json nor vocab.json; download one, or "
             "convert with --no-tokenizer");
    }
    RequireTokenizerFiles(directory_, {"merges.txt"});
    vocabulary_ = ReadVocabularyAndMerges(directory_);
  } else if (class_ == TokenizerClass::kGemma) {
    FailIn(directory_,
           "has no tokenizer.json; download it, or convert with "
           "--no-tokenizer");
  } else if (FileExists(SentencePieceFile())) {
    ReadSentencePiece();
  } else {
    FailIn(directory_, "has neither tokenizer.json nor ",
           SentencePieceFile().filename(),
           "; download one, or convert with --no-tokenizer");
  }
}

void TokenizerReader::ReadJson(const fs::path& path) {
  vocabulary_ = ReadTokenizerJson(path);
  const KnownSteps known = is_byte_bpe() ? KnownSteps::kByteLevel
                           : class_ == TokenizerClass::kGemma
                               ? KnownSteps::kGemma
                               : KnownSteps::kOthers;
  if (vocabulary_.model == (is_bpe() ? "BPE" : "Unigram")) {
    CheckTokenizerParts(vocabulary_, known);
    return;
  }
  if (known != KnownSteps::kOthers) {
    FailIn(path, "its model is of the type ", vocabulary_.model,
           ", but the family's is ", is_byte_bpe() ? "byte-level BPE" : "BPE");
  }
  steps_ = ReadTokenizerSteps(vocabulary_);
  warnings_.push_back(Concat(
      path, ": is ", vocabulary_.model, ", which transformers' class of this ",
      "family does not read; the ids are those of the library tokenizers."));
}

void TokenizerReader::ReadSentencePiece() {
  from_sentencepiece_ = true;
  SentencePieceModel model = ReadSentencePieceModel(SentencePieceFile());
  vocabulary_ = VocabularyOf(model);
  const SentencePieceType expected =
      is_bpe() ? SentencePieceType::kBpe : SentencePieceType::kUnigram;
  if (model.type != expected) {
    // The class would cut texts by scores of another kind.
    warnings_.push_back(Concat(
        model.name, ": is ", NameOf(model.type), ", which transformers' class ",
        "of this family takes for ", NameOf(expected),
        "; the ids are those of SentencePiece, as in training."));
    original_ = std::move(model);
    return;
  }
  if (class_ == TokenizerClass::kNllb) {
    vocabulary_.merges = GenerateMerges(vocabulary_.pieces);
  }
  for (const SentencePiece& piece : model.pieces) {
    if (piece.type != PieceType::kControl &&
        piece.type != PieceType::kUserDefined) {
      continue;
    }
    reserved_.push_back(
        {.text = piece.text, .special = piece.type == PieceType::kControl});
  }
}

int32_t TokenizerReader::Find(const std::string& piece) const {
  // The last one of equals counts.
  for (size_t id = parts_.pieces.size(); id > 0; --id) {
    if (parts_.pieces[id - 1].first == piece) {
      return static_cast<int32_t>(id - 1);
    }
  }
  FailIn(vocabulary_.name, "has no piece '", piece, "'");
}

// Tokens that the files do not list, or that a class always adds.
void TokenizerReader::AddExtra(const std::vector<std::string>& texts) {
  if (!TakesExtra()) return;
  for (AddedTokenConfig token : config_.additional) {
    token.special = true;
    config_.tokens.push_back(std::move(token));
  }
  for (const std::string& text : texts) {
    config_.tokens.push_back({.text = text, .special = true});
  }
}

// Converts the pieces of a SentencePiece model to those of the family, which
// has its own tokens and its own order of ids. Each class has a converter in
// transformers' convert_slow_tokenizer.py (convert_from_spm).
void TokenizerReader::ArrangePieces() {
  const Pieces& pieces = vocabulary_.pieces;
  const auto behind = [&](size_t count) {
    parts_.pieces.insert(
        parts_.pieces.end(),
        pieces.begin() + static_cast<ptrdiff_t>(std::min(count, pieces.size())),
        pieces.end());
  };
  const auto add = [&](const std::string& text, float score = 0) {
    parts_.pieces.emplace_back(text, score);
  };
  switch (class_) {
    case TokenizerClass::kT5:
      behind(0);
      for (uint32_t i = settings_.Count("extra_ids", 100); i-- > 0;) {
        add(ExtraId(i));
      }
      return;
    case TokenizerClass::kPegasus: {
      // The masks are the other way around if the files do not name them.
      const bool named = settings_.Has("mask_token");
      const std::string mask = named ? Named("mask_token") : "<mask_1>";
      const std::string mask_sent =
          settings_.Text("mask_token_sent", "<mask_2>");
      add(Named("pad_token"));
      add(Named("eos_token"));
      add(mask);
      if (mask_sent != mask) add(mask_sent);
      for (uint32_t i = 2; i < settings_.Count("offset", 103); ++i) {
        add("<unk_" + std::to_string(i) + ">", -100);
      }
      behind(2);
      return;
    }
    case TokenizerClass::kMBart:
    case TokenizerClass::kMBart50: {
      const bool is_50 = class_ == TokenizerClass::kMBart50;
      add(Named(is_50 ? "cls_token" : "bos_token"));
      add(Named("pad_token"));
      add(Named("eos_token"));
      add(Named("unk_token"));
      behind(3);
      for (const char* code : is_50 ? MBart50Languages() : MBartLanguages()) {
        add(code);
      }
      add(Named("mask_token"));
      return;
    }
    case TokenizerClass::kNllb: {
      const std::string first[] = {Named("bos_token"), Named("pad_token"),
                                   Named("eos_token"), Named("unk_token")};
      for (const std::string& text : first) add(text);
      for (const auto& [text, score] : pieces) {
        if (std::ranges::count(first, text) == 0) add(text, score);
      }
      return;
    }
    case TokenizerClass::kBart:
    case TokenizerClass::kWhisper:
    case TokenizerClass::kByT5:
    case TokenizerClass::kM2m100:
    case TokenizerClass::kSmall100:
    case TokenizerClass::kIndicTrans:
    case TokenizerClass::kGemma:
      return;
  }
}

// Special tokens that the class adds if the files list none.
std::vector<std::string> TokenizerReader::ExtraOfClass() const {
  std::vector<std::string> texts;
  const auto add = [&texts](std::span<const char* const> codes) {
    texts.insert(texts.end(), codes.begin(), codes.end());
  };
  switch (class_) {
    case TokenizerClass::kT5: {
      const auto is_extra = [](const AddedTokenConfig& token) {
        return token.text.find("<extra_id_") != token.text.npos;
      };
      const auto has_extra = [&](const auto& list) {
        return std::ranges::any_of(list, is_extra);
      };
      if (has_extra(reserved_) || has_extra(config_.additional)) break;
      for (uint32_t i = 0; i < settings_.Count("extra_ids", 100); ++i) {
        texts.push_back(ExtraId(i));
      }
      break;
    }
    case TokenizerClass::kPegasus:
      texts.push_back(settings_.Text("mask_token_sent", "<mask_1>"));
      for (uint32_t i = 2; i < settings_.Count("offset", 103); ++i) {
        texts.push_back("<unk_" + std::to_string(i) + ">");
      }
      break;
    case TokenizerClass::kMBart:
      add(MBartLanguages());
      break;
    case TokenizerClass::kMBart50:
      add(MBart50Languages());
      break;
    case TokenizerClass::kNllb:
      if (!from_sentencepiece_ && config_.additional.empty()) {
        add(NllbLanguages());
      }
      break;
    case TokenizerClass::kBart:
    case TokenizerClass::kWhisper:
    case TokenizerClass::kByT5:
    case TokenizerClass::kM2m100:
    case TokenizerClass::kSmall100:
    case TokenizerClass::kIndicTrans:
    case TokenizerClass::kGemma:
      break;
  }
  return texts;
}

void TokenizerReader::ReadConfig() {
  config_ = ReadTokenizerConfig(directory_, DefaultTokens(class_),
                                vocabulary_.added_tokens);
  if (TakesExtra() && class_ != TokenizerClass::kPegasus) {
    config_.tokens.insert(config_.tokens.end(), reserved_.begin(),
                          reserved_.end());
  }
  AddExtra(ExtraOfClass());
}

// The normalizer, the pre-tokenizer and the model of the class.
void TokenizerReader::SetClass() {
  parts_.charsmap = vocabulary_.charsmap;
  parts_.unknown_id = 0;
  switch (class_) {
    case TokenizerClass::kBart:
    case TokenizerClass::kWhisper:
      parts_.model = Model::kByteBpe;
      parts_.charsmap.clear();
      parts_.add_prefix_space = settings_.Bool("add_prefix_space", false);
      return;
    case TokenizerClass::kT5:
      parts_.spacing = Spacing::kWords;
      parts_.unknown_id = 2;
      return;
    case TokenizerClass::kPegasus:
      parts_.spacing = Spacing::kMetaspace;
      parts_.collapses_spaces = true;
      if (parts_.charsmap.empty()) parts_.rules["\n"] = " ";
      parts_.unknown_id = Find(Named("unk_token"));
      return;
    case TokenizerClass::kMBart:
      parts_.spacing = Spacing::kWords;
      parts_.charsmap.clear();
      parts_.unknown_id = 3;
      return;
    case TokenizerClass::kMBart50:
      parts_.spacing = Spacing::kMetaspace;
      parts_.collapses_spaces = true;
      parts_.unknown_id = 3;
      return;
    case TokenizerClass::kNllb:
      parts_.model = Model::kBpe;
      parts_.spacing = Spacing::kMetaspace;
      parts_.collapses_spaces = !parts_.charsmap.empty();
      parts_.unknown_id = Find(Named("unk_token"));
      return;
    case TokenizerClass::kGemma:
      parts_.model = Model::kBpe;
      parts_.spacing = Spacing::kAsItIs;
      parts_.byte_fallback = true;
      parts_.charsmap.clear();
      parts_.rules["\u2581"] = " ";  // The file has it for a space.
      parts_.unknown_id = Find(Named("unk_token"));
      return;
    case TokenizerClass::kByT5:
    case TokenizerClass::kM2m100:
    case TokenizerClass::kSmall100:
    case TokenizerClass::kIndicTrans:
      return;
  }
}

void TokenizerReader::SetSteps() {
  parts_.model = vocabulary_.model == "BPE" ? Model::kBpe : Model::kUnigram;
  parts_.charsmap = vocabulary_.charsmap;
  parts_.rules.clear();
  parts_.spacing = steps_->spacing;
  parts_.collapses_spaces = steps_->collapses_spaces;
  parts_.unknown_id = Find(steps_->unknown);
}

// As transformers' Python classes did: SentencePiece cuts the text between
// special tokens.
HuggingFaceTokenizer TokenizerReader::BuildOriginal() {
  Vocabulary ids{vocabulary_.name, {}};
  for (const auto& [text, score] : parts_.pieces) ids.pieces.push_back(text);
  HuggingFaceTokenizer out = WithVocabularies(*original_, *original_, ids, ids);
  out.warnings = std::move(warnings_);
  return out;
}

HuggingFaceTokenizer TokenizerReader::ReadParts() {
  ReadVocabulary();
  ReadConfig();
  // mBART-50 also rearranges the pieces of a tokenizer.json that has no
  // language codes.
  const bool has_codes =
      std::ranges::any_of(vocabulary_.pieces, [](const auto& piece) {
        return std::ranges::count(MBart50Languages(), piece.first) > 0;
      });
  if (from_sentencepiece_ ||
      (class_ == TokenizerClass::kMBart50 && !has_codes && !steps_)) {
    ArrangePieces();
  } else {
    parts_.pieces = vocabulary_.pieces;
  }
  if (original_) return BuildOriginal();
  parts_.name = vocabulary_.name;
  parts_.merges = std::move(vocabulary_.merges);
  SetClass();
  if (steps_) SetSteps();
  parts_.added = config_.tokens;
  SortByIds(&parts_.added);
  // transformers ignores it if the model is BPE.
  parts_.clean_up_spaces =
      config_.clean_up_spaces && parts_.model == Model::kUnigram;
  parts_.source_rows = architecture_.source_vocabulary;
  parts_.target_rows = architecture_.target_vocabulary;
  HuggingFaceTokenizer out = BuildHuggingFaceTokenizer(parts_);
  NoteEos(out);
  if (class_ == TokenizerClass::kGemma) NoteFrame(&out);
  out.warnings = std::move(warnings_);
  return out;
}

// The tokens that Gemma's tokenizer puts around a text: as
// tokenizer_config.json says or, if it does not, the TemplateProcessing of
// tokenizer.json.
void TokenizerReader::NoteFrame(HuggingFaceTokenizer* out) const {
  auto& [before, after] = out->frame.emplace();
  const auto add = [&](const std::string& text, std::vector<int32_t>* to) {
    const auto found = out->ids.find(text);
    if (found == out->ids.end()) {
      FailIn(directory_, "the tokenizer puts '", text,
             "' beside a text, but has no such token");
    }
    to->push_back(found->second);
  };
  if (settings_.Has("add_bos_token") || settings_.Has("add_eos_token")) {
    if (settings_.Bool("add_bos_token", false)) {
      add(Named("bos_token"), &before);
    }
    if (settings_.Bool("add_eos_token", false)) add(Named("eos_token"), &after);
    return;
  }
  const Json& steps = vocabulary_.post_processor;
  if (steps.is_null()) return;
  bool behind = false;
  try {
    for (const Json& step : steps.at("single")) {
      if (step.contains("Sequence")) {
        behind = true;
      } else {
        add(step.at("SpecialToken").at("id").get<std::string>(),
            behind ? &after : &before);
      }
    }
  } catch (const Json::exception&) {
    FailIn(vocabulary_.name, "its post_processor is not TemplateProcessing");
  }
}

void TokenizerReader::NoteEos(HuggingFaceTokenizer& out) const {
  const auto found = out.ids.find(Named("eos_token"));
  if (found != out.ids.end()) out.data.eos_id = found->second;
}

}  // namespace

HuggingFaceTokenizer ReadHuggingFaceTokenizer(
    const fs::path& directory, TokenizerClass tokenizer_class,
    const Architecture& architecture) {
  return TokenizerReader(directory, tokenizer_class, architecture).Read();
}

}  // namespace latimer
