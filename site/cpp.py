#!/usr/bin/env python3
"""Writes the pages of the C and C++ API from Doxygen's XML: cpp.py XML OUT

A page for each public header, in the order of the header. What has no comment is an error, but members of structs and
of enumerations, whose names may say it.
"""

import html
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

TYPES = ("class", "struct", "union")


def plain(node):
    return "" if node is None else re.sub(r"\s+", " ", "".join(node.itertext())).strip()


def prose(node):
    """HTML of a description, one line for each paragraph or block of code."""
    if node is None:
        return ""
    out = []
    for para in node.iter("para"):
        text = escape(para.text)
        for child in para:
            if child.tag == "programlisting":
                lines = ["".join(code(line)) for line in child]
                out += [f"<p>{text.strip()}</p>"] * bool(text.strip())
                out.append("<pre><code>" + "\n".join(map(html.escape, lines)) + "</code></pre>")
                text = ""
            elif child.tag == "computeroutput":
                text += f"<code>{html.escape(plain(child))}</code>"
            else:
                text += escape("".join(child.itertext()))
            text += escape(child.tail)
        out += [f"<p>{text.strip()}</p>"] * bool(text.strip())
    return "\n".join(out).replace("\n</code>", "</code>")


def escape(text):
    return html.escape(text or "", quote=False)


def code(line):
    for part in line.iter():
        if part.tag == "sp":
            yield " "
        yield part.text or ""
        yield part.tail or "" if part is not line else ""


def declaration(member):
    """As the header has it, but in one line of about 80 columns or several."""
    kind, name = member.get("kind"), plain(member.find("name"))
    if kind == "define":
        value = plain(member.find("initializer"))
        arguments = [plain(one) for one in member.findall("param/defname")]
        return f"#define {name}" + (f"({', '.join(arguments)})" if arguments else "") + (
            f" {value}" if value and "\n" not in value and not arguments else "")
    if kind == "enum":
        scoped = "class " if member.get("strong") == "yes" else ""
        base = plain(member.find("type"))
        return f"enum {scoped}{name}" + (f" : {base}" if base else "")
    text = plain(member.find("definition"))
    text = re.sub(r"\blatimer::(?:\w+::)?(?=[\w~]+$|operator)", "", text) if kind != "typedef" else text
    arguments = plain(member.find("argsstring"))
    if kind == "variable":
        text += plain(member.find("argsstring")) if "[" in arguments and "[" not in text else ""
        value = plain(member.find("initializer"))
        return (f"{text} {value}" if value and len(value) < 60 else text) + ";"
    template = "".join(f"template<{', '.join(plain(one) for one in t.findall('param'))}>\n"
                       for t in member.findall("templateparamlist"))
    whole = text + (arguments if kind == "function" else "")
    if len(whole) > 80 and kind == "function":
        parameters = [" ".join(filter(None, (plain(one.find("type")), plain(one.find("declname"))))) +
                      (f" = {plain(one.find('defval'))}" if one.find("defval") is not None else "")
                      for one in member.findall("param")]
        end = arguments[arguments.rindex(")") :]
        whole = f"{text}(\n    " + ",\n    ".join(parameters) + end
    return template + whole + ";"


class Reference:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.files = {}  # The pages: what there is of a header, with its line.
        self.first = {}
        self.lacking = []
        index = ET.parse(self.folder / "index.xml").getroot()
        for compound in index.findall("compound"):
            definition = ET.parse(self.folder / f"{compound.get('refid')}.xml").getroot().find("compounddef")
            self.add(definition)

    def add(self, definition):
        kind = definition.get("kind")
        if kind == "file":
            name = definition.find("compoundname").text
            self.first[name] = prose(definition.find("detaileddescription"))
        if kind in TYPES:
            self.put(definition, self.compound(definition))
        elif kind in ("file", "namespace"):
            for member in definition.findall("sectiondef/memberdef"):
                self.put(member, self.member(member, 2))

    def put(self, node, text):
        place = node.find("location")
        name = Path(place.get("file")).name
        if text:
            self.files.setdefault(name, {})[int(place.get("line")), node.get("id")] = text

    def description(self, member, what):
        text = prose(member.find("briefdescription")) + prose(member.find("detaileddescription"))
        if not text and what:
            place = member.find("location")
            self.lacking.append(f"{place.get('file')}: {what} has no comment.")
        return text

    def compound(self, node):
        name = plain(node.find("compoundname"))
        short = name.removeprefix("latimer::")
        public = [member for section in node.findall("sectiondef") for member in section.findall("memberdef")
                  if member.get("prot") == "public"]
        public.sort(key=lambda member: int(member.find("location").get("line")))
        out = [f"## {short} {{ #{anchor(short)} }}", f"```cpp\n{node.get('kind')} {name};\n```",
               self.description(node, name)]
        fields = [member for member in public if member.get("kind") == "variable" and member.get("static") == "no"]
        if fields:
            out.append(table([(declaration(one).rstrip(";").replace(f"{name}::", ""), self.description(one, ""))
                              for one in fields]))
        out += [self.member(one, 3) for one in public if one not in fields]
        return "\n\n".join(filter(None, out))

    def member(self, member, level):
        name = plain(member.find("name"))
        arguments = plain(member.find("argsstring"))
        if not name or name.startswith("@") or re.search(r"= ?(default|delete)$", arguments) or name.startswith("~"):
            return ""
        if re.fullmatch(rf"typedef (struct|enum) {name} {name}", plain(member.find("definition"))):
            return ""
        text = declaration(member)
        out = [f"{'#' * level} {html.escape(name).replace('_', chr(92) + '_')}", f"```cpp\n{text}\n```",
               self.description(member, text.split("\n")[0])]
        if member.get("kind") == "enum":
            out.append(table([(" ".join(filter(None, (plain(one.find("name")), plain(one.find("initializer"))))),
                               self.description(one, "")) for one in member.findall("enumvalue")]))
        return "\n\n".join(filter(None, out))

    def write(self, out):
        out.mkdir(parents=True, exist_ok=True)
        rows = []
        for name, parts in sorted(self.files.items()):
            first = self.first.get(name, "")
            page = [f"# latimer/{name}", first, *(parts[key] for key in sorted(parts))]
            (out / f"{Path(name).stem}.md").write_text("\n\n".join(page) + "\n", encoding="utf-8")
            sentence = re.sub(r"<[^>]+>", "", first.split("</p>")[0]).replace("\n", " ")
            rows.append((f"[latimer/{name}]({Path(name).stem}.md)", sentence.split(". ")[0].rstrip(".") + "."))
        return rows


def anchor(name):
    return re.sub(r"\W+", "-", name.lower())


def table(rows):
    """With what each name means, if any of them says it."""
    if not any(text for _, text in rows):
        rows = [(what, None) for what, _ in rows]
    cells = "".join(f'<tr><td class="declaration"><code>{html.escape(what)}</code></td>' +
                    (f"<td>{text}</td>" if text is not None else "") + "</tr>\n" for what, text in rows)
    heads = "<th>Name</th>" + "<th>Meaning</th>" * (rows[0][1] is not None)
    return f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{cells}</tbody></table>"


def main():
    reference = Reference(sys.argv[1])
    out = Path(sys.argv[2])
    rows = reference.write(out)
    intro = ["# C and C++", "", "The public headers, one page each. [latimer/translator.h](translator.md) is the API in "
             "C++20, [latimer/latimer.h](latimer.md) the one in C99; begin with one of them.", "", "| header | |",
             "| --- | --- |", *(f"| {link} | {sentence} |" for link, sentence in rows), ""]
    (out / "index.md").write_text("\n".join(intro), encoding="utf-8")
    if reference.lacking:
        sys.exit("\n".join(reference.lacking))


if __name__ == "__main__":
    main()
