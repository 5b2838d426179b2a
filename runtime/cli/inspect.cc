#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/arguments.h"
#include "cli/bill.h"
#include "cli/certificate.h"
#include "cli/commands.h"
#include "cli/session.h"

namespace latimer::cli {
namespace {

using Json = nlohmann::ordered_json;

const char* Name(Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return "relu";
    case Activation::kGelu:
      return "gelu";
    case Activation::kGeluTanh:
      return "gelu_tanh";
    case Activation::kSwish:
      return "swish";
    case Activation::kTanh:
      return "tanh";
    case Activation::kSigmoid:
      return "sigmoid";
  }
  return "";
}

const char* Name(NormKind kind) {
  switch (kind) {
    case NormKind::kLayerNorm:
      return "layer_norm";
    case NormKind::kUnbiasedStd:
      return "unbiased_std";
    case NormKind::kNone:
      return "none";
    case NormKind::kRms:
      return "rms";
  }
  return "";
}

const char* Name(NetworkKind kind) {
  switch (kind) {
    case NetworkKind::kTransformer:
      return "self_attention";
    case NetworkKind::kTransformerSsru:
      return "ssru";
    case NetworkKind::kGru:
      return "gru";
  }
  return "";
}

const char* Name(AttentionFunction score) {
  switch (score) {
    case AttentionFunction::kAdditive:
      return "additive";
    case AttentionFunction::kDot:
      return "dot";
    case AttentionFunction::kGeneral:
      return "general";
  }
  return "";
}

const char* Name(InitialState state) {
  switch (state) {
    case InitialState::kZero:
      return "zero";
    case InitialState::kProjected:
      return "projected";
    case InitialState::kEncoderStates:
      return "encoder_states";
  }
  return "";
}

Json RecurrentJson(const Architecture& a) {
  const Recurrent& r = a.recurrent;
  return {{"network_kind", Name(a.network_kind)},
          {"source_embedding", r.source_embedding},
          {"target_embedding", r.target_embedding},
          {"encoder_layers", a.encoder_layers},
          {"decoder_layers", a.decoder_layers},
          {"encoder_hidden", r.encoder_hidden},
          {"decoder_hidden", r.decoder_hidden},
          {"bidirectional", r.bidirectional},
          {"directions_added", r.directions_added},
          {"score", Name(r.attention_function)},
          {"attention_hidden", r.attention_hidden},
          {"query_before", r.query_before},
          {"initial_state", Name(r.initial_state)},
          {"input_context", r.input_context},
          {"output_context", r.output_context},
          {"output_embedding", r.output_embedding},
          {"combined", r.combined},
          {"source_vocabulary", a.source_vocabulary},
          {"target_vocabulary", a.target_vocabulary},
          {"source_positions", a.source_positions},
          {"target_positions", a.target_positions},
          {"source_embedding_tied", a.source_embedding_tied},
          {"target_embedding_tied", a.target_embedding_tied},
          {"embeddings_shared", a.embeddings_shared}};
}

Json ArchitectureJson(const Architecture& a) {
  if (a.network_kind == NetworkKind::kGru) return RecurrentJson(a);
  return {
      {"d_model", a.d_model},
      {"encoder_layers", a.encoder_layers},
      {"decoder_layers", a.decoder_layers},
      {"encoder_heads", a.encoder_heads},
      {"decoder_heads", a.decoder_heads},
      {"encoder_ffn", a.encoder_ffn},
      {"decoder_ffn", a.decoder_ffn},
      {"source_vocabulary", a.source_vocabulary},
      {"target_vocabulary", a.target_vocabulary},
      {"source_positions", a.source_positions},
      {"target_positions", a.target_positions},
      {"activation", Name(a.activation)},
      {"norm_position", a.norm_position == NormPosition::kPre ? "pre" : "post"},
      {"embedding_norm", a.embedding_norm},
      {"final_norm", a.final_norm},
      {"source_embedding_tied", a.source_embedding_tied},
      {"target_embedding_tied", a.target_embedding_tied},
      {"embedding_scale", a.embedding_scale},
      {"norm_kind", Name(a.norm_kind)},
      {"network_kind", Name(a.network_kind)},
      {"encoder_head_dim", a.encoder_head_dim},
      {"decoder_head_dim", a.decoder_head_dim},
      {"encoder_attention_scale", a.encoder_attention_scale},
      {"decoder_attention_scale", a.decoder_attention_scale},
      {"residual", a.residual},
      {"has_positions", a.has_positions},
      {"gated_ffn", a.gated_ffn},
      {"relative_attention", a.relative_attention},
      {"embeddings_shared", a.embeddings_shared}};
}

Json Ids(std::span<const int32_t> ids) {
  return std::vector<int32_t>(ids.begin(), ids.end());
}

// The kinds of its two sides, which may be one.
Json TokenizerJson(const ModelInfo& info) {
  std::string kinds;
  const auto add = [&kinds](bool has, const char* kind) {
    if (has) kinds += (kinds.empty() ? "" : " ") + std::string(kind);
  };
  add(info.tokenizer_needs.unigram, "sentencepiece-unigram");
  add(info.tokenizer_needs.bpe, "sentencepiece-bpe");
  add(info.tokenizer_needs.words, "words");
  add(info.tokenizer_needs.metaspace, "metaspace");
  add(info.tokenizer_needs.byte_bpe, "byte-level-bpe");
  add(info.tokenizer_needs.bytes, "bytes");
  return kinds.empty() ? "none" : kinds;
}

Json GenerationJson(const GenerationConfig& g) {
  Json banned = Json::array();
  uint32_t begin = 0;
  for (const uint32_t end : g.banned_ends) {
    Json sequence = Json::array();
    for (; begin < end; ++begin) sequence.push_back(g.banned_tokens[begin]);
    banned.push_back(sequence);
  }
  Json languages = Json::array();
  for (const Language& language : g.languages) {
    languages.push_back(language.code);
  }
  Json tasks = Json::object();
  for (const Task& task : g.tasks) tasks[task.name] = task.prefix;
  return {{"decoder_start", g.decoder_start},
          {"eos", g.eos},
          {"pad", g.pad},
          {"forced_eos", g.forced_eos < 0 ? Json() : Json(g.forced_eos)},
          {"max_target_tokens", g.max_target_tokens},
          {"min_target_tokens", g.min_target_tokens},
          {"banned_sequences", banned},
          {"source_prefix", Ids(g.source_prefix)},
          {"source_suffix", Ids(g.source_suffix)},
          {"forced_first", g.forced_first < 0 ? Json() : Json(g.forced_first)},
          {"no_repeat_ngram", g.no_repeat_ngram},
          {"repetition_penalty", g.repetition_penalty},
          {"languages", languages},
          {"tasks", tasks}};
}

// `kernels` are their names, or why there are none. `ram` is what this build
// reserves: its profile's bill, not the model's own.
Json InspectJson(const ModelInfo& info, const Json& kernels) {
  char checksum[17];
  std::snprintf(checksum, sizeof(checksum), "%016llx",
                static_cast<unsigned long long>(info.checksum));
  Json json = {{"format_version", info.format_version},
               {"checksum", checksum},
               {"source", info.source},
               {"license", info.license},
               {"converter", info.converter},
               {"weights", info.weights},
               {"tile", info.tile},
               {"int4_matrices", info.int4_matrices},
               {"pruned_argmax", info.pruned_argmax},
               {"tokenizer", TokenizerJson(info)},
               {"sentence_rules", info.sentence_rules.languages},
               {"architecture", ArchitectureJson(info.architecture)},
               {"generation", GenerationJson(info.generation)},
               {"kernels", kernels}};
  if (info.has_certificate) {
    json["certificate"] = CertificateJson(info.certificate);
  }
  json.update(MakeBill(info, kProfile));
  return json;
}

// Text of the file for a terminal, which control characters could give orders.
std::string Shown(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) c = ' ';
  }
  return text;
}

// One "name  value" line for each leaf, nested names joined with dots.
void PrintText(const Json& json, const std::string& prefix) {
  for (const auto& [name, value] : json.items()) {
    if (value.is_object() ||
        (value.is_array() && !value.empty() && value.front().is_object())) {
      PrintText(value, prefix + name + ".");
      continue;
    }
    const std::string text =
        value.is_string()
            ? Shown(value.get<std::string>())
            : value.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::printf("%-34s %s\n", (prefix + name).c_str(), text.c_str());
  }
}

}  // namespace

int Inspect(int argc, char** argv) {
  Arguments arguments;
  if (const int code = ParseArguments(argc, argv, kJson, &arguments);
      code != kSuccess) {
    return code;
  }
  Session session;
  ModelInfo info;
  if (!session.ReadInfo(arguments, &info)) return kFailure;
  // Strings of `info` lie in the image and survive loading.
  const Status loaded = session.Load(arguments);
  if (!loaded.ok() && loaded.code() != StatusCode::kTileNotInBuild &&
      loaded.code() != StatusCode::kUnsupportedCpu) {
    std::fprintf(stderr, "latimer: %s: %s\n", arguments.model,
                 loaded.message());
    return kFailure;
  }
  const Json kernels = loaded.ok() ? Json(KernelNames(session.translator()))
                                   : Json(loaded.message());
  const Json result = InspectJson(info, kernels);
  if (arguments.json) {
    // Text from the file may be any bytes.
    std::puts(
        result.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  } else {
    PrintText(result, "");
  }
  return kSuccess;
}

}  // namespace latimer::cli
