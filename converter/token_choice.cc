#include "converter/token_choice.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>

#include "base/check.h"
#include "converter/bpe_merges.h"
#include "converter/error.h"
#include "converter/scripts.h"
#include "converter/text_tokenizer.h"
#include "converter/trie_builder.h"
#include "text/slice.h"
#include "text/utf8.h"

namespace latimer {
namespace {

// The ids of one side that are kept.
class Kept {
 public:
  explicit Kept(size_t rows) : kept_(rows) {}

  // Ignores -1, which stands for no id.
  void Add(int64_t id) {
    if (id < 0) return;
    LATIMER_CHECK(static_cast<size_t>(id) < kept_.size());
    kept_[static_cast<size_t>(id)] = true;
  }
  void AddAll(std::span<const int32_t> ids) {
    for (const int32_t id : ids) Add(id);
  }
  void AddAll(const Kept& other) {
    for (size_t id = 0; id < other.kept_.size(); ++id) {
      if (other.kept_[id]) Add(static_cast<int64_t>(id));
    }
  }

  bool Has(size_t id) const { return kept_[id]; }

  std::vector<uint32_t> Ids() const {
    std::vector<uint32_t> ids;
    for (size_t id = 0; id < kept_.size(); ++id) {
      if (kept_[id]) ids.push_back(static_cast<uint32_t>(id));
    }
    return ids;
  }

 private:
  std::vector<bool> kept_;
};

bool IsLanguageCode(std::string_view piece) {
  return piece.size() > 4 && piece.starts_with(">>") && piece.ends_with("<<");
}

void CheckKind(const TokenizerData& data) {
  switch (data.segmentation) {
    case Segmentation::kUnigram:
    case Segmentation::kBpe:
    case Segmentation::kWords:
    case Segmentation::kCharacters:
    case Segmentation::kLongestMatch:
      return;
    case Segmentation::kByteBpe:
    case Segmentation::kBytes:
      break;
  }
  FailWith(
      "The vocabulary cannot be pruned because pruning does not support this "
      "kind of tokenizer; convert without --keep-vocab and --keep-scripts.");
}

// Finds the ids of one side that are to be kept.
class Side {
 public:
  Side(const TokenizerData& data, size_t rows)
      : data_(data), tokenizer_(data), kept_(rows) {
    const std::vector<std::string>& pieces = tokenizer_.pieces();
    for (size_t id = 0; id < pieces.size(); ++id) {
      ids_.emplace(pieces[id], static_cast<uint32_t>(id));
    }
  }

  Kept& kept() { return kept_; }

  void KeepSpecial() {
    kept_.Add(data_.unknown_id);
    kept_.AddAll(data_.byte_ids);
    for (const AddedToken& token : data_.added_tokens) kept_.Add(token.id);
    for (const auto& [piece, value] : TrieEntries(data_.user_defined_trie)) {
      KeepPiece(piece);
    }
    KeepPiecesIf(IsLanguageCode);
  }

  // Keeps the line's tokens, and each of their characters that is a token.
  void KeepTokensOf(const std::string& line) {
    for (const int32_t id : tokenizer_.Encode(line)) {
      kept_.Add(id);
      KeepCharactersOf(tokenizer_.pieces()[static_cast<size_t>(id)]);
    }
    KeepCharactersOf(line);
  }

  template <typename Predicate>
  void KeepPiecesIf(Predicate predicate) {
    const std::vector<std::string>& pieces = tokenizer_.pieces();
    for (size_t id = 0; id < pieces.size(); ++id) {
      if (!pieces[id].empty() && predicate(pieces[id])) {
        kept_.Add(static_cast<int64_t>(id));
      }
    }
  }

  // Keeps what kept pieces are merged from, and unused pieces, which others
  // depend on.
  void KeepMerges() {
    if (data_.segmentation != Segmentation::kBpe) return;
    const std::vector<std::string>& pieces = tokenizer_.pieces();
    for (size_t id = 0; id < pieces.size(); ++id) {
      // What this adds is itself merged from pieces that this adds.
      if (kept_.Has(id)) KeepMergesOf(pieces[id]);
    }
    for (const auto& [piece, value] : TrieEntries(data_.unused_trie)) {
      KeepPiece(piece);
      KeepMergesOf(piece);
    }
  }

 private:
  void KeepPiece(std::string_view piece) {
    const auto found = ids_.find(piece);
    if (found != ids_.end()) kept_.Add(found->second);
  }

  void KeepCharactersOf(std::string_view text) {
    for (size_t i = 0; i < text.size();) {
      const size_t bytes = std::min(AnnouncedBytes(text[i]), text.size() - i);
      KeepPiece(Slice(text, i, bytes));
      i += bytes;
    }
  }

  void KeepMergesOf(std::string_view piece) {
    for (const uint32_t entry : MergesOf(data_, piece)) {
      if (entry < data_.source_vocabulary) kept_.Add(entry);
    }
  }

  const TokenizerData& data_;
  TextTokenizer tokenizer_;
  std::unordered_map<std::string_view, uint32_t> ids_;  // Views of pieces().
  Kept kept_;
};

// Whether a source id and the same target id share a row of a matrix, or are
// the same token to the shortlist or the languages.
bool SidesShareIds(const CanonicalModel& model) {
  const Architecture& a = model.architecture;
  return a.source_embedding_tied || a.embeddings_shared ||
         (!model.generation.languages.empty() &&
          !StandsInSource(model.generation.target_language)) ||
         (model.shortlist && model.shortlist->copies_source);
}

// Keeps target tokens that are not text, except those that only pad the matrix.
void KeepSpecialTargets(const TokenizerData& data, Kept& kept) {
  for (size_t id = 0; id < data.target_kinds.size(); ++id) {
    const std::string_view piece = data.TargetText(id);
    const bool text = data.target_kinds[id] == TargetKind::kText;
    if (!piece.empty() && (!text || IsLanguageCode(piece))) {
      kept.Add(static_cast<int64_t>(id));
    }
  }
}

void KeepNamed(const CanonicalGeneration& generation, Side& source,
               Side& target) {
  // A new member breaks this line, so that its ids are not forgotten.
  const auto& [decoder_start, eos, pad, forced_eos, max_target_tokens,
               min_target_tokens, banned_sequences, source_prefix,
               source_suffix, source_length, source_pad, forced_first,
               no_repeat_ngram, repetition_penalty, languages, source_language,
               target_language, tasks, search, task_search] = generation;
  target.kept().AddAll({{decoder_start, eos, pad, forced_eos, forced_first}});
  for (const std::vector<int32_t>& sequence : banned_sequences) {
    target.kept().AddAll(sequence);
  }
  source.kept().AddAll(source_prefix);
  source.kept().AddAll(source_suffix);
  if (source_length > 0) source.kept().Add(source_pad);
  for (const Language& language : languages) {
    source.kept().Add(language.token);
    if (!StandsInSource(target_language)) target.kept().Add(language.token);
  }
  for (const Task& task : tasks) source.KeepTokensOf(task.prefix);
}

}  // namespace

KeptTokens ChooseTokens(const CanonicalModel& model, const TokensToKeep& keep) {
  if (!model.tokenizer) {
    FailWith(
        "The vocabulary cannot be pruned without the model's tokenizer; "
        "convert without --no-tokenizer.");
  }
  const Architecture& a = model.architecture;
  const TokenizerData& data = *model.tokenizer;
  CheckKind(data);
  // The source's tokenizer may encode texts of the target too.
  std::optional<TokenizerData> target_data;
  if (data.target_text) {
    target_data = data.target_text();
    CheckKind(*target_data);
  } else if (a.source_vocabulary != a.target_vocabulary) {
    FailWith(
        "The vocabulary cannot be pruned because the model does not say how "
        "texts of the target language are tokenized.");
  }
  Side source(data, a.source_vocabulary);
  Side target(target_data ? *target_data : data, a.target_vocabulary);

  KeepNamed(model.generation, source, target);
  source.KeepSpecial();
  target.KeepSpecial();
  KeepSpecialTargets(data, target.kept());
  for (const std::filesystem::path& path : keep.texts) {
    for (const std::string& line : ReadTextLines(path)) {
      source.KeepTokensOf(line);
      target.KeepTokensOf(line);
    }
  }
  if (keep.scripts) {
    const ScriptSet scripts(*keep.scripts);
    const auto covers = [&](std::string_view p) { return scripts.Covers(p); };
    source.KeepPiecesIf(covers);
    target.KeepPiecesIf(covers);
  }
  const bool shared = SidesShareIds(model);
  if (shared) {
    source.kept().AddAll(target.kept());
    target.kept().AddAll(source.kept());
  }
  source.KeepMerges();
  target.KeepMerges();
  if (shared) {
    // One side's merges are pieces of the other, with merges of their own.
    source.kept().AddAll(target.kept());
    source.KeepMerges();
    target.kept().AddAll(source.kept());
  }
  return {source.kept().Ids(), target.kept().Ids()};
}

}  // namespace latimer
