#include <cinttypes>
#include <cstdio>
#include <string>
#include <string_view>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "latimer/signature.h"
#include "report/bill.h"
#include "report/certificate.h"

namespace latimer::cli {
namespace {

// Names of the enumerators, in their order.
constexpr const char* kActivations[] = {"relu",  "gelu", "gelu_tanh",
                                        "swish", "tanh", "sigmoid"};
constexpr const char* kNormPositions[] = {"post", "pre", "both"};
constexpr const char* kNormKinds[] = {"layer_norm", "unbiased_std", "none",
                                      "rms"};
constexpr const char* kEarlyStopping[] = {"false", "true", "never"};
constexpr const char* kNetworkKinds[] = {"self_attention", "ssru", "gru",
                                         "lstm"};
constexpr const char* kAttentionFunctions[] = {"additive", "dot", "general",
                                               "none"};
constexpr const char* kLayerActivations[] = {"none", "tanh", "relu",
                                             "leaky_relu"};
constexpr const char* kInitialStates[] = {"zero", "projected", "encoder_states",
                                          "projected_mean", "projected_layers"};

template <typename Enum, size_t kCount>
const char* Name(const char* const (&names)[kCount], Enum value) {
  return names[static_cast<size_t>(value)];
}

Json RecurrentJson(const Architecture& a) {
  const Recurrent& r = a.recurrent;
  return {
      {"network_kind", Name(kNetworkKinds, a.network_kind)},
      {"source_embedding", r.source_embedding},
      {"target_embedding", r.target_embedding},
      {"encoder_layers", a.encoder_layers},
      {"decoder_layers", a.decoder_layers},
      {"encoder_hidden", r.encoder_hidden},
      {"decoder_hidden", r.decoder_hidden},
      {"bidirectional", r.bidirectional},
      {"directions_added", r.directions_added},
      {"attention_function", Name(kAttentionFunctions, r.attention_function)},
      {"attention_hidden", r.attention_hidden},
      {"attention_activation", Name(kActivations, r.attention_activation)},
      {"query_layer", r.query_layer},
      {"keys_layer", r.keys_layer},
      {"projected_memory", r.projected_memory},
      {"memory_activation", Name(kLayerActivations, r.memory_activation)},
      {"input_layer", r.input_layer},
      {"input_activation", Name(kLayerActivations, r.input_activation)},
      {"energy_activation", Name(kLayerActivations, r.energy_activation)},
      {"query_before", r.query_before},
      {"query_sum", r.query_sum},
      {"initial_state", Name(kInitialStates, r.initial_state)},
      {"initial_linear", r.initial_linear},
      {"reversed_source", r.reversed_source},
      {"input_context", r.input_context},
      {"output_context", r.output_context},
      {"output_embedding", r.output_embedding},
      {"combined", r.combined},
      {"combine_activation", Name(kLayerActivations, r.combine_activation)},
      {"negative_slope", r.negative_slope},
      {"source_vocabulary", a.source_vocabulary},
      {"target_vocabulary", a.target_vocabulary},
      {"source_positions", a.source_positions},
      {"target_positions", a.target_positions},
      {"source_embedding_tied", a.source_embedding_tied},
      {"target_embedding_tied", a.target_embedding_tied},
      {"embeddings_shared", a.embeddings_shared}};
}

Json ArchitectureJson(const Architecture& a) {
  if (a.is_recurrent()) return RecurrentJson(a);
  return {{"d_model", a.d_model},
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
          {"activation", Name(kActivations, a.activation)},
          {"norm_position", Name(kNormPositions, a.norm_position)},
          {"embedding_norm", a.embedding_norm},
          {"final_norm", a.final_norm},
          {"source_embedding_tied", a.source_embedding_tied},
          {"target_embedding_tied", a.target_embedding_tied},
          {"embedding_scale", a.embedding_scale},
          {"norm_kind", Name(kNormKinds, a.norm_kind)},
          {"network_kind", Name(kNetworkKinds, a.network_kind)},
          {"encoder_head_dim", a.encoder_head_dim},
          {"decoder_head_dim", a.decoder_head_dim},
          {"encoder_attention_scale", a.encoder_attention_scale},
          {"decoder_attention_scale", a.decoder_attention_scale},
          {"residual", a.residual},
          {"has_positions", a.has_positions},
          {"gated_ffn", a.gated_ffn},
          {"relative_attention", a.relative_attention},
          {"embeddings_shared", a.embeddings_shared},
          {"relative_bias_per_layer", a.relative_bias_per_layer},
          {"encoder_norm_before_positions", a.encoder_norm_before_positions},
          {"decoder_norm_before_positions", a.decoder_norm_before_positions},
          {"mel_bins", a.mel_bins},
          {"rotary_positions", a.rotary_positions},
          {"attention_cap", a.attention_cap},
          {"logit_cap", a.logit_cap}};
}

Json Ids(std::span<const int32_t> ids) {
  return std::vector<int32_t>(ids.begin(), ids.end());
}

Json IdOrNull(int32_t id) { return id < 0 ? Json() : Json(id); }

// The kinds of the source's and the target's tokenizer.
Json TokenizerJson(const TokenizerNeeds& needs) {
  std::string kinds;
  for (const auto& [needed, kind] :
       {std::pair(needs.unigram, "sentencepiece-unigram"),
        std::pair(needs.bpe, "sentencepiece-bpe"),
        std::pair(needs.of_words, "words"),
        std::pair(needs.of_characters, "characters"),
        std::pair(needs.of_longest_matches, "pieces"),
        std::pair(needs.metaspace, "metaspace"),
        std::pair(needs.byte_bpe, "byte-level-bpe"),
        std::pair(needs.bytes, "bytes")}) {
    if (needed) kinds.append(kinds.empty() ? "" : " ").append(kind);
  }
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
  for (const Language& each : g.languages) languages.push_back(each.code);
  Json tasks = Json::object();
  for (const Task& task : g.tasks) tasks[task.name] = task.prefix;
  return {{"decoder_start", g.decoder_start},
          {"eos", g.eos},
          {"pad", g.pad},
          {"forced_eos", IdOrNull(g.forced_eos)},
          {"max_target_tokens", g.max_target_tokens},
          {"min_target_tokens", g.min_target_tokens},
          {"banned_sequences", banned},
          {"source_prefix", Ids(g.source_prefix)},
          {"source_suffix", Ids(g.source_suffix)},
          {"source_length", g.source_length},
          {"source_pad", IdOrNull(g.source_length > 0 ? g.source_pad : -1)},
          {"forced_first", IdOrNull(g.forced_first)},
          {"no_repeat_ngram", g.no_repeat_ngram},
          {"repetition_penalty", g.repetition_penalty},
          {"beams", g.search.beams},
          {"length_penalty", g.search.length_penalty},
          {"early_stopping", Name(kEarlyStopping, g.search.early_stopping)},
          {"renormalize_logits", g.search.renormalize != 0},
          {"languages", languages},
          {"tasks", tasks}};
}

// By flag, from lines of FLAG: SENTENCE.
Json AssumptionsJson(std::string_view lines) {
  constexpr std::string_view kBehindFlag = ": ";
  Json json = Json::object();
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const size_t end = line.find(kBehindFlag);
    if (end == line.npos) continue;
    json[std::string(line.substr(0, end))] =
        line.substr(end + kBehindFlag.size());
  }
  return json;
}

// `kernels` are their names, or a sentence that says why there are none. "ram"
// is that of a build for exactly this model.
Json InspectJson(const ModelDescription& info, const Json& kernels) {
  // Without limits of its own, the profile cannot fail.
  const Json bill = MakeBill(info, *ExactProfile(info, {}, kProfile.name));
  Json json = {{"ram_bytes", bill.at("ram_bytes")},
               {"flash_bytes", bill.at("flash_bytes")},
               {"format_version", info.format_version},
               {"checksum", Format("%016" PRIx64, info.checksum)},
               {"source", info.source},
               {"license", info.license},
               {"converter", info.converter},
               {"model_version", info.model_version},
               {"published_scores", info.published_scores},
               {"assumptions", AssumptionsJson(info.assumptions)},
               {"weights", info.weights},
               {"tile", info.tile},
               {"int4_matrices", info.int4_matrices},
               {"int6_matrices", info.int6_matrices},
               {"f16_matrices", info.f16_matrices},
               {"pruned_argmax", info.pruned_argmax},
               {"tokenizer", TokenizerJson(info.tokenizer_needs)},
               {"folded_characters", info.folded},
               {"unread_characters", info.unread},
               {"sentence_rules", info.sentence_rules.languages},
               {"architecture", ArchitectureJson(info.architecture)},
               {"generation", GenerationJson(info.generation)},
               {"kernels", kernels}};
  if (info.has_certificate) {
    json["certificate"] = CertificateJson(info.certificate);
  }
  json.update(bill);
  return json;
}

// The first line with text, cut at 80 characters, and the size of all.
std::string LicenseLine(std::string_view license) {
  constexpr size_t kMostCharacters = 80;
  const size_t begin = license.find_first_not_of(" \t\r\n");
  if (begin == license.npos) return "none";
  const std::string_view text = license.substr(begin);
  size_t bytes = 0;
  for (size_t characters = 0; bytes < text.size(); ++bytes) {
    if (text[bytes] == '\r' || text[bytes] == '\n') break;
    const bool begins =
        (static_cast<unsigned char>(text[bytes]) & 0xC0) != 0x80;
    if (begins && ++characters > kMostCharacters) break;
  }
  const bool whole = text.find_first_not_of("\r\n", bytes) == text.npos;
  return Format("%.*s%s (%zu bytes%s)", static_cast<int>(bytes), text.data(),
                whole ? "" : " ...", license.size(),
                whole ? "" : "; inspect --print-license prints all");
}

void PrintLicense(std::string_view license) {
  const std::string text = Printable(std::string(license), "\t\n");
  std::fputs(text.c_str(), stdout);
  if (!text.empty() && text.back() != '\n') std::fputc('\n', stdout);
}

// Prints one "name  value" line for each leaf; nested names are joined by dots.
void PrintText(const Json& json, const std::string& prefix) {
  for (const auto& [name, value] : json.items()) {
    if (value.is_object() ||
        (value.is_array() && !value.empty() && value.front().is_object())) {
      PrintText(value, prefix + name + ".");
      continue;
    }
    const std::string text = value.is_string()
                                 ? Printable(value.get<std::string>())
                                 : Dump(value, -1);
    std::printf("%-34s %s\n", (prefix + name).c_str(), text.c_str());
  }
}

}  // namespace

int Inspect(const Arguments& arguments) {
  if (arguments.print_license && arguments.json) {
    return UsageError(
        "inspect", "--json has the licence, too; leave out --print-license.");
  }
  Session session;
  ModelDescription info;
  if (!session.ReadInfo(arguments, &info)) return kFailure;
  if (arguments.print_license) {
    PrintLicense(info.license);
    return kSuccess;
  }
  // The strings of `info` are in the image, so they survive Load.
  const Status loaded = session.Load(arguments);
  if (!loaded.ok() && loaded.code() != StatusCode::kTileNotInBuild &&
      loaded.code() != StatusCode::kUnsupportedCpu) {
    return Fail(arguments, loaded);
  }
  const Json kernels = loaded.ok() ? Json(KernelNames(session.translator()))
                                   : Json(loaded.message());
  Json result = InspectJson(info, kernels);
  // Of whom, --require-signature finds out.
  result["signed"] = SignedBytes(session.image()).ok();
  if (arguments.json) {
    std::puts(Dump(result).c_str());
  } else {
    result["license"] = LicenseLine(info.license);
    PrintText(result, "");
  }
  return kSuccess;
}

}  // namespace latimer::cli
