#!/usr/bin/env python3
"""Writes the results of the tokenizers of Hugging Face's families.

Trains small ones with sentencepiece and tokenizers, lays their files out as
each family publishes them, and asks transformers 5.23:

    huggingface_tokenizer_fixture.py  rewrites tests/data/huggingface_tokenizer
    huggingface_tokenizer_fixture.py --out DIR --text FILE.. [--lines N]
                                      larger ones, and N lines (20,000) of the
                                      given texts for each, for
                                      LATIMER_HUGGINGFACE_TOKENIZER_FIXTURE=DIR
    huggingface_tokenizer_fixture.py --translations > FILE
                                      text of the programs on this machine: all
                                      translations of /usr/share/locale

Lines are those of tokenizer_fixture.py, `folder` names the tokenizer. Invalid
UTF-8 is given to transformers as U+FFFD for each byte, to M2M100's
SentencePiece as it is.
"""
import argparse
import collections
import gettext
import json
import logging
import os
import pathlib
import random
import shutil
import unicodedata

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
import sentencepiece as spm
import tokenizers
import transformers
from tokenizers import (AddedToken, decoders, models, normalizers, pre_tokenizers,
                        processors)
from transformers.convert_slow_tokenizer import (SentencePieceExtractor,
                                                 generate_merges)
from transformers.tokenization_utils_sentencepiece import SentencePieceBackend

from tokenizer_fixture import DATA, Repeated, adversarial, line, random_texts
from tokenizer_kinds_fixture import training_lines

logging.getLogger("transformers").setLevel(logging.ERROR)

# Article 1 of the Universal Declaration of Human Rights.
ARTICLE = """
All human beings are born free and equal in dignity and rights.
Alle Menschen sind frei und gleich an Würde und Rechten geboren.
Tous les êtres humains naissent libres et égaux en dignité et en droits.
Todos los seres humanos nacen libres e iguales en dignidad y derechos.
Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi.
Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.
Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.
Все люди рождаются свободными и равными в своем достоинстве и правах.
Всі люди народжуються вільними і рівними у своїй гідності та правах.
Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.
Բոլոր մարդիկ ծնվում են ազատ ու հավասար իրենց արժանապատվությամբ ու իրավունքներով։
ყველა ადამიანი იბადება თავისუფალი და თანასწორი თავისი ღირსებითა და უფლებებით.
כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם.
يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.
تمام ابنای بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند.
सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।
সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা এবং অধিকার নিয়ে জন্মগ্রহণ করে।
மனிதப் பிறவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர்.
ప్రతిపత్తిస్వత్వముల విషయమున మానవులెల్లరును జన్మతః స్వతంత్రులును సమానులును నగుదురు.
ಎಲ್ಲಾ ಮಾನವರೂ ಸ್ವತಂತ್ರರಾಗಿಯೇ ಜನಿಸಿದ್ದಾರೆ.
മനുഷ്യരെല്ലാവരും തുല്യാവകാശങ്ങളോടും അന്തസ്സോടും സ്വാതന്ത്ര്യത്തോടുംകൂടി ജനിച്ചിട്ടുള്ളവരാണ്.
มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ
មនុស្សទាំងអស់ កើតមកមានសេរីភាព និងសមភាព ក្នុងផ្នែកសេចក្ដីថ្លៃថ្នូរនិងសិទ្ធិ។
လူတိုင်းသည် တူညီ လွတ်လပ်သော ဂုဏ်သိက္ခာဖြင့် လည်းကောင်း မွေးဖွားလာသူများ ဖြစ်သည်။
የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው።
人人生而自由，在尊严和权利上一律平等。
人人生而自由，在尊嚴和權利上一律平等。
すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。
모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.
""".strip().split("\n")


def replace_invalid(text):
    """The str that a text is to transformers."""
    return text.decode("utf-8", "each_byte") if isinstance(text, bytes) else text


# ---- Texts -------------------------------------------------------------------

def cases():
    marks = ["a\u0301", "e\u0323\u0302", "e\u0302\u0323", "é\u0323", "x\u0300y",
             "①\u0308a", "™\u0301", "™\ufe0f", "1\ufe0f\u20e3", "ﬁ\u0301", "が",
             "か\u3099", "ｶﾞ", "\u1100\u1161", "각\u0301", "\u0bc6\u0bbe",
             "क\u093c", "\u0958", "\u0e01\u0e33", "\u0600①", "\u0600e\u0301",
             "\r\n\u0301", "a\r\nb", "a\r\n\r\nb", "a\n\u0301", "\u00a0\u0301b",
             " \u0301", "\u200de\u0301", "\u0344", "\u0340\u0301", "ﷺ\u064e",
             "\ufb1d\u05b4", "لآ", "ل\u0627\u0653", "\ufffd\u0301", "\u2126\u0301",
             "\U0001d15e", "\U0001f1e9\U0001f1ea\u0301", "\u1e9b\u0323",
             "a\u0300\u0301\u0302\u0303", "ﷺa ﷺ", "\u00a8a", "a\u00b4 b",
             "ç\u0327 ç", "\u0130i\u0307", "½ ⅓", "㎏㎡ ㈱", "Å Å A\u030a",
             "\u0f43\u0f42\u0fb7", "\u09cb\u09c7\u09be", "\u1026\u1025\u102e"]
    contractions = ["I'm he's it'd we'll they've you're can't", "'s 's'S 'LL'll",
                    "!'s", "a's's", "''s", "' s", "rock'n'roll", "’s", "I'M",
                    "don''t", "'", "''", "'d'd", "x'", "'re'", "1's", " 's"]
    spaces = ["a  b", "a   b", " a", "  a", "a ", "a  ", "a \n b", "a\n\nb",
              "\n\na", "a\n ", "\t\ta", "a \t b", "a\u3000\u3000b", " \u00a0a",
              "a\u2028b", "a\x1cb\x1d c", "\x85a", "▁ a", "a ▁", "a▁ b", "a ▁b",
              "▁▁a", " ▁▁ ", "a▁", "\u200b a", "\ufeffa", "a\u2003 b"]
    digits = ["123", "1 23", "a1b2", "٣٤٥", "१२३", "½", "x²", "Ⅷ", "１２３", "3.14",
              "1,000", "10%", "2026-11-21"]
    mixed = ["Привет, world! 你好 ١٢٣ שלום", "e\u0301t\u00e9 naïve cœur",
             "🙂🙃 👩‍👩‍👧‍👦👍🏽 🇩🇪 ❤️", "AbC_dEf-gHi.jKl/mNo", "a_b__c", "....!!!???",
             "======== ********", "hahahahahahaha", "aaaaaaaaaaaaaaaaaaa",
             "abababababababab", "................", "http://a.b/c?d=e&f#g",
             "ＨＥＬＬＯ　ｗｏｒｌｄ", "Hello\0World", "\0", "\0\0a", "ａ\u0301"]
    texts = marks + contractions + spaces + digits + mixed + ARTICLE
    texts += [unicodedata.normalize(form, text)
              for form in ("NFD", "NFKC") for text in ARTICLE]
    texts += [Repeated("ab", 2000), Repeated("x" * 50, 20), Repeated("é\u0323", 700),
              Repeated(ARTICLE[4] + " ", 30), Repeated("a\u0300", 900),
              Repeated("\u0300", 1200), Repeated("'s", 500), Repeated("字", 3000)]
    return texts


def special_cases(tokens, normalized):
    """`normalized` are looked for in the normalized text, which Latimer does
    not do: a U+2581 before one, which the rules make a space, is left out."""
    texts = []
    for s in tokens:
        texts += [s, s + s, f"a{s}b", f"a {s} b", f"a  {s}  b", f" {s} ", f"{s}a",
                  f"a{s}", f"\n{s}\n", f"a\x1c{s}\x1cb", f"a\u3000{s}\u3000b",
                  f"<{s}>", s[:-1], s.upper(), f"{s[:2]}{s}{s[2:]}"]
        if s not in normalized:
            texts += [f"▁{s}▁a", f"a▁{s}"]
    return texts + ["".join(tokens), " ".join(tokens), "x".join(tokens)]


# ---- Folders as they are published -------------------------------------------

SPM = dict(character_coverage=1.0, num_threads=1, train_extremely_large_corpus=False,
           input_sentence_size=0, shuffle_input_sentence=False,
           max_sentence_length=100000, hard_vocab_limit=False)


def train_spm(folder, name, lines, **options):
    """Trains a SentencePiece model and returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    with open(path, "wb") as writer:
        spm.SentencePieceTrainer.train(sentence_iterator=iter(lines),
                                       model_writer=writer, minloglevel=2,
                                       **(SPM | options))
    return path


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1),
                    encoding="utf-8")


def config(folder, model_type, **tokenizer):
    write_json(folder / "config.json", {"model_type": model_type})
    if tokenizer:
        write_json(folder / "tokenizer_config.json", tokenizer)


def small_rules(path):
    """A part of NFKC, so that the models stay small: Latin letters with marks,
    compatibility forms and white space."""
    nfkc = lambda text: unicodedata.normalize("NFKC", text)
    singles = [*range(0xa0, 0x250), *range(0x1e00, 0x1f00), *range(0x2000, 0x2050),
               *range(0x2100, 0x2150), *range(0x2460, 0x2480), 0x3000,
               *range(0x3041, 0x3100), *range(0x3280, 0x32b1),
               *range(0x3380, 0x33a2), *range(0xfb00, 0xfb07), 0xfdfa,
               *range(0xfe70, 0xff00), *range(0xff01, 0xffa0), 0x958, 0x344,
               0x340, 0xe33, 0xfb1d, 0x2126, 0x1d15e]
    rules = {chr(c): nfkc(chr(c)) for c in singles}
    for c in [*range(0xc0, 0x250), *range(0x1e00, 0x1f00), *range(0x304b, 0x3100),
              0x622, 0xbca, 0x9cb]:
        whole = unicodedata.normalize("NFD", chr(c))
        for end in range(2, len(whole) + 1):
            rules[whole[:end]] = nfkc(whole[:end])
    rules |= {c: " " for c in "\t\n\r\x85\u2028\u200b\ufeff\ufffd"}
    rules |= {c: "" for c in "\x01\x7f\xad\u200e"}
    rows = [(a, b) for a, b in sorted(rules.items()) if a != b]
    codes = lambda text: " ".join(f"{ord(c):X}" for c in text)
    path.write_text("".join(f"{codes(a)}\t{codes(b)}\n" for a, b in rows))
    return path


class Original(SentencePieceBackend):
    """SentencePiece between special tokens, with the ids of the family's class.

    What a folder means whose SentencePiece model is not of the kind that the
    class takes it for."""

    def __init__(self, folder):
        family = transformers.AutoTokenizer.from_pretrained(folder)
        self.ids = family.get_vocab()
        self.pieces = {i: piece for piece, i in self.ids.items()}
        added = family.added_tokens_decoder
        path = next(p for p in folder.iterdir() if p.suffix == ".model")
        names = {name: getattr(family, name) for name in
                 ("eos_token", "unk_token", "pad_token", "bos_token", "mask_token")}
        super().__init__(vocab_file=str(path), additional_special_tokens=[
            t for t in added.values() if t.special], **names,
            clean_up_tokenization_spaces=family.clean_up_tokenization_spaces)
        self._added_tokens_decoder = dict(added)
        self._added_tokens_encoder = {t.content: i for i, t in added.items()}

    def __len__(self):
        return len(self.ids) if hasattr(self, "ids") else 0

    def _convert_token_to_id(self, token):
        return self.ids.get(token, self.ids[self.unk_token])

    def _convert_id_to_token(self, index):
        return self.pieces[index]


class Maker:
    """Lays out one folder for each family and kind of files."""

    def __init__(self, out, lines, size, rules):
        self.out, self.lines, self.size, self.rules = out, lines, size, rules
        self.special = {}  # Tokens to put into texts, by folder.
        # What reads a folder, if not the family's class.
        self.readers = {}

    def open(self, folder):
        reader = self.readers.get(folder,
                                  transformers.AutoTokenizer.from_pretrained)
        return reader(self.out / folder)

    def spm(self, folder, name, **options):
        return train_spm(self.out / folder, name, self.lines,
                         **(dict(vocab_size=self.size) | self.rules | options))

    def pad_last(self, options):
        return options | dict(pad_id=0, eos_id=1, unk_id=2, bos_id=-1)

    def json_of(self, folder, source, **arguments):
        """transformers' tokenizer.json of the folder `source`."""
        path = self.out / folder
        path.mkdir(parents=True, exist_ok=True)
        tokenizer = transformers.AutoTokenizer.from_pretrained(self.out / source,
                                                               **arguments)
        tokenizer.save_pretrained(path)
        shutil.copy(self.out / source / "config.json", path)
        for file in path.iterdir():
            if file.name not in ("config.json", "tokenizer.json",
                                 "tokenizer_config.json"):
                file.unlink()
        # Indentation by two spaces would make up most of the file.
        for file in path.iterdir():
            value = json.loads(file.read_text(encoding="utf-8"))
            file.write_text(json.dumps(value, ensure_ascii=False,
                                       separators=(",", ":")), encoding="utf-8")
        return path

    def edit(self, path, name, change):
        value = json.loads((path / name).read_text(encoding="utf-8"))
        change(value)
        (path / name).write_text(json.dumps(value, ensure_ascii=False,
                                            separators=(",", ":")),
                                 encoding="utf-8")

    def bpe(self, folder, family, name):
        """The files of a family with a SentencePiece model that is BPE."""
        options = {} if family == "mbart" else self.pad_last({})
        self.spm(folder, name, model_type="bpe", **options)
        for file in ("config.json", "tokenizer_config.json"):
            shutil.copy(self.out / family / file, self.out / folder)
        self.readers[folder] = Original
        self.special[folder] = {"t5": ["<extra_id_0>", "</s>", "<extra_id_99>"],
                                "pegasus": ["<mask_1>", "<mask_2>", "<unk_5>"],
                                "mbart": ["<mask>", "de_DE", "</s>"]}[family]

    def bpe_json(self, folder, source):
        """The tokenizer.json that transformers 4 made of such a model of T5."""
        path = self.out / folder
        path.mkdir(parents=True, exist_ok=True)
        for file in ("config.json", "tokenizer_config.json"):
            shutil.copy(self.out / source / file, path)
        model = SentencePieceExtractor(
            str(self.out / source / "spiece.model")).extract(models.BPE)
        extra = [f"<extra_id_{i}>" for i in reversed(range(100))]
        vocab = model["vocab"]
        vocab |= {token: len(vocab) + i for i, token in enumerate(extra)}
        tokenizer = tokenizers.Tokenizer(models.BPE(
            vocab, model["merges"], unk_token="<unk>", fuse_unk=True))
        tokenizer.normalizer = normalizers.Sequence([
            normalizers.Precompiled(model["_spm_precompiled_charsmap"]),
            normalizers.Replace(tokenizers.Regex(" {2,}"), " ")])
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.decoder = decoders.Metaspace()
        tokenizer.save(str(path / "tokenizer.json"), pretty=False)
        self.readers[folder] = lambda path: (
            transformers.PreTrainedTokenizerFast(
                tokenizer_file=str(path / "tokenizer.json"), eos_token="</s>",
                unk_token="<unk>", pad_token="<pad>",
                additional_special_tokens=extra))
        self.special[folder] = ["<extra_id_0>", "</s>", "<extra_id_99>"]

    def bart(self):
        for folder, prefix in (("bart", False), ("bart_prefix_space", True)):
            path = self.out / folder
            path.mkdir(parents=True, exist_ok=True)
            bpe = tokenizers.ByteLevelBPETokenizer(add_prefix_space=prefix)
            bpe.train_from_iterator(
                self.lines, vocab_size=self.size, show_progress=False,
                special_tokens=["<s>", "<pad>", "</s>", "<unk>"])
            bpe.save_model(str(path))
            # As published: <mask> is the last.
            vocab = json.loads((path / "vocab.json").read_text(encoding="utf-8"))
            vocab["<mask>"] = len(vocab)
            write_json(path / "vocab.json", vocab)
            config(path, "bart", add_prefix_space=prefix, model_max_length=1024)
            self.special[folder] = ["<mask>", "<s>", "</s>"]
        mask = dict(content="<mask>", lstrip=True, rstrip=False, normalized=True,
                    single_word=False)
        write_json(self.out / "bart_prefix_space" / "special_tokens_map.json",
                   dict(bos_token="<s>", eos_token="</s>", unk_token="<unk>",
                        sep_token="</s>", pad_token="<pad>", cls_token="<s>",
                        mask_token=mask))
        path = self.json_of("bart_json", "bart_prefix_space",
                            add_prefix_space=False)
        # Tokens of a fine-tuned model.
        tokenizer = transformers.AutoTokenizer.from_pretrained(path)
        tokenizer.add_tokens([AddedToken("<sep>", rstrip=True), "Ünic0de word"])
        tokenizer.save_pretrained(path)
        self.special["bart_json"] = ["<mask>", "</s>", "<sep>", "Ünic0de word"]

    def t5(self):
        self.spm("t5", "spiece.model", **self.pad_last({}))
        config(self.out / "t5", "t5", tokenizer_class="T5Tokenizer",
               eos_token="</s>", unk_token="<unk>", pad_token="<pad>",
               extra_ids=100, model_max_length=512,
               additional_special_tokens=[f"<extra_id_{i}>" for i in range(100)],
               clean_up_tokenization_spaces=True)
        path = self.json_of("t5_json", "t5")
        self.edit(path, "tokenizer_config.json", lambda value: value.pop(
            "clean_up_tokenization_spaces", None))
        self.spm("mt5", "spiece.model", **self.pad_last(dict(
            user_defined_symbols=["<sep>"], byte_fallback=True,
            vocab_size=self.size + 256)))
        config(self.out / "mt5", "mt5", tokenizer_class="T5Tokenizer",
               extra_ids=0, additional_special_tokens=None)
        for folder in ("t5", "t5_json"):
            self.special[folder] = ["<extra_id_0>", "</s>", "<extra_id_99>"]
        self.bpe("t5_bpe", "t5", "spiece.model")
        self.bpe_json("t5_bpe_json", "t5_bpe")
        self.special["mt5"] = ["<sep>", "<pad>"]

    def pegasus(self):
        self.spm("pegasus", "spiece.model", **self.pad_last({}))
        config(self.out / "pegasus", "pegasus",
               tokenizer_class="PegasusTokenizer", pad_token="<pad>",
               eos_token="</s>", unk_token="<unk>", mask_token="<mask_2>",
               mask_token_sent="<mask_1>", offset=103)
        self.json_of("pegasus_json", "pegasus")
        self.spm("pegasus_identity", "spiece.model", **self.pad_last(dict(
            normalization_rule_name="identity", normalization_rule_tsv="")))
        config(self.out / "pegasus_identity", "pegasus")
        self.bpe("pegasus_bpe", "pegasus", "spiece.model")
        for folder in ("pegasus", "pegasus_json", "pegasus_identity"):
            self.special[folder] = ["<mask_1>", "<mask_2>", "<unk_5>"]

    def mbart(self):
        self.spm("mbart", "sentencepiece.bpe.model")
        config(self.out / "mbart", "mbart", tokenizer_class="MBartTokenizer")
        self.json_of("mbart_json", "mbart")
        shutil.copytree(self.out / "mbart", self.out / "mbart50",
                        dirs_exist_ok=True)
        config(self.out / "mbart50", "mbart", tokenizer_class="MBart50Tokenizer")
        self.json_of("mbart50_json", "mbart50")
        self.bpe("mbart_bpe", "mbart", "sentencepiece.bpe.model")
        for folder in ("mbart", "mbart_json", "mbart50", "mbart50_json"):
            self.special[folder] = ["<mask>", "de_DE", "</s>"]

    def nllb(self):
        self.spm("nllb", "sentencepiece.bpe.model", model_type="bpe")
        config(self.out / "nllb", "m2m_100", tokenizer_class="NllbTokenizer")
        codes = ["ace_Arab", "ace_Latn", "deu_Latn", "eng_Latn", "zul_Latn"]
        self.json_of("nllb_json", "nllb", additional_special_tokens=codes)
        # Pairs of other ranks, and without some of them.
        path = self.json_of("nllb_pairs", "nllb",
                            additional_special_tokens=codes)
        rng = random.Random(7)

        def disorder(value):
            merges = [m for m in value["model"]["merges"] if rng.random() < 0.9]
            for i in range(0, len(merges) - 20, 20):
                part = merges[i:i + 20]
                rng.shuffle(part)
                merges[i:i + 20] = part
            value["model"]["merges"] = merges

        self.edit(path, "tokenizer.json", disorder)
        self.special["nllb"] = ["<mask>", "</s>"]
        for folder in ("nllb_json", "nllb_pairs"):
            self.special[folder] = ["<mask>", "eng_Latn", "zul_Latn"]

    def m2m100(self):
        path = self.spm("m2m100", "sentencepiece.bpe.model", model_type="bpe")
        model = spm.SentencePieceProcessor(model_file=str(path))
        pieces = [model.id_to_piece(i) for i in range(3, len(model) - 7)]
        rng = random.Random(5)
        rng.shuffle(pieces)
        words = ["<s>", "<pad>", "</s>", "<unk>", *pieces, "字", "🙂🙂"]
        folder = self.out / "m2m100"
        write_json(folder / "vocab.json",
                   {w: i for i, w in enumerate(dict.fromkeys(words))})
        from transformers.models.m2m_100 import tokenization_m2m_100 as m2m
        codes = m2m.FAIRSEQ_LANGUAGE_CODES["m2m100"]
        config(folder, "m2m_100", tokenizer_class="M2M100Tokenizer",
               language_codes="m2m100",
               additional_special_tokens=[f"__{code}__" for code in codes])
        self.special["m2m100"] = ["__en__", "</s>", "__zu__", "__en"]

    def byt5(self):
        path = self.out / "byt5"
        path.mkdir(parents=True, exist_ok=True)
        config(path, "t5", tokenizer_class="ByT5Tokenizer", extra_ids=125,
               additional_special_tokens=[f"<extra_id_{i}>" for i in range(125)])
        self.special["byt5"] = ["</s>", "<extra_id_0>", "<pad>"]

    def gemma(self):
        """As google/gemma's was trained, and the tokenizer.json that
        transformers' GemmaConverter makes of such a model."""
        special = ["<mask>", "<start_of_turn>", "<end_of_turn>"]
        user = [*special, "<unused0>", *("\n" * n for n in range(1, 5)),
                *("\u2581" * n for n in range(2, 6)), "<table>", "</table>"]
        path = self.spm(
            "gemma", "tokenizer.model", model_type="bpe", byte_fallback=True,
            split_digits=True, allow_whitespace_only_pieces=True,
            add_dummy_prefix=False, remove_extra_whitespaces=False,
            normalization_rule_name="identity", normalization_rule_tsv="",
            character_coverage=0.98, vocab_size=self.size + 900,
            pad_id=0, eos_id=1, bos_id=2, unk_id=3, pad_piece="<pad>",
            eos_piece="<eos>", bos_piece="<bos>", user_defined_symbols=user)
        model = spm.SentencePieceProcessor(model_file=str(path))
        vocab = {model.id_to_piece(i): i for i in range(len(model))}
        scores = {piece: model.get_score(i) for piece, i in vocab.items()}
        merges = generate_merges(vocab | {"\t": vocab["<0x09>"]}, scores)
        vocab["\t"] = vocab.pop("<0x09>")  # As GemmaConverter has it.
        tokenizer = tokenizers.Tokenizer(models.BPE(
            vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
        tokenizer.normalizer = normalizers.Replace(" ", "\u2581")
        tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
        tokenizer.decoder = decoders.Sequence([
            decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()])
        named = ["<pad>", "<eos>", "<bos>", "<unk>"]
        tokenizer.add_tokens([
            AddedToken(token, special=token in named + special, normalized=False)
            for token in named + user])
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<bos> $A", special_tokens=[("<bos>", 2)])
        folder = self.out / "gemma"
        tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
        path.unlink()
        config(folder, "t5gemma", tokenizer_class="GemmaTokenizer",
               bos_token="<bos>", eos_token="<eos>", pad_token="<pad>",
               unk_token="<unk>", clean_up_tokenization_spaces=False)
        self.special["gemma"] = ["<mask>", "<start_of_turn>", "<table>", "\n\n"]

    def make(self):
        for family in (self.bart, self.t5, self.pegasus, self.mbart, self.nllb,
                       self.m2m100, self.byt5, self.gemma):
            family()
        for folder in self.special:
            length = len(self.open(folder))
            rows = length + 7 if folder != "m2m100" else length + 8
            self.edit(self.out / folder, "config.json",
                      lambda value: value.update(vocab_size=rows))


# ---- Results of transformers -------------------------------------------------

def encode(tokenizer, text):
    if isinstance(text, bytes) and hasattr(tokenizer, "sp_model"):
        # SentencePiece itself, as with Marian: its U+FFFD has no rule.
        tokens = []
        for part in tokenizer.tokens_trie.split(
                text.decode("utf-8", "surrogateescape")):
            raw = part.encode("utf-8", "surrogateescape")
            tokens += ([part] if part in tokenizer.added_tokens_encoder else
                       [p.decode() for p in tokenizer.sp_model.encode(
                           raw, out_type=bytes)])
        return tokenizer.convert_tokens_to_ids(tokens)
    return tokenizer(replace_invalid(text), add_special_tokens=False).input_ids


def fixture(maker, texts, random_count, fewer=1):
    """With `fewer` only each so many of the texts for folders that differ in
    their files alone."""
    for folder, special in maker.special.items():
        is_other = folder.endswith(("_json", "_space", "_identity", "_bpe"))
        tokenizer = maker.open(folder)
        added = getattr(tokenizer, "added_tokens_decoder", {}).values()
        normalized = {t.content for t in added if t.normalized
                      } if hasattr(tokenizer, "backend_tokenizer") else set()
        rng = random.Random(11)
        count = 0
        with open(maker.out / folder / "fixture.jsonl", "w",
                  encoding="utf-8") as out:
            for case in [*texts[::fewer if is_other else 1],
                         *special_cases(special, normalized)]:
                text = case.text if isinstance(case, Repeated) else case
                ids = encode(tokenizer, text)
                decoded = tokenizer.decode(ids, skip_special_tokens=True)
                out.write(json.dumps(json.loads(line(case, ids, decoded)),
                                     ensure_ascii=False,
                                     separators=(",", ":")) + "\n")
                count += 1
            for _ in range(random_count):
                some = [rng.randrange(len(tokenizer)) for _ in range(12)]
                decoded = tokenizer.decode(some, skip_special_tokens=True)
                if folder == "gemma" and "\ufffd" in decoded:
                    continue  # The library has one for each byte of a run.
                out.write(json.dumps({"ids": some, "decoded": decoded},
                                     ensure_ascii=False,
                                     separators=(",", ":")) + "\n")
                count += 1
        print(f"{folder}: {type(tokenizer).__name__}, {len(tokenizer)} tokens, "
              f"{count} lines")


def translations():
    """Every translation of the programs on this machine, each once."""
    lines = {}
    for path in sorted(pathlib.Path("/usr/share/locale").glob(
            "*/LC_MESSAGES/*.mo")):
        try:
            with open(path, "rb") as file:
                catalog = gettext.GNUTranslations(file)._catalog
        except Exception:  # A catalogue that gettext cannot read.
            continue
        for key, text in catalog.items():
            if key and isinstance(text, str):
                lines |= dict.fromkeys(
                    l for l in text.split("\n") if l.strip())
    return list(lines)


def script_of(text):
    for c in text:
        if c.isalpha():
            return unicodedata.name(c, "?").split()[0]
    return "?"


def sample(lines, count):
    """As many of each script as there are, up to the same number."""
    scripts = collections.defaultdict(list)
    rng = random.Random(1)
    for text in lines:
        scripts[script_of(text)].append(text)
    for texts in scripts.values():
        rng.shuffle(texts)
    chosen = collections.Counter()
    result = []
    while len(result) < count and any(scripts.values()):
        for script, texts in scripts.items():
            if texts and len(result) < count:
                result.append(texts.pop())
                chosen[script] += 1
    print(f"{len(result)} lines: {dict(chosen.most_common())}")
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--text", type=pathlib.Path, nargs="+", default=[])
    parser.add_argument("--lines", type=int, default=20000)
    parser.add_argument("--translations", action="store_true")
    args = parser.parse_args()
    if args.translations:
        print("\n".join(translations()))
        return
    if args.out:
        lines = [text for path in args.text for text in path.read_text(
            encoding="utf-8").split("\n") if text.strip()]
        lines = sample(lines, 2 * args.lines)
        maker = Maker(args.out, lines[::2][:20000], 12000,
                      dict(normalization_rule_name="nmt_nfkc"))
        maker.make()
        texts = adversarial() + cases() + lines[1::2] + list(
            random_texts(3000, 23))
        fixture(maker, texts, 2000)
        return
    out = DATA / "huggingface_tokenizer"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    rules = small_rules(out / "rules.tsv")
    maker = Maker(out, ARTICLE * 4 + training_lines(1500), 700,
                  dict(normalization_rule_tsv=str(rules), split_digits=False))
    maker.make()
    rules.unlink()
    texts = [t for t in adversarial() + cases()
             if len(getattr(t, "unit", t)) < 200] + list(random_texts(15, 21))
    fixture(maker, texts, 40, fewer=4)


if __name__ == "__main__":
    main()
