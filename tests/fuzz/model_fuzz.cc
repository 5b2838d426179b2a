// Loads a model file in which some numbers have been changed, and translates.
//
// An input is a model's number, how many edits, the edits, and a text. So
// libFuzzer's mutations of an input are mutations of the file's structure: what
// is not edited stays valid, and so does the checksum.
#include <algorithm>
#include <limits>

#include "internals.h"
#include "latimer/streams.h"
#include "tests/fuzz/base_models.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/input.h"

namespace latimer {
namespace {

constexpr uint32_t kMostTokens = 4;

Workspace workspace;

// One number of the file.
Slot ChooseSlot(const ModelSlots& slots, uint8_t kind, uint16_t which,
                uint32_t where) {
  const auto of_runs = [&](const std::vector<SlotRun>& runs) {
    const SlotRun& run = runs[which % runs.size()];
    return run[where % run.count];
  };
  switch (kind % 8) {
    case 0:
      return slots.vtables[which % slots.vtables.size()];
    case 1:
      return slots.counts[which % slots.counts.size()];
    case 2:
      return of_runs(slots.weights);
    case 3:
    case 4:
    case 5:
      return of_runs(slots.elements);
    default:
      return slots.fields[which % slots.fields.size()];
  }
}

uint64_t ChooseValue(uint8_t how, uint32_t raw, uint64_t now, uint64_t size) {
  constexpr uint32_t kInfinity = 0x7F800000;
  switch (how % 20) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return ~uint64_t{0};
    case 3:
      return ~uint64_t{0} - 1;
    case 4:
      return std::numeric_limits<int32_t>::max();
    case 5:
      return uint64_t{1} << 31;
    case 6:
      return size;
    case 7:
      return size + 1;
    case 8:
      return size - 1;
    case 9:
      return now + 1;
    case 10:
      return now - 1;
    case 11:
      return now * 2;
    case 12:
      return now / 2;
    case 13:
      return kInfinity | (raw << 31);
    case 14:
      return kInfinity | 0x400000 | (raw << 31);  // Not a number.
    case 15:
      return now ^ (uint64_t{1} << raw % 64);
    case 16:
      return raw & 0xFF;
    case 17:
      return now + (raw & 0xFFFF) - 0x8000;
    default:
      return raw;
  }
}

// Up to three sentences, the last of which begins after the first step.
void UseLanes(Translator& translator, std::span<const int32_t> ids,
              std::string_view text, const TranslateOptions& options) {
  TextCursor cursor(text, options);
  const auto begin = [&](uint64_t ticket) {
    if (!translator.CanBegin()) return;
    ExpectSentence(ticket == 1 ? translator.Begin(cursor, ticket)
                               : translator.BeginIds(ids, options, ticket));
  };
  begin(0);
  begin(1);
  for (uint32_t step = 0; translator.under_way() > 0; ++step) {
    LATIMER_EXPECT(step < 8 * kMostTokens);
    FinishedTranslation out;
    if (translator.Advance(&out)) {
      ExpectSentence(out.status);
      if (out.status.ok()) ExpectGood(out.translation, translator, kMostTokens);
    }
    if (step == 0) begin(2);
  }
}

// What else there is to ask of a model.
void UseAll(Translator& translator, std::string_view text,
            TranslateOptions options) {
  options.beams = std::min(2u, translator.max_beams());
  options.scores = true;
  options.alignment = true;
  options.protect = true;
  const Term terms[] = {{"a", "b"}, {"station", "e"}};
  if (Internals::Describe(translator).encodes_target) options.terms = terms;
  const Result<Translation> result = translator.Translate(text, options);
  ExpectGood(result, translator, kMostTokens);
  if (result.ok()) {
    for (size_t i = 0; i < result->hypotheses.size(); ++i) {
      const auto hypothesis = translator.HypothesisText(i);
      LATIMER_EXPECT(!hypothesis.ok() || IsUtf8(*hypothesis));
    }
  }
  options.alignment = false;
  options.scores = false;
  TextStream stream(
      translator, options, [](void*, const StreamedText&) {}, nullptr);
  ExpectSentence(stream.Push(text));
  ExpectSentence(stream.Finish());
  options = {.max_target_tokens = kMostTokens};
  options.sampling = {.enabled = true, .top_k = 3, .top_p = 0.9f};
  ExpectGood(translator.Translate(text, options), translator, kMostTokens);
}

void Use(Translator& translator, std::string_view text, bool side_by_side,
         bool all) {
  const ModelDescription& info = Internals::Describe(translator);
  TranslateOptions options{.max_target_tokens = kMostTokens};
  if (!info.generation.languages.empty()) {
    options.source_language = info.generation.languages.front().code;
    options.target_language = info.generation.languages.back().code;
  }
  if (!info.generation.tasks.empty()) {
    options.task = info.generation.tasks.front().name;
  }
  int32_t ids[8];
  for (size_t i = 0; i < std::size(ids); ++i) {
    const size_t byte = i < text.size() ? static_cast<uint8_t>(text[i]) : i;
    ids[i] = static_cast<int32_t>(byte % info.architecture.source_vocabulary);
  }
  const size_t count =
      std::min<size_t>(std::size(ids), translator.max_source_tokens());
  if (side_by_side) {
    UseLanes(translator, {ids, count}, text, options);
  } else {
    ExpectGood(translator.TranslateIds({ids, count}, options), translator,
               kMostTokens);
    ExpectGood(translator.Translate(text, options), translator, kMostTokens);
  }
  if (info.encodes_target) {
    options.target_prefix = text.substr(0, 2);
    ExpectGood(translator.TranslateIds({ids, count}, options), translator,
               kMostTokens);
  }
  if (all) UseAll(translator, text, options);
  char piece[Translator::kMaxPieceBytes];
  for (const int32_t id : ids) {
    (void)translator.SourcePiece(id, piece);
    (void)translator.TargetPiece(id);
  }
  ExpectSentence(ExactProfile(info, {}, "fuzz").status());
}

}  // namespace
}  // namespace latimer

// Before the clock of the first input runs.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  (void)latimer::BaseModels();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace latimer;
  Input input(data, size);
  const auto models = BaseModels();
  const BaseModel& model = *models[input.Byte() % models.size()];
  const uint8_t flags = input.Byte();
  const size_t edits = flags % 8;
  for (size_t i = 0; i < edits; ++i) {
    const auto kind = input.Byte();
    const auto which = input.Take<uint16_t>();
    const auto where = input.Take<uint16_t>();
    const auto how = input.Byte();
    const auto raw = input.Take<uint32_t>();
    const Slot slot = ChooseSlot(model.slots(), kind, which, where);
    WriteSlot(model.file(), slot,
              ChooseValue(how, raw, ReadSlot(model.file(), slot),
                          model.file().size()));
  }
  if (flags >> 5 != 0) FixChecksum(model.file());  // Most inputs.
  const bool side_by_side = (flags & 8) != 0;
  const bool all = (flags & 16) != 0;

  {
    Translator translator;
    Status loaded = translator.Load(model.file(), &workspace);
    ExpectSentence(loaded);
    // Numbers that Load refuses with the checksum must do no harm without it.
    if (!loaded.ok()) {
      loaded =
          translator.Load(model.file(), &workspace, {.verify_checksum = false});
      ExpectSentence(loaded);
    }
    if (loaded.ok()) {
      Use(translator, input.rest().substr(0, 2000), side_by_side, all);
    }
  }
  model.Restore();
  return 0;
}
