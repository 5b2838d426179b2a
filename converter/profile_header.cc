#include "converter/profile_header.h"

#include <cctype>
#include <fstream>
#include <sstream>
#include <string_view>

namespace latimer {
namespace {

constexpr std::string_view kBegin =
    "// Profile of one model, written by latimer-convert --profile.";

}  // namespace

bool IsProfileHeader(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  return std::getline(file, line) && line.starts_with(kBegin);
}

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
  std::ostringstream out;
  out << std::boolalpha << kBegin << "\n"
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
      << "    .beams = " << profile.beams << ",\n"
      << "    .beam_tokens = " << profile.beam_tokens << ",\n"
      << "    .phrases = " << profile.phrases << ",\n"
      << "    .sampling = " << profile.sampling << ",\n"
      << "    .f16_caches = " << profile.f16_caches << ",\n"
      << "    .copied_image_bytes = " << profile.copied_image_bytes << ",\n"
      << "    .int8_weights = " << profile.int8_weights << ",\n"
      << "    .f32_weights = " << profile.f32_weights << ",\n"
      << "    .f32_fma = " << profile.f32_fma << ",\n"
      << "    .tokenizer = " << profile.tokenizer << ",\n"
      << "    .unigram = " << profile.unigram << ",\n"
      << "    .bpe = " << profile.bpe << ",\n"
      << "    .words = " << profile.words << ",\n"
      << "    .metaspace = " << profile.metaspace << ",\n"
      << "    .byte_bpe = " << profile.byte_bpe << ",\n"
      << "    .bytes = " << profile.bytes << ",\n"
      << "    .bpe_unused_pieces = " << profile.bpe_unused_pieces << ",\n"
      << "    .decoder_self_attention = " << profile.decoder_self_attention
      << ",\n"
      << "    .decoder_ssru = " << profile.decoder_ssru << ",\n"
      << "    .decoder_gru = " << profile.decoder_gru << ",\n"
      << "    .shortlist = " << profile.shortlist << ",\n"
      << "    .rms_norm = " << profile.rms_norm << ",\n"
      << "    .gated_ffn = " << profile.gated_ffn << ",\n"
      << "    .relative_attention = " << profile.relative_attention << ",\n"
      << "    .pruned_argmax = " << profile.pruned_argmax << ",\n"
      << "    .int4_weights = " << profile.int4_weights << ",\n"
      << "    .f16_weights = " << profile.f16_weights << ",\n"
      << "    .attention_weights = " << profile.attention_weights << ",\n"
      << "    .token_scores = " << profile.token_scores << ",\n"
      << "    .alignment = " << profile.alignment << ",\n"
      << "};\n\n}  // namespace latimer\n\n#endif  // " << guard << "\n";
  return out.str();
}

}  // namespace latimer
