// Translates a text with both runtimes: cpp MODEL.ltm TEXT

#include <cstddef>
#include <cstdio>

extern "C" bool TranslateLong(const void* image, size_t bytes,
                              const char* text);
extern "C" bool TranslateShort(const void* image, size_t bytes,
                               const char* text);

alignas(64) static std::byte image[16 << 20];

int main(int argc, char** argv) {
  std::FILE* file = argc == 3 ? std::fopen(argv[1], "rb") : nullptr;
  if (file == nullptr) return 2;
  const size_t bytes = std::fread(image, 1, sizeof(image), file);
  std::fclose(file);
  return TranslateLong(image, bytes, argv[2]) &&
                 TranslateShort(image, bytes, argv[2])
             ? 0
             : 1;
}
