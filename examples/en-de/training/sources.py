"""Takes English-German text out of Debian's packages.

    apt-get download trans-de-en libreoffice-help-de ...; apt-get source --download-only installation-guide ...
    python sources.py FOLDER OUT

FOLDER holds source archives (.tar.*), packages (.deb) and the package descriptions that apt keeps as Translation-en
and Translation-de. Writes OUT/PACKAGE.tsv, English and German with a tab between, for prep.py to clean. Read are:
messages (de.po, de/LC_MESSAGES/*.mo), texts that have names (.json, .properties, FreeOrion's), dialogues of
Fish Fillets, pages that have the same structure in both languages (HTML, Mallard, DocBook, man), the dictionary Ding,
and descriptions. Paragraphs are cut into sentences where both sides have as many.
"""

import argparse
import gzip
import html
import html.entities
import json
import math
import re
import struct
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

GERMAN = re.compile(r"[/._-]de([-_]DE)?(?=[/._])|(?<=colobot/help/)D(?=/)")
ENGLISH = re.compile(r"[/._-](C|en([-_]US)?)(?=[/._])|(?<=colobot/help/)E(?=/)")
OTHER = re.compile(r"[/._-](ar|bg|ca|cs|da|el|en[-_]GB|eo|es|eu|fa|fi|fr|gl|he|hu|id|it|ja|ko|lt|lv|nb|nl|nn|no|oc|"
                   r"pa|pl|pt|ro|ru|sk|sl|sr|sv|te|tr|uk|vi|zh)([-_@]\w+)?(?=[/._])")  # fmt: skip
BLOCK = re.compile(
    r"</?(?:p|li|h\d|d[tdl]|t[rdh]|table|title|div|[uo]l|body|head|section|item|list|page|note|pre|"
    r"desc|steps|terms|info|link|script|style|blockquote|screen|example|media|figure|br|hr|"
    r"(?:sim)?para|sect\d|chapter|article|book|term|entry|row|listitem|varlistentry|step|caption|programlisting)"
    r"\b[^>]*>"
)
PAGE = re.compile(r"\.(html|page|docbook)$|/help/.*\.(xml|txt)$|/text/(en|de)/.*\.txt$|/man/(de/)?man\d/[^/]*\.gz$")
NAMED = {  # Files of texts that have names.
    r"\.properties$": r"^([\w.]+)[ \t]*=[ \t]*(.*)$",
    r"/stringtables/(en|de)\.txt$": r"^([A-Z][A-Z_\d]+)\n(?:\'\'\'((?s:.*?))\'\'\'|(.+))",
}
DIALOGUE = re.compile(r"dialogId\([^,]*,[^,]*, *\"(.*)\"\)\s*dialogStr\(\"(.*)\"\)")
ROFF = {"\\-": "-", "\\&": "", "\\(aq": "'", "\\(cq": "’", "\\(oq": "‘", "\\(lq": "“", "\\(rq": "”", "\\(em": "—",
        "\\(en": "–", "\\~": " ", "\\ ": " ", "\\e": "\\", "\\|": "", "\\:": "", "\\'": "´", "\\`": "`"}  # fmt: skip
MESSAGE = re.compile(r"^(msgid|msgid_plural|msgstr(?:\[[01]\])?) ((?:\".*\"\s*)+)", re.MULTILINE)
SENTENCE = re.compile(r"(?<!\b[a-zA-Z]\.)(?<!\bNr\.)(?<!\busw\.)(?<!\bbzw\.)(?<!\d\.)(?<=[.!?])\s+(?=[A-ZÄÖÜ\"„])")


def tidy(text: str) -> str:
    """Without the marks of XML, groff and menus."""
    text = re.sub(r"\b[BICEFLS]<([^<>]*)>", r"\1", text)
    text = re.sub(r"<[^<>]*>", "", text).replace("\\fB", "").replace("\\fI", "").replace("\\fR", "")
    text = re.sub(r"&([a-z][\w.-]*);", lambda m: m[0] if m[0][1:] in html.entities.html5 else m[1], text)  # A page's own.
    text = html.unescape(text)
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


def man(text: str) -> list[str]:
    """The paragraphs of a manual page, without examples of code."""
    text = re.sub(r"^\.(nf|EX|TS)\b.*?^\.(fi|EE|TE)\b|^[.']\\\".*?$|^\.de.*?^\.\.$", ".sp", text, flags=re.M | re.S)
    text = re.sub(r"\\f(\[\w*\]|\(\w\w|.)|\\s[-+]?\d|\\m\[\w*\]", "", text)
    for mark, plain in ROFF.items():
        text = text.replace(mark, plain)
    blocks = [""]
    for line in text.split("\n"):
        macro, _, rest = line.partition(" ")
        if macro in (".SH", ".SS"):
            blocks += [rest.strip('" '), ""]
        elif re.fullmatch(r"\.(B|I|SM|SB)", macro):
            blocks[-1] += f" {rest.strip()}"
        elif re.fullmatch(r"\.[BIR]{2}", macro):
            blocks[-1] += " " + "".join(a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', rest))
        elif line[:1] in (".", "'") or not line.strip():
            blocks.append("")
        else:
            blocks[-1] += f" {line}"
    return [block for block in blocks if block]


def parts_of(name: str, text: str) -> dict[str, str] | list[str]:
    """The blocks of a page, or the texts of a file of texts that have names."""
    if name.endswith(".json"):
        return json.loads(text)
    for file, pattern in NAMED.items():
        if re.search(file, name):
            return {at: "".join(body) for at, *body in re.findall(pattern, text, re.MULTILINE)}
    if "/man/" in name:
        return man(text)
    if "/colobot/" in name:
        return re.sub(r"\\[a-z]+( [^;\n]*)?;|\\u [^;\n]*;?", "", text).split("\n")
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    return BLOCK.split(text)


def aligned(english: list[str], german: list[str]) -> Iterator[tuple[str, str]]:
    """The blocks of two pages that belong together, in order: of similar length, with the same names and numbers."""
    sides = [[tidy(block) for block in page] for page in (english, german)]
    sides = [[block for block in page if re.search(r"\w", block)] for page in sides]
    words = [[set(re.findall(r"\w{3,}|\d+", block)) for block in page] for page in sides]
    rows, columns = map(len, sides)
    if abs(rows - columns) > 0.2 * max(rows, columns):
        return
    width = 50
    best, step = [[0.0] * (columns + 1) for _ in range(rows + 1)], {}
    for i in range(1, rows + 1):
        centre = i * columns // rows
        for j in range(max(1, centre - width), min(columns, centre + width) + 1):
            one, other = words[0][i - 1], words[1][j - 1]
            ratio = abs(math.log((len(sides[1][j - 1]) + 9) / (1.15 * len(sides[0][i - 1]) + 9)))
            fit = 0.7 - 1.5 * ratio + 2 * len(one & other) / (1 + max(len(one), len(other)))
            best[i][j], step[i, j] = max((best[i - 1][j - 1] + fit, fit), (best[i - 1][j], -9), (best[i][j - 1], -8))
    i, j, found = rows, columns, []
    while i and j:
        fit = step.get((i, j), -9)
        if fit > 0:
            found.append((sides[0][i - 1], sides[1][j - 1]))
        i, j = i - (fit != -8), j - (fit != -9)
    yield from reversed(found)


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
    wanted = re.compile("|".join([r"\.po$|[/_]de(_DE)?(/LC_MESSAGES/.*)?\.mo$|i18n/(en|de)\.json$|share/trans/de-en$|"
                                  r"/dialogs_de\.lua$", PAGE.pattern, *NAMED]))  # fmt: skip
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
    if name.endswith("dialogs_de.lua"):
        return iter(DIALOGUE.findall(data.decode("utf-8")))
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
    pages: dict[str, dict[str, tuple[str, str, bytes]]] = {}  # Of both languages, by a path without its language.
    for path in sorted(p for p in arguments.folder.rglob("*") if re.search(r"\.deb$|\.tar\.(gz|bz2|xz)$", p.name)):
        package = re.sub(r"-(data|common|de|en|en-us|html|\d.*)$", "", path.name.split("_")[0])
        pairs = found.setdefault(package, {})
        try:
            for name, data in members(path):
                for english, german in messages(name, data):
                    pairs.update(dict.fromkeys(sentences(english, german)))
                if not name.endswith((".po", ".mo", ".lua", "de-en")) and not OTHER.search(name):
                    at, count = GERMAN.subn("", name)
                    page = package, name, gzip.decompress(data) if name.endswith(".gz") else data
                    pages.setdefault(ENGLISH.sub("", at), {})["de" if count else "en"] = page
        except (tarfile.TarError, EOFError, ValueError) as error:
            print(f"{path}: {error}; the rest of it is left out", file=sys.stderr)
    for sides in pages.values():
        if len(sides) == 2:
            english, german = (parts_of(name, page.decode("utf-8", "ignore")) for _, name, page in
                               (sides["en"], sides["de"]))  # fmt: skip
            if isinstance(english, dict):
                pairs = [(english[at], german[at]) for at in english if isinstance(english[at], str) and at in german]
            else:
                pairs = aligned(english, german)
            for pair in pairs:
                found[sides["de"][0]].update(dict.fromkeys(sentences(*pair)))
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
