#include "converter/readers/tokenizer_parts.h"

#include "converter/error.h"

namespace latimer {
namespace {

using Json = nlohmann::json;

// A step, without what is too long to read.
std::string Describe(Json step) {
  if (step.is_object()) step.erase("precompiled_charsmap");
  return Printable(step.dump(-1, ' ', false, Json::error_handler_t::replace));
}

class PartsChecker {
 public:
  PartsChecker(const std::string& name, bool byte_level)
      : name_(name), byte_level_(byte_level) {}

  void CheckNormalizer(const Json& step) const {
    ForEach(step, "normalizers", [this](const Json& one) {
      if (!IsNormalizerOfFamily(one)) Fail("normalizer", one);
    });
  }

  void CheckPreTokenizer(const Json& step) const {
    ForEach(step, "pretokenizers", [this](const Json& one) {
      if (!IsPreTokenizerOfFamily(one)) Fail("pre-tokenizer", one);
    });
  }

 private:
  static std::string TypeOf(const Json& step) { return step.value("type", ""); }

  // Calls `check` for a step, or for those of a sequence.
  template <typename Check>
  void ForEach(const Json& step, const char* list, const Check& check) const {
    if (step.is_null()) return;
    if (TypeOf(step) != "Sequence" || !step.contains(list)) {
      check(step);
      return;
    }
    for (const Json& one : step[list]) ForEach(one, list, check);
  }

  bool IsNormalizerOfFamily(const Json& step) const {
    if (byte_level_) return false;
    const std::string type = TypeOf(step);
    if (type == "Precompiled" || type == "Strip") return true;
    if (type != "Replace") return false;
    const Json pattern = step.value("pattern", Json());
    const Json content = step.value("content", Json());
    const bool is_space = content == " " || content == "\u2581";
    return is_space && (pattern == Json({{"Regex", " {2,}"}}) ||
                        pattern == Json({{"String", "\n"}}));
  }

  bool IsPreTokenizerOfFamily(const Json& step) const {
    const std::string type = TypeOf(step);
    if (byte_level_)
      return type == "ByteLevel" && step.value("use_regex", true);
    if (type == "WhitespaceSplit") return true;
    return type == "Metaspace" &&
           step.value("replacement", "\u2581") == "\u2581" &&
           step.value("prepend_scheme", "always") != "never" &&
           step.value("add_prefix_space", true) && step.value("split", true);
  }

  [[noreturn]] void Fail(const char* what, const Json& step) const {
    FailIn(name_, "its ", what, " ", Describe(step),
           " is not one of this family's tokenizers, which would read text "
           "without it; remove it from the file if the model was trained "
           "without it");
  }

  const std::string& name_;
  const bool byte_level_;
};

}  // namespace

void CheckTokenizerParts(const HuggingFaceVocabulary& vocabulary,
                         bool byte_level) {
  const PartsChecker checker(vocabulary.name, byte_level);
  try {
    checker.CheckNormalizer(vocabulary.normalizer);
    checker.CheckPreTokenizer(vocabulary.pre_tokenizer);
  } catch (const Json::exception&) {
    FailIn(vocabulary.name, "a field is not of the type that it must have");
  }
}

}  // namespace latimer
