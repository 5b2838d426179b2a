// What latimer.wasm exports: the C API for JavaScript, with numbers only.
// engine.mjs calls it.
//
// A model and its workspace lie in memory that JavaScript has grown. There is
// one translator and one call at a time. Text goes in by way of Input().
#include <cstddef>
#include <cstring>

#include "latimer/latimer.h"
#include "latimer/machine.h"
#include "latimer/profile_config.h"
#include "named_options.h"

#define EXPORT(name) extern "C" [[clang::export_name(name)]]
#define IMPORT(name) \
  extern "C" [[clang::import_module("latimer"), clang::import_name(name)]]

// What has happened so far: `token` of the part under way.
IMPORT("token") int OnToken(size_t index, int32_t token);
IMPORT("received")
void OnText(const char* text, size_t text_bytes, const char* source,
            size_t source_bytes, double line, int cut, int stop_reason);
IMPORT("wrote") void OnHtml(const char* html, size_t html_bytes);
IMPORT("failed") [[noreturn]] void OnFailure(const char* message);
IMPORT("milliseconds") double Milliseconds();

extern "C" uint64_t latimer_machine_nanoseconds() {
  return static_cast<uint64_t>(Milliseconds() * 1e6);
}
extern "C" void latimer_machine_failed(const char* message) {
  OnFailure(message);
}

namespace {

constexpr size_t kInputBytes = latimer::kProfile.text_bytes;
constexpr size_t kMostTokens = latimer::kProfile.target_tokens;
constexpr size_t kOptionBytes = 4096;  // Of all options by name.
// Of terms, of protected ranges, and of banned words.
constexpr size_t kMostEntries = 256;
constexpr size_t kEntryBytes = 16384;

struct Hypothesis {
  const int32_t* tokens;
  size_t token_count;
  float score;
};

// What belongs to one worker. Workers that share a model share all static
// memory but what is thread_local.
struct State {
  latimer_translator* translator;
  latimer_code code;  // Of what failed last.
  char message[LATIMER_MESSAGE_BYTES];
  char input[kInputBytes];
  char option_texts[kOptionBytes];
  size_t option_bytes;
  latimer_options options;
  latimer_text_range ranges[kMostEntries];
  latimer_term terms[kMostEntries];
  char term_texts[kEntryBytes];
  size_t term_bytes;
  int32_t banned_tokens[kEntryBytes / sizeof(int32_t)];
  uint32_t banned_ends[kMostEntries];
  latimer_translation translation;
  double info[9];
  int32_t ids[latimer::kProfile.source_tokens];
  latimer_word_score words[kMostTokens];
  Hypothesis hypothesis;
  size_t missing;  // Of the numbers that were compared.
};
constinit thread_local State* state = nullptr;

bool Token(void*, size_t index, int32_t token) {
  return OnToken(index, token) != 0;
}

// Keeps the message of a call; returns whether it succeeded.
bool Succeeds(latimer_code code) {
  if (code == LATIMER_OK) return true;
  state->code = code;
  std::strcpy(state->message, latimer_message(state->translator));
  return false;
}

latimer_load_options LoadOptions(uint32_t lanes, uint32_t beams) {
  latimer_load_options load = {};
  load.struct_bytes = sizeof(load);
  load.lanes = lanes;
  load.beams = beams;
  return load;
}

}  // namespace

// First: memory of StateBytes() bytes, all zero, for the state.
EXPORT("stateBytes") size_t StateBytes() { return sizeof(State); }
EXPORT("setState") void SetState(State* memory) { state = memory; }

EXPORT("message") const char* Message() { return state->message; }
EXPORT("code") int Code() { return state->code; }
EXPORT("input") char* Input() { return state->input; }
EXPORT("inputBytes") size_t InputBytes() { return kInputBytes; }
EXPORT("scratchBytes") size_t ScratchBytes() { return latimer_scratch_bytes(); }

// Bytes of the workspace, or 0. `scratch` has ScratchBytes().
EXPORT("plan")
size_t Plan(const void* image, size_t image_bytes, uint32_t lanes,
            uint32_t beams, void* scratch) {
  const latimer_load_options load = LoadOptions(lanes, beams);
  size_t bytes = 0;
  state->code = latimer_plan_workspace(image, image_bytes, &load, scratch,
                                       latimer_scratch_bytes(), &bytes, nullptr,
                                       state->message, sizeof(state->message));
  return state->code == LATIMER_OK ? bytes : 0;
}

EXPORT("load")
int Load(const void* image, size_t image_bytes, void* workspace,
         size_t workspace_bytes, uint32_t lanes, uint32_t beams) {
  const latimer_load_options load = LoadOptions(lanes, beams);
  if (state->translator != nullptr) latimer_unload(state->translator);
  state->code =
      latimer_load(image, image_bytes, workspace, workspace_bytes, &load,
                   &state->translator, state->message, sizeof(state->message));
  return state->code == LATIMER_OK;
}

// ---- Options of the next calls: NewOptions(), then those that differ --------

EXPORT("newOptions") void NewOptions() {
  state->options = {};
  state->options.struct_bytes = sizeof(state->options);
  state->options.on_token = Token;
  state->option_bytes = 0;
}
// The name of an option, or null after the last one, and its kind, which is an
// OptionKind.
EXPORT("optionName") const char* OptionName(size_t place) {
  return latimer_option_name(place);
}
EXPORT("optionKind") int OptionKind(size_t place) {
  return static_cast<int>(latimer::NamedOptions()[place].kind);
}
// Sets an option, whose name and value are in the input, one after another. 0:
// it is refused; -1: there is no room.
EXPORT("setOption") int SetOption(size_t name_bytes, size_t value_bytes) {
  const size_t bytes = name_bytes + value_bytes + 2;
  if (bytes > kOptionBytes - state->option_bytes) return -1;
  char* const name = state->option_texts + state->option_bytes;
  char* const value = name + name_bytes + 1;
  state->option_bytes += bytes;
  std::memcpy(name, state->input, name_bytes);
  name[name_bytes] = 0;
  std::memcpy(value, state->input + name_bytes, value_bytes);
  value[value_bytes] = 0;
  return latimer_set_option(&state->options, name, value, state->message,
                            sizeof(state->message)) == LATIMER_OK;
}
// 0: they contradict each other.
EXPORT("checkOptions") int CheckOptions() {
  return Succeeds(latimer_check_options(state->translator, &state->options));
}
// Bytes of the text. 0: there is no room.
EXPORT("addRange") int AddRange(uint32_t begin, uint32_t end) {
  if (state->options.protected_range_count == kMostEntries) return 0;
  state->options.protected_ranges = state->ranges;
  state->ranges[state->options.protected_range_count++] = {begin, end};
  return 1;
}
// A term, whose source and target are in the input, one after another. 0: there
// is no room.
EXPORT("addTerm") int AddTerm(size_t source_bytes, size_t target_bytes) {
  if (state->options.term_count == 0) state->term_bytes = 0;
  const size_t bytes = source_bytes + target_bytes;
  if (state->options.term_count == kMostEntries ||
      bytes > kEntryBytes - state->term_bytes) {
    return 0;
  }
  char* const own = state->term_texts + state->term_bytes;
  std::memcpy(own, state->input, bytes);
  state->term_bytes += bytes;
  state->options.terms = state->terms;
  state->terms[state->options.term_count++] = {
      own, source_bytes, own + source_bytes, target_bytes};
  return 1;
}
// The input is a word that may not be produced. 0: failed; -1: no room.
EXPORT("banWord") int BanWord(size_t bytes) {
  const size_t at = state->options.banned_count;
  if (at == kMostEntries) return -1;
  const uint32_t begin = at == 0 ? 0 : state->banned_ends[at - 1];
  size_t count = 0;
  if (!Succeeds(latimer_tokenize_target(
          state->translator, state->input, bytes, state->banned_tokens + begin,
          kEntryBytes / sizeof(int32_t) - begin, &count))) {
    return 0;
  }
  if (count == 0) return 1;
  state->options.banned_tokens = state->banned_tokens;
  state->options.banned_ends = state->banned_ends;
  state->banned_ends[at] = begin + static_cast<uint32_t>(count);
  ++state->options.banned_count;
  return 1;
}
// ---- Translating ------------------------------------------------------------

EXPORT("cursorBytes") size_t CursorBytes() { return latimer_cursor_bytes(); }
EXPORT("windowBytes") size_t WindowBytes() {
  return latimer_cursor_window_bytes();
}
// A cursor in `memory` of CursorBytes(), or null. Of the text, the first of
// which has the number 1, only the bytes count: each part has a window.
EXPORT("cursorBegin")
latimer_cursor* CursorBegin(void* memory, size_t text_bytes, double number) {
  state->options.stream = static_cast<uint64_t>(number);
  latimer_cursor* cursor =
      latimer_cursor_begin(state->translator, state->input, text_bytes,
                           &state->options, memory, latimer_cursor_bytes());
  if (cursor == nullptr) Succeeds(LATIMER_INVALID_ARGUMENT);
  return cursor;
}
// Begins the next part of a text, whose rest begins with `window`, and returns
// its bytes, or -1. The window must stay until the part has finished.
EXPORT("begin")
int Begin(latimer_cursor* cursor, const char* window, size_t bytes,
          uint32_t ticket) {
  state->translation = {};
  state->translation.struct_bytes = sizeof(state->translation);
  latimer_cursor_move(cursor, window, bytes);
  return Succeeds(latimer_begin_next(state->translator, cursor, ticket,
                                     &state->translation))
             ? static_cast<int>(state->translation.source_bytes)
             : -1;
}
// Accounts for the part that advance() has finished. The reason of all so far.
EXPORT("cursorFinish") int CursorFinish(latimer_cursor* cursor) {
  latimer_cursor_finish(cursor, &state->translation);
  return latimer_cursor_stop_reason(cursor);
}
EXPORT("cursorCanBegin") int CursorCanBegin(const latimer_cursor* cursor) {
  return latimer_cursor_can_begin(cursor);
}
EXPORT("cursorDone") int CursorDone(const latimer_cursor* cursor) {
  return latimer_cursor_done(cursor);
}
EXPORT("canBegin") int CanBegin() {
  return latimer_can_begin(state->translator);
}
EXPORT("underWay") size_t UnderWay() {
  return latimer_under_way(state->translator);
}

// Generates a token of each sentence. The ticket of one that has finished, -1,
// or -2 if it failed.
EXPORT("advance") double Advance() {
  int finished = 0;
  uint64_t ticket = 0;
  state->translation = {};
  state->translation.struct_bytes = sizeof(state->translation);
  const latimer_code code = latimer_advance(state->translator, &finished,
                                            &ticket, &state->translation);
  if (finished == 0) return -1;
  return Succeeds(code) ? static_cast<double>(ticket) : -2;
}
EXPORT("cancel") void Cancel(int cancelled) {
  latimer_set_cancelled(state->translator, cancelled);
}

// What begin() and advance() have written: words of 32 bits up to mean_score,
// in the order of engine.mjs.
EXPORT("translation") const latimer_translation* Translation() {
  return &state->translation;
}
static_assert(offsetof(latimer_translation, hypothesis_count) ==
              18 * sizeof(uint32_t));
// Writes words(), three words of 32 bits each, and returns their number; -1 if
// protected spans have changed the text.
EXPORT("scoreWords") int ScoreWords() {
  size_t count = 0;
  return latimer_score_words(state->translator, state->words, kMostTokens,
                             &count) == LATIMER_OK
             ? static_cast<int>(count)
             : -1;
}
EXPORT("words") const latimer_word_score* Words() { return state->words; }
static_assert(sizeof(latimer_word_score) == 3 * sizeof(uint32_t));
// All attention weights, row by row; null if there are none.
EXPORT("weights") const float* Weights() {
  size_t columns = 0;
  return latimer_attention_row(state->translator, 0, 0, 0, &columns);
}
// A hypothesis of a search with beams. Its tokens outlive detokenize().
EXPORT("hypothesis") const Hypothesis* HypothesisAt(size_t index) {
  Hypothesis& found = state->hypothesis;
  (void)latimer_hypothesis(state->translator, index, &found.tokens,
                           &found.token_count, &found.score);
  return &found;
}

// Its text, of a translation of a text, as that of detokenize().
EXPORT("hypothesisText") const char* HypothesisText(size_t index) {
  state->translation = {};
  return Succeeds(latimer_hypothesis_text(state->translator, index,
                                          &state->translation.text,
                                          &state->translation.text_bytes))
             ? state->translation.text
             : nullptr;
}

// The text of tokens, which are of JavaScript's memory: its pointer and, in
// translation(), its bytes; 0 if there is none.
EXPORT("detokenize")
const char* Detokenize(const int32_t* tokens, size_t count) {
  state->translation = {};
  return Succeeds(latimer_detokenize(state->translator, tokens, count,
                                     &state->translation.text,
                                     &state->translation.text_bytes))
             ? state->translation.text
             : nullptr;
}
// Writes the tokens of the input; returns their number, or -1.
EXPORT("tokenize") int Tokenize(size_t bytes) {
  size_t count = 0;
  return Succeeds(latimer_tokenize(
             state->translator, state->input, bytes, state->ids,
             sizeof(state->ids) / sizeof(*state->ids), &count))
             ? static_cast<int>(count)
             : -1;
}
EXPORT("ids") int32_t* Ids() { return state->ids; }
EXPORT("idsCount") size_t IdsCount() {
  return sizeof(state->ids) / sizeof(*state->ids);
}
// Its piece, in the input; returns its bytes.
EXPORT("sourcePiece") size_t SourcePiece(int32_t token) {
  return latimer_source_piece(state->translator, token, state->input);
}
EXPORT("targetPiece") size_t TargetPiece(int32_t token) {
  return latimer_target_piece(state->translator, token, state->input);
}

// ---- Running text -----------------------------------------------------------

EXPORT("streamBytes") size_t StreamBytes() { return latimer_text_bytes(); }
// A stream in `memory` of StreamBytes(), or null.
EXPORT("streamBegin") latimer_text* StreamBegin(void* memory) {
  const auto receive = [](void*, const latimer_streamed_text* text) {
    OnText(text->text, text->text_bytes, text->source, text->source_bytes,
           static_cast<double>(text->line), text->cut, text->stop_reason);
  };
  latimer_text* stream =
      latimer_text_begin(state->translator, &state->options, receive, nullptr,
                         memory, latimer_text_bytes());
  if (stream == nullptr) Succeeds(LATIMER_INVALID_ARGUMENT);
  return stream;
}
EXPORT("streamPush") int StreamPush(latimer_text* stream, size_t bytes) {
  return Succeeds(latimer_text_push(stream, state->input, bytes));
}
EXPORT("streamFinish") int StreamFinish(latimer_text* stream) {
  return Succeeds(latimer_text_finish(stream));
}

// ---- HTML -------------------------------------------------------------------

EXPORT("htmlBytes") size_t HtmlBytes() { return latimer_html_bytes(); }
// A stream in `memory` of HtmlBytes(), or null.
EXPORT("htmlBegin") latimer_html* HtmlBegin(void* memory) {
  const auto receive = [](void*, const char* html, size_t html_bytes) {
    OnHtml(html, html_bytes);
  };
  latimer_html* html =
      latimer_html_begin(state->translator, &state->options, receive, nullptr,
                         memory, latimer_html_bytes());
  if (html == nullptr) Succeeds(LATIMER_INVALID_ARGUMENT);
  return html;
}
EXPORT("htmlPush") int HtmlPush(latimer_html* html, size_t bytes) {
  return Succeeds(latimer_html_push(html, state->input, bytes));
}
EXPORT("htmlFinish") int HtmlFinish(latimer_html* html) {
  return Succeeds(latimer_html_finish(html));
}

// ---- Numbers ----------------------------------------------------------------

// The text and its translation are in the input, one after another. Returns how
// many numbers are in one of them only; ranges() has the bytes of each.
EXPORT("checkNumbers")
size_t CheckNumbers(size_t source_bytes, size_t translation_bytes) {
  static_assert(kMostEntries >= LATIMER_MOST_CHECKED_NUMBERS);
  return latimer_check_numbers(state->input, source_bytes,
                               state->input + source_bytes, translation_bytes,
                               state->ranges, kMostEntries, &state->missing);
}
// How many of them the translation lacks, which come first.
EXPORT("missing") size_t Missing() { return state->missing; }
EXPORT("ranges") const latimer_text_range* Ranges() { return state->ranges; }

// ---- The model --------------------------------------------------------------

// What latimer_model_info says, in the order of engine.mjs, or null.
EXPORT("info") const double* Info() {
  latimer_model_info info = {};
  info.struct_bytes = sizeof(info);
  if (!Succeeds(latimer_get_model_info(state->translator, &info))) {
    return nullptr;
  }
  const auto address = [](const void* pointer) {
    return static_cast<double>(reinterpret_cast<uintptr_t>(pointer));
  };
  const double numbers[] = {
      static_cast<double>(info.file_bytes),
      static_cast<double>(info.source_vocabulary),
      static_cast<double>(info.target_vocabulary),
      static_cast<double>(info.max_source_tokens),
      static_cast<double>(info.max_target_tokens),
      static_cast<double>(info.has_tokenizer),
      address(info.weights),
      address(info.license),
      static_cast<double>(info.license_bytes),
  };
  static_assert(sizeof(numbers) == sizeof(state->info));
  std::memcpy(state->info, numbers, sizeof(numbers));
  return state->info;
}
// Zero-terminated, or null after the last.
EXPORT("language") const char* Language(size_t index) {
  int32_t token = 0;
  return latimer_language(state->translator, index, &token);
}
EXPORT("version") const char* Version() { return latimer_version(); }
