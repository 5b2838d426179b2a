"""Cuts a Markdown page into steps: what its reader types, in the order in which it stands there.

A step is a command of a shell block, a statement of a Python block, a block of another language as a whole, or a
command in a sentence, if it begins like one of COMMANDS. What the page shows of a step's output is

* a block without a language, or of the language `text`, directly after the block;
* in a block with lines `$ command`, the other lines;
* comments on lines of their own after the step, before an empty line or the end of the block.
"""

import ast
import re
import subprocess
from dataclasses import dataclass, field

SHELL = ("sh", "bash", "shell", "console")
COMMANDS = r"(cmake|ctest|python3?|pip|gradle|npm|apt-get install|build/host/bin/\S+|tests/\S+) \S"


@dataclass
class Step:
    page: str
    line: int
    kind: str  # The language of the block; "sh" for a command in a sentence.
    code: str
    last: bool = False  # Of its block.
    shown: list[str] = field(default_factory=list)  # Lines of output.

    @property
    def command(self) -> str:
        """Without comments."""
        return re.sub(r"(^|[ \t]+)#[ \t].*", "", self.code).strip() if self.kind in SHELL else self.code

    @property
    def comment(self) -> str:
        return " ".join(re.findall(r"(?:^|\s)#\s+(.*)", self.code)) if self.kind in SHELL else ""

    @property
    def title(self) -> str:
        lines = [line.strip() for line in self.command.split("\n") if line.strip()]
        return lines[0].rstrip("\\ ") + (" ..." if len(lines) > 1 else "") if lines else ""


def read(page: str, text: str) -> list[Step]:
    steps: list[Step] = []
    prose: list[str] = []  # The text, with empty lines in place of blocks.
    lines = text.split("\n")
    at = end = 0
    while at < len(lines):
        fence = re.match(r"( *)```(\w*)", lines[at])
        if not fence:
            prose.append(lines[at])
            at += 1
            continue
        indent, kind = fence.groups()  # Blocks of a list or of a tab of the site are indented.
        close = next(i for i in range(at + 1, len(lines)) if lines[i].startswith(f"{indent}```"))
        block, first = [line.removeprefix(indent) for line in lines[at + 1 : close]], at + 2
        if kind in SHELL:
            found = commands(page, first, block)
        elif kind == "python":
            found = statements(page, first, block)
        elif kind in ("", "text"):
            found = []
            if steps and steps[-1].last and end and not "".join(lines[end + 1 : at]).strip():
                steps[-1].shown += block
        else:
            found = [Step(page, first, kind, "\n".join(block))]
        if found:
            found[-1].last = True
        steps += found
        prose += [""] * (close + 1 - at)
        at = close + 1
        end = close if found else 0
    return sorted(steps + inline(page, "\n".join(prose)), key=lambda step: step.line)


def commands(page: str, first: int, block: list[str]) -> list[Step]:
    """Of a shell block. A command ends where the shell would run it."""
    console = any(line.startswith("$ ") for line in block)
    steps: list[Step] = []
    code: list[str] = []
    remarks: list[str] = []  # Comments after the last step.
    for number, line in enumerate([*block, ""], first):
        if console and not code and not line.startswith("$ "):
            if steps and number < first + len(block):
                steps[-1].shown.append(line)
            continue
        line = line.removeprefix("$ ") if console else line
        if not code and line.startswith("#"):
            remarks.append(line.lstrip("# "))
        elif not code and not line.strip():
            if steps and remarks:
                steps[-1].shown += remarks
            remarks = []
        else:
            remarks = []
            code.append(line)
            if complete("\n".join(code)):
                steps.append(Step(page, number - len(code) + 1, "sh", "\n".join(code)))
                code = []
    assert not code, f"{page}:{first}: the command does not end: {code[0]}"
    return steps


def complete(code: str) -> bool:
    if re.search(r"(\\|\||&&)$", re.sub(r"\s+#\s.*$", "", code)):
        return False
    parsed = subprocess.run(["bash", "-n"], input=code, capture_output=True, text=True)
    return parsed.returncode == 0 and "here-document" not in parsed.stderr


def statements(page: str, first: int, block: list[str]) -> list[Step]:
    """Of a Python block, as one types them at its prompt. A block that is no Python is one step, which fails."""
    try:
        tree = ast.parse("\n".join(block))
    except SyntaxError:
        return [Step(page, first, "python", "\n".join(block))]
    steps = []
    for node in tree.body:
        end = node.end_lineno or node.lineno
        step = Step(page, first + node.lineno - 1, "python", "\n".join(block[node.lineno - 1 : end]))
        remarks = []
        while end < len(block) and block[end].startswith("#"):
            remarks.append(block[end].lstrip("# "))
            end += 1
        if end == len(block) or not block[end].strip():
            step.shown = remarks
        steps.append(step)
    return steps


def inline(page: str, prose: str) -> list[Step]:
    spans = [span for span in re.finditer(r"`([^`]+)`", prose) if re.match(COMMANDS, " ".join(span[1].split()))]
    return [Step(page, prose.count("\n", 0, span.start()) + 1, "sh", " ".join(span[1].split())) for span in spans]


def differs(shown: list[str], output: str, tolerance: float = 0) -> str:
    """The first shown line that is not in the output, after those before it; `...` stands for anything. Numbers may
    differ by the tolerance, a share of the number."""
    number = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
    actual = [line.rstrip() for line in output.split("\n")]
    at = 0
    for line in (line.rstrip() for line in shown if line.strip()):
        if tolerance:
            pattern = "...".join(re.sub(number, "0", part) for part in line.split("..."))
        else:
            pattern = line
        regex = re.compile(".*".join(map(re.escape, pattern.split("..."))))
        numbers = [float(text) for text in re.findall(number, line)]

        def same(candidate: str) -> bool:
            if not regex.fullmatch(re.sub(number, "0", candidate) if tolerance else candidate):
                return False
            values = [float(text) for text in re.findall(number, candidate)][: len(numbers)]
            return not tolerance or all(
                abs(value - wanted) <= tolerance * max(abs(wanted), 1) for value, wanted in zip(values, numbers)
            )

        at = next((i + 1 for i in range(at, len(actual)) if same(actual[i])), -1)
        if at < 0:
            return line
    return ""
