#include "converter/exact_profile.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "converter/error.h"
#include "text/normalizer.h"

namespace latimer {
namespace {

// Text per token that a profile makes room for. English and German take 4 to
// 5 bytes a piece, scripts outside Latin up to 12.
constexpr uint32_t kTextBytesPerToken = 16;

uint32_t Limit(const char* option, uint32_t asked, uint32_t available) {
  if (asked == 0) return available;
  if (asked > available) {
    throw ConversionError(std::string(option) + " " + std::to_string(asked) +
                          " exceeds the model's own limit of " +
                          std::to_string(available) + ".");
  }
  return asked;
}

}  // namespace

Profile ExactProfile(const CanonicalModel& model, WeightType weights,
                     const ProfileLimits& limits, const char* name) {
  const Architecture& a = model.architecture;
  Profile profile{};
  profile.name = name;
  profile.d_model = a.d_model;
  profile.d_ffn = std::max(a.encoder_ffn, a.decoder_ffn);
  profile.heads = std::max(a.encoder_heads, a.decoder_heads);
  profile.encoder_layers = a.encoder_layers;
  profile.decoder_layers = a.decoder_layers;
  profile.source_vocabulary = a.source_vocabulary;
  profile.target_vocabulary = a.target_vocabulary;
  profile.source_tokens =
      Limit("--max-source-tokens", limits.source_tokens, a.source_positions);
  profile.target_tokens = Limit("--max-target-tokens", limits.target_tokens,
                                model.generation.max_target_tokens);
  profile.text_bytes =
      std::max(static_cast<uint32_t>(kMinNormalizedBytes),
               kTextBytesPerToken *
                   std::max(profile.source_tokens, profile.target_tokens));
  profile.threads = limits.threads;
  profile.int8_weights = weights == WeightType::kInt8;
  profile.f32_weights = weights == WeightType::kF32;
  profile.tokenizer = model.tokenizer.has_value();
  return profile;
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
      << "    .heads = " << profile.heads << ",\n"
      << "    .encoder_layers = " << profile.encoder_layers << ",\n"
      << "    .decoder_layers = " << profile.decoder_layers << ",\n"
      << "    .source_vocabulary = " << profile.source_vocabulary << ",\n"
      << "    .target_vocabulary = " << profile.target_vocabulary << ",\n"
      << "    .source_tokens = " << profile.source_tokens << ",\n"
      << "    .target_tokens = " << profile.target_tokens << ",\n"
      << "    .text_bytes = " << profile.text_bytes << ",\n"
      << "    .threads = " << profile.threads << ",\n"
      << "    .int8_weights = " << text(profile.int8_weights) << ",\n"
      << "    .f32_weights = " << text(profile.f32_weights) << ",\n"
      << "    .tokenizer = " << text(profile.tokenizer) << ",\n"
      << "};\n\n}  // namespace latimer\n\n#endif  // " << guard << "\n";
  return out.str();
}

}  // namespace latimer
