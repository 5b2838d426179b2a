#include "converter/readers/native_marian_files.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "converter/error.h"
#include "converter/readers/compressed.h"
#include "converter/readers/text_file.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDecoder = "decoder.yml";
constexpr std::string_view kDecoderSuffix = ".decoder.yml";

std::string NameOf(const fs::path& path) { return path.filename().string(); }

bool IsVocabulary(std::string_view name) {
  return name.ends_with(".spm") || name.ends_with(".yml");
}

// Not the shortlist, nor Firefox's estimate of quality, nor other files of
// training or Hugging Face.
bool IsWeights(std::string_view name) {
  if (name.ends_with(".npz")) return !name.ends_with(".optimizer.npz");
  return name.ends_with(".bin") && !name.starts_with("lex.") &&
         name.find(".s2t.") == std::string_view::npos &&
         !name.starts_with("qualityModel.") &&
         !name.starts_with("pytorch_model");
}

// The files of a folder whose unpacked names `good` accepts, sorted. One that
// is there unpacked, too, is not one more.
template <typename Predicate>
std::vector<fs::path> FilesOf(const fs::path& folder, Predicate good) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const fs::path& path = entry.path();
    const std::string name = UnpackedName(path);
    const bool twice = name != NameOf(path) && fs::exists(folder / name);
    if (good(name) && !twice) files.push_back(path);
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

// Whether a .yml lists models. Options of training do not, and a vocabulary may
// have such a word, with a number.
bool ListsModels(const fs::path& path) {
  if (!NameOf(path).ends_with(".yml") || !fs::is_regular_file(path)) {
    return false;
  }
  const std::string text = ReadTextFile(path);
  constexpr std::string_view kKey = "models:";
  return std::ranges::any_of(SplitLines(text), [&](std::string_view line) {
    if (!line.starts_with(kKey)) return false;
    line.remove_prefix(kKey.size());
    const size_t value = line.find_first_not_of(' ');
    return value == line.npos || line[value] < '0' || line[value] > '9';
  });
}

bool IsDecoder(const fs::path& path) {
  const std::string name = NameOf(path);
  return name == kDecoder || name.ends_with(kDecoderSuffix) ||
         ListsModels(path);
}

std::vector<fs::path> DecodersOf(const fs::path& folder) {
  std::vector<fs::path> files = FilesOf(folder, [](const std::string& name) {
    return name.ends_with(kDecoderSuffix);
  });
  if (!files.empty()) return files;
  files = FilesOf(folder,
                  [](std::string_view name) { return name.ends_with(".yml"); });
  std::erase_if(files, [](const fs::path& file) { return !ListsModels(file); });
  return files;
}

bool Names(const fs::path& decoder, const fs::path& weights) {
  const MarianOptions options(ReadYamlFile(decoder), decoder.string());
  return std::ranges::any_of(
      options.List("models"), [&](const std::string& model) {
        return fs::path(model).filename() == weights.filename();
      });
}

std::optional<fs::path> FindDecoder(const fs::path& path) {
  if (NameOf(path).ends_with(".yml")) return path;
  const fs::path folder = FolderOf(path);
  if (!fs::is_directory(path)) {
    const fs::path beside = path.string() + std::string(kDecoderSuffix);
    if (FileExists(beside)) return beside;
  }
  if (FileExists(folder / kDecoder)) return folder / kDecoder;
  std::vector<fs::path> files = DecodersOf(folder);
  if (!fs::is_directory(path)) {
    std::erase_if(files, [&](const fs::path& decoder) {
      return NameOf(decoder).ends_with(kDecoderSuffix) || !Names(decoder, path);
    });
    return files.size() == 1 ? std::optional(files[0]) : std::nullopt;
  }
  return OnlyOne(folder, "decoder.yml", files, kGiveOne);
}

// A file that decoder.yml names. If its folder is one of another machine, the
// file next to decoder.yml is meant.
fs::path Resolve(const MarianOptions& options, const fs::path& folder,
                 const std::string& name) {
  const fs::path given =
      options.Bool("relative-paths", false) ? folder / name : fs::path(name);
  if (const auto found = FindPacked(given)) return *found;
  if (const auto found = FindPacked(folder / fs::path(name).filename())) {
    return *found;
  }
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

// Text needs limits, which only decoder.yml has.
fs::path GuessShortlist(const fs::path& folder) {
  const auto good = [](const std::string& name) {
    return name.starts_with("lex.") && name.ends_with(".s2t.bin");
  };
  return OnlyOne(folder, "shortlists", FilesOf(folder, good), kNameThem)
      .value_or(fs::path());
}

std::vector<fs::path> GuessPieces(const NativeMarianFiles& files) {
  if (files.vocabularies.empty() ||
      UnpackedName(files.vocabularies.front()).ends_with(".spm")) {
    return {};
  }
  const fs::path folder = FolderOf(files.vocabularies.front());
  std::vector<fs::path> pieces = {folder / "source.spm", folder / "target.spm"};
  if (FileExists(pieces[0]) && FileExists(pieces[1])) return pieces;
  return {};
}

// Says what would otherwise be lost without a word.
void NoteUnused(const fs::path& folder, NativeMarianFiles* files) {
  if (!files->decoder_options) {
    for (const fs::path& decoder : DecodersOf(folder)) {
      files->warnings.push_back(
          Concat(decoder, ": lists models, but is not used; give it in place ",
                 "of the model to use it."));
    }
  }
  if (!files->shortlist.empty()) return;
  const auto is_shortlist = [](const std::string& name) {
    return name.starts_with("lex");
  };
  for (const fs::path& file : FilesOf(folder, is_shortlist)) {
    files->warnings.push_back(Concat(
        file, ": may be a shortlist, but is not used; name it in decoder.yml ",
        "(shortlist: [", NameOf(file), ", 50, 50]) to use it."));
  }
}

}  // namespace

bool IsNativeMarian(const fs::path& path) {
  const std::string name = NameOf(path);
  if (!fs::is_directory(path)) {
    return IsWeights(UnpackedName(path)) || IsDecoder(path);
  }
  return !FilesOf(path, [&](const std::string& file) {
            return IsWeights(file) || IsDecoder(path / file);
          }).empty();
}

NativeMarianFiles FindNativeMarianFiles(const fs::path& path) {
  NativeMarianFiles files;
  const fs::path folder = FolderOf(path);
  const bool given = !fs::is_directory(path) && IsWeights(UnpackedName(path));
  if (const auto decoder = FindDecoder(path)) {
    const MarianOptions& options = files.decoder_options.emplace(
        ReadYamlFile(*decoder), decoder->string());
    const std::vector<std::string> models = options.List("models");
    if (!given && models.size() > 1) {
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
    files.shortlist = GuessShortlist(folder);
  }
  if (files.vocabularies.empty()) {
    files.vocabularies = GuessVocabularies(folder);
  }
  files.pieces = GuessPieces(files);
  NoteUnused(folder, &files);
  return files;
}

}  // namespace latimer
