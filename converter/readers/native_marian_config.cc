#include "converter/readers/native_marian_config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <span>
#include <string_view>

#include "converter/canonical_model.h"
#include "converter/error.h"

namespace latimer {
namespace {

// An option with the values that are supported, in addition to an absent or
// empty value.
struct Requirement {
  std::string_view option;
  std::array<std::string_view, 3> values;
};

constexpr Requirement kModelRequirements[] = {
    {"lemma-dim-emb", {"0"}},
    {"lemma-dependency", {}},
    {"right-left", {"false"}},
    {"transformer-alibi-shift", {"false"}},
    {"transformer-attention-mask", {"default"}},
    {"transformer-decoder-ffn-depth", {"0", "2"}},
    {"transformer-ffn-depth", {"2"}},
    {"transformer-no-affine", {"false"}},
    {"transformer-no-bias", {"false"}},
    {"transformer-no-projection", {"false"}},
    {"transformer-pool", {"false"}},
    {"type", {"transformer"}},
    {"ulr", {"false"}},
};

constexpr Requirement kSsruRequirements[] = {
    {"dec-cell", {"ssru"}},
    {"layer-normalization", {"false"}},
    {"transformer-rnn-projection", {"false"}},
};

constexpr Requirement kDecoderRequirements[] = {
    {"encryption-key-path", {}},    {"force-decode", {"false"}},
    {"no-spm-decode", {"false"}},   {"no-spm-encode", {"false"}},
    {"output-sampling", {"false"}},
};

constexpr std::string_view kModelOptions[] = {
    // Read by ReadMarianModelOptions.
    "dec-depth", "dim-emb", "dim-vocabs", "enc-depth", "input-types",
    "output-omit-bias", "tied-embeddings", "tied-embeddings-all",
    "tied-embeddings-src", "transformer-decoder-autoreg",
    "transformer-decoder-dim-ffn", "transformer-dim-ffn",
    "transformer-disable-position-embeddings", "transformer-ffn-activation",
    "transformer-heads", "transformer-postprocess",
    "transformer-postprocess-emb", "transformer-postprocess-top",
    "transformer-preprocess", "transformer-tied-layers",
    "transformer-train-position-embeddings", "transformer-train-positions",
    "version",
    // Options of training or of other types of models, and options that have no
    // effect if the requirements hold.
    "bert-train-type-embeddings", "bert-type-vocab-size",
    "char-conv-filters-num", "char-conv-filters-widths", "char-highway",
    "char-stride", "dec-cell", "dec-cell-base-depth", "dec-cell-high-depth",
    "dim-rnn", "enc-cell", "enc-cell-depth", "enc-type", "factors-combine",
    "factors-dim-emb", "guided-alignment", "layer-normalization",
    "original-type", "quantize-biases", "quantize-bits", "quantize-log-based",
    "quantize-optimization-steps", "separator-symbol", "skip", "special-vocab",
    "transformer-aan-activation", "transformer-aan-depth",
    "transformer-aan-nogate", "transformer-alibi-trainable",
    "transformer-depth-scaling", "transformer-dim-aan", "transformer-dropout",
    "transformer-dropout-attention", "transformer-dropout-ffn",
    "transformer-guided-alignment-layer", "transformer-rnn-projection",
    "ulr-dim-emb", "ulr-dropout", "ulr-keys-vectors", "ulr-query-vectors",
    "ulr-softmax-temperature", "ulr-trainable-transformation"};

constexpr std::string_view kDecoderOptions[] = {
    // Read by the caller.
    "allow-special", "allow-unk", "max-length", "models", "relative-paths",
    "shortlist", "vocabs",
    // Options of speed, logs, beam search and batches.
    "alignment", "beam-size", "clip-gemm", "cpu-threads", "data-threads",
    "devices", "fp16", "gemm-precision", "gemm-type", "ignore-model-config",
    "input", "int16", "int8", "int8shift", "interpolate-env-vars", "log",
    "log-level", "log-time-zone", "max-length-break", "max-length-crop",
    "max-length-factor", "maxi-batch", "maxi-batch-sort", "mini-batch",
    "mini-batch-words", "model-mmap", "n-best", "normalize", "num-devices",
    "optimize", "output", "output-approx-knn", "port", "precision", "quality",
    "quantize-range", "quiet", "quiet-translation", "seed", "skip-cost",
    "ssplit-mode", "ssplit-prefix-file", "stat-freq", "tsv", "tsv-fields",
    "use-legacy-batching", "version", "weights", "word-penalty", "word-scores",
    "workspace"};

bool IsModelOption(std::string_view option) {
  return std::ranges::count(kModelOptions, option) > 0 ||
         std::ranges::count(kModelRequirements, option, &Requirement::option) >
             0;
}

bool IsDecoderOption(std::string_view option) {
  return std::ranges::count(kDecoderOptions, option) > 0 ||
         std::ranges::count(kDecoderRequirements, option,
                            &Requirement::option) > 0 ||
         IsModelOption(option);
}

void Check(const MarianOptions& options,
           std::span<const Requirement> requirements) {
  for (const Requirement& requirement : requirements) {
    for (const std::string& value : options.List(requirement.option)) {
      if (value.empty() || std::ranges::find(requirement.values, value) !=
                               requirement.values.end()) {
        continue;
      }
      std::string good;
      for (const std::string_view text : requirement.values) {
        if (text.empty()) continue;
        good += good.empty() ? "only " : " or ";
        good += text;
      }
      options.Fail(requirement.option, good.empty() ? "this is not supported"
                                                    : good + " is supported");
    }
  }
}

std::vector<std::string> WarningsOf(const MarianOptions& options,
                                    bool (*is_known)(std::string_view)) {
  std::vector<std::string> warnings;
  for (const std::string& option : options.names()) {
    if (is_known(option)) continue;
    warnings.push_back(Concat(options.name(), ": option ", Printable(option),
                              " is unknown and has no effect."));
  }
  return warnings;
}

// The operations of a transformer-... option, without dropout, which only
// training needs.
std::string Operations(const MarianOptions& options, std::string_view option,
                       const std::string& fallback) {
  std::string operations = options.Text(option, fallback);
  std::erase(operations, 'd');
  return operations;
}

// Reads where norms and residual connections are.
void ReadSublayers(const MarianOptions& options, Architecture* a) {
  const std::string before = Operations(options, "transformer-preprocess", "");
  const std::string after =
      Operations(options, "transformer-postprocess", "dan");
  if (!before.empty() && before != "n") {
    options.Fail("transformer-preprocess",
                 "only n is supported, besides dropout");
  }
  if (!after.empty() && after != "a" && after != "n" && after != "an") {
    options.Fail("transformer-postprocess",
                 "supported are a, n, an and none of them, besides dropout");
  }
  const bool norm_before = before == "n", norm_after = after.ends_with('n');
  if (norm_before && norm_after) {
    options.Fail("transformer-postprocess",
                 "a norm both before and after each layer is not supported");
  }
  a->norm_position = norm_before ? NormPosition::kPre : NormPosition::kPost;
  a->norm_kind =
      norm_before || norm_after ? NormKind::kLayerNorm : NormKind::kNone;
  a->residual = after.starts_with('a');
  const auto stack_norm = [&](std::string_view option, const char* fallback) {
    const std::string operations = Operations(options, option, fallback);
    if (!operations.empty() && operations != "n") {
      options.Fail(option, "only n is supported, besides dropout");
    }
    if (!operations.empty() && a->norm_kind == NormKind::kNone) {
      options.Fail(option, "this is not supported where layers have no norms");
    }
    return !operations.empty();
  };
  a->embedding_norm = stack_norm("transformer-postprocess-emb", "d");
  a->final_norm = stack_norm("transformer-postprocess-top", "");
  a->norm_epsilon = 1e-6f;  // marian-dev's src/layers/generic.h.
}

// Whether Marian's gelu is x * Phi(x), as it is since 1.12.3; it was
// x * sigmoid(1.702 x).
bool HasExactGelu(const std::string& version) {
  std::array<int, 3> numbers = {};
  const char* begin = version.data() + version.starts_with('v');
  const char* end = version.data() + version.size();
  for (int& number : numbers) {
    const auto [last, error] = std::from_chars(begin, end, number);
    if (error != std::errc()) return false;
    begin = last < end ? last + 1 : end;
  }
  return numbers >= std::array{1, 12, 3};
}

Activation ReadActivation(const MarianOptions& options) {
  constexpr std::string_view kOption = "transformer-ffn-activation";
  const std::string name = options.Text(kOption, "swish");
  if (name == "relu") return Activation::kRelu;
  if (name == "swish") return Activation::kSwish;
  if (name != "gelu") options.Fail(kOption, "supported are relu, swish, gelu");
  if (!HasExactGelu(options.Text("version", ""))) {
    options.Fail(kOption,
                 "before version 1.12.3 Marian had an approximation of gelu "
                 "that is not supported");
  }
  return Activation::kGelu;
}

void ReadNetworkKind(const MarianOptions& options, Architecture* a) {
  constexpr std::string_view kOption = "transformer-decoder-autoreg";
  const std::string kind = options.Text(kOption, "self-attention");
  if (kind == "rnn") {
    if (options.Text("dec-cell", "gru") != "ssru") {
      options.Fail("dec-cell", "only ssru is supported");
    }
    Check(options, kSsruRequirements);
    a->network_kind = NetworkKind::kTransformerSsru;
  } else if (kind == "self-attention") {
    a->network_kind = NetworkKind::kTransformer;
  } else {
    options.Fail(kOption, "supported are self-attention and rnn with SSRU");
  }
}

// Bergamot's students, whose decoders have SSRUs, learn alignments, and Marian
// takes them from the first head of a layer.
void ReadAlignment(const MarianOptions& options, NativeMarianConfig* out) {
  const Architecture& a = out->architecture;
  if (a.network_kind != NetworkKind::kTransformerSsru) return;
  const std::string layer =
      options.Text("transformer-guided-alignment-layer", "last");
  const unsigned long number = std::strtoul(layer.c_str(), nullptr, 10);
  out->alignment =
      AlignmentHead{.layer = number >= 1 && number <= a.decoder_layers
                                 ? static_cast<uint32_t>(number - 1)
                                 : a.decoder_layers - 1,
                    .head = 0};
}

void ReadSizes(const MarianOptions& options, NativeMarianConfig* out) {
  Architecture& a = out->architecture;
  // Smaller widths have no sinusoids: the formula divides by dim-emb / 2 - 1.
  constexpr uint32_t kLeastWidth = 4;
  // Bounds the number of tensors that are looked up by name.
  constexpr uint32_t kMostLayers = 1000;
  for (const char* option : {"dim-emb", "enc-depth", "dec-depth", "type"}) {
    if (!options.Has(option)) options.Fail(option, "a model needs it");
  }
  a.d_model = options.Count("dim-emb", 0, kLeastWidth);
  a.encoder_layers = options.Count("enc-depth", 0, 1, kMostLayers);
  a.decoder_layers = options.Count("dec-depth", 0, 1, kMostLayers);
  a.encoder_heads = options.Count("transformer-heads", 8, 1);
  a.decoder_heads = a.encoder_heads;
  if (a.d_model % a.encoder_heads != 0) {
    options.Fail("transformer-heads", "it must divide dim-emb ", a.d_model);
  }
  a.encoder_ffn = options.Count("transformer-dim-ffn", 2048, 1);
  a.decoder_ffn = options.Count("transformer-decoder-dim-ffn", 0);
  if (a.decoder_ffn == 0) a.decoder_ffn = a.encoder_ffn;
  const std::vector<uint32_t> vocabularies = options.Counts("dim-vocabs");
  if (!vocabularies.empty() && vocabularies.size() != 2) {
    options.Fail("dim-vocabs", "a model has one source and one target");
  }
  if (!vocabularies.empty()) {
    a.source_vocabulary = vocabularies[0];
    a.target_vocabulary = vocabularies[1];
  }
  out->decoder_layers = options.Counts("transformer-tied-layers");
  if (out->decoder_layers.empty()) {
    for (uint32_t i = 1; i <= a.decoder_layers; ++i) {
      out->decoder_layers.push_back(i);
    }
  } else if (out->decoder_layers.size() != a.decoder_layers) {
    options.Fail("transformer-tied-layers", "it must have dec-depth, ",
                 a.decoder_layers, ", entries");
  }
}

void ReadEmbeddings(const MarianOptions& options, NativeMarianConfig* out) {
  const bool all = options.Bool("tied-embeddings-all", false);
  out->shared_embeddings = all || options.Bool("tied-embeddings-src", false);
  out->output_tied = all || options.Bool("tied-embeddings", false);
  out->output_bias = !options.Bool("output-omit-bias", false);
  out->architecture.has_positions =
      !options.Bool("transformer-disable-position-embeddings", false);
  // Since 1.8 the option that users set has another name than the one that type
  // `transformer` reads, so it has no effect.
  out->wants_learned_positions =
      options.Bool("transformer-train-positions", false);
  // Only training has inputs other than the source.
  for (const std::string& type : options.List("input-types")) {
    if (type != "sequence" && type != "alignment" && type != "weight") {
      options.Fail("input-types", "only sequence is supported");
    }
  }
}

}  // namespace

NativeMarianConfig ReadMarianModelOptions(const MarianOptions& options) {
  NativeMarianConfig out;
  Check(options, kModelRequirements);
  ReadSizes(options, &out);
  ReadSublayers(options, &out.architecture);
  out.architecture.activation = ReadActivation(options);
  ReadNetworkKind(options, &out.architecture);
  ReadEmbeddings(options, &out);
  SplitHeads(&out.architecture);
  ReadAlignment(options, &out);
  out.warnings = WarningsOf(options, IsModelOption);
  return out;
}

std::vector<std::string> CheckMarianDecoderOptions(
    const MarianOptions& options) {
  Check(options, kDecoderRequirements);
  return WarningsOf(options, IsDecoderOption);
}

}  // namespace latimer
