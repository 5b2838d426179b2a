#include "converter/readers/whisper.h"

#include <algorithm>
#include <string>

#include "converter/error.h"
#include "converter/readers/huggingface_tokenizer.h"
#include "converter/readers/languages.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

// Frames that a convolution sees at once.
constexpr uint64_t kFrames = 3;

// The smallest vocabulary of several languages: 50,257 tokens of text, as GPT-2
// has them, 99 languages, 8 that steer, and 1,501 times. That of English alone
// has one token less.
constexpr uint32_t kSeveralLanguages = 51865;

void MapConvolution(const std::string& part, uint64_t inputs,
                    MappedTensors* tensors, CanonicalModel* model) {
  const uint64_t d = model->architecture.d_model;
  const Parameters taken = tensors->Take(part);
  const std::vector<uint64_t> shape = {d, inputs, kFrames};
  tensors->Expect(taken.weight, shape);
  tensors->Expect(taken.bias, {d});
  if (taken.weight == nullptr || taken.weight->shape != shape)
    return;  // Noted.
  // The runtime reads frame after frame.
  const std::vector<float> values = taken.weight->Values();
  std::vector<float> by_frame(values.size());
  for (uint64_t row = 0; row < d; ++row) {
    const uint64_t first = row * inputs * kFrames;
    for (uint64_t i = 0; i < inputs; ++i) {
      for (uint64_t frame = 0; frame < kFrames; ++frame) {
        by_frame[first + frame * inputs + i] =
            values[first + i * kFrames + frame];
      }
    }
  }
  model->linears[part] = {
      {tensors->Make(taken.weight->name, {d, kFrames * inputs},
                     std::move(by_frame))},
      {taken.bias}};
}

}  // namespace

void MapConvolutions(MappedTensors* tensors, CanonicalModel* model) {
  const Architecture& a = model->architecture;
  if (a.mel_bins != 80 && a.mel_bins != 128) {
    FailIn(tensors->path(), "its features have ", a.mel_bins,
           " mel bins; those of Whisper have 80 or 128");
  }
  MapConvolution("encoder.conv1", a.mel_bins, tensors, model);
  MapConvolution("encoder.conv2", a.d_model, tensors, model);
}

void ReadWhisperTokens(const fs::path& folder, const WhisperRules& rules,
                       CanonicalModel* model) {
  const Architecture& a = model->architecture;
  HuggingFaceTokenizer tokenizer =
      ReadHuggingFaceTokenizer(folder, TokenizerClass::kWhisper, a);
  const auto find = [&](const char* token) {
    const auto found = tokenizer.ids.find(token);
    return found == tokenizer.ids.end() ? -1 : found->second;
  };
  const auto demand = [&](const char* token) {
    const int32_t id = find(token);
    if (id < 0) {
      FailIn(folder, "its tokenizer lacks the token ", token,
             ", which steers Whisper");
    }
    return id;
  };
  CanonicalGeneration& g = model->generation;
  g.eos = demand("<|endoftext|>");
  g.pad = -1;
  g.max_target_tokens = a.target_positions;
  g.decoder_start = demand("<|startoftranscript|>");
  SpeechTokens& speech = model->speech;
  speech = {.transcribe = demand("<|transcribe|>"),
            .translate = demand("<|translate|>"),
            .no_timestamps = demand("<|notimestamps|>"),
            .no_speech = std::max(find("<|nospeech|>"), find("<|nocaptions|>")),
            .start_of_previous = find("<|startofprev|>"),
            .first_timestamp = -1};
  // Many tokenizers do not list the timestamps, which follow this token.
  if (speech.no_timestamps + 1 < static_cast<int64_t>(a.target_vocabulary)) {
    speech.first_timestamp = speech.no_timestamps + 1;
  }
  for (const int32_t id : rules.suppressed) g.banned_sequences.push_back({id});
  for (const int32_t id : rules.suppressed_first) {
    g.banned_sequences.push_back({speech.no_timestamps, id});
  }
  if (rules.multilingual.value_or(a.target_vocabulary >= kSeveralLanguages)) {
    AddLanguages(TokenizerClass::kWhisper, /*legacy=*/false, tokenizer.ids, &g);
    if (g.languages.empty()) {
      FailIn(folder, "its tokenizer has no languages, such as <|en|>");
    }
  }
  model->tokenizer = std::move(tokenizer.data);
  // A timestamp is no text.
  std::vector<TargetKind>& kinds = model->tokenizer->target_kinds;
  if (speech.first_timestamp >= 0) {
    for (size_t id = static_cast<size_t>(speech.first_timestamp);
         id < kinds.size(); ++id) {
      kinds[id] = TargetKind::kSpecial;
    }
  }
  model->warnings.insert(model->warnings.end(), tokenizer.warnings.begin(),
                         tokenizer.warnings.end());
}

}  // namespace latimer
