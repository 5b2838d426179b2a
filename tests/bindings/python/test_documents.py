"""Documents: texts and formats, what stays as it is, and files that are refused."""

import random
import re
import subprocess
import sys
import zipfile
from xml.etree import ElementTree
from xml.parsers import expat

import pytest
from conftest import TEXTS
from random_documents import ODF, OOXML, element

import latimer
from latimer import _markup

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
HERE, HERE_DE = "I am here.", TEXTS["I am here."]


def archive(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in members.items():
            out.writestr(name, content)
    return path


def members(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


def plain(xml):
    return "".join(ElementTree.fromstring(xml).itertext())


@pytest.fixture
def docx(translator, tmp_path):
    """Translates the body of a .docx."""

    def translated(body, **options):
        document = f"{HEAD}<w:document {W}><w:body>{body}</w:body></w:document>"
        path = archive(tmp_path / "a.docx", {"word/document.xml": document})
        to = translator.translate_document(path, overwrite=True, **options)
        xml = members(to)["word/document.xml"]
        ElementTree.fromstring(xml)
        begin, _, rest = xml.partition("<w:body>")
        assert begin == document.partition("<w:body>")[0]
        return rest.removesuffix("</w:body></w:document>")

    return translated


def run(text, properties=""):
    return f'<w:r>{properties}<w:t xml:space="preserve">{text}</w:t></w:r>'


def test_a_format_follows_its_words(docx):
    bold, italic = "<w:rPr><w:b/></w:rPr>", "<w:rPr><w:i/></w:rPr>"
    text = run("I have ") + run("not read", bold) + run(" the ") + run("book", italic)
    found = docx(f'<w:p><w:pPr><w:jc w:val="left"/></w:pPr>{text}{run(" yet.")}</w:p>')
    assert found == (
        '<w:p><w:pPr><w:jc w:val="left"/></w:pPr>'
        + run("Ich habe das ") + run("Buch", italic) + run(" noch ")
        + run("nicht gelesen", bold) + run(".") + "</w:p>"
    )  # fmt: skip


def test_runs_that_look_alike_are_one_sentence(docx):
    lang = '<w:rPr><w:lang w:val="en-US"/></w:rPr>'
    pieces = [run("I ", lang), '<w:proofErr w:type="spellStart"/>', run("am he"), run("re.", "<w:rPr/>")]
    assert docx(f"<w:p>{''.join(pieces)}</w:p>") == f"<w:p>{run(HERE_DE, lang)}</w:p>"


def test_links_notes_fields_and_text_boxes_are_kept(docx):
    link = f'<w:hyperlink w:anchor="x">{run("the book")}</w:hyperlink>'
    note = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    code = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    page = code.format("begin") + "<w:r><w:instrText> PAGE </w:instrText></w:r>"
    page += code.format("separate") + run("seven") + code.format("end")
    field = code.format("begin") + '<w:r><w:instrText> HYPERLINK "http://a" </w:instrText></w:r>'
    field += code.format("separate") + "{}" + code.format("end")
    box = f"<w:r><w:pict><w:txbxContent><w:p>{run(HERE)}</w:p></w:txbxContent></w:pict></w:r>"
    gone = '<w:del w:id="1"><w:r><w:delText>gone</w:delText></w:r></w:del>'

    found = docx(f'<w:p>{run("I have not read ")}{link}{run(" yet.")}{note}</w:p>')
    assert f'<w:hyperlink w:anchor="x">{run("das Buch")}</w:hyperlink>' in found
    assert note in found and plain_docx(found) == "Ich habe das Buch noch nicht gelesen."
    assert page in docx(f"<w:p>{run('Good morning.')}{page}</w:p>")
    assert field.format(run(HERE_DE)) in docx(f"<w:p>{field.format(run(HERE))}</w:p>")
    found = docx(f"<w:p>{run('Good morning.')}{box}{gone}</w:p>")
    assert box.replace(HERE, HERE_DE) in found and gone in found


def plain_docx(body):
    return plain(f"<a {W}>{body}</a>")


def test_a_tab_or_a_break_ends_a_sentence(docx):
    found = docx(f"<w:p><w:r><w:t>{HERE}</w:t><w:tab/><w:t>Good morning.</w:t><w:br/></w:r></w:p>")
    assert found == (
        f"<w:p>{run(HERE_DE)}<w:r><w:tab/></w:r>{run('Guten Morgen.')}<w:r><w:br/></w:r></w:p>"
    )


def test_a_field_that_goes_on_in_the_next_paragraph_keeps_its_order(docx):
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r>'
    end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    found = docx(f"<w:p>{begin}{run(HERE)}</w:p><w:p>{run(HERE)}{end}</w:p>")
    assert found == f"<w:p>{begin}{run(HERE_DE)}</w:p><w:p>{run(HERE_DE)}{end}</w:p>"


def test_a_field_whose_end_is_in_the_run_of_its_words_comes_once(docx):
    code = '<w:fldChar w:fldCharType="{}"/>'.format
    begin = f"<w:r>{code('begin')}<w:instrText>HYPERLINK</w:instrText></w:r>"
    field = f"{begin}<w:r>{code('separate')}<w:t>seven</w:t>{code('end')}</w:r>"
    assert docx(f"<w:p>{run(HERE)}{field}</w:p>") == f"<w:p>{run(HERE_DE)}{field}</w:p>"


def test_paragraphs_without_words_stay_byte_for_byte(docx):
    body = '<w:p><w:r w:rsidR="1"><w:t>12.5 &#8364;</w:t></w:r><w:proofErr/></w:p>'
    assert docx(body + f"<w:p>{run(HERE)}</w:p>") == body + f"<w:p>{run(HERE_DE)}</w:p>"


def test_references_are_xml_again(docx):
    found = docx(f"<w:p>{run('{a} &amp; {b} is old.')}</w:p>", protect=True)
    assert "{a} &amp; {b}" in found


def test_open_document(translator, tmp_path):
    names = "office text style officeooo".split()
    spaces = " ".join(f'xmlns:{name}="urn:{name}"' for name in names)
    style = (
        '<style:style style:name="T9" style:family="text">'
        '<style:text-properties officeooo:rsid="0012"/></style:style>'
    )
    note = "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>{}</text:p></text:note-body></text:note>"
    xml = (
        f"{HEAD}<office:x {spaces}>{style}<text:tracked-changes><text:p>{HERE}</text:p>"
        "</text:tracked-changes><text:h>{}</text:h><text:p>{}<text:s/></text:p></office:x>"
    )
    bold = '<text:span text:style-name="T1">{}</text:span>'
    path = archive(
        tmp_path / "a.odt",
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": xml.format(
                'I <text:span text:style-name="T9">am he</text:span>re.' + note.format("Good morning."),
                f"I have {bold.format('not read')} the book yet.",
            ),
            "Pictures/a.bin": "\x00\x01",
        },
    )
    found = members(translator.translate_document(path))
    assert list(found) == ["mimetype", "content.xml", "Pictures/a.bin"]
    assert found["content.xml"] == xml.format(
        HERE_DE + note.format("Guten Morgen."),
        f"Ich habe das Buch noch {bold.format('nicht gelesen')}.",
    )


def test_epub_is_xml_afterwards(translator, tmp_path):
    page = (
        "<?xml version='1.0' encoding='utf-8'?>\n<!DOCTYPE html>\n<?own a > b?>"
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{0}</title>'
        '<script src="a.js"/><style/></head><body><!-- a comment: hello --><p><a id="p5"/>{0}<br/>'
        "{1}</p><td/><script>//<![CDATA[\n a < b //]]></script><p>{0}</p></body></html>"
    )
    book = archive(
        tmp_path / "b.epub",
        {
            "mimetype": "application/epub+zip",
            "a.xhtml": page.format(HERE, "Good&#160;morning."),
            "toc.ncx": f"<ncx><navLabel><text>{HERE}</text></navLabel><content src='a'/></ncx>",
        },
    )
    found = members(translator.translate_document(book))
    assert found["a.xhtml"] == page.format(HERE_DE, "Guten Morgen.")
    assert found["toc.ncx"] == f"<ncx><navLabel><text>{HERE_DE}</text></navLabel><content src='a'/></ncx>"
    for xml in found["a.xhtml"], found["toc.ncx"]:
        ElementTree.fromstring(xml)


def test_html_and_text(translator, tmp_path):
    (tmp_path / "a.html").write_text(f"<!DOCTYPE html><!-- hello --><p>{HERE}</p>")
    (tmp_path / "a.TXT").write_text(f"{HERE}\n\nGood\nmorning.\n", encoding="utf-8-sig")
    html = translator.translate_document(tmp_path / "a.html")
    assert html == tmp_path / "a.translated.html"
    assert html.read_text() == f"<!DOCTYPE html><!-- hello --><p>{HERE_DE}</p>"
    text = translator.translate_document(tmp_path / "a.TXT", tmp_path / "b.txt")
    assert text.read_text() == f"{HERE_DE}\n\nGuten Morgen.\n"


# ---- Documents of the libraries that people write them with ------------------


def test_documents_of_python_docx(translator, tmp_path):
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_heading(HERE, 1)
    paragraph = document.add_paragraph("I have ")
    paragraph.add_run("not read").bold = True
    paragraph.add_run(" the book yet.")
    document.add_table(1, 1).cell(0, 0).text = HERE
    document.sections[0].header.paragraphs[0].text = HERE
    document.save(tmp_path / "a.docx")
    found = docx.Document(translator.translate_document(tmp_path / "a.docx"))
    heading, paragraph = found.paragraphs
    assert (heading.text, heading.style.name) == (HERE_DE, "Heading 1")
    assert [(r.text, r.bold) for r in paragraph.runs] == [
        ("Ich habe das Buch noch ", None), ("nicht gelesen", True), (".", None),
    ]  # fmt: skip
    assert found.tables[0].cell(0, 0).text == HERE_DE
    assert found.sections[0].header.paragraphs[0].text == HERE_DE


def test_documents_of_python_pptx(translator, tmp_path):
    pptx = pytest.importorskip("pptx")
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.placeholders[0].text = HERE
    paragraph = slide.placeholders[1].text_frame.paragraphs[0]
    for text, bold in ("I have ", None), ("not read", True), (" the book yet.", None):
        added = paragraph.add_run()
        added.text, added.font.bold = text, bold
    slide.notes_slide.notes_text_frame.text = HERE
    show.save(tmp_path / "a.pptx")
    (slide,) = pptx.Presentation(translator.translate_document(tmp_path / "a.pptx")).slides
    assert slide.placeholders[0].text == HERE_DE
    runs = slide.placeholders[1].text_frame.paragraphs[0].runs
    assert [(r.text, r.font.bold) for r in runs] == [
        ("Ich habe das Buch noch ", None), ("nicht gelesen", True), (".", None),
    ]  # fmt: skip
    assert slide.notes_slide.notes_text_frame.text == HERE_DE


def test_documents_of_odfpy(translator, tmp_path):
    pytest.importorskip("odf")
    from odf import opendocument, teletype, text

    document = opendocument.OpenDocumentText()
    paragraph = text.P(text="I have ")
    paragraph.addElement(text.Span(stylename="B", text="not read"))
    paragraph.addText(" the book yet.")
    document.text.addElement(paragraph)
    document.save(tmp_path / "a.odt")
    found = opendocument.load(translator.translate_document(tmp_path / "a.odt"))
    (paragraph,) = found.getElementsByType(text.P)
    assert teletype.extractText(paragraph) == "Ich habe das Buch noch nicht gelesen."
    (span,) = found.getElementsByType(text.Span)
    assert teletype.extractText(span) == "nicht gelesen"


def test_documents_of_ebooklib(translator, tmp_path):
    epub = pytest.importorskip("ebooklib.epub")
    book = epub.EpubBook()
    book.set_identifier("id")
    book.set_title("Book")
    page = epub.EpubHtml(title=HERE, file_name="page.xhtml")
    page.content = f"<html><body><p>{HERE}</p><p>I have <b>not read</b> the book yet.</p></body></html>"
    book.add_item(page)
    book.toc, book.spine = [page], [page, "nav"]
    book.add_item(epub.EpubNcx())
    book.add_item(epub.EpubNav())
    epub.write_epub(tmp_path / "a.epub", book)
    to = translator.translate_document(tmp_path / "a.epub")
    found = epub.read_epub(to, {"ignore_ncx": False})
    content = found.get_item_with_href("page.xhtml").get_content().decode()
    ElementTree.fromstring(content)
    assert f"<p>{HERE_DE}</p>" in content
    assert "<p>Ich habe das Buch noch <b>nicht gelesen</b>.</p>" in content
    assert [link.title for link in found.toc] == [HERE_DE]


# ---- What is refused ---------------------------------------------------------


def test_no_file_is_overwritten_unasked(translator, tmp_path):
    path = archive(tmp_path / "a.epub", {"a.xhtml": f"<p>{HERE}</p>"})
    other = tmp_path / "b.epub"
    other.write_text("mine")
    for output in path, other:
        with pytest.raises(FileExistsError, match="exists; name another output"):
            translator.translate_document(path, output)
    assert other.read_text() == "mine"
    translator.translate_document(path, path, overwrite=True)
    assert members(path) == {"a.xhtml": f"<p>{HERE_DE}</p>"}


def deep(name, count):
    return f"<{name}>" * count + f"</{name}>" * count


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.xyz", {}, "is no document of a known kind"),
        ("a", {}, "is no document of a known kind"),
        ("a.docx", {"a": ""}, "no text to translate"),
        ("a.docx", {"word/document.xml": "<a><b></a>"}, "word/document.xml in it is no XML"),
        ("a.docx", {"word/document.xml": "<a>&b;</a>"}, "is no XML"),
        ("a.docx", {"word/document.xml": deep("a", 1000)}, "nested too deeply"),
        ("a.odt", {"content.xml": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"}, "entities of its own"),
        ("a.docx", {"word/document.xml": b"<a>\xe4</a>"}, "not UTF-8"),
        ("a.epub", {"a.xhtml": "<a>", "../b": ""}, "../b in it leads out of it"),
        ("a.epub", {"a.xhtml": "<a>", "/b": ""}, "/b in it leads out of it"),
        ("a.odt", {str(i): "" for i in range(10_001)}, "more than 10000 files"),
        ("a.odt", {"content.xml": b" " * (65 << 20)}, "content.xml has more than 64 MiB"),
    ],
)  # fmt: skip
def test_what_is_no_document_is_refused(translator, tmp_path, name, content, says):
    path = archive(tmp_path / name, content)
    with pytest.raises(latimer.LatimerError, match=says):
        translator.translate_document(path)
    assert list(tmp_path.iterdir()) == [path]


def test_archives_that_are_damaged_or_claim_too_much_are_refused(translator, tmp_path):
    path = archive(tmp_path / "a.docx", {"word/document.xml": f"<a>{HERE}</a>", "b": "b" * 999})
    whole = path.read_bytes()
    for name in ("word/document.xml", "b"):
        with zipfile.ZipFile(path) as found:
            at = found.getinfo(name).header_offset + 30 + len(name)
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        with pytest.raises(latimer.LatimerError, match="a.docx: "):
            translator.translate_document(path)
        path.write_bytes(whole)
    path.write_bytes(whole[:-30])
    with pytest.raises(latimer.LatimerError, match="not a zip file"):
        translator.translate_document(path)
    at = whole.index(b"PK\1\2") + 24  # The size that the directory names.
    path.write_bytes(whole[:at] + (2**31).to_bytes(4, "little") + whole[at + 4 :])
    with pytest.raises(latimer.LatimerError, match="unpacks to more than 1024 MiB"):
        translator.translate_document(path)


def test_wrong_options_are_refused_and_nothing_is_left(translator, tmp_path):
    path = archive(tmp_path / "a.epub", {"a.xhtml": f"<p>{HERE}</p>"})
    with pytest.raises(TypeError, match="'beam' is no option"):
        translator.translate_document(path, beam=4)
    with pytest.raises(FileNotFoundError):
        translator.translate_document(tmp_path / "none.docx")
    assert list(tmp_path.iterdir()) == [path]


def test_a_pivot_translates_documents(model, tmp_path):
    path = archive(tmp_path / "a.epub", {"a.xhtml": f"<p>{HERE}</p>"})
    with latimer.Translator(model) as first, latimer.Translator(model) as second:
        pivot = latimer.PivotTranslator(first, second)
        assert members(pivot.translate_document(path))["a.xhtml"].startswith("<p>")


def test_the_command(model, tmp_path):
    def document(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "latimer", "document", *map(str, arguments)],
            capture_output=True,
            text=True,
        )

    path = archive(tmp_path / "a.epub", {"a.xhtml": f"<p>{HERE}</p>"})
    done = document(model, path, "-o", tmp_path / "b.epub", "--beams", "1")
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'b.epub'}\n"), done.stderr
    assert members(tmp_path / "b.epub") == {"a.xhtml": f"<p>{HERE_DE}</p>"}
    for arguments, says in (
        ((model, path, "-o", tmp_path / "b.epub"), "exists; name another output"),
        ((model, path, "-o", tmp_path / "b.pdf"), "a name that ends in .epub"),
        ((model, tmp_path / "none.docx"), "none.docx: No such file or directory."),
        ((model, model), "is no document of a known kind"),
        ((model, path, "--beam", "2"), "'beam' is no option"),
    ):
        failed = document(*arguments)
        assert failed.returncode == 1
        assert says in failed.stderr and failed.stderr.count("\n") == 1
    assert document(model).returncode == 2
    assert document("--help").returncode == 0


# ---- Documents made at random ------------------------------------------------

def other_order(draw):
    """A translation whose words come in another order."""

    def paragraph(match):
        parts = re.findall(r"<span id=\d+>[^<]*</span>|<img id=\d+>|[^<]+", match[2])
        if "".join(parts) == match[2]:
            draw.shuffle(parts)
            return match[1] + "".join(parts) + "</p>"
        return match[0]

    return lambda html: re.sub(r"(<p id=\d+>)(.*?)</p>", paragraph, html, flags=re.S)


@pytest.mark.parametrize(
    ("kind", "names"), [(_markup.OpenDocument, ODF), (_markup.OfficeOpen, OOXML)]
)
def test_what_comes_out_is_xml_with_the_elements_of_what_went_in(kind, names):
    for seed in range(500):
        draw = random.Random(seed)
        xml = f"<root>{''.join(element(draw, names) for _ in range(6))}</root>"
        out = kind(xml).translated(other_order(draw))
        expat.ParserCreate().Parse(out, True)
        if kind is _markup.OpenDocument:  # Runs of Word are joined and cut.
            tags = [re.findall(r"</?\w[^>]*>", text) for text in (xml, out)]
            assert sorted(tags[0]) == sorted(tags[1]), seed
