#include "converter/vocabulary_pruning.h"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/check.h"
#include "converter/error.h"
#include "converter/trie_builder.h"

namespace latimer {
namespace {

// Maps old ids to new ones.
class IdMap {
 public:
  IdMap(std::span<const uint32_t> kept, size_t before) : new_(before, -1) {
    int32_t next = 0;
    for (const uint32_t id : kept) new_.at(id) = next++;
  }

  // -1 for a removed id, and for -1.
  int32_t At(int64_t id) const {
    return id < 0 ? -1 : new_.at(static_cast<size_t>(id));
  }

  // Replaces ids that are always kept.
  void Apply(int32_t& id) const {
    const bool was_none = id < 0;
    id = At(id);
    LATIMER_CHECK(was_none || id >= 0);
  }
  void Apply(std::vector<int32_t>& ids) const {
    for (int32_t& id : ids) Apply(id);
  }

  // How many of the ids below `end` are kept.
  uint32_t CountBelow(size_t end) const {
    uint32_t count = 0;
    for (size_t id = 0; id < std::min(end, new_.size()); ++id) {
      count += new_[id] >= 0 ? 1 : 0;
    }
    return count;
  }

 private:
  std::vector<int32_t> new_;
};

// BPE by pairs: which entries stand for which pairs.
void PruneMerges(const IdMap& ids, TokenizerData* data) {
  if (data->merge_offsets.empty()) return;
  const uint32_t before = data->source_vocabulary;
  std::vector<uint32_t> offsets = {0};
  std::vector<uint32_t> merges;
  for (uint32_t entry = 0; entry + 1 < data->merge_offsets.size(); ++entry) {
    // The remaining ones keep their order.
    if (entry < before && ids.At(entry) < 0) continue;
    merges.insert(merges.end(),
                  data->merges.begin() + data->merge_offsets[entry],
                  data->merges.begin() + data->merge_offsets[entry + 1]);
    offsets.push_back(static_cast<uint32_t>(merges.size()));
  }
  data->merge_offsets = std::move(offsets);
  data->merges = std::move(merges);
}

// Prunes what encoding reads. Pieces without an id are kept.
void PruneEncoding(const IdMap& ids, TokenizerData* data) {
  const uint32_t before = data->source_vocabulary;
  const uint32_t after = ids.CountBelow(before);
  std::vector<float> scores(
      data->scores.empty() ? 0 : data->scores.size() - before + after);
  std::map<std::string, uint32_t> entries;
  for (const auto& [piece, entry] : TrieEntries(data->piece_trie)) {
    const int64_t to =
        entry < before ? ids.At(entry) : int64_t{entry} - before + after;
    if (to >= 0) entries.emplace(piece, static_cast<uint32_t>(to));
  }
  for (size_t entry = 0; entry < data->scores.size(); ++entry) {
    const int64_t to = entry < before
                           ? ids.At(static_cast<int64_t>(entry))
                           : static_cast<int64_t>(entry) - before + after;
    if (to >= 0) scores[static_cast<size_t>(to)] = data->scores[entry];
  }
  PruneMerges(ids, data);
  data->piece_trie = BuildTrie(entries);
  data->scores = std::move(scores);
  data->source_vocabulary = after;
  ids.Apply(data->unknown_id);
  ids.Apply(data->byte_ids);
  for (AddedToken& token : data->added_tokens) ids.Apply(token.id);
  data->eos_id = ids.At(data->eos_id);
}

// Prunes what decoding reads.
void PruneDecoding(std::span<const uint32_t> kept, TokenizerData* data) {
  TokenizerData pruned;
  for (const uint32_t id : kept) {
    if (id >= data->target_kinds.size()) break;
    pruned.AddTarget(data->target_kinds[id], data->TargetText(id));
  }
  data->piece_offsets = std::move(pruned.piece_offsets);
  data->piece_text = std::move(pruned.piece_text);
  data->target_kinds = std::move(pruned.target_kinds);
}

void PruneTokenizer(const KeptTokens& kept, const IdMap& source,
                    const IdMap& target, TokenizerData* data) {
  PruneEncoding(source, data);
  PruneDecoding(kept.target, data);
  if (!data->target_text) return;
  data->target_text = [whole = data->target_text, target] {
    TokenizerData text = whole();
    PruneEncoding(target, &text);
    return text;
  };
}

void PruneGeneration(const IdMap& source, const IdMap& target,
                     CanonicalGeneration* generation) {
  auto& [decoder_start, eos, pad, forced_eos, max_target_tokens,
         min_target_tokens, banned_sequences, source_prefix, source_suffix,
         source_length, source_pad, forced_first, no_repeat_ngram,
         repetition_penalty, languages, source_language, target_language, tasks,
         search, task_search] = *generation;
  for (int32_t* id : {&decoder_start, &eos, &pad, &forced_eos, &forced_first}) {
    target.Apply(*id);
  }
  for (std::vector<int32_t>& sequence : banned_sequences) {
    target.Apply(sequence);
  }
  source.Apply(source_prefix);
  source.Apply(source_suffix);
  if (source_length > 0) source.Apply(source_pad);
  for (Language& language : languages) {
    LATIMER_CHECK(StandsInSource(target_language) ||
                  source.At(language.token) == target.At(language.token));
    source.Apply(language.token);
  }
}

void PruneShortlist(const KeptTokens& kept, const IdMap& target,
                    CanonicalShortlist* list) {
  std::vector<uint32_t> offsets = {0};
  std::vector<uint16_t> tokens;
  for (const uint32_t id : kept.source) {
    for (uint32_t i = list->offsets[id]; i < list->offsets[id + 1]; ++i) {
      const int32_t token = target.At(list->tokens[i]);
      if (token >= 0) tokens.push_back(static_cast<uint16_t>(token));
    }
    offsets.push_back(static_cast<uint32_t>(tokens.size()));
  }
  list->first = target.CountBelow(list->first);
  list->offsets = std::move(offsets);
  list->tokens = std::move(tokens);
}

void SelectRows(const std::string& name, const std::vector<uint32_t>& rows,
                CanonicalModel* model) {
  const auto found = model->linears.find(name);
  if (found == model->linears.end()) return;  // Tied to another matrix.
  CanonicalLinear& linear = found->second;
  if (linear.weights.size() != 1 || linear.rows != nullptr) {
    FailWith("The vocabulary cannot be pruned because ", name,
             " consists of several tensors.");
  }
  linear.rows = std::make_shared<const std::vector<uint32_t>>(rows);
}

}  // namespace

void PruneVocabulary(const KeptTokens& kept, CanonicalModel* model) {
  Architecture& a = model->architecture;
  const IdMap source(kept.source, a.source_vocabulary);
  const IdMap target(kept.target, a.target_vocabulary);
  SelectRows("source_embedding", kept.source, model);
  SelectRows("target_embedding", kept.target, model);
  SelectRows("output", kept.target, model);
  if (model->shortlist) {
    PruneShortlist(kept, target, &*model->shortlist);
  }
  PruneGeneration(source, target, &model->generation);
  if (model->tokenizer) {
    PruneTokenizer(kept, source, target, &*model->tokenizer);
  }
  model->source += ", " + std::to_string(kept.source.size()) + " of " +
                   std::to_string(a.source_vocabulary) + " source tokens and " +
                   std::to_string(kept.target.size()) + " of " +
                   std::to_string(a.target_vocabulary) + " target tokens kept";
  a.source_vocabulary = static_cast<uint32_t>(kept.source.size());
  a.target_vocabulary = static_cast<uint32_t>(kept.target.size());
}

}  // namespace latimer
