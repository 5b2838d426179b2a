"""Documents as files: what is in them, and the translated ones."""

from __future__ import annotations

import copy
import os
import re
import shutil
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.parsers import expat

from . import _markup
from ._errors import InvalidArgumentError, LatimerError
from ._markup import Damaged, Translate
from ._options import TranslateOptions, Unpack

_MOST_MEMBERS = 10_000
_MOST_TEXT = 64 << 20  # Bytes of a file that has text,
_MOST_BYTES = 1 << 30  # and of all that an archive unpacks to.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def _open_document(xml: str, translate: Translate) -> str:
    return _markup.OpenDocument(xml).translated(translate)


def _office_open(xml: str, translate: Translate) -> str:
    return _markup.OfficeOpen(xml).translated(translate)


# For each format: which members have text, and what translates them.
_ARCHIVES: dict[str, tuple[str, Callable[[str, Translate], str]]] = {
    ".docx": (
        r"word/(document\d*|header\d*|footer\d*|footnotes|endnotes|comments"
        r"|diagrams/(data|drawing)\d*)\.xml",
        _office_open,
    ),
    ".pptx": (
        r"ppt/((slides|notesSlides)/[^/]+|diagrams/(data|drawing)\d*)\.xml",
        _office_open,
    ),
    ".odt": (r"(content|styles)\.xml", _open_document),
    ".odp": (r"(content|styles)\.xml", _open_document),
    ".epub": (r".*\.(xhtml|html|htm|ncx)", _markup.xhtml),
}
_TEXTS = (".html", ".htm", ".txt")


class DocumentTranslator:
    """Translates documents by translate_html and translate_paragraphs."""

    def translate_document(
        self,
        document: str | os.PathLike[str],
        output: str | os.PathLike[str] | None = None,
        *,
        overwrite: bool = False,
        **options: Unpack[TranslateOptions],
    ) -> Path:
        """Translates a document; formats, links, pictures and notes stay.

            translator.translate_document("letter.docx", "brief.docx")

        Args:
            document: .docx, .pptx, .odt, .odp, .epub, .html, .htm or .txt.
            output: the file to write; None: letter.translated.docx.
            overwrite: whether the output may be there already.
            **options: those of translate_html.

        Returns:
            The path of the output, which is written only if it is whole.

        Raises:
            OSError: the document is not there, or the output is.
            LatimerError: it is no such document, or is damaged.
        """
        return _translate_file(self, Path(document), output, overwrite, options)


def _translate_file(
    translator: Any,
    path: Path,
    output: str | os.PathLike[str] | None,
    overwrite: bool,
    options: TranslateOptions,
) -> Path:
    ending = path.suffix.lower()
    if ending not in _ARCHIVES and ending not in _TEXTS:
        raise InvalidArgumentError(
            f"{path} is no document of a known kind: "
            f"{', '.join((*_ARCHIVES, *_TEXTS))}."
        )
    to = Path(output or path.with_suffix(".translated" + path.suffix))
    if {to.suffix.lower(), ending} not in ({ending}, {".htm", ".html"}):
        raise InvalidArgumentError(
            f"{to}: a translation keeps its document's format; give the output "
            f"a name that ends in {ending}."
        )
    if to.exists() and not overwrite:
        raise FileExistsError(
            f"{to} exists; name another output, or say that it may be "
            "overwritten (--overwrite, overwrite=True)."
        )

    texts = 0

    def translate(html: str) -> str:
        nonlocal texts
        texts += 1
        return "".join(translator.translate_html(html, **options))

    # Only what is whole gets the name.
    begun = to.with_name(f"{to.name}.partial.{os.getpid()}")
    try:
        if ending in _ARCHIVES:
            _translate_archive(path, begun, *_ARCHIVES[ending], translate)
        else:
            text = path.read_bytes().decode("utf-8-sig")
            if ending == ".txt":
                portions = translator.translate_paragraphs(text, **options)
                text = "".join(portion.text for portion in portions)
            else:
                text = translate(text)
            begun.write_bytes(text.encode())
        if not texts and ending in _ARCHIVES:
            raise Damaged("no text to translate was found in it")
        begun.replace(to)
    except UnicodeDecodeError as error:
        raise LatimerError(
            f"{path}: its text is not UTF-8.", "CORRUPT"
        ) from error
    except (zipfile.BadZipFile, zlib.error, EOFError, Damaged) as error:
        raise LatimerError(f"{path}: {error}.", "CORRUPT") from error
    finally:
        begun.unlink(missing_ok=True)
    return to


def _translate_archive(
    path: Path,
    to: Path,
    names: str,
    translated: Callable[[str, Translate], str],
    translate: Translate,
) -> None:
    """Copies an archive with other texts."""
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(to, "w") as target:
        members = source.infolist()
        _check(members)
        target.comment = source.comment
        for member in members:
            name = member.filename
            copied = copy.copy(member)
            if re.fullmatch(names, name):
                if member.file_size > _MOST_TEXT:
                    raise Damaged(
                        f"{name} has more than {_MOST_TEXT >> 20} MiB"
                    )
                xml = source.read(member)
                text = xml.decode("utf-8-sig")
                _check_xml(name, xml)
                target.writestr(copied, translated(text, translate))
            else:
                large = member.file_size > 2**31 - 1
                with source.open(member) as old:
                    with target.open(copied, "w", force_zip64=large) as new:
                        shutil.copyfileobj(old, new)


def _check(members: list[zipfile.ZipInfo]) -> None:
    """Refuses what no program wrote that writes documents."""
    names = {member.filename for member in members}
    if len(members) > _MOST_MEMBERS or len(names) < len(members):
        raise Damaged(
            f"it has a name twice, or more than {_MOST_MEMBERS} files"
        )
    if sum(member.file_size for member in members) > _MOST_BYTES:
        raise Damaged(f"it unpacks to more than {_MOST_BYTES >> 20} MiB")
    for member in members:
        name = member.filename
        if name.startswith("/") or ".." in name.split("/"):
            raise Damaged(f"the name {name} in it leads out of it")
        if member.flag_bits & 1 or member.compress_type not in _METHODS:
            raise Damaged(f"{name} in it is encrypted, or packed in a rare way")


def _check_xml(name: str, xml: bytes) -> None:
    """Text is found by tags, which must be there as XML wants them."""
    try:
        expat.ParserCreate().Parse(xml, True)
    except expat.ExpatError as error:
        raise Damaged(f"{name} in it is no XML: {error}") from error
