// Where the targets find tests/data and examples/en-de.
#ifndef LATIMER_TESTS_FUZZ_SOURCE_FOLDER_H_
#define LATIMER_TESTS_FUZZ_SOURCE_FOLDER_H_

#include <filesystem>

namespace latimer {

// The folder `source` beside the program, if there is one, else the tree that
// the program was compiled from.
std::filesystem::path SourceFolder();

}  // namespace latimer

#endif  // LATIMER_TESTS_FUZZ_SOURCE_FOLDER_H_
