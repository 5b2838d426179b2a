#include "converter/readers/metadata.h"

#include <string>

#include "converter/error.h"
#include "converter/readers/json_fields.h"

namespace latimer {
namespace {

std::string TextOf(const JsonFields& fields, std::string_view name) {
  const nlohmann::json* value = fields.Find(name);
  if (value == nullptr) return "";
  if (value->is_string()) return value->get<std::string>();
  return value->is_number() ? value->dump() : "";
}

void Append(std::string_view separator, const std::string& text,
            std::string* list) {
  if (text.empty()) return;
  if (!list->empty()) *list += separator;
  *list += text;
}

std::string ScoresOf(const JsonFields& fields) {
  const nlohmann::json* flores = fields.Find("flores");
  if (flores == nullptr || !flores->is_object()) return "";
  const JsonFields scores = fields.Object("flores");
  std::string list;
  const std::string bleu = TextOf(scores, "bleu");
  const std::string comet = TextOf(scores, "comet");
  if (!bleu.empty()) Append(", ", "BLEU " + bleu, &list);
  if (!comet.empty()) Append(", ", "COMET " + comet, &list);
  return list.empty() ? "" : "FLORES: " + list;
}

}  // namespace

void ReadMetadata(const std::filesystem::path& folder, CanonicalModel* model) {
  const auto fields = JsonFields::Open(folder / "metadata.json");
  if (!fields) return;
  std::string version = TextOf(*fields, "sourceLanguage");
  Append("-", TextOf(*fields, "targetLanguage"), &version);
  Append(" ", TextOf(*fields, "architecture"), &version);
  Append(" ", TextOf(*fields, "version"), &version);
  model->version = version;
  model->scores = ScoresOf(*fields);
  if (model->license.empty()) model->license = TextOf(*fields, "license");
}

}  // namespace latimer
