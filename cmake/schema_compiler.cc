// schema_compiler SCHEMA.fbs OUTPUT_FOLDER: writes SCHEMA_generated.h there,
// as `flatc --cpp --scoped-enums --gen-mutable` does. The full flatc compiles
// generators for a dozen languages, which takes a minute; this takes seconds.
#include <cstdio>
#include <string>

#include "flatbuffers/idl.h"
#include "flatbuffers/util.h"
#include "idl_gen_cpp.h"

namespace flatbuffers {

// The C++ generator refers to it; our schema has no services.
bool GenerateCppGRPC(const Parser&, const std::string&, const std::string&) {
  return false;
}

// Defined in the full flatc.
void LogCompilerWarn(const std::string& warning) {
  std::fprintf(stderr, "warning: %s\n", warning.c_str());
}
void LogCompilerError(const std::string& error) {
  std::fprintf(stderr, "error: %s\n", error.c_str());
}

}  // namespace flatbuffers

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s SCHEMA.fbs OUTPUT_FOLDER\n", argv[0]);
    return 2;
  }
  const std::string schema_file = argv[1];
  const std::string output_folder =
      flatbuffers::ConCatPathFileName(argv[2], "");
  std::string schema;
  if (!flatbuffers::LoadFile(schema_file.c_str(), false, &schema)) {
    std::fprintf(stderr, "%s: cannot be read\n", schema_file.c_str());
    return 1;
  }
  flatbuffers::IDLOptions options;
  options.lang_to_generate = flatbuffers::IDLOptions::kCpp;
  options.scoped_enums = true;
  options.prefixed_enums = false;
  options.mutable_buffer = true;
  flatbuffers::Parser parser(options);
  const std::string folder = flatbuffers::StripFileName(schema_file);
  const char* include_folders[] = {folder.c_str(), nullptr};
  if (!parser.Parse(schema.c_str(), include_folders, schema_file.c_str())) {
    std::fprintf(stderr, "%s\n", parser.error_.c_str());
    return 1;
  }
  flatbuffers::EnsureDirExists(argv[2]);
  const std::string name =
      flatbuffers::StripPath(flatbuffers::StripExtension(schema_file));
  if (flatbuffers::NewCppCodeGenerator()->GenerateCode(parser, output_folder,
                                                       name) !=
      flatbuffers::CodeGenerator::Status::OK) {
    std::fprintf(stderr, "%s%s_generated.h: cannot be written\n",
                 output_folder.c_str(), name.c_str());
    return 1;
  }
  return 0;
}
