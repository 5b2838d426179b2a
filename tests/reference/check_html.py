#!/usr/bin/env python3
"""Checks that a program that translates HTML keeps all that is not text.

    check_html.py [--echo] [--limit N] [--most-bytes N] FOLDER_OR_FILE... -- COMMAND...

Runs COMMAND for each *.html file, standard input to standard output, and lets
html.parser of Python read both. Tags, comments and the like of the input must
be in the output, each as often, byte for byte. If the input is well-formed, the
output must be, with the same elements around each element. What is not to be
translated must be the same. With --echo the program gives each sentence back:
the text must be the same too, but for white space.
"""
import argparse
import collections
import html
import html.parser
import pathlib
import re
import subprocess
import sys

VOID = set("""area base basefont bgsound br col embed frame hr img input keygen
link meta param source track wbr""".split())
UNTOUCHED = set("""code kbd samp var tt rp rt rtc pre script style textarea svg math
template object""".split())
# End tags that HTML lets authors leave out.
OPTIONAL = set("""p li dt dd tr td th thead tbody tfoot option colgroup body
html head rt rp""".split())


class Reader(html.parser.HTMLParser):

    def __init__(self, text):
        super().__init__(convert_charrefs=False)
        self.text = text
        self.lines = [0]
        for match in re.finditer("\n", text):
            self.lines.append(match.end())
        self.tokens = collections.Counter()
        self.elements = collections.Counter()  # With those around them.
        self.untouched = collections.Counter()
        self.words = []
        self.open = []  # (name, start tag, offset of the content)
        self.well_formed = True
        self.feed(text)
        self.close()
        if any(name not in OPTIONAL for name, _, _ in self.open):
            self.well_formed = False

    def place(self):
        line, column = self.getpos()
        return self.lines[line - 1] + column

    def is_untouched(self):
        return any(name in UNTOUCHED or is_protected(tag)
                   for name, tag, _ in self.open)

    def handle_starttag(self, tag, attrs):
        text = self.get_starttag_text()
        self.tokens[text] += 1
        while tag in ("li", "dt", "dd", "p", "tr", "td", "th") and self.open and (
                self.open[-1][0] == tag or {self.open[-1][0], tag} <=
                {"dt", "dd", "td", "th"}):
            self.open.pop()
        self.elements[text, tuple(t for _, t, _ in self.open)] += 1
        if tag not in VOID:
            self.open.append((tag, text, self.place() + len(text)))

    def handle_startendtag(self, tag, attrs):
        text = self.get_starttag_text()
        self.tokens[text] += 1
        self.elements[text, tuple(t for _, t, _ in self.open)] += 1

    def handle_endtag(self, tag):
        self.tokens["</%s>" % tag] += 1
        while self.open and self.open[-1][0] != tag and \
                self.open[-1][0] in OPTIONAL:
            self.open.pop()
        if not self.open or self.open[-1][0] != tag:
            self.well_formed = False
            return
        _, text, begin = self.open[-1]
        if tag in UNTOUCHED or is_protected(text):
            self.untouched[text, self.text[begin:self.place()]] += 1
        self.open.pop()

    def handle_comment(self, data):
        self.tokens["<!--%s-->" % data] += 1

    def handle_decl(self, decl):
        self.tokens["<!%s>" % decl] += 1

    def unknown_decl(self, data):
        self.tokens["<![%s]>" % data] += 1

    def handle_pi(self, data):
        self.tokens["<?%s>" % data] += 1

    def handle_data(self, data):
        self.words.append(data)

    def handle_entityref(self, name):
        self.words.append(html.unescape("&%s;" % name))

    def handle_charref(self, name):
        self.words.append(html.unescape("&#%s;" % name))


def is_protected(tag):
    return re.search(r"""\stranslate=["']?no\b|\sclass=["']?[^"'>]*\bnotranslate\b""",
                     tag, re.I) is not None


def difference(name, expected, found):
    lost = expected - found
    added = found - expected
    if not lost and not added:
        return None
    show = lambda counter: [repr(k)[:200] for k in list(counter)[:3]]
    return "%s: lost %s, added %s" % (name, show(lost), show(added))


def check(source, result, echo):
    expected, found = Reader(source), Reader(result)
    faults = [difference("tags", expected.tokens, found.tokens)]
    if expected.well_formed:
        if not found.well_formed:
            faults.append("not well-formed")
        faults += [difference("elements", expected.elements, found.elements),
                   difference("untouched", expected.untouched,
                              found.untouched)]
    # Letters of other encodings may be torn.
    if echo and not any("\udc80" <= c <= "\udcff" for c in source):
        text = lambda reader: re.sub(r"\s+", "", "".join(reader.words))
        if text(expected) != text(found):
            a, b = text(expected), text(found)
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y),
                      min(len(a), len(b)))
            faults.append("text: %r became %r" % (a[at - 20:at + 40],
                                                  b[at - 20:at + 40]))
    return [fault for fault in faults if fault], expected


def main():
    at = sys.argv.index("--")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--echo", action="store_true")
    parser.add_argument("--limit", type=int, default=1 << 30)
    parser.add_argument("--most-bytes", type=int, default=1 << 30)
    parser.add_argument("paths", type=pathlib.Path, nargs="+")
    options = parser.parse_args(sys.argv[1:at])
    command = sys.argv[at + 1:]
    files = []
    for path in options.paths:
        files += ([path] if path.is_file() else
                  sorted(p for p in path.rglob("*.html")
                         if p.is_file() and not p.is_symlink()))
    files = [p for p in files if p.stat().st_size <= options.most_bytes]
    step = max(1, len(files) // options.limit)
    counts = collections.Counter()
    for path in files[::step][:options.limit]:
        source = path.read_bytes()
        run = subprocess.run(command, input=source, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, check=False)
        # Bytes that are not UTF-8 stay apart from each other.
        decode = lambda data: data.decode("utf-8", "surrogateescape")
        if run.returncode != 0:
            faults = ["exit code %d: %s" % (run.returncode,
                                            run.stderr.decode()[-200:])]
        else:
            faults, expected = check(decode(source), decode(run.stdout),
                                     options.echo)
            counts["well-formed"] += expected.well_formed
            counts["tags"] += sum(expected.tokens.values())
        counts["files"] += 1
        counts["bytes"] += len(source)
        if faults:
            counts["faulty"] += 1
            print(path, *faults, sep="\n  ", flush=True)
    print(dict(counts))
    sys.exit(1 if counts["faulty"] or not counts["files"] else 0)


if __name__ == "__main__":
    main()
