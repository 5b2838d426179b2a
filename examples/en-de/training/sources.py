"""Takes English-German text out of Debian's packages.

    apt-get download trans-de-en libreoffice-help-de ...; apt-get source --download-only installation-guide ...
    python sources.py FOLDER OUT

FOLDER holds source archives (.tar.*), packages (.deb) and the package descriptions that apt keeps as Translation-en
and Translation-de. Writes OUT/PACKAGE.tsv, English and German with a tab between, for prep.py to clean. Read are:
messages (de.po, de/LC_MESSAGES/*.mo, i18n/de.json), pages that have the same structure in both languages (.html,
.page), the dictionary Ding, and descriptions. Paragraphs are cut into sentences where both sides have as many.
"""

import argparse
import html
import json
import re
import struct
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

LANGUAGE = re.compile(r"(?<=[/._-])(C|en|en[-_]US|de|de[-_]DE)(?=[/._])")
BLOCK = re.compile(
    r"</?(?:p|li|h\d|d[tdl]|t[rdh]|table|title|div|[uo]l|body|head|section|item|list|page|note|pre|"
    r"desc|steps|terms|info|link|script|style|blockquote|screen|example|media|figure|br|hr)\b[^>]*>"
)
MESSAGE = re.compile(r"^(msgid|msgid_plural|msgstr(?:\[[01]\])?) ((?:\".*\"\s*)+)", re.MULTILINE)
SENTENCE = re.compile(r"(?<!\b[a-zA-Z]\.)(?<!\bNr\.)(?<!\busw\.)(?<!\bbzw\.)(?<!\d\.)(?<=[.!?])\s+(?=[A-ZÄÖÜ\"„])")


def tidy(text: str) -> str:
    """Without the marks of XML, groff and menus."""
    text = re.sub(r"\b[BICEFLS]<([^<>]*)>", r"\1", text)
    text = html.unescape(re.sub(r"<[^<>]*>", "", text)).replace("\\fB", "").replace("\\fI", "").replace("\\fR", "")
    text = re.sub(r"(?<!\w)&(?=\w)", "", text.replace("\u00ad", ""))
    return " ".join((text.replace("_", "") if text.count("_") == 1 else text).split())


def sentences(english: str, german: str) -> Iterator[tuple[str, str]]:
    english, german = tidy(english), tidy(german)
    sides = SENTENCE.split(english), SENTENCE.split(german)
    if len(sides[0]) == len(sides[1]):
        yield from zip(*sides)
    else:
        yield english, german


def po(text: str) -> Iterator[tuple[str, str]]:
    """The translated messages of a .po file that are not fuzzy."""
    for entry in re.split(r"\n\s*\n", text):
        if re.search(r"^#(,.*fuzzy|~)", entry, re.MULTILINE):
            continue
        found = {}
        for name, body in MESSAGE.findall(entry):
            found[name] = re.sub(r"\\(.)", lambda m: {"n": "\n", "t": " "}.get(m[1], m[1]),
                                 "".join(re.findall(r"\"(.*)\"", body)))  # fmt: skip
        yield found.get("msgid", ""), found.get("msgstr", found.get("msgstr[0]", ""))
        yield found.get("msgid_plural", ""), found.get("msgstr[1]", "")


def mo(data: bytes) -> Iterator[tuple[str, str]]:
    """The messages of a .mo file (little-endian)."""
    magic, _, count, *at = struct.unpack_from("<5I", data)
    if magic != 0x950412DE:
        return
    for i in range(count):
        texts = []
        for table in at:
            length, start = struct.unpack_from("<2I", data, table + 8 * i)
            texts.append(data[start : start + length].decode("utf-8", "ignore").split("\x04")[-1].split("\0"))
        yield from zip(*texts)


def ding(text: str) -> Iterator[tuple[str, str]]:
    """Entries and examples of the dictionary, without their remarks."""
    for line in text.split("\n"):
        if line.startswith("#") or " :: " not in line:
            continue
        german, english = (side.split("|") for side in line.split(" :: ", 1))
        for pair in zip(english, german) if len(english) == len(german) else ():
            sides = [re.sub(r"\{[^}]*\}|\[[^]]*\]|\([^)]*\)|/[^/]*/|<[^>]*>", "", side).split(";") for side in pair]
            equal = len(sides[0]) == len(sides[1])
            yield from zip(*sides) if equal else [(sides[0][0], sides[1][0])]


def descriptions(text: str) -> dict[str, list[str]]:
    """The paragraphs of each package's description, by the sum of the English one."""
    found = {}
    for entry in text.split("\n\n"):
        match = re.search(r"Description-md5: (\w+)\nDescription-\w+: (.*)", entry, re.DOTALL)
        if match:
            short, *rest = match[2].split("\n")
            blocks = re.split(r"\n \.(?:\n|$)|\n(?=  +[-*o] )", "\n" + "\n".join(rest))
            found[match[1]] = [short, *(re.sub(r"^\s*[-*o] ", "", block) for block in blocks)]
    return found


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    wanted = re.compile(r"\.(po|html|page)$|/de/LC_MESSAGES/.*\.mo$|i18n/(en|de)\.json$|share/trans/de-en$")
    process, options = None, {"name": path}
    if path.suffix == ".deb":
        process = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE)
        options = {"fileobj": process.stdout}
    with tarfile.open(mode="r|*", **options) as archive:
        for member in archive:
            if member.isfile() and wanted.search(member.name):
                yield member.name, archive.extractfile(member).read()
    if process:
        process.communicate()


def messages(name: str, data: bytes) -> Iterator[tuple[str, str]]:
    if name.endswith(".mo"):
        return mo(data)
    if name.endswith("share/trans/de-en"):
        return ding(data.decode("utf-8"))
    if re.search(r"(^|[/._-])de(_DE)?(\.po$|/.*\.po$)", name):
        return po(data.decode("utf-8", "ignore"))
    return iter(())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    found: dict[str, dict] = {}  # Pairs in order, without repetition, by package.
    pages: dict[str, dict[str, tuple[str, list[str]]]] = {}  # Of both languages, by a path without its language.
    for path in sorted(p for p in arguments.folder.rglob("*") if re.search(r"\.deb$|\.tar\.(gz|bz2|xz)$", p.name)):
        package = re.sub(r"-(data|common|de|en|en-us|html|\d.*)$", "", path.name.split("_")[0])
        pairs = found.setdefault(package, {})
        try:
            for name, data in members(path):
                for english, german in messages(name, data):
                    pairs.update(dict.fromkeys(sentences(english, german)))
                language = LANGUAGE.search(name)
                if language and name.endswith((".html", ".page", ".json")):
                    text = data.decode("utf-8", "ignore")
                    parts = json.loads(text) if name.endswith(".json") else dict(enumerate(BLOCK.split(text)))
                    pages.setdefault(LANGUAGE.sub("*", name), {})[language[0][:2]] = package, parts
        except (tarfile.TarError, EOFError, ValueError) as error:
            print(f"{path}: {error}; the rest of it is left out", file=sys.stderr)
    for name, sides in pages.items():
        english, german = sides.get("en", sides.get("C")), sides.get("de")
        if english and german and (name.endswith(".json") or len(english[1]) == len(german[1])):
            for at in english[1]:
                if at in german[1] and isinstance(english[1][at], str):
                    found[german[0]].update(dict.fromkeys(sentences(english[1][at], german[1][at])))
    texts = {"en": {}, "de": {}}
    for language, paragraphs in texts.items():
        for path in sorted(arguments.folder.rglob(f"*Translation-{language}")):
            paragraphs.update(descriptions(path.read_text(encoding="utf-8")))
    for at, english in texts["en"].items():
        if len(english) == len(texts["de"].get(at, ())):
            for pair in zip(english, texts["de"][at]):
                found.setdefault("descriptions", {}).update(dict.fromkeys(sentences(*pair)))
    for package, pairs in found.items():
        lines = [f"{english}\t{german}\n" for english, german in pairs if english and german]
        if lines:
            (arguments.out / f"{package}.tsv").write_text("".join(lines), encoding="utf-8")
            print(f"{package}: {len(lines)} pairs")


if __name__ == "__main__":
    main()
