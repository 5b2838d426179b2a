#include "converter/profile_header.h"

#include <cctype>
#include <sstream>

namespace latimer {

std::string ProfileName(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    name +=
        std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '_';
  }
  return name;
}

std::string ProfileHeader(const Profile& profile) {
  std::string guard = "LATIMER_TARGETS_MODELS_";
  for (const char c : std::string(profile.name)) {
    guard += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  guard += "_H_";
  const auto text = [](bool value) { return value ? "true" : "false"; };
  std::ostringstream out;
  out << "// Profile of one model, written by latimer-convert --profile.\n"
      << "#ifndef " << guard << "\n#define " << guard << "\n\n"
      << "#include \"latimer/profile.h\"\n\n"
      << "namespace latimer {\n\n"
      << "inline constexpr Profile kProfile = {\n"
      << "    .name = \"" << profile.name << "\",\n"
      << "    .d_model = " << profile.d_model << ",\n"
      << "    .d_ffn = " << profile.d_ffn << ",\n"
      << "    .attention_width = " << profile.attention_width << ",\n"
      << "    .heads = " << profile.heads << ",\n"
      << "    .encoder_layers = " << profile.encoder_layers << ",\n"
      << "    .decoder_layers = " << profile.decoder_layers << ",\n"
      << "    .source_vocabulary = " << profile.source_vocabulary << ",\n"
      << "    .target_vocabulary = " << profile.target_vocabulary << ",\n"
      << "    .source_tokens = " << profile.source_tokens << ",\n"
      << "    .target_tokens = " << profile.target_tokens << ",\n"
      << "    .text_bytes = " << profile.text_bytes << ",\n"
      << "    .threads = " << profile.threads << ",\n"
      << "    .lanes = " << profile.lanes << ",\n"
      << "    .copied_image_bytes = " << profile.copied_image_bytes << ",\n"
      << "    .int8_weights = " << text(profile.int8_weights) << ",\n"
      << "    .f32_weights = " << text(profile.f32_weights) << ",\n"
      << "    .f32_fma = " << text(profile.f32_fma) << ",\n"
      << "    .tokenizer = " << text(profile.tokenizer) << ",\n"
      << "    .unigram = " << text(profile.unigram) << ",\n"
      << "    .bpe = " << text(profile.bpe) << ",\n"
      << "    .words = " << text(profile.words) << ",\n"
      << "    .metaspace = " << text(profile.metaspace) << ",\n"
      << "    .byte_bpe = " << text(profile.byte_bpe) << ",\n"
      << "    .bytes = " << text(profile.bytes) << ",\n"
      << "    .bpe_unused_pieces = " << profile.bpe_unused_pieces << ",\n"
      << "    .decoder_self_attention = "
      << text(profile.decoder_self_attention) << ",\n"
      << "    .decoder_ssru = " << text(profile.decoder_ssru) << ",\n"
      << "    .decoder_gru = " << text(profile.decoder_gru) << ",\n"
      << "    .shortlist = " << text(profile.shortlist) << ",\n"
      << "    .rms_norm = " << text(profile.rms_norm) << ",\n"
      << "    .gated_ffn = " << text(profile.gated_ffn) << ",\n"
      << "    .relative_attention = " << text(profile.relative_attention)
      << ",\n"
      << "    .pruned_argmax = " << text(profile.pruned_argmax) << ",\n"
      << "    .int4_weights = " << text(profile.int4_weights) << ",\n"
      << "    .f16_weights = " << text(profile.f16_weights) << ",\n"
      << "    .attention_weights = " << profile.attention_weights << ",\n"
      << "    .token_scores = " << text(profile.token_scores) << ",\n"
      << "};\n\n}  // namespace latimer\n\n#endif  // " << guard << "\n";
  return out.str();
}

}  // namespace latimer
