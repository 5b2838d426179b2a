// The XML of documents, as HTML and back. Everything but the text of paragraphs
// stays as it is, byte for byte. bindings/python/latimer/_markup.py does the
// same.
#ifndef LATIMER_SERVER_MARKUP_H_
#define LATIMER_SERVER_MARKUP_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "job.h"

namespace latimer::server {

// Memory of a tag or a text, besides its bytes.
inline constexpr size_t kTokenBytes = 16;

// The paragraphs of an XML file, each of which is a <p> for a model. In it, a
// numbered tag stands for each format, link, picture or note. The places of the
// tags in the translation say where each one goes.
class Paragraphs {
 public:
  // OpenDocument; or Office Open XML, whose paragraphs consist of runs.
  enum class Kind : uint8_t { kOpenDocument, kOfficeOpen };

  // Keeps a view of `xml`. Throws Damaged if it is no XML. The growth is in
  // numbered tags.
  Paragraphs(Kind kind, std::string_view xml, const OnGrowth& on_growth);

  // Empty if there are no words.
  const std::string& html() const { return html_; }
  // The XML with translations. Throws Damaged if `html` has other tags.
  std::string Translated(std::string_view html);

 private:
  using Pieces = std::vector<std::string_view>;
  enum class TokenKind : uint8_t { kText, kStart, kEmpty, kEnd, kOther };
  struct Token {
    uint32_t begin = 0;  // In the XML.
    uint32_t end = 0;    // Of an element, the token that ends it.
    TokenKind kind = TokenKind::kText;
  };
  // What a numbered tag stands for: what is put around the translation of its
  // words, which is runs with those properties if they have a kind.
  struct Place {
    Pieces before = {}, after = {};
    char run = '\0';
    std::string_view properties = {};
    std::optional<size_t> paragraph = {};  // Whose content this is.
  };
  struct Run {
    char kind;
    std::optional<size_t> base;  // What most of its paragraph looks like.
  };
  class Inline;

  void Read();
  std::string_view Xml(size_t begin, size_t end) const;
  std::string_view Tag(size_t token) const { return Xml(token, token + 1); }
  std::string_view Item(size_t token) const { return Xml(token, Next(token)); }
  std::string_view EndOf(size_t node) const;
  size_t Next(size_t token) const;
  // Empty if it is no element.
  std::string_view Name(size_t token) const;
  std::vector<size_t> Items(size_t node) const;
  std::optional<std::string> Text(size_t token) const;

  void Find(size_t token);
  std::string Tagged(const char* name, std::string_view html, Place place);
  std::string Kept(size_t token, const char* name);

  std::string OpenInline(size_t node);
  void FindNoFormats();

  std::string Around(const char* tag, size_t node, Run run, Place place);
  std::string OfficeInline(std::span<const size_t> items, Run run);
  std::string Field(std::span<const size_t> field, Run run);
  std::string Stays(size_t token, std::string_view name, Pieces pieces);
  std::optional<size_t> BaseOf(size_t node);
  size_t LookOf(size_t run);
  Place RunsOf(char kind, std::optional<size_t> look) const;

  void Print(std::string_view piece, std::string* out) const;

  const Kind kind_;
  const OnGrowth& on_growth_;  // Until it is made.
  const std::string_view xml_;
  std::vector<Token> tokens_;
  std::string html_;
  std::vector<Place> places_;
  std::vector<std::string_view> no_formats_;  // Names of styles.
  std::map<std::string, size_t, std::less<>> looks_;
  std::vector<std::string_view> properties_;  // Of runs, by their look.
  std::deque<std::string> words_;             // Translated.
  // By the place of a paragraph in the XML: its content.
  std::map<size_t, std::pair<std::string_view, Pieces>> translated_;
  size_t most_bytes_ = 0;  // Of the translation.
};

// XHTML is nearly HTML: what only XML has goes through as empty tags.
std::string HtmlOfXhtml(std::string_view xml);
// The XHTML with a translation of that HTML.
std::string XhtmlOf(std::string_view xml, std::string html);

}  // namespace latimer::server

#endif  // LATIMER_SERVER_MARKUP_H_
