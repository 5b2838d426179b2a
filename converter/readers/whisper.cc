#include "converter/readers/whisper.h"

#include <algorithm>
#include <string>

#include "converter/error.h"
#include "converter/readers/huggingface_tokenizer.h"
#include "converter/readers/languages.h"
#include "latimer/internal/memory_plan.h"

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

// Those that are listed; otherwise, as in OpenAI's program, those of the upper
// half of the layers, of which the runtime takes a few.
std::vector<uint32_t> SpeechHeads(const fs::path& folder,
                                  const WhisperRules& rules,
                                  const Architecture& a) {
  std::vector<uint32_t> heads;
  for (const auto& [layer, head] : rules.alignment_heads) {
    if (layer >= a.decoder_layers || head >= a.decoder_heads) {
      FailIn(folder, "alignment_heads names head ", head, " of layer ", layer,
             ", which its decoder does not have");
    }
    heads.push_back(layer * a.decoder_heads + head);
  }
  const size_t most = size_t{kMostSpeechHeadLayers} * a.decoder_heads;
  if (heads.size() > most) {
    FailIn(folder, "alignment_heads names ", heads.size(), " heads; at most ",
           most, " align words");
  }
  if (!heads.empty()) return heads;
  const uint32_t upper =
      std::min((a.decoder_layers + 1) / 2, kMostSpeechHeadLayers);
  for (uint32_t head = (a.decoder_layers - upper) * a.decoder_heads;
       head < a.decoder_layers * a.decoder_heads; ++head) {
    heads.push_back(head);
  }
  return heads;
}

}  // namespace

std::vector<std::pair<uint32_t, uint32_t>> ReadAlignmentHeads(
    const JsonFields& fields) {
  constexpr std::string_view kName = "alignment_heads";
  std::vector<std::pair<uint32_t, uint32_t>> heads;
  const nlohmann::json* value = fields.Find(kName);
  if (value == nullptr) return heads;
  const auto fail = [&] {
    fields.Fail(kName, "it must be a list of [layer, head]");
  };
  if (!value->is_array()) fail();
  for (const nlohmann::json& pair : *value) {
    if (!pair.is_array() || pair.size() != 2 ||
        !JsonFields::IsToken(pair[0], INT32_MAX) ||
        !JsonFields::IsToken(pair[1], INT32_MAX)) {
      fail();
    }
    heads.emplace_back(pair[0].get<uint32_t>(), pair[1].get<uint32_t>());
  }
  return heads;
}

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
  model->speech_heads = SpeechHeads(folder, rules, a);
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
