#include "converter/marian_tokenizer_builder.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converter/error.h"
#include "converter/tokenizer_builder.h"
#include "converter/trie_builder.h"

namespace latimer {
namespace {

class MarianBuilder {
 public:
  explicit MarianBuilder(const MarianTokenizerSources& sources)
      : sources_(sources), vocabulary_(sources.source_vocabulary) {}

  TokenizerData Build();

 private:
  void CheckSizes() const;
  void AddTokens(TokenizerData& data);
  int32_t IdOfAdded(const AddedTokenConfig& token);
  int32_t RequiredId(const std::string& text) const;
  std::string TargetPiece(size_t id) const;
  Vocabulary TargetPieces() const;

  const MarianTokenizerSources& sources_;
  Vocabulary vocabulary_;  // The source's, with the added tokens.
  std::map<std::string, int32_t> ids_;
  std::map<int32_t, std::string> added_pieces_;  // They win over vocab.json.
  std::set<int32_t> special_ids_;
};

int32_t MarianBuilder::RequiredId(const std::string& text) const {
  const auto found = ids_.find(text);
  if (found == ids_.end()) FailIn(vocabulary_.name, "has no '", text, "'");
  return found->second;
}

// The id of an added token, or -1 for one without a row in the model.
int32_t MarianBuilder::IdOfAdded(const AddedTokenConfig& token) {
  const auto found = ids_.find(token.text);
  if (found != ids_.end()) {
    if (token.id.has_value() && *token.id != found->second) {
      FailIn(sources_.config.name, "token '", token.text, "' has the id ",
             *token.id, ", but in ", vocabulary_.name, " it is ",
             found->second);
    }
    return found->second;
  }
  const auto next = static_cast<int32_t>(vocabulary_.pieces.size());
  if (token.id.value_or(next) != next) {
    FailIn(sources_.config.name, "token '", token.text, "' has the id ",
           *token.id, ", but the next free one is ", next);
  }
  if (vocabulary_.pieces.size() >= sources_.source_rows) return -1;
  vocabulary_.pieces.push_back(token.text);
  ids_[token.text] = next;
  return next;
}

void MarianBuilder::CheckSizes() const {
  const auto check = [](const Vocabulary& vocabulary, size_t rows) {
    if (vocabulary.pieces.size() <= rows) return;
    FailIn(vocabulary.name, "has ", vocabulary.pieces.size(),
           " pieces, more than the ", rows, " rows of the model's embedding");
  };
  check(sources_.source_vocabulary, sources_.source_rows);
  check(sources_.target_vocabulary, sources_.target_rows);
}

void MarianBuilder::AddTokens(TokenizerData& data) {
  std::vector<AddedTokenConfig> tokens = sources_.config.tokens;
  SortByIds(&tokens);
  std::map<std::string, uint32_t> keys;
  for (const AddedTokenConfig& token : tokens) {
    const int32_t id = IdOfAdded(token);
    if (id < 0) continue;
    if (token.special) special_ids_.insert(id);
    added_pieces_[id] = token.text;
    keys[token.text] = static_cast<uint32_t>(data.added_tokens.size());
    const uint32_t flags =
        (token.strips_space_before ? kStripsSpaceBefore : 0) |
        (token.strips_space_after ? kStripsSpaceAfter : 0);
    data.added_tokens.push_back({id, flags});
  }
  data.added_trie = BuildTrie(keys);
}

// MarianTokenizer._convert_id_to_token, after added tokens.
std::string MarianBuilder::TargetPiece(size_t id) const {
  const auto added = added_pieces_.find(static_cast<int32_t>(id));
  if (added != added_pieces_.end()) return added->second;
  const auto& known = sources_.target_vocabulary.pieces;
  if (id < known.size()) return known[id];
  const auto& pieces = sources_.config.separate_vocabularies
                           ? sources_.target.pieces
                           : sources_.source.pieces;
  return id < pieces.size() ? pieces[id].text : std::string();
}

Vocabulary MarianBuilder::TargetPieces() const {
  Vocabulary target{sources_.target_vocabulary.name, {}};
  for (size_t id = 0; id < sources_.target_rows; ++id) {
    target.pieces.push_back(TargetPiece(id));
  }
  return target;
}

TokenizerData MarianBuilder::Build() {
  CheckSizes();
  for (size_t i = 0; i < vocabulary_.pieces.size(); ++i) {
    ids_[vocabulary_.pieces[i]] = static_cast<int32_t>(i);
  }
  const TokenizerConfig& config = sources_.config;
  const int32_t eos = RequiredId(config.eos);
  RequiredId(config.pad);
  RequiredId(config.unknown);
  TokenizerData added;
  AddTokens(added);
  const Vocabulary target = TargetPieces();
  // MarianTokenizer._decode: with one vocabulary, the source model joins the
  // pieces to text.
  TokenizerData data =
      BuildTokenizer({.model = &sources_.source,
                      .vocabulary = &vocabulary_,
                      .rows = sources_.source_rows,
                      .more_rows = true,
                      .unknown = config.unknown},
                     {.model = config.separate_vocabularies ? &sources_.target
                                                            : &sources_.source,
                      .vocabulary = &target,
                      .rows = sources_.target_rows});
  // The target's own model always tokenizes a text of the target.
  data.target_text = TargetTextOf({.model = &sources_.target,
                                   .vocabulary = &target,
                                   .rows = sources_.target_rows,
                                   .unknown = config.unknown});
  for (const int32_t id : special_ids_) {
    if (static_cast<size_t>(id) >= data.target_kinds.size()) continue;
    data.target_kinds[static_cast<size_t>(id)] = TargetKind::kSpecial;
  }
  data.added_trie = std::move(added.added_trie);
  data.added_tokens = std::move(added.added_tokens);
  data.clean_up_spaces = config.clean_up_spaces;
  data.eos_id = eos;
  return data;
}

}  // namespace

TokenizerData BuildMarianTokenizer(const MarianTokenizerSources& sources) {
  return MarianBuilder(sources).Build();
}

}  // namespace latimer
