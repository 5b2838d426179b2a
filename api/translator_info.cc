// What a translator tells about its model: tokens of texts, limits.
#include <algorithm>

#include "base/check.h"
#include "latimer/translator.h"
#include "model/generation.h"
#include "phrases/source_phrases.h"
#include "text/trie.h"
#include "translator_state.h"

namespace latimer {

Result<size_t> Translator::Tokenize(std::string_view text,
                                    std::span<int32_t> ids) {
  if (state_ == nullptr) return NotLoaded();
  State& state = *state_;
  if (!state.CanTokenize()) return NoTokenizer();
  const GenerationConfig& config = state.model().generation;
  const size_t added =
      config.source_prefix.size() + config.source_suffix.size();
  if (ids.size() < std::max<size_t>(added, config.source_length)) {
    return Status::Error(StatusCode::kTextTooLong,
                         "There is no room for any id.");
  }
  const size_t begin = CopyIds(config.source_prefix, ids);
  const Result<size_t> count = state.tokenizer.Encode(
      text, ScratchOf(state.buffers), ids.subspan(begin, ids.size() - added));
  if (!count.ok()) return count;
  CopyIds(config.source_suffix, ids.subspan(begin + *count));
  return PadSource(config, *count + added, ids);
}

Result<size_t> Translator::Tokenize(std::string_view text,
                                    const TranslateOptions& options,
                                    std::span<int32_t> ids) {
  if (state_ == nullptr) return NotLoaded();
  if (!state_->CanTokenize()) return NoTokenizer();
  return state_->reader().ReadIds(text, options, ids);
}

Result<size_t> Translator::CountTokens(std::string_view text) {
  if (state_ == nullptr) return NotLoaded();
  State& state = *state_;
  if (!state.CanTokenize()) return NoTokenizer();
  const GenerationConfig& config = state.model().generation;
  const Result<size_t> count =
      state.tokenizer.Count(text, ScratchOf(state.buffers));
  if (!count.ok()) return count;
  return std::max<size_t>(
      config.source_prefix.size() + *count + config.source_suffix.size(),
      config.source_length);
}

Result<size_t> Translator::TokenizeTarget(std::string_view text,
                                          std::span<int32_t> ids) {
  if (state_ == nullptr) return NotLoaded();
  State& state = *state_;
  if (!state.CanTokenize()) return NoTokenizer();
  LATIMER_RETURN_IF_ERROR(NeedTargetTokenizer(state.model()));
  return state.target_tokenizer.Encode(text, ScratchOf(state.buffers), ids);
}

Status Translator::CheckTerm(const Term& term) {
  if (state_ == nullptr) return NotLoaded();
  State& state = *state_;
  if (!state.CanTokenize()) return NoTokenizer();
  LATIMER_RETURN_IF_ERROR(state.CheckIdle());
  LATIMER_RETURN_IF_ERROR(NeedTargetTokenizer(state.model()));
  const std::span<int32_t> ids = {state.scheduler.FreeLane()->source,
                                  state.max_source_tokens};
  size_t count = 0;
  return EncodeTerm(state.reader(), term,
                    std::min<size_t>(state.max_target_tokens, ids.size() / 2),
                    ids, &count);
}

size_t Translator::LanguageCodeBytes(std::string_view text) const {
  if (state_ == nullptr || !state_->CanTokenize()) return 0;
  return state_->tokenizer.LanguageCodeBytes(text);
}

Result<std::string_view> Translator::Detokenize(std::span<const int32_t> ids) {
  if (state_ == nullptr) return NotLoaded();
  State& state = *state_;
  if (!state.CanTokenize()) return NoTokenizer();
  const std::span<char> out = state.text();
  const Result<size_t> bytes = state.tokenizer.Decode(ids, out);
  if (!bytes.ok()) return bytes.status();
  return std::string_view(out.data(), *bytes);
}

Result<std::string_view> Translator::HypothesisText(size_t index) {
  if (state_ == nullptr) return NotLoaded();
  State& state = *state_;
  if (!state.CanTokenize()) return NoTokenizer();
  const auto& [is_text, tokens, hypotheses, phrases, text] = state.finished;
  if (!is_text || index >= std::max<size_t>(1, hypotheses.size())) {
    return Status::Error(
        StatusCode::kInvalidArgument,
        "There is no hypothesis %zu of a text; the last translation has %zu. A "
        "text of several parts has those of its parts (TranslateNext).",
        index, is_text ? std::max<size_t>(1, hypotheses.size()) : 0);
  }
  if (index == 0) return text;
  // The translation's own text stays where it is.
  const std::span<char> out = state.text().subspan(text.size());
  LinkList links;
  const Result<size_t> bytes =
      state.WriteTarget(hypotheses[index].tokens, phrases, {}, out, &links);
  if (!bytes.ok()) return bytes.status();
  return std::string_view(out.data(), *bytes);
}

std::string_view Translator::SourcePiece(int32_t id,
                                         std::span<char> out) const {
  if (state_ == nullptr || !state_->CanTokenize()) return {};
  const TokenizerView& view = state_->engine.model.tokenizer;
  if (id < 0 || static_cast<uint32_t>(id) >= view.source_vocabulary) return {};
  return KeyOfValue(view.piece_trie, static_cast<uint32_t>(id), out);
}

std::string_view Translator::TargetPiece(int32_t id) const {
  if (state_ == nullptr || !state_->CanTokenize()) return {};
  return state_->tokenizer.Piece(id);
}

const ModelInfo& Translator::model_info() const {
  LATIMER_CHECK(state_ != nullptr);
  return state_->model();
}

uint32_t Translator::max_source_tokens() const {
  LATIMER_CHECK(state_ != nullptr);
  const uint32_t length = state_->model().generation.source_length;
  return length > 0 ? length : state_->max_source_tokens;
}

uint32_t Translator::max_target_tokens() const {
  LATIMER_CHECK(state_ != nullptr);
  return state_->max_target_tokens;
}

uint32_t Translator::max_beams() const { return state_->buffers.beams; }

uint32_t Translator::threads() const {
  LATIMER_CHECK(state_ != nullptr);
  return state_->engine.threads.thread_count();
}

}  // namespace latimer
