// The files that a command reads and writes in place of standard input and
// output.
#ifndef LATIMER_CLI_FILES_H_
#define LATIMER_CLI_FILES_H_

#include <cstdint>
#include <span>

#include "cli/arguments.h"

namespace latimer::cli {

// Whether a path is "-", which stands for a standard stream.
bool IsStandardStream(const char* path);

// Opens the first of arguments.files in place of standard input. If somebody at
// a terminal is to type the input, says so. Prints a sentence and returns
// kFailure if a file cannot be opened.
int OpenInputFiles(const Arguments& arguments);

// Opens arguments.output in place of standard output, which empties it: once
// nothing else can be refused. Errors as those of OpenInputFiles.
int OpenOutput(const Arguments& arguments);

// "standard output", or the file that has taken its place.
const char* OutputName();

// What follows the file that OpenInputFiles has opened.
inline std::span<char* const> FilesToCome(const Arguments& arguments) {
  return arguments.files.subspan(arguments.files.empty() ? 0 : 1);
}

// Bytes of the files to read, or of standard input if it is a file; 0 if some
// of them is no regular file. Call it after OpenInputFiles.
uint64_t BytesToRead(const Arguments& arguments);

// Whether it is a file that begins as model files do.
bool IsModelFile(const char* path);

// Opens a file in place of standard input, or that itself for "-"; returns
// errno, or 0.
int ReadInsteadOfStandardInput(const char* path);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_FILES_H_
