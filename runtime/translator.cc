#include "latimer/translator.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/check.h"
#include "base/cpu.h"
#include "model/model_file.h"
#include "model/operation_bytes.h"
#include "text/piece_text.h"
#include "translator_state.h"

namespace latimer {
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
  state_->search.Reset();
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
      std::min(kProfile.source_tokens, a.source_positions);
  state_->max_target_tokens =
      std::min(kProfile.target_tokens, a.target_positions);
  const GenerationConfig& rules = model.info.generation;
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

Result<size_t> Translator::Tokenize(std::string_view text,
                                    std::span<int32_t> ids) {
  if (state_ == nullptr) return NotLoaded();
  State& state = *state_;
  if (!state.CanTokenize()) return NoTokenizer();
  const GenerationConfig& rules = state.info().generation;
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

size_t Translator::LanguageCodeBytes(std::string_view text) const {
  if (state_ == nullptr || !state_->CanTokenize()) return 0;
  return state_->tokenizer.LanguageCodeBytes(text);
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

uint64_t Translator::weight_bytes_per_token(Operation group) const {
  return DecoderWeightBytes(state_->context.model, group);
}

}  // namespace latimer
