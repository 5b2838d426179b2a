#include "converter/readers/tokenizer_parts.h"

#include "converter/error.h"

namespace latimer {
namespace {

using Json = nlohmann::json;

constexpr char kSpace[] = "\u2581";

// A step, without what is too long to read.
std::string Describe(Json step) {
  if (step.is_object()) step.erase("precompiled_charsmap");
  return Printable(step.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string TypeOf(const Json& step) { return step.value("type", ""); }

// Calls `check` for a step, or for those of a sequence.
template <typename Check>
void ForEach(const Json& step, const char* list, const Check& check) {
  if (step.is_null()) return;
  if (TypeOf(step) != "Sequence" || !step.contains(list)) {
    check(step);
    return;
  }
  for (const Json& one : step[list]) ForEach(one, list, check);
}

class PartsChecker {
 public:
  PartsChecker(const std::string& name, KnownSteps known)
      : name_(name), known_(known) {}

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
  bool IsNormalizerOfFamily(const Json& step) const {
    if (known_ == KnownSteps::kByteLevel) return false;
    const std::string type = TypeOf(step);
    const Json pattern = step.value("pattern", Json());
    const Json content = step.value("content", Json());
    if (known_ == KnownSteps::kGemma) {
      return type == "Replace" && content == kSpace &&
             pattern == Json({{"String", " "}});
    }
    if (type == "Precompiled" || type == "Strip") return true;
    if (type != "Replace") return false;
    const bool is_space = content == " " || content == kSpace;
    return is_space && (pattern == Json({{"Regex", " {2,}"}}) ||
                        pattern == Json({{"String", "\n"}}));
  }

  bool IsPreTokenizerOfFamily(const Json& step) const {
    const std::string type = TypeOf(step);
    if (known_ == KnownSteps::kByteLevel) {
      return type == "ByteLevel" && step.value("use_regex", true);
    }
    if (known_ == KnownSteps::kGemma) {  // No spaces are left to split at.
      return type == "Split" &&
             step.value("pattern", Json()) == Json({{"String", " "}});
    }
    if (type == "WhitespaceSplit") return true;
    return type == "Metaspace" && step.value("replacement", kSpace) == kSpace &&
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
  const KnownSteps known_;
};

// Reads the steps in the order in which the library takes them.
class StepsReader {
 public:
  explicit StepsReader(const HuggingFaceVocabulary& vocabulary)
      : vocabulary_(vocabulary) {}

  TokenizerSteps Read() {
    ForEach(vocabulary_.normalizer, "normalizers",
            [this](const Json& step) { ReadNormalizer(step); });
    out_.spacing = Spacing::kMetaspace;
    ForEach(vocabulary_.pre_tokenizer, "pretokenizers",
            [this](const Json& step) { ReadPreTokenizer(step); });
    if (!has_metaspace_) Fail("pre-tokenizer", vocabulary_.pre_tokenizer);
    if (!IsMetaspace(vocabulary_.decoder)) {
      Fail("decoder", vocabulary_.decoder);
    }
    ReadModel();
    return std::move(out_);
  }

 private:
  [[noreturn]] void Fail(const char* what, const Json& step) const {
    FailIn(vocabulary_.name, "its ", what, " ", Describe(step),
           " is not supported with a model of the type ", vocabulary_.model,
           "; if the SentencePiece model lies beside the file, remove the file "
           "and that model is read");
  }

  static bool IsMetaspace(const Json& step) {
    return step.is_object() && TypeOf(step) == "Metaspace" &&
           step.value("replacement", kSpace) == kSpace &&
           step.value("prepend_scheme", "always") == "always" &&
           step.value("add_prefix_space", true) && step.value("split", true);
  }

  void ReadNormalizer(const Json& step) {
    const std::string type = TypeOf(step);
    if (type == "Precompiled" && !out_.collapses_spaces) return;
    const Json content = step.value("content", Json());
    if (type != "Replace" || (content != " " && content != kSpace) ||
        step.value("pattern", Json()) != Json({{"Regex", " {2,}"}})) {
      Fail("normalizer", step);
    }
    out_.collapses_spaces = true;
  }

  void ReadPreTokenizer(const Json& step) {
    if (TypeOf(step) == "WhitespaceSplit" && !has_metaspace_) {
      out_.spacing = Spacing::kWords;
    } else if (IsMetaspace(step)) {
      has_metaspace_ = true;
    } else {
      Fail("pre-tokenizer", step);
    }
  }

  void ReadModel() {
    const Json& options = vocabulary_.options;
    const bool bpe = vocabulary_.model == "BPE";
    const auto refuse = [&](const char* name, const Json& good) {
      const Json value = options.value(name, Json());
      if (value.is_null() || value == good || value == "") return;
      FailIn(vocabulary_.name, "its model has ", name, " ",
             Printable(value.dump()), ", which is not supported");
    };
    refuse("byte_fallback", false);
    refuse("ignore_merges", false);
    refuse("continuing_subword_prefix", "");
    refuse("end_of_word_suffix", "");
    if (bpe && !options.value("fuse_unk", false)) {
      FailIn(vocabulary_.name,
             "its model does not have fuse_unk, which is not supported");
    }
    const Json unknown = options.value(bpe ? "unk_token" : "unk_id", Json());
    const auto& pieces = vocabulary_.pieces;
    if (unknown.is_string()) {
      out_.unknown = unknown.get<std::string>();
    } else if (unknown.is_number_unsigned() &&
               unknown.get<size_t>() < pieces.size()) {
      out_.unknown = pieces[unknown.get<size_t>()].first;
    } else {
      FailIn(vocabulary_.name, "its model has no unknown token");
    }
  }

  const HuggingFaceVocabulary& vocabulary_;
  TokenizerSteps out_;
  bool has_metaspace_ = false;
};

}  // namespace

TokenizerSteps ReadTokenizerSteps(const HuggingFaceVocabulary& vocabulary) {
  try {
    return StepsReader(vocabulary).Read();
  } catch (const Json::exception&) {
    FailIn(vocabulary.name, "a field is not of the type that it must have");
  }
}

void CheckTokenizerParts(const HuggingFaceVocabulary& vocabulary,
                         KnownSteps known) {
  const PartsChecker checker(vocabulary.name, known);
  try {
    checker.CheckNormalizer(vocabulary.normalizer);
    checker.CheckPreTokenizer(vocabulary.pre_tokenizer);
  } catch (const Json::exception&) {
    FailIn(vocabulary.name, "a field is not of the type that it must have");
  }
}

}  // namespace latimer
