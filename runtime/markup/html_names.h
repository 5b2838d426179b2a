// What the names of HTML elements mean for a translation.
#ifndef LATIMER_MARKUP_HTML_NAMES_H_
#define LATIMER_MARKUP_HTML_NAMES_H_

#include <cstdint>
#include <string_view>

namespace latimer {

enum class ElementKind : uint8_t {
  kBlock,         // Ends a sentence: <p>, <br>, and names that are not known.
  kInline,        // Marks a portion of a sentence: <b>.
  kInlineVoid,    // Stands in a sentence, and has no content: <img>.
  kInlineOpaque,  // Stands in a sentence; its content stays as it is: <code>.
  kBlockOpaque,   // Ends a sentence; its content stays as it is: <pre>.
};

ElementKind KindOfElement(std::string_view name);

// Whether a tag of this name has no content and no end tag: <img>, <br>.
bool IsVoidElement(std::string_view name);

// If the content of an element is not HTML: its name, else null.
const char* RawTextElement(std::string_view name);

// Whether two names are equal but for the case of letters from A to Z.
bool SameName(std::string_view a, std::string_view b);

// A number for a name, whatever its case.
uint32_t HashOfName(std::string_view name);

// Whether the attributes of an open tag, "<b class=x>", say that its content
// is not to be translated: translate="no" or class="notranslate".
bool ForbidsTranslation(std::string_view tag);

}  // namespace latimer

#endif  // LATIMER_MARKUP_HTML_NAMES_H_
