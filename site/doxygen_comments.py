#!/usr/bin/env python3
"""Doxygen's INPUT_FILTER: makes the plain comments of a public header those that Doxygen reads.

The headers are written to be read as they are. A comment is about the declaration after it, or before it on the same
line, and about the declarations that follow in the same paragraph without a comment of their own. One before an empty
line is about no declaration, but the first of a file, which is about the file and what has its name. Text is taken as it stands, without
Doxygen's commands; `code` is code, and so are lines that are indented.
"""

import re
import sys
from pathlib import Path

TRAILING = re.compile(r"^(?P<code>.*?\S)\s+(?://|/\*)\s(?P<text>.*)$")
LABEL = re.compile(r"^\s*(public|protected|private):$")


def text_of(lines):
    """Of a comment's lines, for Doxygen."""
    lines = [re.sub(r"^ ?", "", line) for line in lines]
    out, code = [], False
    for line in lines:
        # Sections of the header.
        line = re.sub(r"^---- (.*) ----$", r"\1.", line)
        is_code = line.startswith("  ") and (code or not out or not out[-1])
        if code and (line.startswith(" ") or not line):
            is_code = True
        if is_code != code:
            out.append("@code{.cpp}" if is_code else "@endcode")
            code = is_code
        if not code:
            line = re.sub(r"[\\@<>&#%\"]", r"\\\g<0>", line)
            line = re.sub(r"::", r"\\::", line)
            line = re.sub(r"`([^`]+)`", r"<tt>\1</tt>", line)
        out.append(line)
    return out + ["@endcode"] * code


def documented(lines, indent):
    return [f"{indent}/// {line}".rstrip() for line in text_of(lines)]


def comment_at(lines, at):
    """The text of the comment that begins on a line, and the line after it."""
    first = lines[at].strip()
    found = []
    if first.startswith("//"):
        while at < len(lines) and lines[at].strip().startswith("//"):
            found.append(lines[at].strip()[2:])
            at += 1
        return found, at
    while True:
        line = lines[at].strip()
        at += 1
        found.append(re.sub(r"^(/\*| ?\*(?!/))", "", line).replace("*/", "").rstrip())
        if "*/" in line:
            return [line for i, line in enumerate(found) if line or i], at


def complete(code):
    """Whether a declaration ends with this code, or a member of an enumeration, or what is before a body."""
    return bool(re.search(r"[;{}]$|^\s*#|^\S.*\\$", code)) or bool(LABEL.match(code))


def convert(text, name):
    lines = text.split("\n")
    found, at = comment_at(lines, 0)
    out = [f"/// @file {name}", *documented(found, "")]
    about = []  # The comment that the next declaration has.
    subject = "".join(part.capitalize() for part in Path(name).stem.split("_"))
    in_enum = False
    fresh = True  # A declaration may begin.
    while at < len(lines):
        line = lines[at]
        bare = line.strip()
        indent = line[: len(line) - len(line.lstrip())]
        if not bare or LABEL.match(line):
            about = []
            fresh = True
            out.append(line)
            at += 1
            continue
        if fresh and re.match(r"//|/\*", bare):
            found, at = comment_at(lines, at)
            about = found if at < len(lines) and lines[at].strip() else []
            continue
        trailing = TRAILING.match(line)
        code = trailing["code"] if trailing else line
        begins = fresh and not re.match(r"^\s*(#(?!define)|[}]|namespace|extern|using namespace|template<)", code)
        if begins and not about and re.match(rf"^(class|struct|enum class|.*\){{0}}) {subject}\b", code):
            about = [" The subject of this header, which its first lines describe."]
        after = []
        at += 1
        if trailing:
            after = [trailing["text"]]
            if "/*" in line:
                while "*/" not in after[-1]:
                    after.append(lines[at].strip())
                    at += 1
                after[-1] = after[-1].replace("*/", "").rstrip()
            else:
                while at < len(lines) and re.match(r"^\s{8,}//", lines[at]):
                    after.append(lines[at].strip()[2:].strip())
                    at += 1
        if begins and about:
            out += documented(about, indent)
        in_enum = (in_enum or bool(re.match(r"^\s*(typedef )?enum ", code))) and "}" not in code
        fresh = complete(code) or (in_enum and code.endswith(","))
        if after and begins and about:
            out += ["///", *documented(after, indent)]
            out.append(code)
        else:
            out.append(code)
            out += [f"{indent}///< {part}".rstrip() for part in text_of(after)] if after and (begins or fresh) else []
        if re.search(r"\{$", code):
            about = []
    return "\n".join(out)


if __name__ == "__main__":
    path = Path(sys.argv[1])
    print(convert(path.read_text(encoding="utf-8"), f"latimer/{path.name}"))
