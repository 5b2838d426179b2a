#include "converter/readers/native_marian_files.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "converter/error.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDecoder = "decoder.yml";
constexpr std::string_view kDecoderSuffix = ".decoder.yml";

std::string NameOf(const fs::path& path) { return path.filename().string(); }

bool IsVocabulary(std::string_view name) {
  return name.ends_with(".spm") || name.ends_with(".yml");
}

// Not the shortlist, nor other files of training or Hugging Face.
bool IsWeights(std::string_view name) {
  if (name.ends_with(".npz")) return !name.ends_with(".optimizer.npz");
  return name.ends_with(".bin") && !name.starts_with("lex.") &&
         name.find(".s2t.") == std::string_view::npos &&
         !name.starts_with("pytorch_model");
}

// The files of a folder that `good` accepts, sorted.
template <typename Predicate>
std::vector<fs::path> FilesOf(const fs::path& folder, Predicate good) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (good(NameOf(entry.path()))) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

constexpr char kGiveOne[] = "give one of them instead of the folder";
constexpr char kNameThem[] = "name those of the model in decoder.yml";

// The only one of `files`, or none. Throws if there are several.
std::optional<fs::path> OnlyOne(const fs::path& folder, const char* what,
                                const std::vector<fs::path>& files,
                                const char* advice) {
  if (files.empty()) return std::nullopt;
  if (files.size() == 1) return files.front();
  FailIn(folder, "has several ", what, ", ", Joined(files, NameOf, " and "),
         "; ", advice);
}

fs::path FolderOf(const fs::path& path) {
  if (fs::is_directory(path)) return path;
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

std::optional<fs::path> FindDecoder(const fs::path& path) {
  if (NameOf(path).ends_with(".yml")) return path;
  const fs::path folder = FolderOf(path);
  if (!fs::is_directory(path)) {
    const fs::path beside = path.string() + std::string(kDecoderSuffix);
    if (fs::exists(beside)) return beside;
  }
  if (fs::exists(folder / kDecoder)) return folder / kDecoder;
  if (!fs::is_directory(path)) return std::nullopt;
  return OnlyOne(
      folder, "decoder.yml",
      FilesOf(folder, [](auto name) { return name.ends_with(kDecoderSuffix); }),
      kGiveOne);
}

// A file that decoder.yml names. If its folder is one of another machine, the
// file next to decoder.yml is meant.
fs::path Resolve(const MarianOptions& options, const fs::path& folder,
                 const std::string& name) {
  fs::path given =
      options.Bool("relative-paths", false) ? folder / name : fs::path(name);
  if (fs::exists(given)) return given;
  fs::path beside = folder / fs::path(name).filename();
  if (fs::exists(beside)) return beside;
  FailIn(options.name(), "names ", Printable(name),
         ", which is missing; copy it next to decoder.yml");
}

std::vector<fs::path> GuessVocabularies(const fs::path& folder) {
  const auto find = [&](std::string_view prefix) {
    return FilesOf(folder, [&](std::string_view name) {
      return name.starts_with(prefix) && IsVocabulary(name);
    });
  };
  const auto source =
      OnlyOne(folder, "source vocabularies", find("srcvocab."), kNameThem);
  const auto target =
      OnlyOne(folder, "target vocabularies", find("trgvocab."), kNameThem);
  if (source && target) return {*source, *target};
  const auto shared =
      OnlyOne(folder, "vocabularies", find("vocab."), kNameThem);
  if (shared) return {*shared, *shared};
  return {};
}

std::vector<fs::path> GuessPieces(const NativeMarianFiles& files) {
  if (files.vocabularies.empty() ||
      NameOf(files.vocabularies.front()).ends_with(".spm")) {
    return {};
  }
  const fs::path folder = FolderOf(files.vocabularies.front());
  std::vector<fs::path> pieces = {folder / "source.spm", folder / "target.spm"};
  if (fs::exists(pieces[0]) && fs::exists(pieces[1])) return pieces;
  return {};
}

}  // namespace

bool IsNativeMarian(const fs::path& path) {
  const std::string name = NameOf(path);
  if (!fs::is_directory(path)) {
    return IsWeights(name) || name == kDecoder ||
           name.ends_with(kDecoderSuffix);
  }
  return !FilesOf(path, [](const std::string& file) {
            return IsWeights(file) || file == kDecoder ||
                   file.ends_with(kDecoderSuffix);
          }).empty();
}

NativeMarianFiles FindNativeMarianFiles(const fs::path& path) {
  NativeMarianFiles files;
  const fs::path folder = FolderOf(path);
  const bool given = !fs::is_directory(path) && IsWeights(NameOf(path));
  if (const auto decoder = FindDecoder(path)) {
    const MarianOptions& options = files.decoder_options.emplace(
        ReadYamlFile(*decoder), decoder->string());
    const std::vector<std::string> models = options.List("models");
    if (models.size() > 1) {
      options.Fail(
          "models",
          "several models that vote are not supported; give one of the files");
    }
    if (!given && models.empty()) options.Fail("models", "it must name one");
    files.weights = given ? path : Resolve(options, folder, models[0]);
    const std::vector<std::string> shortlist = options.List("shortlist");
    if (!shortlist.empty() && !shortlist[0].empty()) {
      files.shortlist = Resolve(options, folder, shortlist[0]);
    }
    const std::vector<std::string> vocabularies = options.List("vocabs");
    if (vocabularies.size() > 2) {
      options.Fail("vocabs", "a model has one source and one target");
    }
    for (const std::string& vocabulary : vocabularies) {
      files.vocabularies.push_back(Resolve(options, folder, vocabulary));
    }
    if (files.vocabularies.size() == 1) {
      files.vocabularies.push_back(files.vocabularies.front());
    }
  } else {
    const auto weights =
        given ? path
              : OnlyOne(folder, "models", FilesOf(folder, IsWeights), kGiveOne);
    if (!weights) FailIn(folder, "has neither a .npz nor a .bin of Marian's");
    files.weights = *weights;
    const auto is_shortlist = [](const std::string& name) {
      return name.starts_with("lex.") && name.ends_with(".s2t.bin");
    };
    files.shortlist =
        OnlyOne(folder, "shortlists", FilesOf(folder, is_shortlist), kNameThem)
            .value_or("");
  }
  if (files.vocabularies.empty()) {
    files.vocabularies = GuessVocabularies(folder);
  }
  files.pieces = GuessPieces(files);
  return files;
}

}  // namespace latimer
