#include "converter/readers/huggingface_vocabulary.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "converter/error.h"
#include "converter/readers/json_fields.h"
#include "converter/readers/text_file.h"
#include "converter/readers/vocabulary.h"
#include "text/utf8.h"

namespace latimer {
namespace {

using Json = nlohmann::json;
using Merge = std::pair<std::string, std::string>;

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) {
    out_.name = path.string();
    json_ = ParseJsonText(ReadTextFile(path));
    if (!json_.is_object() || !json_.contains("model") ||
        !json_["model"].is_object()) {
      FailIn(out_.name, "not a JSON object with a model");
    }
  }

  HuggingFaceVocabulary Read() {
    const Json& model = json_["model"];
    const bool lists_pieces =
        model.contains("vocab") && model["vocab"].is_array();
    // Old files have no type.
    out_.model = model.value("type", lists_pieces ? "Unigram" : "BPE");
    if (out_.model != "Unigram" && out_.model != "BPE") {
      FailIn(out_.name, "its model is of the type ", Printable(out_.model),
             "; Unigram and BPE are supported");
    }
    if (!model.contains("vocab")) FailIn(out_.name, "its model has no vocab");
    if (out_.model == "Unigram") {
      ReadPieces(model["vocab"]);
    } else {
      ReadIds(model["vocab"]);
      if (model.contains("merges")) ReadMerges(model["merges"]);
    }
    for (const auto& [name, value] : model.items()) {
      if (name != "vocab" && name != "merges") out_.options[name] = value;
    }
    if (json_.contains("added_tokens") && json_["added_tokens"].is_array()) {
      out_.added_tokens = json_["added_tokens"];
    }
    out_.normalizer = json_.value("normalizer", Json());
    out_.pre_tokenizer = json_.value("pre_tokenizer", Json());
    out_.decoder = json_.value("decoder", Json());
    out_.post_processor = json_.value("post_processor", Json());
    ReadNormalizer(out_.normalizer);
    return std::move(out_);
  }

 private:
  void ReadPieces(const Json& vocab) {
    for (const Json& piece : vocab) {
      if (!piece.is_array() || piece.size() != 2 || !piece[0].is_string() ||
          !piece[1].is_number()) {
        FailIn(out_.name, "a piece of its vocab is not a text with a score");
      }
      out_.pieces.emplace_back(piece[0].get<std::string>(),
                               piece[1].get<float>());
    }
  }

  void ReadIds(const Json& vocab) {
    if (!vocab.is_object()) FailIn(out_.name, "its vocab is not an object");
    out_.pieces.resize(vocab.size());
    std::vector<bool> seen(vocab.size());
    for (const auto& [text, id] : vocab.items()) {
      if (!id.is_number_unsigned() || id.get<size_t>() >= vocab.size() ||
          seen[id.get<size_t>()]) {
        FailIn(out_.name, "the ids of its vocab are not 0 to ",
               vocab.size() - 1, ", each once");
      }
      seen[id.get<size_t>()] = true;
      out_.pieces[id.get<size_t>()].first = text;
    }
  }

  void ReadMerges(const Json& merges) {
    for (const Json& merge : merges) {
      if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
          merge[1].is_string()) {
        out_.merges.emplace_back(merge[0].get<std::string>(),
                                 merge[1].get<std::string>());
        continue;
      }
      const std::string text =
          merge.is_string() ? merge.get<std::string>() : std::string();
      const size_t space = text.find(' ');
      if (space == text.npos || text.find(' ', space + 1) != text.npos) {
        FailIn(out_.name, "a merge is not two pieces");
      }
      out_.merges.emplace_back(text.substr(0, space), text.substr(space + 1));
    }
  }

  // Reads the first Precompiled, alone or in a sequence.
  void ReadNormalizer(const Json& normalizer) {
    if (!normalizer.is_object()) return;
    const std::string type = normalizer.value("type", "");
    if (type == "Sequence" && normalizer.contains("normalizers")) {
      for (const Json& part : normalizer["normalizers"]) {
        if (out_.charsmap.empty() && part.is_object() &&
            part.value("type", "") == "Precompiled") {
          ReadNormalizer(part);
        }
      }
    } else if (type == "Precompiled") {
      const auto map = normalizer.find("precompiled_charsmap");
      if (map != normalizer.end() && map->is_string()) {
        out_.charsmap = FromBase64(map->get<std::string>());
      }
    }
  }

  std::string FromBase64(std::string_view text) const {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    uint32_t buffer = 0;
    int bits = 0;
    while (text.ends_with('=')) text.remove_suffix(1);
    for (const char c : text) {
      const size_t digit = kDigits.find(c);
      if (digit == kDigits.npos) {
        FailIn(out_.name, "its precompiled_charsmap is not base64");
      }
      buffer = (buffer << 6) | static_cast<uint32_t>(digit);
      bits += 6;
      if (bits < 8) continue;
      bits -= 8;
      bytes.push_back(static_cast<char>((buffer >> bits) & 0xFF));
    }
    return bytes;
  }

  HuggingFaceVocabulary out_;
  Json json_;
};

std::vector<Merge> ReadMergesFile(const std::filesystem::path& path) {
  const std::string text = ReadTextFile(path);
  std::vector<Merge> merges;
  size_t line_number = 0;
  for (const std::string_view line : SplitLines(text)) {
    ++line_number;
    if (line.starts_with("#version")) continue;
    const size_t space = line.find(' ');
    if (space == line.npos || line.find(' ', space + 1) != line.npos) {
      FailIn(path, "line ", line_number,
             " is not two pieces with a space between");
    }
    merges.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
  return merges;
}

}  // namespace

HuggingFaceVocabulary ReadTokenizerJson(const std::filesystem::path& path) {
  try {
    return Reader(path).Read();
  } catch (const Json::exception&) {
    FailIn(path, "a field is not of the type that it must have");
  }
}

HuggingFaceVocabulary ReadVocabularyAndMerges(
    const std::filesystem::path& directory) {
  const Vocabulary vocabulary = ReadVocabulary(directory / "vocab.json");
  HuggingFaceVocabulary out;
  out.name = vocabulary.name;
  for (const std::string& piece : vocabulary.pieces) {
    out.pieces.emplace_back(piece, 0.0f);
  }
  out.merges = ReadMergesFile(directory / "merges.txt");
  return out;
}

HuggingFaceVocabulary VocabularyOf(const SentencePieceModel& model) {
  HuggingFaceVocabulary out;
  out.name = model.name;
  for (const SentencePiece& piece : model.pieces) {
    out.pieces.emplace_back(piece.text, piece.score);
  }
  out.charsmap = model.precompiled_charsmap;
  return out;
}

std::vector<Merge> GenerateMerges(
    const std::vector<std::pair<std::string, float>>& pieces) {
  std::map<std::string_view, size_t> places;
  for (size_t i = 0; i < pieces.size(); ++i) places[pieces[i].first] = i;
  std::vector<Merge> merges;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const std::string_view piece = pieces[i].first;
    if (places.at(piece) != i) continue;
    // Ascending by the number of characters in the left part.
    for (size_t left = FirstChar(piece).bytes; left > 0 && left < piece.size();
         left += std::max<size_t>(FirstChar(piece.substr(left)).bytes, 1)) {
      if (places.contains(piece.substr(0, left)) &&
          places.contains(piece.substr(left))) {
        merges.emplace_back(piece.substr(0, left), piece.substr(left));
      }
    }
  }
  return merges;
}

}  // namespace latimer
