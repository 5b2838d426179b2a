#!/usr/bin/env python3
"""Checks that character references of HTML are read as browsers read them.

    check_references.py ECHO_PROGRAM

Makes some thousand strings with references: with and without ";", cut short,
followed by letters, beside raw "&", with numbers of all ranges. The program,
which reads them as HTML, must give the text that html.unescape gives, however
the input is cut in pieces; and HTML that has the same text. Names of HTML 5 that
browsers read with ";" only stay references that the text does not have, and so
do control characters.
"""
import html
import html.entities
import random
import re
import subprocess
import sys

HTML5 = html.entities.html5
BARE = [name for name in HTML5 if not name.endswith(";")]
KNOWN = set(html.entities.name2codepoint) | {"apos"} | set(BARE)
OTHER = sorted(name[:-1] for name in HTML5
               if name.endswith(";") and name[:-1] not in KNOWN)
NUMBERS = [0, 1, 9, 10, 13, 0x20, 0x26, 0x3C, 0x41, 0x7F, 0x80, 0x81, 0x85, 0x91,
           0x9F, 0xA0, 0xE4, 0xD7FF, 0xD800, 0xDFFF, 0xFFFD, 0x1F600, 0x10FFFD,
           0x110000, 0xFFFFFFFF, 1 << 64]
SHORT = 300  # Names of HTML 5 that are tried beside the known ones.


def strings():
    draw = random.Random(1)
    ends = ["", ";", " ", "x", "X;", "1", "=", "&", "&amp;", "it;", "\u00e9", "-"]
    for name in sorted(KNOWN) + draw.sample(OTHER, SHORT) + [
            name for name in OTHER if any(name.startswith(b) for b in BARE)]:
        for end in draw.sample(ends[3:], 3) + ends[:3]:
            yield "&" + name + end
        yield "&" + name[:draw.randint(1, len(name))] + draw.choice(ends)
        yield "&amp" + draw.choice(["", ";"]) + name + draw.choice(ends)
    for number in NUMBERS + [draw.randrange(0x3000) for _ in range(200)] + list(
            range(0x80, 0xA0)):
        for digits in ("%d" % number, "x%x" % number, "X%04X" % number,
                       "0" * draw.randint(1, 80) + "%d" % number):
            yield "&#" + digits + draw.choice(ends)
    for text in ("&", "&&", "&;", "&#", "&#;", "&#x", "&#x;", "&#xg;", "&#-1;",
                 "&&lt", "R&D", "?a=1&copy=2&b=3", "&ampamp;", "&amp;amp;"):
        yield text


def read(text):
    """What the program must read: html.unescape's, but for what stays."""
    def one(match):
        found = match.group()
        value = html.unescape(found)
        if found.startswith("&#"):
            return "" if not value or value in "\r\x7f" or (
                "\x80" <= value < "\xa0" or value < " " and
                value not in "\t\n") else value
        if found.endswith(";") and found[1:] in HTML5 and found[1:-1] in OTHER:
            return ""
        # A name that is none of HTML stays, too, and so does its ";".
        return "" if found.endswith(";") and value == found else value
    return re.sub(r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[0-9a-zA-Z]+;?)", one, text)


def squeeze(text):
    return re.sub("[ \t\n\f\r\u2028]+", "", text)


def main():
    program = sys.argv[1]
    paragraphs = ["a" + text + "b" for text in strings()] + ["at the end &lt"]
    source = "</p>\n<p>".join(paragraphs)

    def run(*arguments):
        return subprocess.run([program, *arguments], input=source.encode(),
                              stdout=subprocess.PIPE, check=True).stdout.decode()

    faults = 0
    expected = squeeze("".join(read(text) for text in paragraphs))
    for size in (1, 2, 7, 3000, 5000):
        found = squeeze(run("--text", str(size)))
        if found != expected:
            at = next((i for i, (x, y) in enumerate(zip(expected, found))
                       if x != y), min(len(expected), len(found)))
            print("in pieces of %d bytes: %r is read as %r" %
                  (size, expected[at - 10:at + 30], found[at - 10:at + 30]))
            faults += 1
    written = run()
    if squeeze(html.unescape(written)) != squeeze(html.unescape(source)):
        print("the HTML that is written has another text")
        faults += 1
    print("%d strings, %d faults" % (len(paragraphs), faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
