"""Makes pairs of single words out of the dictionary Ding, one translation for each, and of names, which are copied.

    python words.py DING OUT.tsv PAIRS.tsv [...]

DING is usr/share/trans/de-en of Debian's trans-de-en. A dictionary has many translations of a word; the best is the one
that occurs in the same sentence pairs most often, counted in data/train.*.xz and PAIRS.tsv. prep.py reads OUT.tsv.
"""

import argparse
import lzma
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from common import DATA, lines_of, read_pairs

THE, A = {"m": "der", "f": "die", "n": "das"}, {"m": "ein", "f": "eine", "n": "ein"}
MARKS = re.compile(r"\b(etw|jdn|jdm|jds|sth|sb)\.([’']s)?/?|\([^)]*\)|\{[^}]*;[^}]*\}|<[^>]*>|/[^/;|]*[.;][^/|]*/")
COMMON = 4  # Sentences with a word, of which prose counts a quarter.
OWN = """hello=hallo hi=hallo bye=tschüss sorry=Entschuldigung yes=ja no=nein left=links right=rechts straight=geradeaus
    pull=ziehen entrance=Eingang busy=beschäftigt driver=Fahrer drive=fahren walk=gehen police=Polizei safe=sicher
    your=dein its=sein his=sein like=mögen room=Zimmer own=eigen best=beste already=schon news=Nachrichten
    building=Gebäude lift=Aufzug pharmacy=Apotheke metre=Meter litre=Liter toilet=Toilette just=nur station=Bahnhof
    parents=Eltern afraid=ängstlich glad=froh first=erste last=letzte next=nächste mine=meine homework=Hausaufgaben
    understand=verstehen one=eins May=Mai earth=Erde sky=Himmel biscuit=Keks plum=Pflaume carrot=Karotte
    strawberry=Erdbeere lettuce=Salat jam=Marmelade butcher=Metzger dustbin=Mülleimer cough=Husten under=unter
    behind=hinter down=herunter bitter=bitter hard=hart kind=nett paint=malen put=stellen these=diese our=unser
    every=jeder each=jeder"""  # What counting gets wrong.
NAMED = [("My name is {}.", "Ich heiße {}."), ("I met {} yesterday.", "Ich habe {} gestern getroffen."),
         ("{} lives in Berlin.", "{} wohnt in Berlin."), ("Do you know {}?", "Kennst du {}?"), ("{}", "{}"),
         ("This is {}.", "Das ist {}."), ("Have you ever been to {}?", "Waren Sie schon einmal in {}?"),
         ("I bought it from {}.", "Ich habe es bei {} gekauft."), ("{} and {} are friends.", "{} und {} sind Freunde."),
         ("The road to {} is closed.", "Die Straße nach {} ist gesperrt."), ("I work for {}.", "Ich arbeite für {}."),
         ("{} told me about it.", "{} hat mir davon erzählt."), ("Welcome to {}!", "Willkommen in {}!"),
         ("Mr. {} is not here today.", "Herr {} ist heute nicht hier."), ("Dear {},", "Liebe {},"),
         ("The meeting with Mrs. {} is in {}.", "Das Treffen mit Frau {} ist in {}.")]  # fmt: skip


def english_stem(word: str) -> str:
    return re.sub(r"(?<=\w{3})(ing|ed|es|s|e)$", "", word.lower())


def german_stem(word: str) -> str:
    """Nouns are told from other words by their capital letter."""
    return re.sub(r"(?<=\w{3})(est|et|st|t|en|em|ern|er|es|e|n|s)$", "", word)


class Counts:
    """How many sentences have a word, and a word beside a German one; by stems."""

    def __init__(self, pairs: list[tuple[str, str]], wanted: set[tuple[str, str]]) -> None:
        self.english, self.german, self.both, self.exact = Counter(), Counter(), Counter(), Counter()
        partners = defaultdict(set)
        for english, german in wanted:
            partners[english].add(german)
        for english, german in pairs:
            words = [re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", side) for side in (english, german)]
            self.exact.update({word.lower() for word in words[0]})
            sides = {english_stem(word) for word in words[0]}, {german_stem(word) for word in words[1]}
            if words[1]:
                sides[1].add(german_stem(words[1][0].lower()))  # The first word's capital says nothing.
            self.english.update(sides[0])
            self.german.update(sides[1])
            for word in sides[0]:
                self.both.update((word, other) for other in sides[1] & partners.get(word, set()))

    def dice(self, english: str, german: str, least: int) -> float:
        one, other = english_stem(english), german_stem(german)
        both = self.both[one, other]
        return 2 * both / (self.english[one] + self.german[other]) if both >= least else 0.0


def entries(text: str) -> Iterator[tuple[str, str, str, str, tuple[str, str] | None, bool]]:
    """Kind (noun, verb, other), English and German word, gender, both plurals where they are given, whether both are
    the first of their entry."""

    def plain(word: str) -> str:
        return " ".join(re.sub(r"\[[^]]*\]|\{[^}]*\}|/[^/]*/", "", word).split())

    for line in text.split("\n"):
        if line.startswith("#") or " :: " not in line:
            continue
        sides = [MARKS.sub("", side) for side in line.split(" :: ", 1)]
        german, english = ([part.split(";") for part in side.split("|")] for side in sides)
        same = len(german) == len(english)
        for at, raw in enumerate(german[0]):
            marks, word = re.findall(r"\{(\w+)", raw), plain(raw)
            if not re.fullmatch(r"(sich )?[^\W\d_]+", word) or re.search(r"\[(veraltet|obs|Ös|Schw|slang|vulg)", raw):
                continue
            for position, raw_english in enumerate(english[0]):
                headword = plain(raw_english)
                verb = headword.startswith("to ")
                headword = headword.removeprefix("to ")
                if not re.fullmatch(r"[A-Za-z]+(-[a-z]+)?", headword) or re.search(r"\[(obs|slang|vulg)", raw_english):
                    continue
                noun = word[0].isupper() and marks[:1] and marks[0] in THE
                plural = None
                if noun and same and len(german) > 1 and "{pl}" in german[1][min(at, len(german[1]) - 1)]:
                    if len(german[1]) == len(german[0]) and len(english[1]) == len(english[0]):
                        plural = plain(english[1][position]), plain(german[1][at])
                kind = "noun" if noun else "verb" if verb else "other"
                yield kind, headword, word, marks[0] if noun else "", plural, at == position == 0


def best_words(text: str, tatoeba: list, others: list) -> dict[str, dict[str, tuple]]:
    """By headword and kind: score, German word, gender and plurals of the best translation."""
    candidates = list(entries(text))
    wanted = {(english_stem(english), german_stem(german)) for _, english, german, *_ in candidates}
    counts = [Counts(tatoeba, wanted), Counts(others, wanted)]
    found: dict[str, dict[str, tuple]] = defaultdict(dict)
    alone = defaultdict(dict)
    for kind, english, german, gender, plural, first in candidates:
        times = counts[0].exact[english.lower()] + counts[1].exact[english.lower()] / 4
        if times and first:
            alone[english][german] = kind, (0.01, german, gender, plural)
        least = 1 if first else 2
        german_word = german.removeprefix("sich ")
        score = counts[0].dice(english, german_word, least) + 0.5 * counts[1].dice(english, german_word, least)
        score *= (0.7 if german != german_word else 1.0) * (1.0 if first else 0.8)  # "sich" is seldom meant.
        if times >= COMMON and score > found[english].get(kind, (0.02,))[0]:
            found[english][kind] = score, german, gender, plural
    for english, words in alone.items():
        if not found[english] and len(words) == 1:  # It has one translation.
            found[english].update(words.values())
    for english, german in (word.split("=") for word in OWN.split()):
        if found[english].get("noun", (0, ""))[1] != german:
            if german[0].isupper():  # Another noun.
                found[english].pop("noun", None)
            found[english]["own"] = 9.0, german, "", None
    known = {english: kinds for english, kinds in found.items() if kinds}
    return {english: kinds for english, kinds in known.items() if english.islower() or english.lower() not in known}


def forms(english: str, kinds: dict[str, tuple]) -> Iterator[tuple[str, str]]:
    """The word alone, and with articles."""
    best = max(kinds, key=lambda kind: kinds[kind][0])
    _, german, *_ = kinds[best]
    capital = english[0].upper() + english[1:], german[0].upper() + german[1:]
    yield english, german
    yield capital
    yield capital[0] + ".", capital[1] + "."
    if "verb" in kinds:
        yield f"to {english}", kinds["verb"][1]
    if "noun" in kinds and english.islower():
        _, noun, gender, plural = kinds["noun"]
        yield f"the {english}", f"{THE[gender]} {noun}"
        yield f"The {english}", f"{THE[gender].capitalize()} {noun}"
        if plural:  # What has no plural has seldom an indefinite article.
            article = "an" if english[0] in "aeio" else "a"
            yield f"{article} {english}", f"{A[gender]} {noun}"
            yield plural
            yield f"the {plural[0]}", f"die {plural[1]}"


def names(pairs: list[tuple[str, str]], dice: random.Random, count: int) -> Iterator[tuple[str, str]]:
    """Sentences with names that both languages write alike, and with made-up ones."""
    seen, common = Counter(), set()
    for english, german in pairs:
        common.update(re.findall(r"\b[a-z]+\b", english))
        words = re.findall(r"(?<!^)\b[A-Z][a-zäöüéá]{2,11}\b(?=[ ,.])", english)
        seen.update(set(words) & set(re.findall(r"\w+", german)))
    known = [word for word, number in seen.items() if number > 1 and word.lower() not in common]
    following = defaultdict(list)
    for word in known:
        for i in range(len(word) + 1):
            following[("__" + word)[i : i + 2]].append((word + "\n")[i])

    def name() -> str:
        if dice.random() < 0.5:
            return dice.choice(known)
        made = "__"
        while not made.endswith("\n") and len(made) < 14:
            made += dice.choice(following[made[-2:]])
        made = made.strip("_\n")
        return made if len(made) > 2 else dice.choice(known)

    for _ in range(count):
        first, second = dice.choice(NAMED)
        both = name(), name()
        yield tuple(re.sub(r"\{\}", lambda _, rest=iter(both): next(rest), text) for text in (first, second))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ding", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("pairs", type=Path, nargs="+")
    parser.add_argument("--names", type=int, default=8000, help="sentences with names")
    arguments = parser.parse_args()
    tatoeba = list(zip(*(lzma.open(DATA / f"train.{side}.xz", "rt", encoding="utf-8").read().split("\n")[:-1]
                         for side in ("en", "de"))))  # fmt: skip
    others = [pair for path in arguments.pairs for pair in read_pairs(path) if len(pair) == 2 and len(pair[0]) < 300]
    found = best_words(arguments.ding.read_text(encoding="utf-8"), tatoeba, others)
    made = [pair for english, kinds in found.items() for pair in forms(english, kinds)]
    made += names(tatoeba + others, random.Random(1), arguments.names)
    made = list(dict.fromkeys(made))
    arguments.out.write_text(lines_of(made), encoding="utf-8")
    print(f"{len(found)} headwords, {len(made)} pairs")


if __name__ == "__main__":
    main()
