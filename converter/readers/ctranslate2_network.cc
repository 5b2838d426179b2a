#include "converter/readers/ctranslate2_network.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "converter/error.h"
#include "converter/readers/mapped_positions.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

using Number = CTranslate2File::Number;

// Rows that are kept of a table of positions: CTranslate2's max_input_length.
// Longer texts are split.
constexpr uint32_t kPositions = 1024;
constexpr uint32_t kMostPositions = 1 << 20;
constexpr uint64_t kMostMelBins = 1 << 10;

// Attributes that are read here, or that change nothing.
constexpr std::string_view kKnownNumbers[] = {"activation",
                                              "alibi_use_positive_positions",
                                              "alignment_heads",
                                              "alignment_layer",
                                              "embeddings_merge",
                                              "multiply_by_sqrt_depth",
                                              "num_heads",
                                              "pre_norm",
                                              "queries_scale",
                                              "relative_attention_max_distance",
                                              "scale_alibi",
                                              "scale_embeddings",
                                              "scale_outputs",
                                              "start_from_zero_embedding",
                                              "user_decoder_start_tokens",
                                              "with_source_bos",
                                              "with_source_eos",
                                              "with_target_bos"};

class NetworkReader {
 public:
  NetworkReader(const fs::path& folder, const CTranslate2File& file,
                const PositionLimits& limits)
      : folder_(folder),
        path_(folder / "model.bin"),
        file_(file),
        limits_(limits) {}

  CTranslate2Network Read() {
    CheckSpec();
    CheckNumbers();
    out_.config = ReadCTranslate2Config(folder_, file_, &out_.warnings);
    ReadArchitecture();
    CheckSizes(a_);
    if (a_.relative_attention) {
      out_.encoder_buckets = ReadBuckets("encoder");
      out_.decoder_buckets = ReadBuckets("decoder");
    }
    ReadOutputScale();
    return out_;
  }

 private:
  // ---- What is not supported ----

  void CheckSpec() const {
    if (file_.spec == "TransformerDecoderSpec" ||
        file_.spec == "TransformerEncoderSpec") {
      FailIn(path_, "this CTranslate2 model (", file_.spec,
             ") is no encoder-decoder; only those translate");
    }
    if (file_.spec != "TransformerSpec" && file_.spec != "TransformerBase" &&
        file_.spec != "TransformerBig" && !is_whisper()) {
      FailIn(path_, "this CTranslate2 model is a ", Printable(file_.spec),
             "; only TransformerSpec, an encoder-decoder that reads text, and "
             "WhisperSpec are supported");
    }
    constexpr uint32_t kFirst = 1, kLast = 7;
    if (file_.revision < kFirst || file_.revision > kLast) {
      FailIn(path_, "has revision ", file_.revision, " of ", file_.spec,
             ", and ", kFirst, " to ", kLast,
             " are known; give the original model, or convert it again with "
             "CTranslate2 4");
    }
    if (Has("encoder/embeddings_1/weight")) {
      FailIn(path_,
             "its source has features beside the tokens, which are not "
             "supported");
    }
    for (const auto& [name, tensor] : file_.tensors.tensors) {
      if (name.ends_with("relative_position_keys")) {
        FailIn(path_, name,
               ": relative positions of Shaw et al. are not supported");
      }
      if (name.ends_with("weight_zero")) FailPacked(name);
    }
    for (const auto& [name, why] : file_.tensors.unreadable) {
      if (name.ends_with("weight") || name.ends_with("weight_zero")) {
        FailPacked(name);
      }
    }
  }

  [[noreturn]] void FailPacked(const std::string& name) const {
    FailIn(path_, Printable(name),
           " is packed for one kind of GPU (AWQ), which is not supported; "
           "give the original model");
  }

  void CheckNumbers() const {
    for (const auto& [name, number] : file_.numbers) {
      const std::string last = name.substr(name.rfind('/') + 1);
      if (number.value != 0 &&
          std::ranges::find(kKnownNumbers, last) == std::end(kKnownNumbers)) {
        FailIn(path_, Printable(name), " is set, which is not supported");
      }
    }
  }

  // ---- Numbers and shapes ----

  bool Has(const std::string& name) const {
    return file_.tensors.tensors.contains(name);
  }

  bool is_whisper() const { return IsWhisper(file_); }

  std::optional<Number> Find(const std::string& name) const {
    const auto found = file_.numbers.find(name);
    if (found == file_.numbers.end()) return std::nullopt;
    return found->second;
  }

  // An integer of a stack or, before revision 5, of both.
  int64_t Integer(const std::string& stack, const std::string& name,
                  int64_t fallback) const {
    std::optional<Number> number = Find(stack + "/" + name);
    if (!number) number = Find(name);
    if (!number) return fallback;
    if (!number->is_integer) FailIn(path_, name, " is not an integer");
    return static_cast<int64_t>(number->value);
  }

  bool Flag(const std::string& stack, const std::string& name,
            bool fallback) const {
    return Integer(stack, name, fallback ? 1 : 0) != 0;
  }

  // A matrix that decides sizes.
  const SourceTensor& Matrix(const std::string& name) const {
    const auto found = file_.tensors.tensors.find(name);
    if (found == file_.tensors.tensors.end()) {
      FailIn(path_, "has no ", name, "; the file is not a translation model");
    }
    const std::vector<uint64_t>& shape = found->second.shape;
    constexpr uint64_t kMost = 1u << 31;
    if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0 ||
        shape[0] >= kMost || shape[1] >= kMost) {
      FailIn(path_, name, " ", ShapeText(shape), " should be a matrix");
    }
    return found->second;
  }
  uint32_t Rows(const std::string& name) const {
    return static_cast<uint32_t>(Matrix(name).shape[0]);
  }

  // Of the first convolution, [d_model, mel bins, frames].
  uint32_t MelBins() const {
    const auto found = file_.tensors.tensors.find("encoder/conv1/weight");
    if (found == file_.tensors.tensors.end() ||
        found->second.shape.size() != 3 || found->second.shape[1] == 0 ||
        found->second.shape[1] > kMostMelBins) {
      FailIn(path_, "has no convolution encoder/conv1 over mel bins");
    }
    return static_cast<uint32_t>(found->second.shape[1]);
  }

  // What encoder and decoder must have in common.
  template <typename T>
  T Common(const char* what, T encoder, T decoder) const {
    if (encoder != decoder) {
      FailIn(path_, what,
             " differs between encoder and decoder, which is not supported");
    }
    return encoder;
  }

  void ReadArchitecture() {
    for (const std::string stack : {"encoder", "decoder"}) ReadStack(stack);
    a_.d_model =
        static_cast<uint32_t>(Matrix("decoder/embeddings/weight").shape[1]);
    a_.target_vocabulary = Rows("decoder/embeddings/weight");
    a_.source_vocabulary = is_whisper()
                               ? a_.target_vocabulary
                               : Rows(CTranslate2SourceEmbedding(file_));
    if (is_whisper()) a_.mel_bins = MelBins();
    const auto both_have = [&](const char* what, const std::string& name) {
      return Common(what, Has("encoder/" + name), Has("decoder/" + name));
    };
    const auto both_set = [&](const char* name, bool fallback) {
      return Common(name, Flag("encoder", name, fallback),
                    Flag("decoder", name, fallback));
    };
    a_.final_norm = both_have("the final norm", "layer_norm/gamma");
    a_.embedding_norm =
        both_have("the norm of embeddings", "layernorm_embedding/gamma");
    a_.relative_attention =
        both_have("the bias of relative positions",
                  "layer_0/self_attention/relative_attention_bias");
    a_.has_positions = !a_.relative_attention;
    a_.gated_ffn = both_have("the gate of feed-forwards",
                             "layer_0/ffn/linear_0_noact/weight");
    const bool has_beta =
        both_have("the kind of norm", "layer_0/ffn/layer_norm/beta");
    a_.norm_position =
        both_set("pre_norm", true) ? NormPosition::kPre : NormPosition::kPost;
    a_.norm_kind = has_beta ? NormKind::kLayerNorm : NormKind::kRms;
    a_.norm_epsilon =
        out_.config.norm_epsilon.value_or(has_beta ? 1e-5f : 1e-6f);
    // The encoder of Whisper has no embedding, and its activation is not in the
    // file: GELU, as that of its decoder.
    const char* const encoder = is_whisper() ? "decoder" : "encoder";
    a_.activation =
        Common("activation", ActivationOf(encoder), ActivationOf("decoder"));
    a_.embedding_scale = Common("scale_embeddings", EmbeddingScale(encoder),
                                EmbeddingScale("decoder"));
    a_.network_kind = NetworkKind::kTransformer;
    a_.residual = true;
    a_.source_positions = Positions("encoder", limits_.source);
    a_.target_positions = Positions("decoder", limits_.target);
  }

  void ReadStack(const std::string& stack) {
    const bool decoder = stack == "decoder";
    const std::string first = stack + "/layer_0/";
    const uint32_t attention_rows =
        Rows(first + "self_attention/linear_0/weight");
    const int64_t usual = file_.spec == "TransformerBig" ? 16 : 8;
    const int64_t heads = Integer(stack, "num_heads", usual);
    if (heads < 1 || attention_rows % (3 * heads) != 0) {
      FailIn(path_, stack, "/num_heads is ", heads,
             ", which does not divide the ", attention_rows,
             " rows of its attention");
    }
    const auto head_dim = static_cast<uint32_t>(attention_rows / (3 * heads));
    uint32_t layers = 1;
    while (Has(LayerOf(stack, layers) + "self_attention/linear_0/weight")) {
      ++layers;
    }
    (decoder ? a_.decoder_heads : a_.encoder_heads) =
        static_cast<uint32_t>(heads);
    (decoder ? a_.decoder_head_dim : a_.encoder_head_dim) = head_dim;
    (decoder ? a_.decoder_layers : a_.encoder_layers) = layers;
    (decoder ? a_.decoder_ffn : a_.encoder_ffn) =
        Rows(first + "ffn/linear_0/weight");
    (decoder ? a_.decoder_attention_scale : a_.encoder_attention_scale) =
        AttentionScale(stack, layers, head_dim);
  }

  static std::string LayerOf(const std::string& stack, uint32_t layer) {
    return stack + "/layer_" + std::to_string(layer) + "/";
  }

  float AttentionScale(const std::string& stack, uint32_t layers,
                       uint32_t head_dim) const {
    std::optional<double> common;
    for (uint32_t i = 0; i < layers; ++i) {
      for (const char* attention : {"self_attention", "attention"}) {
        if (stack == "encoder" && attention[0] == 'a') continue;
        const std::string name =
            LayerOf(stack, i) + attention + "/queries_scale";
        const std::optional<Number> number = Find(name);
        const double scale = number ? number->value : 1.0 / std::sqrt(head_dim);
        if (common.value_or(scale) != scale) {
          FailIn(path_, name,
                 " differs from that of other layers, which is not supported");
        }
        common = scale;
      }
    }
    return static_cast<float>(*common);
  }

  Activation ActivationOf(const std::string& stack) const {
    switch (Integer(stack, "activation", 0)) {
      case 0:
        return Activation::kRelu;
      case 1:
        return Activation::kGeluTanh;
      case 2:
        return Activation::kSwish;
      case 3:
        return Activation::kGelu;
      case 4:
        FailIn(path_, stack,
               "/activation is GELU as x * sigmoid(1.702 x), which is not "
               "supported");
      default:
        FailIn(path_, stack, "/activation is ", Integer(stack, "activation", 0),
               "; supported are relu, gelu, gelu by tanh, and swish");
    }
  }

  // A flag for sqrt(d_model), or the factor itself.
  float EmbeddingScale(const std::string& stack) const {
    std::optional<Number> scale = Find(stack + "/scale_embeddings");
    if (!scale) scale = Find(stack + "/embeddings/multiply_by_sqrt_depth");
    if (scale && !scale->is_integer) return static_cast<float>(scale->value);
    if (scale && scale->value == 0) return 1.0f;
    return std::sqrt(static_cast<float>(a_.d_model));
  }

  // The longest text, in tokens.
  uint32_t Positions(const std::string& stack, uint32_t limit) const {
    if (limit > kMostPositions) {
      FailIn(path_, "texts of more than ", kMostPositions,
             " tokens are not supported");
    }
    const std::string table = stack + "/position_encodings/encodings";
    if (a_.has_positions && Has(table)) {
      if (is_whisper()) return Rows(table);
      return std::min(Rows(table), std::max(kPositions, limit));
    }
    return std::max(kUsualPositions, limit);
  }

  // All layers must have the bias of the first.
  RelativeBuckets ReadBuckets(const std::string& stack) const {
    const auto name = [&](uint32_t i) {
      return LayerOf(stack, i) + "self_attention/relative_attention_bias";
    };
    const SourceTensor& first = Matrix(name(0));
    const uint32_t layers =
        stack == "encoder" ? a_.encoder_layers : a_.decoder_layers;
    for (uint32_t i = 1; i < layers; ++i) {
      if (!Has(name(i)) || !first.SameAs(Matrix(name(i)))) {
        FailIn(path_, name(i),
               " differs from that of the first layer, which is not "
               "supported");
      }
    }
    const int64_t distance = Integer(LayerOf(stack, 0) + "self_attention",
                                     "relative_attention_max_distance", 0);
    if (first.shape[0] < 4 || first.shape[0] % 2 != 0 ||
        distance <= static_cast<int64_t>(first.shape[0] / 2) ||
        distance > kMostPositions) {
      FailIn(path_, name(0), " ", ShapeText(first.shape),
             " and its maximal distance of ", distance, " do not fit together");
    }
    return {.both_ways = stack == "encoder",
            .count = static_cast<uint32_t>(first.shape[0]),
            .max_distance = static_cast<uint32_t>(distance)};
  }

  void ReadOutputScale() {
    const std::optional<Number> scale = Find("decoder/scale_outputs");
    if (!scale || scale->value == 1) return;
    if (!a_.final_norm || a_.norm_kind != NormKind::kRms) {
      FailIn(path_, "decoder/scale_outputs is ", scale->value,
             ", which is supported after an RMS norm only");
    }
    out_.output_scale = static_cast<float>(scale->value);
  }

  const fs::path& folder_;
  const fs::path path_;
  const CTranslate2File& file_;
  const PositionLimits& limits_;
  CTranslate2Network out_;
  Architecture& a_ = out_.architecture;
};

}  // namespace

bool IsWhisper(const CTranslate2File& file) {
  return file.spec == "WhisperSpec";
}

std::string CTranslate2SourceEmbedding(const CTranslate2File& file) {
  const std::string first = "encoder/embeddings_0/weight";
  return file.tensors.tensors.contains(first) ? first
                                              : "encoder/embeddings/weight";
}

CTranslate2Network ReadCTranslate2Network(const fs::path& folder,
                                          const CTranslate2File& file,
                                          const PositionLimits& limits) {
  return NetworkReader(folder, file, limits).Read();
}

}  // namespace latimer
