// Calls the C API in any order, with images, workspaces, options and texts that
// are right or wrong, and whole or cut.
#include <algorithm>
#include <string>
#include <vector>

#include "latimer/latimer.h"
#include "tests/fuzz/base_models.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/input.h"
#include "tests/system/sized_struct.h"

namespace {

using latimer::Input;

struct Memory {
  size_t bytes = latimer_workspace_bytes();
  void* workspace = std::aligned_alloc(
      latimer_workspace_alignment(),
      (bytes + latimer_workspace_alignment() - 1) /
          latimer_workspace_alignment() * latimer_workspace_alignment());
};

// Strings and ids that options point to.
struct Options {
  explicit Options(Input& input) {
    const uint8_t which = input.Byte();
    const uint32_t most = 1 + input.Byte() % 4;
    if (which & 1) Set("min_target_tokens", input.Take<uint32_t>());
    if (which & 2) Set("source_lang", Keep(input, source));
    if (which & 4) Set("target_lang", Keep(input, target));
    if (which & 8) Set("task", Keep(input, task));
    if (which & 16) Set("prefix", Keep(input, prefix));
    if (which & 32) Set("forced_first_token", input.Take<int32_t>());
    if (which & 64) Set("no_repeat_ngram", input.Take<uint32_t>());
    Set("beams", which & 3);
    if (which & 64) {
      constexpr const char* kRules[] = {"false", "true", "never", "later", ""};
      Set("length_penalty", input.Take<float>());
      Set("early_stopping", kRules[input.Byte() % std::size(kRules)]);
    }
    if (which & 128) {
      Set("repetition_penalty", input.Take<float>());
      suppressed.resize(input.Byte() % 4);
      for (int32_t& id : suppressed) id = input.Take<int16_t>();
      c.suppressed = suppressed.data();
      c.suppressed_count = suppressed.size();
      const uint8_t place = input.Byte();
      const char* const name = latimer_option_name(place % 32);
      Set(name == nullptr ? "none" : name, Keep(input, value));
    }
    Set("max_target_tokens", most);
  }

  void Set(const char* name, const char* text) {
    const latimer_code code = latimer_set_option(&c, name, text, nullptr, 0);
    LATIMER_EXPECT(code == LATIMER_OK || code == LATIMER_INVALID_ARGUMENT);
  }
  template <typename Number>
  void Set(const char* name, Number number) {
    Set(name, std::to_string(number).c_str());
  }

  static const char* Keep(Input& input, std::string& text) {
    text = input.Text(input.Byte() % 32);
    return text.c_str();
  }

  latimer_options c = latimer::Sized<latimer_options>();
  std::string source, target, task, prefix, value;
  std::vector<int32_t> suppressed;
};

void ExpectGood(latimer_code code, const latimer_translation& translation,
                latimer_translator* translator) {
  if (code != LATIMER_OK) {
    LATIMER_EXPECT(latimer_message(translator)[0] != '\0');
    return;
  }
  LATIMER_EXPECT(translation.token_count <= 4);
  size_t columns = 0;
  const float* row = latimer_attention_row(translator, 0, 0, 0, &columns);
  LATIMER_EXPECT((row != nullptr) == (columns > 0));
  for (size_t i = 0; i < columns; ++i) LATIMER_EXPECT(row[i] >= 0);
  LATIMER_EXPECT(latimer::IsUtf8({translation.text, translation.text_bytes}));
}

latimer_translator* Load(Input& input, const Memory& memory) {
  const auto models = latimer::BaseModels();
  const auto file = models[input.Byte() % models.size()]->file();
  const uint8_t how = input.Byte();
  size_t bytes = file.size();
  const std::byte* image = file.data();
  if (how % 8 == 1) bytes = input.Take<uint32_t>() % (bytes + 1);
  if (how % 8 == 2) {
    const size_t skipped = 1 + input.Byte() % 64;
    image += skipped;
    bytes -= skipped;
  }
  if (how % 8 == 3) image = nullptr;
  const size_t room = memory.bytes - (how % 8 == 4 ? 1 : 0);
  auto* workspace =
      static_cast<std::byte*>(memory.workspace) + (how % 8 == 5 ? 4 : 0);
  char message[64];
  const size_t message_bytes = how / 8 % 4 * 21;
  latimer_translator* translator = nullptr;
  const latimer_code code = latimer_load(
      image, bytes, workspace, room, /*options=*/nullptr, &translator,
      message_bytes > 0 ? message : nullptr, message_bytes);
  LATIMER_EXPECT((code == LATIMER_OK) == (translator != nullptr));
  if (code != LATIMER_OK && message_bytes > 0) {
    LATIMER_EXPECT(message[0] != '\0' &&
                   std::string_view(message).size() < message_bytes);
  }
  return translator;
}

// What needs no options.
void CallAboutTokens(Input& input, latimer_translator* translator) {
  int32_t ids[64];
  size_t count = 0, same = 0;
  const std::string text(input.Text(input.Byte()));
  const latimer_code counted =
      latimer_count_tokens(translator, text.data(), text.size(), &count);
  const latimer_code code = latimer_tokenize(
      translator, text.data(), text.size(), ids, input.Byte() % 64, &same);
  LATIMER_EXPECT(code != LATIMER_OK ||
                 (counted == LATIMER_OK && count == same));
  LATIMER_EXPECT(latimer_language_code_bytes(translator, text.data(),
                                             text.size()) <= text.size());
  const size_t target = input.Byte() % 16;
  for (size_t i = 0; i < target; ++i) ids[i] = input.Take<int16_t>();
  const char* again = nullptr;
  size_t bytes = 0;
  if (latimer_detokenize(translator, ids, target, &again, &bytes) ==
      LATIMER_OK) {
    LATIMER_EXPECT(latimer::IsUtf8({again, bytes}));
  }
  char piece[LATIMER_PIECE_BYTES];
  const auto id = input.Take<int32_t>();
  LATIMER_EXPECT(latimer_source_piece(translator, id, piece) < sizeof(piece));
  LATIMER_EXPECT(latimer_target_piece(translator, id, piece) < sizeof(piece));
}

void Call(Input& input, latimer_translator* translator) {
  auto translation = latimer::Sized<latimer_translation>();
  const uint8_t what = input.Byte();
  if (what >= 240) {
    CallAboutTokens(input, translator);
    return;
  }
  if (what % 8 == 7) {
    int finished = 0;
    uint64_t ticket = 0;
    ExpectGood(latimer_advance(translator, &finished, &ticket, &translation),
               translation, translator);
    return;
  }
  Options options(input);
  constexpr const char* kKinds[] = {"none",    "cross", "encoder",
                                    "decoder", "all",   ""};
  options.Set("scores", what / 8 % 2);
  options.Set("attention", kKinds[what / 16 % 6]);
  // It would have to live until the sentence has finished.
  const bool begins = what % 8 == 5 || what % 8 == 6;
  if (begins) {
    options.c.suppressed_count = 0;
    options.Set("alignment", "false");  // So would the text.
  }
  const latimer_options* given = &options.c;
  if (what % 4 == 0 || what % 8 == 5) {
    int32_t ids[16];
    const size_t count = input.Byte() % std::size(ids);
    for (size_t i = 0; i < count; ++i) ids[i] = input.Take<int8_t>();
    if (begins) {
      const latimer_code code =
          latimer_begin_ids(translator, ids, count, given, what);
      LATIMER_EXPECT(code == LATIMER_OK ||
                     latimer_message(translator)[0] != '\0');
      return;
    }
    ExpectGood(
        latimer_translate_ids(translator, ids, count, given, &translation),
        translation, translator);
    return;
  }
  const std::string text(input.Text(input.Take<uint16_t>() % 1024));
  if (what % 4 != 1 && !begins) {
    ExpectGood(latimer_translate(translator, text.data(), text.size(), given,
                                 &translation),
               translation, translator);
    return;
  }
  const std::vector<char> text_elsewhere(text.begin(), text.end());
  std::vector<char> memory(latimer_cursor_bytes());
  latimer_cursor* const cursor =
      latimer_cursor_begin(translator, text.data(), text.size(), given,
                           memory.data(), memory.size());
  if (cursor == nullptr) {
    LATIMER_EXPECT(latimer_message(translator)[0] != '\0');
    return;
  }
  latimer_cursor_move(cursor, text_elsewhere.data(), text_elsewhere.size());
  if (begins) {
    ExpectGood(latimer_begin_next(translator, cursor, what, &translation),
               translation, translator);
    return;
  }
  while (!latimer_cursor_done(cursor)) {
    const latimer_code code =
        latimer_translate_next(translator, cursor, &translation);
    ExpectGood(code, translation, translator);
    if (code != LATIMER_OK) return;
  }
  LATIMER_EXPECT(latimer_cursor_source_bytes(cursor) <= text.size());
}

}  // namespace

// Before the clock of the first input runs.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  (void)latimer::BaseModels();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Memory memory;
  Input input(data, size);
  latimer_translator* translator = Load(input, memory);
  if (translator == nullptr) return 0;
  LATIMER_EXPECT(latimer_message(translator)[0] == '\0');
  while (!input.rest().empty()) Call(input, translator);
  latimer_unload(translator);
  return 0;
}
