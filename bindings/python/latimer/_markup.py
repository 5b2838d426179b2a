"""The XML of documents, as HTML and back.

A paragraph becomes HTML with a numbered tag for each format, link, picture or
note in it; where these come back in the translation says where each one goes.
Everything else stays as it is, byte for byte.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable, Iterator
from html import escape, unescape
from itertools import groupby
from typing import Any

Translate = Callable[[str], str]  # HTML.
# What becomes of the translated items between a tag and its end.
Made = Callable[[list[Any]], list[Any]]

_MOST_DEPTH = 100
_SEPARATE = 'w:fldCharType="separate"'  # What a field shows follows.
_TAG = r"""<(?:[^<>"']|"[^"]*"|'[^']*')*>"""
_ANY_TAG = rf"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|{_TAG}"
_MARKUP = re.compile(_ANY_TAG, re.S)
_TOKENS = re.compile(rf"{_ANY_TAG}|[^<]+", re.S)
_NUMBERED = re.compile(r"<(/?)(p|span|br|img)(?: id=(\d+))?>|([^<]+|<)")
_VOID = ("br", "img")
_STYLE = re.compile(r'\btext:style-name="([^"]*)"')
_NO_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class Damaged(Exception):
    """What is wrong with a document, as the rest of a sentence."""


class _Words(str):
    """Translated text, which is not XML yet."""


class _Node:
    """An element; without tags, items in a row."""

    def __init__(self, tag: str, items: list[Any], end: str = "") -> None:
        self.tag = tag
        self.items = items  # Nodes, and strings of XML.
        self.end = end
        self.name = tag.strip("</>").split(None, 1)[0] if tag else ""

    def around(self, items: list[Any]) -> _Node:
        """The same element with other items."""
        node = copy.copy(self)
        node.items = items
        return node

    def __str__(self) -> str:
        return self.tag + "".join(map(str, self.items)) + self.end


def _parse(xml: str) -> _Node:
    if "<!ENTITY" in xml:
        raise Damaged("it has entities of its own")
    root = _Node("", [])
    stack = [root]
    for token in _TOKENS.findall(xml):
        if token.startswith("</"):
            stack.pop().end = token
        elif token[0] != "<" or token[1] in "!?":
            stack[-1].items.append(token)
        else:
            node = _Node(token, [])
            stack[-1].items.append(node)
            if not token.endswith("/>"):
                stack.append(node)
            if len(stack) > _MOST_DEPTH:
                raise Damaged("its elements are nested too deeply")
    return root


def _xml_of(words: str) -> str:
    return escape(_NO_XML.sub("", words), quote=False)


def _text_of(item: Any) -> str | None:
    """The text of what stands between tags; None: it is something else."""
    if isinstance(item, str) and item.startswith("<![CDATA["):
        return item[9:-3]
    if isinstance(item, _Node) or item.startswith("<"):
        return None
    return unescape(item)


class _Paragraphs:
    """The paragraphs of an XML file, each of which is a <p> for a model."""

    names: tuple[str, ...]

    def __init__(self, xml: str) -> None:
        self._root = _parse(xml)
        self._html: list[str] = []
        self._made: list[Made] = []  # By the numbers of tags.

    def translated(self, translate: Translate) -> str:
        self._find(self._root)
        html = translate("\n".join(self._html)) if self._html else ""
        stack: list[tuple[int, list[Any]]] = [(0, [])]
        for end, name, number, text in _NUMBERED.findall(html):
            if text:
                stack[-1][1].append(_Words(unescape(text)))
            elif not end:
                stack.append((int(number), []))
            if end or name in _VOID:
                place, items = stack.pop()
                stack[-1][1].extend(self._made[place](items))
        return str(self._root)

    def _find(self, node: Any) -> None:
        """Makes HTML of the paragraphs in a node."""
        if isinstance(node, str):
            return
        if node.name not in self.names:
            for item in node.items:
                self._find(item)
            return

        def put(items: list[Any]) -> list[Any]:
            node.items = items
            return []

        html = self._paragraph(node, put)
        if any(map(str.isalpha, unescape(re.sub("<[^>]*>", "", html)))):
            self._html.append(html)

    def _paragraph(self, node: _Node, put: Made) -> str:
        raise NotImplementedError

    def _tag(
        self,
        name: str,
        html: str,
        made: Made,
        words: Callable[[str], Any] = _xml_of,
    ) -> str:
        """HTML in a tag. `words` makes what a document has of its text."""
        self._made.append(
            lambda items: made(
                [words(i) if isinstance(i, _Words) else i for i in items]
            )
        )
        end = "" if name in _VOID else f"</{name}>"
        return f"<{name} id={len(self._made) - 1}>{html}{end}"

    def _kept(self, node: Any, name: str = "img") -> str:
        """A tag for what stays, but for the paragraphs in it."""
        self._find(node)
        return self._tag(name, "", lambda _: [node])


class OpenDocument(_Paragraphs):
    """content.xml and styles.xml of .odt and .odp."""

    names = ("text:p", "text:h")

    def __init__(self, xml: str) -> None:
        super().__init__(xml)
        # By styles like these LibreOffice tells what was typed at one time.
        self._no_formats = set(
            re.findall(
                r'<style:style style:name="([^"]*)" style:family="text">'
                r'<style:text-properties officeooo:rsid="\w*"/></style:style>',
                xml,
            )
        )

    def _find(self, node: Any) -> None:
        if isinstance(node, str) or node.name != "text:tracked-changes":
            super()._find(node)

    def _paragraph(self, node: _Node, put: Made) -> str:
        return self._tag("p", self._inline(node), put)

    def _inline(self, node: _Node) -> str:
        html = ""
        for item in node.items:
            if isinstance(item, str):
                text = _text_of(item)
                html += self._kept(item) if text is None else escape(text)
            elif item.name in ("text:line-break", "text:tab"):
                html += self._kept(item, "br")
            elif item.name not in ("text:span", "text:a") or not item.end:
                html += self._kept(item)
            elif self._no_formats.intersection(_STYLE.findall(item.tag)):
                html += self._inline(item)
            else:
                html += self._span(self._inline(item), item)
        return html

    def _span(self, html: str, node: _Node) -> str:
        return self._tag("span", html, lambda items: [node.around(items)])


class OfficeOpen(_Paragraphs):
    """The parts of .docx and .pptx that have text: paragraphs of runs."""

    names = ("w:p", "a:p")
    _RUNS = ("w:r", "a:r")
    _AROUND = (
        "w:hyperlink", "w:ins", "w:moveTo", "w:smartTag", "w:customXml",
        "w:sdt", "w:sdtContent", "w:dir", "w:bdo",
    )  # fmt: skip
    _BREAKS = (
        "w:br", "a:br", "w:cr", "w:tab", "w:ptab", "w:fldChar", "w:instrText",
    )  # fmt: skip
    _DROPPED = ("", "w:proofErr", "w:lastRenderedPageBreak", "w:softHyphen")
    # Of the properties of a run: what a reader does not see.
    _UNSEEN = re.compile(
        r"<w:(?:lang|noProof)\b[^>]*>"
        r'| (?:lang|altLang|dirty|err|noProof|smtClean)="[^"]*"'
    )
    _EMPTY = re.compile(r"<([wa]:rPr)\s*(?:/>|></\1>)")

    def __init__(self, xml: str) -> None:
        super().__init__(xml)
        self._properties: dict[str, str] = {}  # Of runs, by their look.

    def _paragraph(self, node: _Node, put: Made) -> str:
        letters: Counter[str] = Counter()
        self._count(node, letters)
        # What most of the text looks like needs no tag.
        base = max(letters, key=lambda look: letters[look], default="")
        return self._around("p", node, base, put)

    def _count(self, node: _Node, letters: Counter[str]) -> None:
        for item in node.items:
            if _name(item) in self._RUNS:
                letters[self._look(item)] += sum(
                    len(str(i)) for i in item.items if _name(i)[2:] == "t"
                )
            elif _name(item) in self._AROUND:
                self._count(item, letters)

    def _look(self, run: _Node) -> str:
        properties = "".join(
            str(item) for item in run.items if _name(item)[2:] == "rPr"
        )
        look = self._EMPTY.sub("", self._UNSEEN.sub("", properties))
        self._properties.setdefault(look, properties)
        return look

    def _run(self, kind: str, look: str) -> Callable[[str], str]:
        """Makes a run of words."""
        space = ' xml:space="preserve"' if kind == "w" else ""
        begin = f"<{kind}:r>{self._properties.get(look, '')}<{kind}:t{space}>"
        return lambda words: f"{begin}{_xml_of(words)}</{kind}:t></{kind}:r>"

    def _around(self, tag: str, node: _Node, base: str, put: Made) -> str:
        """HTML of an element with properties and runs."""
        first: list[Any] = []
        last: list[Any] = []
        runs: list[Any] = []
        for item in node.items:
            name = _name(item)
            place = first if name.endswith("Pr") else runs
            (last if name == "a:endParaRPr" else place).append(item)
        return self._tag(
            tag,
            self._inline(runs, node.name[0], base),
            lambda items: put([*first, *items, *last]),
            self._run(node.name[0], base),
        )

    def _inline(self, items: list[Any], kind: str, base: str) -> str:
        pieces = [
            piece
            for item in _with_fields(items)
            for piece in self._pieces(item, kind, base)
        ]
        html = ""
        for look, same in groupby(pieces, key=lambda piece: piece[0]):
            text = "".join(piece[1] for piece in same)
            if look is not None and look != base:
                text = self._tag("span", text, list, self._run(kind, look))
            html += text
        return html

    def _pieces(
        self, item: Any, kind: str, base: str
    ) -> Iterator[tuple[str | None, str]]:
        """HTML; if it is text, with its look."""
        name = _name(item)
        if isinstance(item, _Field):
            yield None, self._field(item, kind, base)
        elif name in self._AROUND:
            put = lambda items: [item.around(items)]  # noqa: E731
            yield None, self._around("span", item, base, put)
        elif name in self._RUNS:
            look = self._look(item)
            for part in item.items:
                if _name(part)[2:] == "t":
                    texts = (_text_of(i) or "" for i in part.items)
                    yield look, escape("".join(texts))
                elif _name(part) == "w:noBreakHyphen":
                    yield look, "-"
                elif _name(part)[2:] != "rPr":
                    run = item.around([self._properties[look], part])
                    yield None, self._stays(run, _name(part))
        else:
            yield None, self._stays(item, name)

    def _stays(self, node: Any, name: str) -> str:
        if name in self._DROPPED:
            return ""
        return self._kept(node, "br" if name in self._BREAKS else "img")

    def _field(self, field: _Field, kind: str, base: str) -> str:
        """A link has words to translate; numbers, dates and references stay."""
        code, _, result = str(field).partition(_SEPARATE)
        if not result or "HYPERLINK" not in code:
            return self._kept(field)
        at = next(
            i for i, run in enumerate(field.items) if _SEPARATE in str(run)
        )
        first, last = field.items[: at + 1], field.items[at + 1 :][-1:]
        return self._tag(
            "span",
            self._inline(field.items[at + 1 : -1], kind, base),
            lambda items: [*first, *items, *last],
            self._run(kind, base),
        )


class _Field(_Node):
    """The runs from the begin of a field to its end."""


def _with_fields(items: list[Any]) -> list[Any]:
    """Items, with the runs of each field as one."""
    found: list[Any] = []
    depth, runs = 0, []
    for item in items:
        xml = str(item) if _name(item) == "w:r" else ""
        depth += xml.count('w:fldCharType="begin"')
        depth -= xml.count('w:fldCharType="end"')
        runs.append(item)
        if depth <= 0:
            found += runs if len(runs) == 1 else [_Field("", runs)]
            depth, runs = 0, []
    return found + runs  # A field may go on in the next paragraph.


def _name(item: Any) -> str:
    return item.name if isinstance(item, _Node) else ""


# Elements of XHTML that HTML knows to be without an end.
_HTML_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()
)
_HTML_INLINE = frozenset(
    "a abbr b bdi bdo cite em i q s small span strong sub sup u".split()
)


def xhtml(xml: str, translate: Translate) -> str:
    """XHTML is nearly HTML: what only XML has goes through as empty tags."""
    attribute = "latimer"
    while attribute in xml:
        attribute += "x"
    hidden: list[str] = []

    def hide(match: re.Match[str]) -> str:
        tag = match[0]
        name = tag.strip("</>").split(None, 1)[0]
        if tag.startswith(("<!--", "<!D")):
            return tag
        if tag[1] not in "!?" and (
            not tag.endswith("/>") or name in _HTML_VOID
        ):
            return tag
        hidden.append(tag)
        stands = "img" if name in _HTML_INLINE else "hr"
        return f"<{stands} {attribute}={len(hidden) - 1}>"

    html = translate(_MARKUP.sub(hide, xml))
    if "&nbsp;" not in xml:  # XML knows no names of characters by itself.
        html = html.replace("&nbsp;", "&#160;")
    return re.sub(
        rf"<(?:img|hr) {attribute}=(\d+)>", lambda m: hidden[int(m[1])], html
    )
