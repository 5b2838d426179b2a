// Translates a text with both runtimes: cpp MODEL.ltm TEXT

extern "C" bool TranslateLong(const char* path, const char* text);
extern "C" bool TranslateShort(const char* path, const char* text);

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  return TranslateLong(argv[1], argv[2]) && TranslateShort(argv[1], argv[2])
             ? 0
             : 1;
}
