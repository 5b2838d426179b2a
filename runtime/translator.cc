#include "latimer/translator.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/check.h"
#include "base/cpu.h"
#include "model/model_file.h"
#include "text/piece_text.h"
#include "text/slice.h"
#include "text/tokenizer.h"
#include "transformer/capture.h"
#include "transformer/decoder.h"
#include "transformer/encoder.h"
#include "transformer/greedy_search.h"
#include "transformer/run_context.h"
#include "transformer/shortlist.h"
#include "translate_rules.h"

namespace latimer {
namespace {

uint32_t Smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

Status NotLoaded() {
  return Status::Error(StatusCode::kFailedPrecondition,
                       "No model is loaded; call Load first.");
}

Status NoTokenizer() {
  return Status::Error(StatusCode::kFailedPrecondition,
                       "The model or this build has no tokenizer and "
                       "translates ids only; convert the model without "
                       "--no-tokenizer, or build with another profile.");
}

// Returns how many. Precondition: they fit.
size_t CopyIds(std::span<const int32_t> from, std::span<int32_t> to) {
  LATIMER_DCHECK(from.size() <= to.size());
  std::copy(from.begin(), from.end(), to.begin());
  return from.size();
}

// The tokenizer's part of the workspace.
TokenizerScratch ScratchOf(Workspace& workspace) {
  if constexpr (!kProfile.tokenizer) return {};
  constexpr size_t kBytes = kProfile.text_bytes;
  constexpr size_t kHeap = kProfile.bpe || kProfile.byte_bpe ? kBytes : 0;
  constexpr size_t kSplits = kProfile.bpe ? kProfile.bpe_unused_pieces : 0;
  constexpr size_t kLatticeOffset = Padded(kBytes);
  constexpr size_t kHeapOffset =
      kLatticeOffset + Padded((kBytes + 1) * sizeof(LatticeNode));
  constexpr size_t kSplitsOffset = kHeapOffset + Padded(kHeap * 4);
  constexpr size_t kSumsOffset = kSplitsOffset + Padded(kSplits * 2);
  constexpr size_t kSums =
      kProfile.unigram && kProfile.metaspace ? kMaxPieceBytes + 1 : 0;
  static_assert(!kProfile.tokenizer ||
                (kBytes >= kMinNormalizedBytes && kHeap <= kMaxBpeBytes &&
                 kSumsOffset + kSums * sizeof(double) <=
                     BufferBytes(kProfile, Buffer::kTokenizer)));
  auto* base = workspace.tokenizer;
  return {{reinterpret_cast<char*>(base), kBytes},
          {reinterpret_cast<LatticeNode*>(base + kLatticeOffset), kBytes + 1},
          {{reinterpret_cast<uint32_t*>(base + kHeapOffset), kHeap},
           {reinterpret_cast<uint16_t*>(base + kSplitsOffset), kSplits}},
          {reinterpret_cast<double*>(base + kSumsOffset), kSums}};
}

}  // namespace

struct Translator::State {
  RunContext context;
  Tokenizer tokenizer;
  uint32_t max_source_tokens = 0;
  uint32_t max_target_tokens = 0;

  Workspace& workspace() { return *context.workspace; }
  const ModelInfo& info() const { return context.model.info; }
  bool CanTokenize() const {
    return kProfile.tokenizer && info().has_tokenizer;
  }

  // What is around a text in workspace.source_tokens.
  struct Frame {
    size_t before;     // Ids that stand there already.
    bool has_code;     // Those of a >>language<< code are among them.
    int32_t language;  // The source's, -1: none.

    // Ids behind the text.
    size_t after(const GenerationRules& rules) const {
      return rules.source_suffix.size() +
             (language >= 0 &&
                      rules.source_language == SourceLanguage::kAfterSuffix
                  ? 1
                  : 0);
    }
  };
  // Writes what comes before a text.
  Result<Frame> BeginSource(std::string_view code,
                            const TranslateOptions& options);
  // Appends the ids of `text`, which must fit, and what comes behind. Returns
  // all ids, 0 where code and text have none.
  Result<size_t> EncodeSource(const Frame& frame, std::string_view text);
  // Encoder, cross K/V and greedy search over workspace.source_tokens.
  Result<Translation> Search(size_t source_tokens,
                             const TranslateOptions& options);
};

Translator::~Translator() {
  if (state_ != nullptr) state_->~State();
}

Status Translator::Load(std::span<const std::byte> image, Workspace* workspace,
                        const LoadOptions& options) {
  if (state_ != nullptr) {
    state_->~State();
    state_ = nullptr;
  }
  if (workspace == nullptr) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "Load needs a workspace.");
  }
  static_assert(sizeof(State) <= sizeof(workspace->state));
  static_assert(alignof(State) <= alignof(Workspace));
  auto* state = new (workspace->state) State;
  state_ = state;
  const Status status = LoadState(image, workspace, options);
  if (!status.ok()) {
    state_->~State();
    state_ = nullptr;
  }
  return status;
}

Status Translator::LoadState(std::span<const std::byte> image,
                             Workspace* workspace, const LoadOptions& options) {
  RunContext& context = state_->context;
  context.workspace = workspace;
  CpuFeatures cpu = DetectCpuFeatures();
  if (options.cpu != nullptr) {
    const Result<CpuFeatures> limited = LimitCpuFeatures(cpu, options.cpu);
    if (!limited.ok()) return limited.status();
    cpu = *limited;
  }
  LATIMER_RETURN_IF_ERROR(
      ReadModelFile(image, options.verify_checksum, &context.model));
  const Model& model = context.model;
  LATIMER_RETURN_IF_ERROR(
      SelectGemmKernels(cpu, model.weight_type, model.tile, &context.gemm));
  if (model.info.int4_matrices > 0) {
    LATIMER_RETURN_IF_ERROR(SelectInt4Kernels(cpu, model.tile, &context.gemm));
  }
  const VectorKernels* vector_kernels[kMaxVectorKernels];
  if (ListVectorKernels(cpu, vector_kernels) == 0) {
    return Status::Error(
        StatusCode::kUnsupportedCpu,
        "This CPU lacks instructions that this build was made for (%s); build "
        "with -DLATIMER_ISAS of this CPU.",
        kIsasInBuild);
  }
  context.vector = vector_kernels[0];
  if (kProfile.pruned_argmax && model.info.pruned_argmax) {
    context.nibble = SelectNibbleKernels(cpu);
    LATIMER_CHECK(context.nibble != nullptr);  // The others are newer.
  }
  LATIMER_RETURN_IF_ERROR(
      context.threads.Start(options.threads, options.pin_threads));
  if (model.info.has_tokenizer) {
    state_->tokenizer = Tokenizer(model.tokenizer);
  }
  const Architecture& a = model.info.architecture;
  state_->max_source_tokens =
      Smaller(kProfile.source_tokens, a.source_positions);
  state_->max_target_tokens =
      Smaller(kProfile.target_tokens, a.target_positions);
  const GenerationRules& rules = model.info.generation;
  const size_t added = rules.source_prefix.size() + rules.source_suffix.size() +
                       (rules.languages.empty() ? 0 : 1);
  if (added >= state_->max_source_tokens) {
    return Status::Error(
        StatusCode::kExceedsProfile,
        "The model puts %u tokens around every text, but profile \"%s\" of "
        "this build has room for %u in all; build with another profile.",
        static_cast<unsigned>(added), kProfile.name,
        static_cast<unsigned>(state_->max_source_tokens));
  }
  return Status();
}

Result<Translation> Translator::State::Search(size_t source_tokens,
                                              const TranslateOptions& options) {
  const GenerationRules& rules = info().generation;
  SearchRules search;
  LATIMER_RETURN_IF_ERROR(
      ResolveRules(info(), options, max_target_tokens, &search));
  if (options.scores && !kProfile.token_scores) {
    return Status::Error(StatusCode::kFailedPrecondition,
                         "Profile \"%s\" of this build keeps no token scores; "
                         "write the profile with latimer-convert --insight.",
                         kProfile.name);
  }
  LATIMER_RETURN_IF_ERROR(
      BeginCapture(context, options.attention, source_tokens));
  RunEncoder(context, {workspace().source_tokens, source_tokens});
  FillCrossKv(context, source_tokens);
  if (kProfile.shortlist && info().has_shortlist) {
    FillShortlist(context, {workspace().source_tokens, source_tokens});
  }
  const size_t count = GreedySearch(context, source_tokens, search);
  Translation result;
  result.tokens = {workspace().target_tokens, count};
  LATIMER_RETURN_IF_ERROR(EndCapture(context, &result.attention));
  if (options.scores) result.scores = {workspace().token_scores, count};
  result.source = {workspace().source_tokens, source_tokens};
  result.stop_reason = workspace().target_tokens[count - 1] == rules.eos
                           ? StopReason::kEos
                           : StopReason::kLengthLimit;
  return result;
}

Result<Translator::State::Frame> Translator::State::BeginSource(
    std::string_view code, const TranslateOptions& options) {
  const GenerationRules& rules = info().generation;
  Frame frame = {.before = 0, .has_code = !code.empty(), .language = -1};
  if (!rules.languages.empty()) {
    LATIMER_RETURN_IF_ERROR(NeedLanguages(rules, options));
  }
  if (rules.source_language != SourceLanguage::kNone) {
    const Result<int32_t> found =
        FindLanguage(rules, "source", options.source_language);
    if (!found.ok()) return found.status();
    frame.language = *found;
  }
  const Result<const Task*> task = FindTask(rules, options.task);
  if (!task.ok()) return task.status();
  std::string_view prefix = options.prefix.empty() && *task != nullptr
                                ? std::string_view((*task)->prefix)
                                : options.prefix;
  LATIMER_RETURN_IF_ERROR(CheckPrefix(context.model.tokenizer, &prefix));

  const std::span<int32_t> ids(workspace().source_tokens,
                               max_source_tokens - frame.after(rules));
  frame.before = CopyIds(rules.source_prefix, ids);
  if (frame.language >= 0 &&
      rules.source_language == SourceLanguage::kBeforeText) {
    ids[frame.before++] = frame.language;
  }
  for (const std::string_view part : {code, prefix}) {
    if (part.empty()) continue;
    const Result<size_t> added = tokenizer.Encode(part, ScratchOf(workspace()),
                                                  ids.subspan(frame.before));
    if (!added.ok()) return added.status();
    frame.before += *added;
  }
  return frame;
}

Result<size_t> Translator::State::EncodeSource(const Frame& frame,
                                               std::string_view text) {
  const GenerationRules& rules = info().generation;
  const std::span<int32_t> ids(workspace().source_tokens, max_source_tokens);
  size_t count = frame.before;
  if (!text.empty()) {
    const size_t room = ids.size() - frame.after(rules) - count;
    const Result<size_t> added = tokenizer.Encode(text, ScratchOf(workspace()),
                                                  ids.subspan(count, room));
    if (!added.ok()) return added;
    count += *added;
  }
  if (count == frame.before && !frame.has_code) return 0;
  count += CopyIds(rules.source_suffix, ids.subspan(count));
  if (frame.after(rules) > rules.source_suffix.size()) {
    ids[count++] = frame.language;
  }
  return count;
}

Result<Translation> Translator::TranslatePart(std::string_view text,
                                              const TranslateOptions& options) {
  if (state_ == nullptr) return NotLoaded();
  State& state = *state_;
  if (!state.CanTokenize()) return NoTokenizer();
  std::string_view code = options.language_code;
  const bool own_code = code.empty();
  if (own_code) code = Slice(text, 0, state.tokenizer.LanguageCodeBytes(text));
  const size_t code_bytes = own_code ? code.size() : 0;
  const std::string_view body = From(text, code_bytes);

  const Result<State::Frame> frame = state.BeginSource(code, options);
  if (!frame.ok()) return frame.status();
  TextCut cut = {text.size(), text.size()};
  Result<size_t> source = state.EncodeSource(*frame, body);
  if (!source.ok() && source.status().code() == StatusCode::kTextTooLong) {
    const size_t reserved =
        frame->before + frame->after(state.info().generation);
    cut = state.tokenizer.FindCut(body,
                                  state.max_source_tokens > reserved
                                      ? state.max_source_tokens - reserved
                                      : 1,
                                  ScratchOf(state.workspace()));
    source = state.EncodeSource(*frame, Slice(body, 0, cut.end));
    cut.end += code_bytes;
    cut.next += code_bytes;
  }
  if (!source.ok()) return source.status();

  Translation result;
  // Without text there is nothing to translate.
  if (*source > 0) {
    const Result<Translation> found = state.Search(*source, options);
    if (!found.ok()) return found;
    result = *found;
    const Result<std::string_view> decoded = Detokenize(result.tokens);
    if (!decoded.ok()) return decoded.status();
    result.text = *decoded;
  }
  result.source_bytes = cut.next;
  result.space_follows = cut.next > cut.end;
  result.language_code = code;
  return result;
}

Result<Translation> Translator::Translate(std::string_view text,
                                          const TranslateOptions& options) {
  Result<Translation> first = TranslatePart(text, options);
  if (!first.ok() || first->source_bytes == text.size()) return first;

  // Each part is decoded to the front of workspace.text; the whole grows at
  // its end, from where it is moved to the front when all is done.
  Workspace& workspace = state_->workspace();
  char* const end = workspace.text + kProfile.text_bytes;
  char* whole = end;
  Translation part = *first;
  for (;;) {
    const size_t bytes = part.text.size();
    const size_t needed = bytes + (part.space_follows ? 1 : 0);
    if (static_cast<size_t>(whole - workspace.text) < bytes + needed) {
      return Status::Error(
          StatusCode::kTextTooLong,
          "The translation exceeds the %u bytes that profile \"%s\" of this "
          "build holds; translate it in parts (TranslatePart).",
          static_cast<unsigned>(kProfile.text_bytes), kProfile.name);
    }
    // Everything so far moves down to make room behind it.
    const size_t length = static_cast<size_t>(end - whole);
    std::memmove(whole - needed, whole, length);
    whole -= needed;
    std::memcpy(whole + length, part.text.data(), bytes);
    text.remove_prefix(part.source_bytes);
    if (text.empty()) {
      part.text = {whole, length + bytes};
      return part;
    }
    if (part.space_follows) whole[length + bytes] = ' ';
    TranslateOptions rest = options;
    rest.language_code = part.language_code;
    const Result<Translation> next = TranslatePart(text, rest);
    if (!next.ok()) return next;
    part = *next;
  }
}

Result<Translation> Translator::TranslateIds(std::span<const int32_t> source,
                                             const TranslateOptions& options) {
  if (state_ == nullptr) return NotLoaded();
  State& state = *state_;
  if (source.empty() || source.size() > state.max_source_tokens) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%llu source ids given, but this model and build take "
                         "1 to %u.",
                         static_cast<unsigned long long>(source.size()),
                         static_cast<unsigned>(state.max_source_tokens));
  }
  const uint32_t vocabulary = state.info().architecture.source_vocabulary;
  for (const int32_t id : source) {
    if (id < 0 || static_cast<uint32_t>(id) >= vocabulary) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "Source id %d is outside the vocabulary of %u.",
                           static_cast<int>(id),
                           static_cast<unsigned>(vocabulary));
    }
  }
  std::memmove(state.workspace().source_tokens, source.data(),
               source.size_bytes());
  return state.Search(source.size(), options);
}

Result<size_t> Translator::Tokenize(std::string_view text,
                                    std::span<int32_t> ids) {
  if (state_ == nullptr) return NotLoaded();
  State& state = *state_;
  if (!state.CanTokenize()) return NoTokenizer();
  const GenerationRules& rules = state.info().generation;
  const size_t added = rules.source_prefix.size() + rules.source_suffix.size();
  if (ids.size() < added) {
    return Status::Error(StatusCode::kTextTooLong,
                         "There is no room for any id.");
  }
  const size_t begin = CopyIds(rules.source_prefix, ids);
  const Result<size_t> count =
      state.tokenizer.Encode(text, ScratchOf(state.workspace()),
                             ids.subspan(begin, ids.size() - added));
  if (!count.ok()) return count;
  CopyIds(rules.source_suffix, ids.subspan(begin + *count));
  return *count + added;
}

Result<std::string_view> Translator::Detokenize(std::span<const int32_t> ids) {
  if (state_ == nullptr) return NotLoaded();
  State& state = *state_;
  if (!state.CanTokenize()) return NoTokenizer();
  const std::span<char> out(state.workspace().text, kProfile.text_bytes);
  const Result<size_t> bytes = state.tokenizer.Decode(ids, out);
  if (!bytes.ok()) return bytes.status();
  return std::string_view(out.data(), *bytes);
}

std::string_view Translator::SourcePiece(int32_t id,
                                         std::span<char> out) const {
  if (state_ == nullptr || !state_->CanTokenize()) return {};
  const TokenizerView& view = state_->context.model.tokenizer;
  if (id < 0 || static_cast<uint32_t>(id) >= view.source_vocabulary) return {};
  return KeyOfValue(view.piece_trie, static_cast<uint32_t>(id), out);
}

std::string_view Translator::TargetPiece(int32_t id) const {
  if (state_ == nullptr || !state_->CanTokenize()) return {};
  return state_->tokenizer.Piece(id);
}

const ModelInfo& Translator::model_info() const {
  LATIMER_CHECK(state_ != nullptr);
  return state_->info();
}

uint32_t Translator::max_source_tokens() const {
  LATIMER_CHECK(state_ != nullptr);
  return state_->max_source_tokens;
}

uint32_t Translator::max_target_tokens() const {
  LATIMER_CHECK(state_ != nullptr);
  return state_->max_target_tokens;
}

const char* Translator::kernel_name(int index) const {
  LATIMER_CHECK(state_ != nullptr && index >= 0);
  int i = 0;
  const GemmKernels& gemm = state_->context.gemm;
  for (; const char* name = KernelName(gemm, static_cast<size_t>(i)); ++i) {
    if (i == index) return name;
  }
  if (i == index) return state_->context.vector->name;
  const NibbleKernels* nibble = state_->context.nibble;
  return i + 1 == index && nibble != nullptr ? nibble->name : nullptr;
}

uint32_t Translator::threads() const {
  LATIMER_CHECK(state_ != nullptr);
  return state_->context.threads.thread_count();
}

}  // namespace latimer
