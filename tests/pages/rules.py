"""What run.py does otherwise than to type a step as it stands, and why. A rule that matches nothing is an error.

A rule is for the pages that match a pattern of fnmatch, and for the steps whose code has a regular expression.

| kind | what it does |
| --- | --- |
| skip | the step is not typed |
| ci | the step is not typed, because .ci/run has the same line; checked |
| needs | the step is not typed if the shell command `do` fails here |
| slow | the step is not typed with --short; otherwise it has `seconds` |
| built | with --short, `do` is typed in its place: build/host of the checkout has what it makes |
| instead | what matches is replaced by `do` |
| stand-in | if `name` does not exist when a step mentions it, `do` makes it; fails if the page does not say `says` before |
| file | the block is written to the file `name` |
| given | Python: `do` is typed before. Others: `do` is the program around the block, `{imports}` and `{code}`; if that does \
not compile, which is a failure, it is tried again with `extra` |
| serves | the command stays in the foreground: its URL is asked for, and it is ended after the block |
| prints | the output has the regular expression `do` |
| about | numbers in the output may differ by this part |
| also | a sentence of the page, which promises what `do` does; typed after the steps before it |
| claim | a sentence with a number, the group; `do` prints it; may differ by 5 % |

If a step is not typed, later steps of the page that mention `name`, or what a preset builds, are not typed either.
"""

from dataclasses import dataclass


@dataclass
class Rule:
    kind: str
    pages: str
    pattern: str
    reason: str
    do: str = ""
    name: str = ""
    says: str = ""
    extra: str = ""
    seconds: float = 1800
    hits: int = 0


TINY_NLLB = "mkdir {name} && cp tests/data/huggingface_tokenizer/nllb_json/* tests/data/family_texts/nllb_json/* {name}"
A_CHECKPOINT = r"hf download|huggingface\.co|#convert-a-model"  # Where a reader gets one.
JAVA = """{imports}
public class Program {
  public static void main(String[] arguments) throws Exception {
    {code}
  }
}
"""

# How a block that is no shell's is run: the file, and the commands. {build} is left out with --short.
RUN = {
    "cpp": ("program.cc", "docs/packages.md: cmake --install, then c++ with pkg-config",
            "{build} cmake --install build/host --prefix ~/usr >/dev/null && "
            "c++ -std=c++20 {file} $(PKG_CONFIG_PATH=~/usr/lib/pkgconfig pkg-config --cflags --libs latimer) "
            "-o {folder}/program && LD_LIBRARY_PATH=~/usr/lib {folder}/program"),
    "java": ("Program.java", "bindings/java/README.md: the files in build/host/java",
             "cp {file} . && javac -d {folder} -cp build/host/java/latimer.jar {file} && "
             "java -cp build/host/java/latimer.jar:{folder} -Djava.library.path=build/host/java Program"),
    "js": ("program.mjs", "bindings/wasm/README.md: build/wasm32/wasm is an npm package",
           "npm install --silent --prefix {folder} ./build/wasm32/wasm && node {file}"),
}  # fmt: skip

RULES = [
    # ---- Not typed ---------------------------------------------------------------------------------------------------
    Rule("ci", "*", r"^cmake --workflow --preset (test|host-asan)\b", "",
         name=r"ctest --test-dir build/host -R system|system_test"),
    Rule("skip", "CONTRIBUTING.md", r"^\.ci/run", "it types these pages itself"),
    Rule("skip", "*", r"^tests/all_boards", "takes hours; .ci/run tests five boards so"),
    Rule("skip", "*", r"^docker ", "no daemon; tests/server/dockerfile_steps.py does what the Dockerfile says"),
    Rule("skip", "tests/bench/README.md", r".", "hours of measurements beside other runtimes, each with its date"),
    Rule("skip", "tests/reference/README.md", r"venv", "makes the fixtures anew, with the libraries of their day"),
    Rule("skip", "tests/fuzz/README.md", r"run 1200|model-crash-\.\.\.", "20 minutes; a crash that is not there"),
    Rule("skip", "tests/fuzz/README.md", r"ctest -R", "what `test` runs, in a sentence"),
    Rule("skip", "examples/en-de/README.md", r"sources\.py|prep\.py|tar [cx]J|train\.py|distil\.py|split -b|\.tsv|^student=|"
         r"evaluate\.py build/demo/student/hf$|^mkdir -p build/demo/more", "needs 1 GB of Debian packages, a GPU, a night"),
    Rule("skip", "bindings/java/README.md", r"AssetFileDescriptor|noCompress", "parts of an Android app"),
    Rule("skip", "bindings/wasm/README.md", r"latimer/converter", "needs files that a visitor chooses; "
         "tests/bindings/wasm/converter_test.mjs"),
    Rule("skip", "docs/packages.md", r"find_package\(|latimer_add_runtime\(", "alternatives, each a project in tests/consumers"),
    Rule("skip", "docs/packages.md", r"^tests/fresh_debian", "needs root and debootstrap, and a folder of 300 MB"),
    Rule("skip", "docs/maps.md", r'"\*\.causal_mask"', "names the tensors of an invented model"),
    Rule("skip", "converter/README.md", r"\[--set", "a synopsis, with alternatives in brackets"),
    Rule("skip", "targets/README.md", r"ios_arm64|LATIMER_APPLE_SDK", "needs the SDK of an iPhone"),
    Rule("skip", "targets/README.md", r"LATIMER_SYSROOT=", "Debian's compiler, the stand-in of an SDK's, knows its own"),
    Rule("skip", "targets/README.md", r"--preset NAME$", "typed after what the sentence says to run once before"),
    Rule("needs", "*", r"ANDROID_NDK_ROOT|android_arm64|make_aar|gradle", "Android's NDK",
         'test -d "${ANDROID_NDK_ROOT:-/opt/android-ndk-r27}"'),
    Rule("needs", "docs/packages.md", r"--preset windows", "MinGW-w64", "command -v x86_64-w64-mingw32-g++-posix"),
    Rule("needs", "docs/packages.md", r"--preset windows_x86_64-test", "Wine", "command -v wine64 || command -v wine"),
    Rule("needs", "*", r"^tests/fuzz/run 30", "Clang", "command -v clang++"),
    Rule("needs", "bindings/wasm/README.md", r"BROWSER", "Chromium", "command -v chromium"),
    Rule("needs", "docs/hugging-face.md", r".", "IndicTransToolkit", "python -c 'import IndicTransToolkit'"),
    Rule("needs", "*", r"^apt-get install", "Debian's lists (apt-get update)", "apt-cache show make"),
    # ---- Not typed with --short --------------------------------------------------------------------------------------
    Rule("slow", "*", r"^cmake --(workflow|build) --preset (raspberry_pi_4|cortex_m7|wasm32)$", "builds for a board"),
    Rule("slow", "*", r"^cmake --workflow --preset \w+-test\b", "all tests of a board", seconds=5400),
    Rule("slow", "*", r"^cmake --workflow --preset (unit|host-tsan|package|windows_x86_64|macos_arm64|wasm32_converter)$",
         "builds", seconds=5400),
    Rule("slow", "docs/build.md", r"my_model|--build --preset host$", "builds another profile"),
    Rule("slow", "docs/packages.md", r"--prefix /usr/local|cpack|-S \$source|pkg-config", "after what builds",
         name=r"~/usr"),
    Rule("slow", "*", r"^tests/fuzz/run 30", "builds, and 30 seconds for each target", seconds=5400),
    Rule("slow", "bindings/python/README.md", r"^(pip wheel|python -m build|pip install '\.\[test\]')", "builds again"),
    Rule("slow", "examples/bulk/README.md", r".", "downloads Spark, 400 MB"),
    Rule("slow", "examples/own_model/README.md", r"pip install torch|train\.py", "trains for 5 minutes", name=r"\bown"),
    Rule("slow", "examples/en-de/README.md", r"smoke\.sh|evaluate\.py|verify_model\.py", "trains a tiny model"),
    Rule("slow", "converter/README.md", r"venv", "downloads PyTorch"),
    Rule("slow", "examples/server/README.md", r"--port 5125|serve_load", "50 seconds of load"),
    Rule("slow", "*", r"^ctest --test-dir build/host -R (java|consumers)", "builds projects"),
    Rule("slow", "targets/README.md", r"my_board|boards/NAME\.cmake", "configures a build"),
    Rule("slow", "targets/README.md", r"-DLATIMER_MODEL=my_model", "configures a build"),
    Rule("slow", "bindings/wasm/README.md", r"pip install ziglang", "downloads Zig, 90 MB"),
    # ---- Built already, with --short -----------------------------------------------------------------------------------
    Rule("built", "*", r"^cmake --workflow --preset demo\b", "check_pages_short built it", "test -e build/host/en-de.ltm"),
    Rule("built", "bindings/java/README.md", r"^cmake --preset host$|--target latimer_java", "check_pages_short built it",
         "test -e build/host/java/latimer.jar", name=r"latimer\.jar"),
    Rule("built", "examples/server/README.md", r"^cmake --(preset host|build build/host)", "check_pages_short built it",
         "test -x build/host/bin/latimer-serve", name=r"latimer-serve|:5000"),
    Rule("built", "*", r"^pip install \.$", "build/host/python has the files of the wheel",
         'cp -RL build/host/python/latimer "$(python -c \'import sysconfig; print(sysconfig.get_path("purelib"))\')"',
         name=r"import latimer|latimer\.|translator|python -m latimer"),
    # ---- Changed -------------------------------------------------------------------------------------------------------
    Rule("instead", "*", r"^apt-get install", "changes the machine; the names are checked", "apt-get install --simulate -qq"),
    Rule("instead", "*", r"^scp (.*) pi@raspberrypi\.local:", "no board: QEMU is it", r"mkdir -p ~/pi && cp \1 ~/pi",
         name="~/pi"),
    Rule("instead", "*", r'^ssh pi@raspberrypi\.local "?([^"]*)"?', "no board: QEMU is it",
         r"(cd ~/pi && qemu-aarch64 -cpu cortex-a72 \1)"),
    Rule("instead", "docs/packages.md", r"/usr/local", "changes the machine", "$HOME/usr"),
    Rule("instead", "docs/packages.md", r"\$\(pkg-config", "/usr/local is where pkg-config and the loader look",
         "-Wl,-rpath,$HOME/usr/lib $(PKG_CONFIG_PATH=$HOME/usr/lib/pkgconfig pkg-config"),
    Rule("instead", "targets/README.md", r"/opt/sdk/bin/aarch64-poky-linux-", "an SDK becomes Debian's compiler",
         "/usr/bin/aarch64-linux-gnu-"),
    Rule("instead", "targets/README.md", r"\bMODEL_DIR\b", "any model", "examples/en-de"),
    Rule("instead", "targets/README.md", r"\bNAME\b", "the board that the page adds", "my_board"),
    Rule("instead", "converter/README.md", r"\bMODEL\b", "any model", "examples/en-de"),
    Rule("instead", "schema/README.md", r"\bMODEL\b", "any model", "examples/en-de"),
    Rule("instead", "converter/README.md", r"--board NAME", "any board", "--board raspberry_pi_4"),
    Rule("instead", "converter/README.md", r"--print-map NAME", "any preset", "--print-map encoder_layers"),
    Rule("instead", "bindings/wasm/README.md", r"\bBROWSER\b", "the browser at hand", "chromium"),
    Rule("instead", "examples/en-de/README.md", r"build/demo/student/hf", "what a night of training leaves has this form",
         "examples/en-de"),
    # ---- What a reader brings ------------------------------------------------------------------------------------------
    Rule("stand-in", "*", r"opus-mt-en-de(?!-)", "a published checkpoint: the demo's folder has its form",
         "cp -r examples/en-de opus-mt-en-de", "opus-mt-en-de", A_CHECKPOINT),
    Rule("stand-in", "README.md", r"nllb-200-distilled-600M", "a published checkpoint", TINY_NLLB,
         "nllb-200-distilled-600M", A_CHECKPOINT),
    Rule("stand-in", "converter/README.md", r"convert nllb\b", "a published checkpoint", TINY_NLLB, "nllb"),
    Rule("stand-in", "*", r"english\.txt", "a text of the reader's", "head -20 examples/en-de/data/test.en >english.txt",
         "english.txt"),
    Rule("stand-in", "converter/README.md", r"text\.en", "a text of the reader's",
         "head -20 examples/en-de/data/test.en >text.en", "text.en"),
    Rule("stand-in", "*", r"page\.html", "a page of the reader's", "cp $(ls tests/data/html/*.html | head -1) page.html",
         "page.html"),
    Rule("stand-in", "examples/bulk/README.md", r"corpus\.parquet", "a table of the reader's",
         "python -c 'import pandas; lines = open(\"examples/en-de/data/test.en\").read().splitlines(); "
         "pandas.DataFrame({\"text\": lines}).to_parquet(\"corpus.parquet\")'", "corpus.parquet"),
    Rule("stand-in", "*", r"(Translator\(|load\(new File\(|--model |--html |\.py |translate |Latimer\.load\()\"?en-de\.ltm|"
         r" en-de\.ltm pi@", "the demo model, which the page has to say",
         "if [[ $page == *wasm* ]]; then build/host/bin/latimer-convert examples/en-de --board wasm32 -o en-de.ltm; "
         "else cp build/host/en-de.ltm .; fi", "en-de.ltm", r"build/host/en-de\.ltm|examples/en-de"),
    Rule("stand-in", "README.md", r"\"model\.ltm\"", "a converted model, which the page has to say", "cp build/host/en-de.ltm model.ltm",
         "model.ltm", r"-o model\.ltm"),
    Rule("stand-in", "targets/README.md", r"(de-en|en-fr)\.ltm", "converted models",
         "for m in de-en en-fr; do build/host/bin/latimer-convert examples/en-de -o $m.ltm --board raspberry_pi_4; done",
         "de-en.ltm"),
    Rule("stand-in", "README.md", r"model\.ende\.intgemm", "a student of Firefox's, as published: model and vocabulary",
         "for f in model.{}.intgemm.alphas.bin vocab.{}.spm; do cp tests/data/tiny_native/student/${f/{\\}/xxyy} ${f/{\\}/ende}; "
         "done", "model.ende.intgemm.alphas.bin"),
    Rule("stand-in", "docs/marian.md", r"model\.enes\.intgemm", "a student of Firefox's, as published: model and vocabulary",
         "for f in model.{}.intgemm.alphas.bin vocab.{}.spm; do cp tests/data/tiny_native/student/${f/{\\}/xxyy} ${f/{\\}/enes}; "
         "done", "model.enes.intgemm.alphas.bin"),
    Rule("stand-in", "docs/marian.md", r"opus-2020", "an OPUS-MT download", "cp -r tests/data/tiny_native/separate opus-2020-02-26",
         "opus-2020-02-26"),
    Rule("stand-in", "docs/marian.md", r"model\.npz", "a native Marian model", "cp tests/data/tiny_native/tied_all/* .", "model.npz"),
    Rule("stand-in", "README.md", r"model\.pt", "a Transformer of the reader's", "cp tests/data/own_models/encoder_layers_words/* .",
         "model.pt"),
    Rule("stand-in", "docs/maps.md", r"encoder_layers --set", "a Transformer of the reader's",
         "cp tests/data/own_models/encoder_layers_words/* .", "model.pt"),
    Rule("stand-in", "docs/maps.md", r"gru_bahdanau", "GRUs of the reader's", "cp tests/data/recurrent/bahdanau/model.pt .", "gru"),
    Rule("stand-in", "docs/ctranslate2.md", r"opus-mt-en-de-ct2", "a folder of CTranslate2's converters",
         "cp -r tests/data/marian_tokenizer/added_tokens opus-mt-en-de-ct2; cp tests/data/ctranslate2/text_marian/* opus-mt-en-de-ct2",
         "opus-mt-en-de-ct2"),
    Rule("stand-in", "docs/ctranslate2.md", r"nllb-200", "a folder of CTranslate2's converters",
         "cp -r tests/data/huggingface_tokenizer/nllb_json {name}; cp tests/data/ctranslate2/text_nllb_json/* {name}",
         "nllb-200-distilled-600M-int8"),
    Rule("stand-in", "docs/ctranslate2.md", r"translate-en_de-1_0", "an Argos package",
         "mkdir {name}; cp -r tests/data/ctranslate2/text_argos {name}/model; "
         "cp tests/data/marian_tokenizer/separate/source.spm {name}/sentencepiece.model", "translate-en_de-1_0"),
    Rule("stand-in", "docs/ctranslate2.md", r"some-ct2-folder", "a folder of CTranslate2's converters",
         "cp -r tests/data/ctranslate2/marian some-ct2-folder", "some-ct2-folder"),
    Rule("stand-in", "docs/build.md", r"my_model", "a profile of the reader's", "cp targets/models/en_de.h targets/models/my_model.h",
         "targets/models/my_model.h"),
    Rule("stand-in", "docs/packages.md", r"my_program\.cc", "a program of the reader's", "cp examples/translate.cc my_program.cc",
         "my_program.cc"),
    Rule("stand-in", "docs/packages.md", r"my_program\.c\b(?!c)", "a program of the reader's",
         "cp examples/translate.c my_program.c", "my_program.c"),
    Rule("stand-in", "bindings/java/README.md", r"deu_Latn", "a multilingual model",
         "mkdir nllb && cp tests/data/{huggingface_tokenizer,family_texts}/nllb_json/* nllb && "
         "build/host/bin/latimer-convert nllb -o nllb.ltm", "nllb.ltm"),
    Rule("file", "targets/README.md", r"^include\(.*board\.cmake", "the page says where it lies", name="targets/boards/my_board.cmake"),
    Rule("given", "README.md", r"latimer::Workspace workspace", "`Use` is the reader's", """{imports}
#include <cstdio>
#include <string_view>
static void Use(std::string_view text) {{ std::printf("%.*s\\n", static_cast<int>(text.size()), text.data()); }}
int main() {{
  {code}
}}
""".replace("{{", "{").replace("}}", "}"), extra='#include "latimer/mapped_file.h"\n#include "latimer/translator.h"'),
    Rule("given", "bindings/java/README.md", r"new File\(", "a class and main around statements", JAVA, extra="import java.io.File;"),
    Rule("given", "bindings/java/README.md", r"budgetMillis", "translator, text, stopped and rest are the reader's", JAVA.replace(
         "    {code}", """    Translator translator = Translator.load(new java.io.File("nllb.ltm"));
    String text = "Hello.", rest = "";
    boolean stopped = false;
    {code}"""), extra="import dev.latimer.*;"),
    Rule("given", "bindings/java/README.md", r"beams\(4\)", "file is the reader's", JAVA.replace("    {code}",
         "    java.io.File file = new java.io.File(\"build/host/en-de.ltm\");\n    {code}"),
         extra="import dev.latimer.*;\nimport java.util.Collections;"),
    Rule("given", "bindings/wasm/README.md", r"Latimer\.load\(\"en-de", "show, append and article are the reader's", """{imports}
const show = console.log, append = console.log, article = "How are you? I am fine.";
{code}
await translator.close?.();
process.exit(0);
"""),
    Rule("given", "bindings/python/README.md", r"\(lines\b", "lines are the reader's",
         'lines = ["How are you?", "I have not read the book yet."]'),
    Rule("serves", "*", r"examples/web/serve\.py", "answers until Ctrl-C", r'id="translation"[^>]*>[^<]*Buch'),
    Rule("serves", "examples/server/README.md", r"latimer-serve build/host/en-de\.ltm$", "answers until Ctrl-C"),
    # ---- What must come out --------------------------------------------------------------------------------------------
    Rule("prints", "README.md", r"qemu-system-arm -M", "the demo's translation", "Ich habe das Buch noch nicht gelesen"),
    Rule("prints", "README.md", r"workspace;|import latimer; print", "the demo's translation", "Wie geht es"),
    Rule("prints", "bindings/*", r"How are you today\?", "the demo's translation", "^$|Wie geht es"),
    Rule("prints", "*", r"Where is the station\?", "the demo's translation", r"Wo ist der Bahnhof\?"),
    Rule("prints", "runtime/README.md", r"sha256sum", "tests/data/same_tokens.sha256", "$(awk '$2 == \"int8\" && $3 == 1000 {print $1}' "
         "tests/data/same_tokens.sha256)"),
    Rule("about", "examples/own_model/README.md", r"--alignment --scores", "depend on the CPU that trained", "0.5"),
    Rule("about", "converter/README.md", r"--certify", "f32 depends on the CPU", "0.01"),
    Rule("about", "converter/README.md", r"verify_model", "f32 depends on the CPU", "0.05"),
    Rule("also", "targets/README.md", r"writes\s+`boards/presets\.json`", "the presets can be read, and have the board",
         "cmake --preset my_board"),
    Rule("also", "targets/README.md", r"The board can be used at once", "--board NAME takes its name",
         "build/host/bin/latimer-convert examples/en-de --board my_board -o my_board.ltm"),
    Rule("claim", "README.md", r"one static file of about ([\d.]+) MB", "size in MB",
         "echo $(($(stat -c %s build/raspberry_pi_4/bin/latimer) / 1000))e-3"),
]
