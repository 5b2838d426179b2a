#include "catalog.h"

#include <algorithm>
#include <filesystem>

#include "languages.h"
#include "latimer/plan.h"

namespace latimer::server {
namespace {

// The model's code of a public one, or "".
std::string OwnCode(std::span<const Language> languages,
                    const std::string& code) {
  for (const Language& language : languages) {
    if (language.code == code || PublicCode(language.code) == code) {
      return language.code;
    }
  }
  return "";
}

bool ReadsSpeech(const std::string& path) {
  if (!kProfile.speech()) return false;
  MappedFile file;
  const auto scratch = std::make_unique<InfoScratch>();
  ModelInfo info;
  return file.Open(path.c_str()).ok() &&
         ReadModelInfo(file.bytes(), /*verify_checksum=*/false, scratch.get(),
                       &info)
             .ok() &&
         info.reads_speech;
}

// Of some messages, the path is a part.
std::string WithPath(const std::string& path, const Status& status) {
  const std::string why(status.message());
  return why.starts_with(path) ? why : path + ": " + why;
}

}  // namespace

Catalog::~Catalog() {
  // One may submit to another as long as it works.
  for (Served& served : models_) served.model->Stop();
}

std::string Catalog::Add(const std::string& argument,
                         const LoadOptions& options, uint32_t workers,
                         size_t cache_bytes) {
  const size_t sign = argument.find('=');
  const std::string pair =
      sign == argument.npos ? "" : argument.substr(0, sign);
  const std::string path =
      sign == argument.npos ? argument : argument.substr(sign + 1);
  std::error_code ignored;
  if (pair.empty() && LanguagesInName(path).has_value() &&
      path.find_first_of("./") == path.npos &&
      !std::filesystem::exists(path, ignored)) {
    return path + ": there is no such file; latimer serve " + path +
           ", of the Python package, fetches a model for these languages.";
  }
  if (ReadsSpeech(path)) return AddSpeech(pair, path, options, workers);
  Served served = {std::make_unique<Model>(metrics_), {}, {}};
  const Status status =
      served.model->Start(path, options, workers, cache_bytes);
  if (!status.ok()) return WithPath(path, status);

  const ModelDescription& info = served.model->info();
  const auto languages = info.generation.languages;
  // Else they are at most some of the target's.
  const bool names_languages =
      !languages.empty() &&
      info.generation.target_language != TargetLanguage::kTextsCode;
  if (!pair.empty()) {
    const size_t dash = pair.find('-');
    if (dash == pair.npos || dash == 0 || dash + 1 == pair.size()) {
      return argument + ": give the languages as in en-de=" + path + ".";
    }
    const std::string source = pair.substr(0, dash);
    const std::string target = pair.substr(dash + 1);
    if (names_languages) {
      return argument +
             ": the model names its languages itself; leave them out.";
    }
    served.sources[source] = "";
    served.targets[target] = OwnCode(languages, target);
  } else if (names_languages) {
    for (const Language& language : languages) {
      // Of several codes for a language, all but the first stay as they are.
      std::string code = PublicCode(language.code);
      if (served.targets.contains(code)) code = language.code;
      served.targets[code] = language.code;
      served.sources[code] =
          info.generation.source_language == SourceLanguage::kNone
              ? ""
              : language.code;
    }
  } else {
    auto found = LanguagesInName(info.source);
    if (!found.has_value()) {
      found = LanguagesInName(std::filesystem::path(path).stem().string());
    }
    if (!found.has_value()) {
      return path + ": give its languages, as in en-de=" + path + ".";
    }
    served.sources[found->first] = "";
    served.targets[found->second] = OwnCode(languages, found->second);
  }
  if (!models_.empty() && Replaces(served)) {
    return argument +
           ": models before it translate between its languages; leave out one "
           "of them, or put it first.";
  }
  for (const auto& [code, own] : served.sources) sources_.insert(code);
  for (const auto& [code, own] : served.targets) targets_.insert(code);
  models_.push_back(std::move(served));
  return "";
}

std::string Catalog::AddSpeech(const std::string& name, const std::string& path,
                               LoadOptions options, uint32_t workers) {
  options.lanes = options.beams = 1;
  auto model = std::make_unique<SpeechModel>(
      name.empty() ? std::filesystem::path(path).stem().string() : name);
  const Status status = model->Start(path, options, workers);
  if (!status.ok()) return WithPath(path, status);
  speech_.push_back(std::move(model));
  return "";
}

const std::string* Catalog::Find(
    const std::map<std::string, std::string>& languages,
    const std::string& code) {
  const auto found = languages.find(code);
  if (found != languages.end()) return &found->second;
  const auto own = std::ranges::find_if(
      languages, [&](const auto& entry) { return entry.second == code; });
  return own == languages.end() || code.empty() ? nullptr : &own->second;
}

bool Catalog::Replaces(const Served& served) const {
  for (const auto& [source, own] : served.sources) {
    for (const auto& [target, code] : served.targets) {
      Leg ignored;
      const bool found = source == target ||
                         std::ranges::any_of(models_, [&](const Served& one) {
                           return Direct(one, source, target, &ignored);
                         });
      if (!found) return false;
    }
  }
  return true;
}

bool Catalog::Direct(const Served& served, const std::string& source,
                     const std::string& target, Leg* leg) {
  const std::string* const from = Find(served.sources, source);
  const std::string* const to = Find(served.targets, target);
  if (from == nullptr || to == nullptr) return false;
  *leg = {served.model.get(), *from, *to};
  return true;
}

std::vector<Leg> Catalog::Route(const std::string& source,
                                const std::string& target) const {
  Leg first, second;
  for (const Served& served : models_) {
    if (Direct(served, source, target, &first)) return {first};
  }
  std::vector<std::string> between = {"en"};
  between.insert(between.end(), targets_.begin(), targets_.end());
  for (const std::string& language : between) {
    if (language == source || language == target) continue;
    for (const Served& one : models_) {
      if (!Direct(one, source, language, &first)) continue;
      for (const Served& other : models_) {
        if (Direct(other, language, target, &second)) return {first, second};
      }
    }
  }
  return {};
}

std::set<std::string> Catalog::Targets(const std::string& source) const {
  std::set<std::string> all = {source};
  const size_t most = targets_.size() + (targets_.contains(source) ? 0 : 1);
  for (const Served& one : models_) {
    if (Find(one.sources, source) == nullptr || all.size() == most) continue;
    for (const auto& [between, own] : one.targets) {
      all.insert(between);
      for (const Served& other : models_) {
        if (all.size() == most) return all;
        if (Find(other.sources, between) == nullptr) continue;
        for (const auto& [target, code] : other.targets) all.insert(target);
      }
    }
  }
  return all;
}

std::set<std::string> Catalog::Languages() const {
  std::set<std::string> all = sources_;
  all.insert(targets_.begin(), targets_.end());
  return all;
}

bool Catalog::Knows(const std::string& language) const {
  return std::ranges::any_of(models_, [&](const Served& served) {
    return Find(served.sources, language) != nullptr ||
           Find(served.targets, language) != nullptr;
  });
}

}  // namespace latimer::server
