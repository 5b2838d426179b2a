"""Verifies a converted model against the library that it comes from, on your own text.

    python3 tests/reference/verify_model.py FOLDER --text FILE [--references FILE] [--latimer build/host/bin]

FOLDER is what latimer-convert read: a Hugging Face folder (compared with transformers) or a CTranslate2 folder
(compared with ctranslate2). Compares, line by line: the ids of the source; the ids of greedy search in f32, their
log-probabilities, and of beam search; the text; and how far the int8 model, or MODEL.ltm if it is given, agrees.
Prints where they differ first, and one verdict. Exit code 0: verified.
"""

import argparse
import copy
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOLERANCE = 1e-3  # Of log-probabilities.
CLOSE = 1e-4  # The same, between two tokens that rounding may exchange.


@dataclass
class Translation:
    """Ids after the start token, EOS included, and the log-probability of each, where it is known."""

    ids: list[int]
    scores: list[float] = field(default_factory=list)


class Transformers:
    """What transformers computes in float32 on the CPU."""

    has_beams = True

    def __init__(self, folder: Path, arguments: argparse.Namespace) -> None:
        import torch
        import transformers

        transformers.utils.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        torch.set_num_threads(arguments.threads)
        self.torch = torch
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if config["model_type"] == "IndicTrans":
            sys.exit(f"{folder}: transformers has no IndicTrans2, only the code that is published with it; "
                     "tests/reference/make_indictrans.py compares with that.")
        self.name = f"transformers {transformers.__version__}"
        # SMaLL-100's own class is M2M100's, with the target's language where that has the source's.
        self.small100 = is_small100(folder)
        self.tokenizer = (transformers.M2M100Tokenizer if self.small100
                          else transformers.AutoTokenizer).from_pretrained(folder)
        self.model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=torch.float32).eval()
        if config["model_type"] == "umt5":
            # transformers 5 forgets the field that says whether the output is scaled.
            self.model.config.tie_word_embeddings = config.get("tie_word_embeddings", True)
        self.exact = None
        self.limits = {"max_new_tokens": arguments.max_target_tokens, "do_sample": False}
        self.model.generation_config.forced_eos_token_id = None  # Which Latimer forces at the model's own limit only.
        if arguments.source_lang:
            self.tokenizer.src_lang = arguments.source_lang
        self.prefix = arguments.prefix or ""
        if arguments.target_lang:
            self._set_target(arguments.target_lang)

    def _set_target(self, code: str) -> None:
        if self.small100:
            self.tokenizer.src_lang = code
            return
        # MADLAD-400's and Marian's languages stand in the text.
        for token, space in ((f"<2{code}>", " "), (f">>{code}<<", "")):
            if token in self.tokenizer.get_vocab():
                self.prefix = token + space + self.prefix
                return
        self.tokenizer.tgt_lang = code
        codes = getattr(self.tokenizer, "lang_code_to_token", None)
        token = codes.get(code, code) if codes else code
        # mBART-50 forces the language's token; mBART begins with it.
        is_mbart = type(self.tokenizer).__name__.startswith("MBartTokenizer")
        option = "decoder_start_token_id" if is_mbart else "forced_bos_token_id"
        self.limits[option] = self.tokenizer.convert_tokens_to_ids(token)

    def encode(self, text: str) -> list[int]:
        return self.tokenizer(self.prefix + text).input_ids

    def decode(self, ids: list[int]) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=True)

    def _until_eos(self, ids: list[int]) -> list[int]:
        ends = self.model.generation_config.eos_token_id
        ends = ends if isinstance(ends, list) else [ends]
        for i, token in enumerate(ids):
            if token in ends:
                return ids[: i + 1]
        return ids

    def search(self, ids: list[int], beams: int, exact: bool = False) -> Translation:
        """The best translation; in float64 if it is to be exact."""
        if exact and self.exact is None:
            self.exact = copy.deepcopy(self.model).double()
        model = self.exact if exact else self.model
        with self.torch.no_grad():
            result = model.generate(self.torch.tensor([ids]), num_beams=beams, return_dict_in_generate=True,
                                    output_scores=True, **self.limits)
        translation = Translation(self._until_eos(result.sequences[0].tolist()[1:]))
        if beams == 1:
            translation.scores = [float(logits[0].log_softmax(-1)[token])
                                  for token, logits in zip(translation.ids, result.scores)]
        return translation

    def is_close(self, ids: list[int], beams: int, want: Translation, have: Translation) -> bool:
        """Whether rounding in float32 has changed the library's own result."""
        return self.search(ids, beams, exact=True).ids != want.ids


class CTranslate2:
    """What CTranslate2 computes in float32, of weights of any type."""

    has_beams = False  # Latimer's beam search is that of transformers, which differs in details.

    def __init__(self, folder: Path, arguments: argparse.Namespace) -> None:
        import ctranslate2
        import numpy

        self.folder, self.numpy, self.name = folder, numpy, f"ctranslate2 {ctranslate2.__version__}"
        self.translator = ctranslate2.Translator(str(folder), compute_type="float32", intra_threads=arguments.threads)
        settings = folder / "config.json"
        config = json.loads(settings.read_text(encoding="utf-8")) if settings.exists() else {}
        self.eos, self.unk = config.get("eos_token", "</s>"), config.get("unk_token", "<unk>")
        self.ends = config.get("add_source_eos", True)  # CTranslate2 adds it to what it is given.
        self.begin = [config["bos_token"]] if config.get("add_source_bos") else []
        self.tokens = [read_vocabulary(folder, side) for side in ("source", "target")]
        self.ids = [{token: i for i, token in enumerate(tokens)} for tokens in self.tokens]
        self.longest, self.prefix, self.target = arguments.max_target_tokens, arguments.prefix or "", []
        self.tokenizer, self.pieces, added = None, [], self.ends
        if (folder / "source.spm").exists():
            added = True  # By Marian's tokenizer, if not by CTranslate2.
            self._read_pieces(folder / "source.spm", folder / "target.spm")
            code = f">>{arguments.target_lang}<<"
        elif any((folder / name).exists() for name in ("tokenizer.json", "tokenizer_config.json")):
            import transformers

            transformers.utils.logging.set_verbosity_error()
            kind = transformers.M2M100Tokenizer if is_small100(folder) else transformers.AutoTokenizer
            try:
                self.tokenizer = kind.from_pretrained(folder)
            except (OSError, ValueError) as error:
                sys.exit(f"{folder}: transformers cannot read its tokenizer; copy tokenizer.json and "
                         f"tokenizer_config.json of the original into it.\n{error}")
            if arguments.source_lang:
                self.tokenizer.src_lang = arguments.source_lang
            code = f"<2{arguments.target_lang}>"
        else:
            models = [path for kind in ("*.model", "*.spm") for path in folder.glob(kind)]
            models = models or list(folder.resolve().parent.glob("sentencepiece.model"))  # Of an Argos package.
            if len(models) != 1:
                sys.exit(f"{folder} has no tokenizer; copy source.spm and target.spm, tokenizer.json, or one "
                         "SentencePiece model into it.")
            if models[0].name in ("spiece.model", "sentencepiece.bpe.model"):
                sys.exit(f"{folder}: {models[0].name} alone does not say which tokenizer it belongs to; copy "
                         "tokenizer_config.json of the original into it.")
            self._read_pieces(models[0], models[0])
            code = ""
        self.last = [self.eos] * added
        if arguments.target_lang:
            self._set_target(arguments.target_lang, code)

    def _read_pieces(self, *files: Path) -> None:
        import sentencepiece

        self.pieces = [sentencepiece.SentencePieceProcessor(model_file=str(file)) for file in files]

    def _set_target(self, language: str, code: str) -> None:
        if code in self.ids[0]:
            self.prefix = code + (" " if code.startswith("<2") else "") + self.prefix
            return
        if is_small100(self.folder):
            self.tokenizer.src_lang = language
            return
        codes = getattr(self.tokenizer, "lang_code_to_token", None) or {}
        token = next((t for t in (codes.get(language), language, f"__{language}__") if t in self.ids[1]), None)
        if token is None:
            sys.exit(f"The vocabulary has no language {language!r}.")
        self.target = [token]

    def encode(self, text: str) -> list[int]:
        text = self.prefix + text
        if self.tokenizer:
            tokens = self.tokenizer.convert_ids_to_tokens(self.tokenizer(text).input_ids)
        else:
            code = re.match(r">>[^<]+<<|", text)[0]  # Marian's language of the target.
            pieces = self.pieces[0].encode(text[len(code) :], out_type=str)
            tokens = self.begin + [code] * bool(code) + pieces + self.last
        return [self.ids[0].get(token, self.ids[0][self.unk]) for token in tokens]

    def decode(self, ids: list[int]) -> str:
        tokens = [self.tokens[1][i] for i in ids]
        if self.tokenizer:
            return self.tokenizer.decode(self.tokenizer.convert_tokens_to_ids(tokens), skip_special_tokens=True)
        return self.pieces[1].decode_pieces([token for token in tokens if token != self.eos])

    def search(self, ids: list[int], beams: int) -> Translation:
        found, steps = self._steps(ids, beams)
        return Translation(found, [float(step[token]) for token, step in zip(found, steps)])

    def _steps(self, ids: list[int], beams: int):
        """The best translation's ids, and all log-probabilities [ids, vocabulary] of its steps."""
        tokens = [self.tokens[0][i] for i in ids]
        tokens = tokens[len(self.begin) : len(tokens) - self.ends]
        result = self.translator.translate_batch([tokens], target_prefix=[self.target], beam_size=beams,
                                                 max_decoding_length=self.longest, return_end_token=True,
                                                 return_logits_vocab=True)[0]  # fmt: skip
        found = [self.ids[1][token] for token in result.hypotheses[0]]
        steps = self.numpy.asarray([self.numpy.asarray(step) for step in result.logits[0]], dtype=float)
        steps -= steps.max(-1, keepdims=True)
        steps -= self.numpy.log(self.numpy.exp(steps).sum(-1, keepdims=True))
        steps[: len(self.target)] = 0  # What is given has probability 1.
        return found, steps

    def is_close(self, ids: list[int], beams: int, want: Translation, have: Translation) -> bool:
        """Whether the two tokens where the translations part are about equally likely."""
        at = first_difference(want.ids, have.ids)
        if at == min(len(want.ids), len(have.ids)):
            return False
        step = self._steps(ids, beams)[1][at]
        return abs(step[want.ids[at]] - step[have.ids[at]]) < CLOSE


def read_vocabulary(folder: Path, side: str) -> list[str]:
    """Tokens of a CTranslate2 folder's side, source or target."""
    path = next(path for name in (side, "shared") for path in folder.glob(f"{name}_vocabulary.*"))
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else text.split("\n")[:-1]


def is_small100(folder: Path) -> bool:
    settings = folder / "tokenizer_config.json"
    named = settings.exists() and "SMALL100Tokenizer" in settings.read_text(encoding="utf-8")
    return named or (folder / "tokenization_small100.py").exists()


class Latimer:
    """What the programs compute."""

    def __init__(self, tools: Path, arguments: argparse.Namespace) -> None:
        self.tools = tools
        self.languages = []
        for option in ("source_lang", "target_lang", "prefix"):
            if getattr(arguments, option):
                self.languages += ["--" + option.replace("_", "-"), getattr(arguments, option)]
        self.limit = ["--max-target-tokens", str(arguments.max_target_tokens)]

    def run(self, program: str, *command: str | Path, text: str | None = None) -> str:
        result = subprocess.run([str(self.tools / program), *map(str, command)], input=text, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace", check=False)
        if result.returncode != 0:
            sys.exit(f"{program}: {result.stderr.strip()}")
        return result.stdout

    def convert(self, folder: Path, model: Path, weights: str) -> Path:
        self.run("latimer-convert", folder, "-o", model, "--weights", weights, "--quiet")
        return model

    def encode(self, model: Path, lines: list[str]) -> list[list[int]]:
        return [ints(line) for line in
                self.run("latimer", "tokenize", model, *self.languages, text=joined(lines)).splitlines()]

    def greedy(self, model: Path, sources: list[list[int]]) -> list[Translation]:
        rows = self._json(model, (" ".join(map(str, ids)) for ids in sources), "--ids", *self._for_ids())
        return [Translation([token["id"] for token in row["tokens"]], [token["score"] for token in row["tokens"]])
                for row in rows]

    def _json(self, model: Path, lines, *options: str) -> list[dict]:
        lines = list(lines)
        out = self.run("latimer", "translate", model, "--json", "--beams", "1", *options, text=joined(lines))
        rows = [json.loads(line) for line in out.split("\n")[:-1]]
        if len(rows) != len(lines):
            sys.exit(f"latimer translate wrote {len(rows)} translations of {len(lines)} lines; leave out lines of more "
                     "than 8,000 bytes.")
        return rows

    def beams(self, model: Path, sources: list[list[int]], count: int) -> list[Translation]:
        out = self.run("latimer", "translate", model, "--ids", "--beams", str(count), *self._for_ids(),
                       text=joined(" ".join(map(str, ids)) for ids in sources))
        return [Translation(ints(line)) for line in out.splitlines()]

    def translate(self, model: Path, lines: list[str]) -> list[str]:
        return [row["text"] for row in self._json(model, lines, "--no-sentences", "--no-guards", "--no-fold",
                                                  "--no-keep-unknown", *self.languages, *self.limit)]

    def _for_ids(self) -> list[str]:
        target = self.languages[self.languages.index("--target-lang"):][:2] if "--target-lang" in self.languages else []
        return [*target, *self.limit]


class Report:
    """Counts of one comparison after the other; the verdict."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    def rows(self, what: str, equal: int, total: int, note: str = "", fails: bool = True) -> None:
        print(f"{what:34} {equal} of {total} lines equal{note}")
        if equal < total and fails:
            self.failed.append(what)

    def value(self, what: str, text: str, good: bool = True) -> None:
        print(f"{what:34} {text}")
        if not good:
            self.failed.append(what)


def ints(text: str) -> list[int]:
    return [int(word) for word in text.split()]


def joined(lines) -> str:
    return "".join(line + "\n" for line in lines)


def first_difference(a: list[int], b: list[int]) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def compare_sources(report: Report, lines: list[str], expected: list[list[int]], got: list[list[int]]) -> None:
    different = [i for i in range(len(lines)) if expected[i] != got[i]]
    report.rows("source ids", len(lines) - len(different), len(lines))
    for i in different[:3]:
        at = first_difference(expected[i], got[i])
        print(f"  line {i + 1}, token {at + 1}: {expected[i][at:at + 4]} expected, {got[i][at:at + 4]} found"
              f"\n    {lines[i]}")


def compare_search(report: Report, original: Transformers | CTranslate2, sources: list[list[int]], beams: int,
                   expected: list[Translation], got: list[Translation]) -> None:
    """A line that differs only by rounding in float32 is too close to call."""
    equal, close = 0, 0
    for number, (ids, want, have) in enumerate(zip(sources, expected, got), 1):
        if want.ids == have.ids:
            equal += 1
        elif original.is_close(ids, beams, want, have):
            close += 1
        else:
            at = first_difference(want.ids, have.ids)
            print(f"  line {number}, token {at + 1}: {want.ids[at:at + 4]} expected, {have.ids[at:at + 4]} found")
    note = f", {close} too close to call" if close else ""
    report.rows(f"ids of {beams} beams, f32" if beams > 1 else "ids of greedy search, f32", equal + close,
                len(expected), note)
    if beams == 1:
        largest = max((abs(a - b) for want, have in zip(expected, got) if want.ids == have.ids
                       for a, b in zip(want.scores, have.scores)), default=0.0)
        report.value("  log-probabilities", f"differ by at most {largest:.1e}", largest < TOLERANCE)


def compare_packed(report: Report, name: str, expected: list[Translation], got: list[Translation],
                   texts: tuple[list[str], list[str]], references: list[str] | None) -> None:
    tokens = sum(len(want.ids) for want in expected)
    same = sum(first_difference(want.ids, have.ids) for want, have in zip(expected, got))
    rows = sum(want.ids == have.ids for want, have in zip(expected, got))
    report.rows(f"ids of {name}", rows, len(expected), f"; {same} of {tokens} tokens before the first difference",
                fails=False)
    try:
        import sacrebleu
    except ImportError:
        return
    if references is None:
        chrf = sacrebleu.corpus_chrf(texts[1], [texts[0]]).score
        report.value("  text", f"chrF {chrf:.1f} against the original's own translations")
        return
    scores = [sacrebleu.corpus_bleu(text, [references]).score for text in texts]
    report.value("  BLEU", f"{scores[0]:.2f} original, {scores[1]:.2f} {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the original model")
    parser.add_argument("model", type=Path, nargs="?",
                        help="MODEL.ltm, with all tokens and languages of FOLDER; default: converted to int8 here")
    parser.add_argument("--text", type=Path, required=True, help="sentences, one a line, UTF-8")
    parser.add_argument("--references", type=Path, help="their translations, for BLEU")
    parser.add_argument("--source-lang", help="as for latimer translate, and as the tokenizer names it")
    parser.add_argument("--target-lang")
    parser.add_argument("--prefix", help="put before each line, such as 'translate English to German: '")
    parser.add_argument("--beams", type=int, default=4, help="with transformers (default: %(default)s)")
    parser.add_argument("--max-target-tokens", type=int, default=128)
    parser.add_argument("--lines", type=int, default=100, help="compare no more than these (default: %(default)s)")
    parser.add_argument("--latimer", type=Path, default=ROOT / "build/host/bin",
                        help="folder of latimer and latimer-convert (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="of the original library")
    arguments = parser.parse_args()

    text = arguments.text.read_text(encoding="utf-8").split("\n")
    numbers = [number for number, line in enumerate(text) if line.strip()][: arguments.lines]
    lines = [text[number] for number in numbers]
    references = None
    if arguments.references:
        found = arguments.references.read_text(encoding="utf-8").split("\n")
        if len(found) < len(text):
            sys.exit(f"{arguments.references} has {len(found)} lines, {arguments.text} {len(text)}.")
        references = [found[number] for number in numbers]
    folder = arguments.folder
    if (folder / "model" / "model.bin").exists():  # An Argos package.
        folder = folder / "model"
    if (folder / "model.bin").exists():
        original = CTranslate2(folder, arguments)
    elif (folder / "config.json").exists():
        original = Transformers(folder, arguments)
    else:
        sys.exit(f"{folder} has neither config.json (Hugging Face) nor model.bin (CTranslate2). Marian's own files are "
                 "compared by tests/reference/check_native.py.")
    latimer = Latimer(arguments.latimer, arguments)
    print(f"{arguments.folder}: {len(lines)} lines, against {original.name}")
    report = Report()
    with tempfile.TemporaryDirectory() as scratch:
        f32 = latimer.convert(arguments.folder, Path(scratch) / "f32.ltm", "f32")
        packed = arguments.model or latimer.convert(arguments.folder, Path(scratch) / "int8.ltm", "int8")
        sources = [original.encode(line) for line in lines]
        compare_sources(report, lines, sources, latimer.encode(f32, lines))
        expected = [original.search(ids, 1) for ids in sources]
        compare_search(report, original, sources, 1, expected, latimer.greedy(f32, sources))
        if arguments.beams > 1 and original.has_beams:
            compare_search(report, original, sources, arguments.beams,
                           [original.search(ids, arguments.beams) for ids in sources],
                           latimer.beams(f32, sources, arguments.beams))
        texts = [original.decode(translation.ids) for translation in expected]
        got = latimer.translate(f32, lines)
        different = [i for i in range(len(lines)) if got[i] != texts[i]]
        report.rows("text, f32", len(lines) - len(different), len(lines))
        for i in different[:3]:
            print(f"  line {i + 1}: {texts[i]!r} expected, {got[i]!r} found")
        name = arguments.model.name if arguments.model else "int8"
        compare_packed(report, name, expected, latimer.greedy(packed, sources),
                       (texts, latimer.translate(packed, lines)), references)
    if report.failed:
        print(f"Differs: {', '.join(part.strip() for part in report.failed)}.")
        sys.exit(1)
    print(f"Verified: in f32 the model does what {original.name} does.")


if __name__ == "__main__":
    main()
