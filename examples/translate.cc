// Translates one sentence with the C++ API: example_cpp MODEL.ltm TEXT

#include <cstdio>
#include <memory>
#include <new>

#include "latimer/mapped_file.h"
#include "latimer/plan.h"
#include "latimer/translator.h"

namespace {

struct alignas(64) Block {
  std::byte bytes[64];
};

latimer::InfoScratch scratch;

// Of a model of any size: maps the file, asks how much memory translation
// takes, and translates. A device without a heap has a static
// latimer::Workspace instead, one without files the model in flash.
latimer::Status Run(const char* path, const char* text) {
  latimer::MappedFile file;
  LATIMER_RETURN_IF_ERROR(file.Open(path));
  latimer::ModelInfo info;
  LATIMER_RETURN_IF_ERROR(latimer::ReadModelInfo(
      file.bytes(), /*verify_checksum=*/false, &scratch, &info));
  const latimer::LoadOptions options = {.lanes = 1, .insight = false};
  const auto blocks = static_cast<size_t>(
      latimer::PlanWorkspace(info, options).bytes / sizeof(Block));
  const std::unique_ptr<Block[]> workspace(new (std::nothrow) Block[blocks]);
  if (workspace == nullptr) {
    return latimer::Status::Error(latimer::StatusCode::kResourceUnavailable,
                                  "There is no memory for the workspace.");
  }

  latimer::Translator translator;
  LATIMER_RETURN_IF_ERROR(translator.Load(
      file.bytes(), std::as_writable_bytes(std::span(workspace.get(), blocks)),
      options));
  const auto translation = translator.Translate(text);
  if (!translation.ok()) return translation.status();
  std::printf("%.*s\n", static_cast<int>(translation->text.size()),
              translation->text.data());
  return latimer::Status();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: example_cpp MODEL.ltm TEXT\n", stderr);
    return 2;
  }
  const latimer::Status status = Run(argv[1], argv[2]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.message());
  return status.ok() ? 0 : 1;
}
