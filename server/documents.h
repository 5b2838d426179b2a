// Documents: archives of XML, whose texts a model gets as HTML.
#ifndef LATIMER_SERVER_DOCUMENTS_H_
#define LATIMER_SERVER_DOCUMENTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "files.h"

namespace latimer::server {

bool IsDocument(FileFormat format);

// The HTML of each file with words in the document. Throws Damaged, as does the
// next function.
std::vector<FileText> TextsOfDocument(FileFormat format, std::string_view file,
                                      const OnGrowth& on_growth = {});

// The document with a translation in place of each text.
std::string TranslatedDocument(FileFormat format, std::string_view file,
                               const std::vector<std::string>& translations);

}  // namespace latimer::server

#endif  // LATIMER_SERVER_DOCUMENTS_H_
