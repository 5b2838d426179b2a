#include "documents.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "archive.h"
#include "markup.h"
#include "text/utf8.h"

namespace latimer::server {
namespace {

// Of a file in a document: copies of it, and what is made of its translation.
constexpr size_t kCopies = 6;
// What a job takes for each byte of HTML, as that of a request does.
constexpr size_t kHtmlCopies = 8;

// Whether a file in a document has text to translate.
bool HasText(FileFormat format, std::string_view name) {
  const auto ends = [&](auto... endings) {
    return (name.ends_with(endings) || ...);
  };
  if (format == FileFormat::kBook) {
    return ends(".xhtml", ".html", ".htm", ".ncx");
  }
  if (!ends(".xml")) return false;
  name.remove_suffix(4);
  const auto is = [&](auto... names) { return ((name == names) || ...); };
  if (format == FileFormat::kOpenDocument) return is("content", "styles");
  for (const std::string_view folder : {"ppt/slides/", "ppt/notesSlides/"}) {
    if (name.starts_with(folder)) {
      return name.find('/', folder.size()) == name.npos;
    }
  }
  name = name.substr(0, name.find_last_not_of("0123456789") + 1);
  return is("word/document", "word/header", "word/footer", "word/footnotes",
            "word/endnotes", "word/comments", "word/diagrams/data",
            "word/diagrams/drawing", "ppt/diagrams/data",
            "ppt/diagrams/drawing");
}

// Calls `translate` with the HTML of each file that has words, and puts what it
// returns into the archive.
void Read(FileFormat format, std::string_view file, const OnGrowth& on_growth,
          const std::function<std::string(std::string)>& translate,
          std::string* copy) {
  size_t reserved = 0;  // Files are read one after another.
  const auto reserve = [&](size_t bytes) {
    if (bytes <= reserved) return;
    if (on_growth) on_growth((bytes - reserved) / kItemBytes + 1);
    reserved = bytes;
  };
  const auto read = [&](const std::string& name, std::string* xml) {
    if (xml->starts_with("\xEF\xBB\xBF")) xml->erase(0, 3);
    if (!IsUtf8(*xml)) throw Damaged{name + " in it is not UTF-8"};
    const auto tags =
        static_cast<size_t>(std::ranges::count(std::as_const(*xml), '<'));
    reserve(kCopies * xml->size() + 2 * kTokenBytes * tags);
    try {
      if (format == FileFormat::kBook) {
        *xml = XhtmlOf(*xml, translate(HtmlOfXhtml(*xml)));
        return;
      }
      Paragraphs paragraphs(format == FileFormat::kOpenDocument
                                ? Paragraphs::Kind::kOpenDocument
                                : Paragraphs::Kind::kOfficeOpen,
                            *xml, on_growth);
      if (paragraphs.html().empty()) return;
      *xml = paragraphs.Translated(translate(paragraphs.html()));
    } catch (const Damaged& damaged) {
      throw Damaged{name + " in it " + damaged.why};
    }
  };
  ReadArchive(file,
              {.wants = [&](auto name) { return HasText(format, name); },
               .on_size = [&](size_t bytes) { reserve(kCopies * bytes); },
               .read = read},
              copy);
}

}  // namespace

bool IsDocument(FileFormat format) { return format >= FileFormat::kOfficeOpen; }

std::vector<FileText> TextsOfDocument(FileFormat format, std::string_view file,
                                      const OnGrowth& on_growth) {
  std::vector<FileText> texts;
  const auto keep = [&](std::string html) {
    if (on_growth) on_growth(kHtmlCopies * html.size() / kItemBytes + 1);
    texts.push_back({html, Format::kHtml});
    return html;
  };
  Read(format, file, on_growth, keep, nullptr);
  return texts;
}

std::string TranslatedDocument(FileFormat format, std::string_view file,
                               const std::vector<std::string>& translations) {
  std::string out;
  size_t next = 0;
  Read(
      format, file, {},
      [&](const std::string&) { return translations[next++]; }, &out);
  return out;
}

}  // namespace latimer::server
