// The C API on top of the C++ one: model files, loading and translating.

#include "latimer_c.h"

#include <new>
#include <type_traits>

#include "base/file_mapping.h"
#include "latimer/plan.h"
#include "latimer_c_named.h"
#include "room_words.h"

namespace latimer {

struct TermLayout {
  static_assert(
      std::is_standard_layout_v<Term> && sizeof(latimer_term) == sizeof(Term) &&
      offsetof(latimer_term, source) == offsetof(Term, source_) &&
      offsetof(latimer_term, source_bytes) == offsetof(Term, source_bytes_) &&
      offsetof(latimer_term, target) == offsetof(Term, target_) &&
      offsetof(latimer_term, target_bytes) == offsetof(Term, target_bytes_));
};

namespace {

static_assert(static_cast<int>(StatusCode::kResourceUnavailable) ==
              LATIMER_RESOURCE_UNAVAILABLE);
static_assert(static_cast<int>(StopReason::kCancelled) == LATIMER_CANCELLED);
static_assert(Status::kMaxMessageBytes == LATIMER_MESSAGE_BYTES);
static_assert(sizeof(latimer_token_score) == sizeof(TokenScore) &&
              offsetof(latimer_token_score, margin) ==
                  offsetof(TokenScore, margin));
// A member that is added must not lie in what was padding before.
static_assert(sizeof(latimer_load_options) ==
              offsetof(latimer_load_options, cpu) + sizeof(const char*));
static_assert(sizeof(latimer_options) ==
              offsetof(latimer_options, stream) + sizeof(uint64_t));
static_assert(sizeof(latimer_translation) ==
              offsetof(latimer_translation, mean_score) + sizeof(double));
static_assert(sizeof(latimer_text_range) == sizeof(TextRange) &&
              offsetof(latimer_text_range, end) == offsetof(TextRange, end));
static_assert(sizeof(latimer_token_link) == sizeof(TokenLink) &&
              offsetof(latimer_token_link, source) ==
                  offsetof(TokenLink, source));
static_assert(sizeof(latimer_word_score) == sizeof(WordScore) &&
              offsetof(latimer_word_score, log_probability) ==
                  offsetof(WordScore, log_probability));

constexpr size_t kAlignment = alignof(Workspace);
constexpr size_t kHeaderBytes = Padded(sizeof(latimer_translator));

// The part of some memory that begins at a multiple of kAlignment.
std::span<std::byte> Aligned(void* memory, size_t bytes) {
  if (memory == nullptr) return {};
  const size_t before =
      (kAlignment - reinterpret_cast<uintptr_t>(memory) % kAlignment) %
      kAlignment;
  if (bytes < before) return {};
  return {static_cast<std::byte*>(memory) + before, bytes - before};
}

// Reads latimer_load_options.room_for.
Status ReadRoomFor(const char* words, LoadOptions* out) {
  if (words == nullptr) return Status();
  out->attention = out->scores = out->alignment = false;
  if (*words == '\0') return Status();
  Status status;
  ForEachRoomItem(words, [&](std::string_view item) {
    const RoomWord* const word = FindRoomWord(item);
    if (word == nullptr || word->of_load == nullptr || out->*word->of_load) {
      status = Status::Error(
          StatusCode::kInvalidArgument,
          "room_for %.*s: give attention, scores or alignment, or several of "
          "them, each once, with commas between.",
          static_cast<int>(std::min<size_t>(item.size(), 60)), item.data());
      return false;
    }
    out->*word->of_load = true;
    return true;
  });
  return status;
}

Status ReadLoadOptions(const latimer_load_options* given, LoadOptions* out) {
  latimer_load_options in;
  LATIMER_RETURN_IF_ERROR(ReadStruct("latimer_load_options", given, &in));
  out->threads = std::max<uint32_t>(in.threads, 1);
  out->pin_threads = in.pin_threads != 0;
  if (in.lanes != 0) out->lanes = in.lanes;
  if (in.beams != 0) out->beams = in.beams;
  out->verify_checksum = in.trust_file == 0;
  out->cpu = in.cpu;
  return ReadRoomFor(in.room_for, out);
}

Status Plan(std::span<const std::byte> image,
            const latimer_load_options* options, std::span<std::byte> scratch,
            size_t* workspace_bytes, uint64_t* cached_token_bytes) {
  LoadOptions load;
  LATIMER_RETURN_IF_ERROR(ReadLoadOptions(options, &load));
  LATIMER_RETURN_IF_ERROR(
      CheckPointer("The image", image.data(), image.size()));
  if (scratch.size() < sizeof(InfoScratch)) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "latimer_plan_workspace works in "
                         "latimer_scratch_bytes() bytes.");
  }
  const Result<WorkspacePlan> plan =
      PlanWorkspace(image, load, new (scratch.data()) InfoScratch);
  if (!plan.ok()) return plan.status();
  *workspace_bytes =
      static_cast<size_t>(plan->bytes) + kHeaderBytes + kAlignment;
  if (cached_token_bytes != nullptr) {
    *cached_token_bytes = plan->cached_token_bytes;
  }
  return Status();
}

Status Load(std::span<const std::byte> image, std::span<std::byte> workspace,
            const latimer_load_options* options,
            latimer_translator** translator) {
  LoadOptions load;
  LATIMER_RETURN_IF_ERROR(ReadLoadOptions(options, &load));
  if (image.data() == nullptr || workspace.size() < kHeaderBytes) {
    return Status::Error(
        StatusCode::kInvalidArgument,
        "Give an image, and a workspace as large as latimer_plan_workspace "
        "says; %llu bytes are enough for every model.",
        static_cast<unsigned long long>(latimer_workspace_bytes()));
  }
  auto* const created = new (workspace.data()) latimer_translator;
  created->workspace = workspace.subspan(kHeaderBytes);
  const Status status =
      created->translator.Load(image, created->workspace, load);
  if (status.ok()) *translator = created;
  return status;
}

Status Reload(latimer_translator* translator, std::span<const std::byte> image,
              const latimer_load_options* options) {
  LoadOptions load;
  LATIMER_RETURN_IF_ERROR(ReadLoadOptions(options, &load));
  if (image.data() == nullptr) {
    return Status::Error(StatusCode::kInvalidArgument, "The image is NULL.");
  }
  translator->last = {};
  return translator->translator.Load(image, translator->workspace, load);
}

latimer_translation Convert(const Translation& in) {
  latimer_translation out = {};
  out.text = in.text.data();
  out.text_bytes = in.text.size();
  out.tokens = in.tokens.data();
  out.token_count = in.tokens.size();
  out.source_bytes = in.source_bytes;
  out.stop_reason = static_cast<latimer_stop_reason>(in.stop_reason);
  out.generated_tokens = in.generated_tokens;
  out.source = in.source.data();
  out.source_count = in.source.size();
  if (!in.scores.empty()) {
    out.scores = reinterpret_cast<const latimer_token_score*>(in.scores.data());
  }
  out.attention_layers = in.attention.layers;
  out.attention_heads = in.attention.heads;
  out.attention_rows = in.attention.rows;
  out.hypothesis_count = in.hypotheses.size();
  out.links = reinterpret_cast<const latimer_token_link*>(in.links.data());
  out.link_count = in.links.size();
  out.mean_score = static_cast<double>(in.mean_score.value_or(0));
  out.parts = in.parts;
  out.space = in.space.data();
  out.space_bytes = in.space.size();
  return out;
}

// A call: checks the source, which is a text or ids, reads the caller's
// options, and writes a translation or keeps the error.
class Call {
 public:
  Call(latimer_translator* translator, const void* source, size_t source_count,
       const latimer_options* options, latimer_translation* out)
      : translator_(translator), out_(out) {
    translator->last = {};
    status_ = CheckPointer("The source", source, source_count);
    if (status_.ok()) status_ = ReadOptions(translator, options, &options_);
    if (out == nullptr) return;
    if (status_.ok()) status_ = CheckSize("latimer_translation", out);
    if (status_.ok()) WriteStruct({}, out);
  }

  bool ok() const { return status_.ok(); }
  const TranslateOptions& options() const { return options_; }

  latimer_code Refuse() { return Give(translator_, status_); }
  latimer_code Finish(const Result<Translation>& result) {
    return GiveTranslation(translator_, result, out_);
  }

 private:
  latimer_translator* translator_;
  latimer_translation* out_;
  TranslateOptions options_;
  Status status_;
};

// CheckPointer of all that the options view.
Status CheckPointers(const latimer_options& in) {
  const struct {
    const char* name;
    const void* pointer;
    size_t count;
  } kMembers[] = {
      {"latimer_options.suppressed", in.suppressed, in.suppressed_count},
      {"latimer_options.target_prefix_ids", in.target_prefix_ids,
       in.target_prefix_count},
      {"latimer_options.banned_ends", in.banned_ends, in.banned_count},
      {"latimer_options.terms", in.terms, in.term_count},
      {"latimer_options.protected_ranges", in.protected_ranges,
       in.protected_range_count}};
  for (const auto& member : kMembers) {
    LATIMER_RETURN_IF_ERROR(
        CheckPointer(member.name, member.pointer, member.count));
  }
  if (in.banned_count > 0) {
    LATIMER_RETURN_IF_ERROR(CheckPointer("latimer_options.banned_tokens",
                                         in.banned_tokens,
                                         in.banned_ends[in.banned_count - 1]));
  }
  for (size_t i = 0; i < in.term_count; ++i) {
    const latimer_term& term = in.terms[i];
    LATIMER_RETURN_IF_ERROR(
        CheckPointer("A term's source", term.source, term.source_bytes));
    LATIMER_RETURN_IF_ERROR(
        CheckPointer("A term's target", term.target, term.target_bytes));
  }
  return Status();
}

}  // namespace

Status CheckPointer(const char* name, const void* pointer, size_t count) {
  if (pointer != nullptr || count == 0) return Status();
  return Status::Error(StatusCode::kInvalidArgument,
                       "%s is NULL, but its length is %zu.", name, count);
}

latimer_code GiveTranslation(latimer_translator* translator,
                             const Result<Translation>& result,
                             latimer_translation* out) {
  if (!result.ok()) return Give(translator, result.status());
  translator->last = *result;
  WriteStruct(Convert(*result), out);
  return LATIMER_OK;
}

Status ReadOptions(const latimer_translator* translator,
                   const latimer_options* given, TranslateOptions* out) {
  out->cancel = &translator->cancelled;
  latimer_options in;
  LATIMER_RETURN_IF_ERROR(ReadStruct("latimer_options", given, &in));
  LATIMER_RETURN_IF_ERROR(CheckPointers(in));
  PutNamed(in, out);
  out->suppressed = {in.suppressed, in.suppressed_count};
  out->on_token = in.on_token;
  out->token_context = in.token_context;
  out->target_prefix_ids = {in.target_prefix_ids, in.target_prefix_count};
  if (in.banned_count > 0) {
    out->banned = {{in.banned_tokens, in.banned_ends[in.banned_count - 1]},
                   {in.banned_ends, in.banned_count}};
  }
  out->terms = {reinterpret_cast<const Term*>(in.terms), in.term_count};
  out->protected_ranges = {
      reinterpret_cast<const TextRange*>(in.protected_ranges),
      in.protected_range_count};
  out->sampling.stream = in.stream;
  return Status();
}

}  // namespace latimer

using latimer::Call;

latimer_code latimer_map_file(const char* path, const void** image,
                              size_t* image_bytes, char* message,
                              size_t message_bytes) {
  std::span<const std::byte> bytes;
  const latimer::Status status = latimer::MapFile(path, &bytes);
  latimer::WriteMessage(status, message, message_bytes);
  *image = bytes.data();
  *image_bytes = bytes.size();
  return latimer::CodeOf(status);
}

void latimer_unmap_file(const void* image, size_t image_bytes) {
  latimer::UnmapFile({static_cast<const std::byte*>(image), image_bytes});
}

size_t latimer_scratch_bytes(void) {
  return sizeof(latimer::InfoScratch) + latimer::kAlignment;
}

latimer_code latimer_plan_workspace(const void* image, size_t image_bytes,
                                    const latimer_load_options* options,
                                    void* scratch, size_t scratch_bytes,
                                    size_t* workspace_bytes,
                                    uint64_t* cached_token_bytes, char* message,
                                    size_t message_bytes) {
  const latimer::Status status =
      latimer::Plan({static_cast<const std::byte*>(image), image_bytes},
                    options, latimer::Aligned(scratch, scratch_bytes),
                    workspace_bytes, cached_token_bytes);
  latimer::WriteMessage(status, message, message_bytes);
  return latimer::CodeOf(status);
}

size_t latimer_workspace_bytes(void) {
  constexpr size_t bytes =
      sizeof(latimer::Workspace) + latimer::kHeaderBytes + latimer::kAlignment;
  static_assert(bytes <=
                LATIMER_WORKSPACE_BYTES_FOR(sizeof(latimer::Workspace)));
#ifdef LATIMER_WORKSPACE_BYTES
  static_assert(bytes <= LATIMER_WORKSPACE_BYTES);
#endif
  return bytes;
}

size_t latimer_workspace_alignment(void) { return latimer::kAlignment; }

latimer_code latimer_load(const void* image, size_t image_bytes,
                          void* workspace, size_t workspace_bytes,
                          const latimer_load_options* options,
                          latimer_translator** translator, char* message,
                          size_t message_bytes) {
  *translator = nullptr;
  const latimer::Status status = latimer::Load(
      {static_cast<const std::byte*>(image), image_bytes},
      latimer::Aligned(workspace, workspace_bytes), options, translator);
  latimer::WriteMessage(status, message, message_bytes);
  return latimer::CodeOf(status);
}

latimer_code latimer_reload(latimer_translator* translator, const void* image,
                            size_t image_bytes,
                            const latimer_load_options* options) {
  const latimer::Status status = latimer::Reload(
      translator, {static_cast<const std::byte*>(image), image_bytes}, options);
  return latimer::Give(translator, status);
}

void latimer_unload(latimer_translator* translator) {
  translator->~latimer_translator();
}

const char* latimer_message(const latimer_translator* translator) {
  return translator->last_error.message();
}

latimer_code latimer_translate(latimer_translator* translator, const char* text,
                               size_t text_bytes,
                               const latimer_options* options,
                               latimer_translation* translation) {
  Call call(translator, text, text_bytes, options, translation);
  if (!call.ok()) return call.Refuse();
  return call.Finish(
      translator->translator.Translate({text, text_bytes}, call.options()));
}

latimer_code latimer_translate_ids(latimer_translator* translator,
                                   const int32_t* ids, size_t id_count,
                                   const latimer_options* options,
                                   latimer_translation* translation) {
  Call call(translator, ids, id_count, options, translation);
  if (!call.ok()) return call.Refuse();
  return call.Finish(
      translator->translator.TranslateIds({ids, id_count}, call.options()));
}

const float* latimer_attention_row(const latimer_translator* translator,
                                   uint32_t layer, uint32_t head, size_t row,
                                   size_t* columns) {
  const latimer::AttentionWeights& weights = translator->last.attention;
  *columns = 0;
  if (layer >= weights.layers || head >= weights.heads || row >= weights.rows) {
    return nullptr;
  }
  const std::span<const float> found = weights.Row(layer, head, row);
  *columns = found.size();
  return found.data();
}

int latimer_hypothesis(const latimer_translator* translator, size_t index,
                       const int32_t** tokens, size_t* token_count,
                       float* score) {
  const auto hypotheses = translator->last.hypotheses;
  if (index >= hypotheses.size()) return 0;
  *tokens = hypotheses[index].tokens.data();
  *token_count = hypotheses[index].tokens.size();
  *score = hypotheses[index].score;
  return 1;
}

latimer_code latimer_hypothesis_text(latimer_translator* translator,
                                     size_t index, const char** text,
                                     size_t* text_bytes) {
  *text = nullptr;
  *text_bytes = 0;
  const auto found = translator->translator.HypothesisText(index);
  if (found.ok()) {
    *text = found->data();
    *text_bytes = found->size();
  }
  return Give(translator, found.status());
}

latimer_code latimer_score_words(latimer_translator* translator,
                                 latimer_word_score* words, size_t most,
                                 size_t* word_count) {
  *word_count = 0;
  const latimer::Result<size_t> count = translator->translator.ScoreWords(
      translator->last, {reinterpret_cast<latimer::WordScore*>(words), most});
  if (!count.ok()) return Give(translator, count.status());
  *word_count = *count;
  return LATIMER_OK;
}

void latimer_set_cancelled(latimer_translator* translator, int cancelled) {
  translator->cancelled.store(cancelled != 0, std::memory_order_relaxed);
}

latimer_code latimer_begin_ids(latimer_translator* translator,
                               const int32_t* ids, size_t id_count,
                               const latimer_options* options,
                               uint64_t ticket) {
  Call call(translator, ids, id_count, options, nullptr);
  if (!call.ok()) return call.Refuse();
  return Give(translator, translator->translator.BeginIds(
                              {ids, id_count}, call.options(), ticket));
}

int latimer_can_begin(const latimer_translator* translator) {
  return translator->translator.CanBegin() ? 1 : 0;
}

size_t latimer_under_way(const latimer_translator* translator) {
  return translator->translator.under_way();
}

latimer_code latimer_advance(latimer_translator* translator, int* finished,
                             uint64_t* ticket,
                             latimer_translation* translation) {
  *finished = 0;
  Call call(translator, nullptr, 0, nullptr, translation);
  if (!call.ok()) return call.Refuse();
  latimer::FinishedTranslation out;
  if (!translator->translator.Advance(&out)) return LATIMER_OK;
  *finished = 1;
  *ticket = out.ticket;
  if (!out.status.ok()) return Give(translator, out.status);
  return call.Finish(out.translation);
}
