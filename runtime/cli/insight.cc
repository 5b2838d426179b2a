#include "cli/insight.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace latimer::cli {
namespace {

int Complain(const char* what, const char* value, const char* remedy) {
  std::fprintf(stderr, "latimer translate: %s%s%s\n", what, value, remedy);
  return kUsage;
}

bool ParseKind(const char* text, AttentionKind* out) {
  for (const AttentionKind kind :
       {AttentionKind::kCross, AttentionKind::kEncoder,
        AttentionKind::kDecoder}) {
    if (std::strcmp(text, NameOf(kind)) == 0) {
      *out = kind;
      return true;
    }
  }
  return false;
}

bool ParseFormat(std::string_view file, AttentionFormat* out) {
  if (file.ends_with(".html")) {
    *out = AttentionFormat::kHtml;
  } else if (file.ends_with(".svg")) {
    *out = AttentionFormat::kSvg;
  } else if (file.ends_with(".json")) {
    *out = AttentionFormat::kJson;
  } else {
    return false;
  }
  return true;
}

}  // namespace

int Insight::Prepare(const Arguments& arguments, TranslateOptions* options) {
  arguments_ = &arguments;
  AttentionKind kind = AttentionKind::kCross;
  if (arguments.attention_of != nullptr) {
    if (arguments.attention == nullptr) {
      return Complain("--attention-of", "",
                      " says what --attention FILE draws; give that too.");
    }
    if (!ParseKind(arguments.attention_of, &kind)) {
      return Complain("--attention-of ", arguments.attention_of,
                      ": give cross, encoder or decoder.");
    }
  }
  if (arguments.attention != nullptr &&
      !ParseFormat(arguments.attention, &format_)) {
    return Complain("--attention ", arguments.attention,
                    ": give a file that ends in .html, .svg or .json.");
  }
  if (arguments.alignment && kind != AttentionKind::kCross) {
    return Complain("--alignment", "",
                    " reads the cross-attention; leave out --attention-of.");
  }
  if (arguments.attention != nullptr || arguments.alignment) {
    options->attention = kind;
  }
  options->scores = arguments.scores;
  return kSuccess;
}

void Insight::Add(const Translator& translator,
                  const Translation& translation) {
  if (translation.tokens.empty()) return;
  if constexpr (kProfile.attention_weights > 0) {
    if (arguments_->attention != nullptr) {
      records_.push_back(MakeRecord(translator, translation));
    }
    if (arguments_->alignment) {
      const std::string links = Alignment(translator, translation, &words_);
      if (!links.empty()) links_ += " " + links;
    }
  }
  if constexpr (kProfile.token_scores) {
    if (arguments_->scores) scores_ += ScoreLines(translator, translation);
  }
}

std::string Insight::EndLine() {
  std::string text;
  if (arguments_->alignment) text = " |||" + links_;
  text += scores_;
  links_.clear();
  scores_.clear();
  words_ = {};
  return text;
}

bool Insight::WriteFile() const {
  if (arguments_->attention == nullptr) return true;
  if constexpr (kProfile.attention_weights > 0) {
    const std::string text = FormatAttention(records_, format_);
    std::FILE* file = std::fopen(arguments_->attention, "wb");
    const bool written =
        file != nullptr &&
        std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (file == nullptr || std::fclose(file) != 0 || !written) {
      std::fprintf(stderr, "latimer: %s: cannot write the attention (%s).\n",
                   arguments_->attention, std::strerror(errno));
      return false;
    }
  }
  return true;
}

}  // namespace latimer::cli
