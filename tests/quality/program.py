"""The programs of a build, as the measures of this folder run them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# A private-use character, which no vocabulary has.
UNREADABLE = "\U000f1f98"


@dataclass
class Answer:
    """The translation of a line: its text, and the ids that the decoder wrote."""

    text: str
    ids: list[int]


def run(command: list, text: str | None = None) -> str:
    """What a command prints; ends the program with the command's own words where it fails."""
    done = subprocess.run([str(part) for part in command], input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(part) for part in command)}: {done.stderr.strip()}")
    return done.stdout


class Latimer:
    """`latimer`, and latimer-convert beside it."""

    def __init__(self, path: Path):
        self.path = path / "latimer" if path.is_dir() else path
        self._help = run([self.path, "translate", "--help"])

    def has(self, option: str) -> bool:
        """Whether `latimer translate` has an option."""
        return any(line.split()[:1] == [option] for line in self._help.splitlines())

    def convert(self, model: Path, out: Path, *options: str) -> Path:
        run([self.path.with_name("latimer-convert"), model, "-o", out, "--quiet", *options])
        return out

    def translate(self, model: Path, lines: list[str], *options: str) -> list[Answer]:
        """An answer for each line."""
        printed = run([self.path, "translate", model, "--quiet", "--json", *options],
                      "".join(line + "\n" for line in lines))
        answers = [Answer("", []) for _ in lines]
        for row in map(json.loads, printed.splitlines()):
            answer = answers[row["line"] - 1]
            answer.text = f"{answer.text} {row['text']}" if answer.ids else row["text"]
            answer.ids += [token["id"] for token in row["tokens"]]
        return answers

    def texts(self, model: Path, lines: list[str], *options: str) -> list[str]:
        """The translations as lines, or paragraphs and HTML one by one; fails unless there is one for each."""
        between = "\n\n" if {"--paragraphs", "--html"} & set(options) else "\n"
        written = run([self.path, "translate", model, "--quiet", *options], "".join(line + between for line in lines))
        texts = written.split(between)[:-1]
        if len(texts) != len(lines):
            sys.exit(f"{model}: {len(texts)} translations of {len(lines)} lines with "
                     f"{' '.join(options) or 'no option'}")
        return texts

    def unreadable(self, model: Path, lines: list[str]) -> list[bool]:
        """Whether a line has something that no piece of the vocabulary can read."""
        rows = run([self.path, "tokenize", model], "".join(line + "\n" for line in [UNREADABLE, "", *lines])).split("\n")
        empty = rows[1].split()
        unknown = [token for token in rows[0].split() if token not in empty][-1]  # Before it, the start of a word.
        return [unknown in row.split() for row in rows[2:2 + len(lines)]]
