"""Types the steps of one page and judges what comes of them."""

import fnmatch
import re
import shlex
import shutil
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from page import Step, differs, read
from rules import RULES, RUN, Rule
from sessions import Python, Shell

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "ui"))
from chromium import Chromium  # noqa: E402

if TYPE_CHECKING:
    from run import Run

NOT_TYPED = ("skip", "ci", "needs", "slow")
DEMO = "cmake --workflow --preset demo"  # In README.md.
SECONDS = 600  # For a step, if no rule says otherwise.


def plan(page: str, text: str) -> list[Step]:
    """The steps of a page, with those of the rules `also`. Counts the hits of all rules."""
    steps = read(page, text)
    for rule in rules_of(page, "also", "claim"):
        for found in list(re.finditer(rule.pattern, text))[:1]:
            rule.hits += 1
            line = text.count("\n", 0, found.start()) + 1
            steps.append(
                Step(page, line, "sh" if rule.kind == "also" else "claim", rule.do, shown=list(found.groups()))
            )
    steps.sort(key=lambda step: (step.kind == "claim", step.line))
    for step in steps:
        for rule in rules_for(step):
            rule.hits += 1
    return steps


def rules_of(page: str, *kinds: str) -> Iterator[Rule]:
    return (rule for rule in RULES if rule.kind in kinds and fnmatch.fnmatch(page, rule.pages))


def rules_for(step: Step, *kinds: str) -> list[Rule]:
    return [
        rule for rule in RULES
        if (rule.kind in kinds or not kinds and rule.kind not in ("also", "claim"))
        and fnmatch.fnmatch(step.page, rule.pages) and re.search(rule.pattern, step.command)
    ]  # fmt: skip


@dataclass
class Row:
    step: Step
    result: str  # "ok", "FAILED", "not typed"
    why: str = ""
    output: str = ""
    seconds: float = 0

    def __str__(self) -> str:
        text = f"{self.step.line:5} {self.seconds:7.1f}  {self.result:9}  {self.step.title[:90]}"
        text += f"\n{'':26}{self.why}" if self.why else ""
        lines = self.output.rstrip().split("\n") if self.result == "FAILED" else []
        lines = [*lines[:5], "...", *lines[-7:]] if len(lines) > 13 else lines
        return text + "".join(f"\n{'':26}| {line[:200]}" for line in lines if line)


class Typist:
    """Types one page. `at` is the clone, `rows` is what came of it."""

    def __init__(self, page: str, text: str, run: "Run") -> None:
        self.page, self.text, self.run, self.rows = page, text, run, list[Row]()
        self.steps = plan(page, text)
        self.lacks: list[tuple[str, int]] = []  # What a step would have made that was not typed, and its line.
        self.logs = run.folder / "logs" / re.sub(r"\W", "_", page)
        shutil.rmtree(self.logs, ignore_errors=True)
        self.shell = Shell(run.clone, run.environment(), self.logs)
        self.python: Python | None = None
        self.serves = False
        self.imports: dict[str, list[str]] = {}

    def add(self, step: Step, result: str, why: str = "", output: str = "", seconds: float = 0) -> bool:
        row = Row(step, result, why, output, seconds)
        self.rows.append(row)
        print(row, flush=True)
        return result == "ok"

    def type_all(self) -> None:
        for step in self.steps:
            self.type(step)
            if step.code.startswith(DEMO) and self.page == "README.md" and not self.run.base.exists():
                self.run.keep_base()
            if step.last and self.serves:
                self.shell.type("kill $typed_server; wait $typed_server; true", 20)
                self.serves = False
        if self.python and (code := self.python.close()):
            self.add(self.steps[-1], "FAILED", f"Python ends with exit code {code}")
        self.shell.close()

    # ---- Whether a step is typed ---------------------------------------------------------------------------------

    def why_not(self, step: Step) -> str:
        built = self.run.short and rules_for(step, "built")
        for rule in rules_for(step, *NOT_TYPED):
            if rule.kind == "skip":
                return rule.reason
            if rule.kind == "ci":
                return ".ci/run types it"
            if rule.kind == "slow" and self.run.short and not built:
                return f"slow: {rule.reason}"
            if rule.kind == "needs" and self.shell.type(f"{{ {rule.do}; }} >/dev/null 2>&1", 60)[0]:
                return f"this machine lacks {rule.reason}"
        if built and self.shell.type(built[0].do, 60)[0]:
            return "build/host of the checkout lacks it"
        for pattern, line in self.lacks:
            if re.search(pattern, self.changed(step)):
                return f"needs what line {line} makes"
        return ""

    def changed(self, step: Step) -> str:
        code = step.code
        for rule in rules_for(step, "instead"):
            code = re.sub(rule.pattern, rule.do, code)
        if self.run.install:
            code = code.replace("-qq --simulate", "-qq -y")
        return code

    def type(self, step: Step) -> None:
        if why := self.why_not(step):
            self.add(step, "not typed", why)
            self.lacks += [(rule.name, step.line) for rule in rules_for(step) if rule.name and rule.kind != "stand-in"]
            if preset := re.search(r"^cmake.* --preset (\w+)", step.code):
                self.lacks.append((rf"\bbuild/{preset[1]}/", step.line))
            return
        for rule in rules_for(step, "stand-in"):
            self.stand_in(step, rule)
        for rule in rules_for(step, "says"):
            lines = self.text.split("\n")
            before = "\n".join(lines[: step.line]).split("\n#")[-1]
            after = "\n".join(lines[step.line :]).split("\n#")[0]
            if not re.search(rule.says, before + after):
                self.add(step, "FAILED", f"{rule.reason}; the section does not say so")
        if step.kind == "claim":
            self.claim(step)
        elif rules_for(step, "serves"):
            self.serve(step, rules_for(step, "serves")[0])
        elif step.kind in RUN:
            self.compile(step)
        elif step.kind == "python":
            self.in_python(step)
        elif step.kind == "sh":
            self.in_shell(step)
        else:
            self.write(step)

    def stand_in(self, step: Step, rule: Rule) -> None:
        name = shlex.quote(rule.name)
        make = rule.do.replace("{name}", name)
        code, output = self.shell.type(f"[[ -e {name} ]] || {{ echo made; page={self.page}; {make}; }}", 120)
        if code:
            self.add(step, "FAILED", f"the stand-in for {rule.name} cannot be made", output)
        before = "\n".join(self.text.split("\n")[: step.line])
        if "made" in output and rule.says and not re.search(rule.says, before):
            self.add(step, "FAILED", f"the page does not say where {rule.name} comes from ({rule.reason})")

    # ---- Languages -------------------------------------------------------------------------------------------------

    def seconds_for(self, step: Step) -> float:
        return max([rule.seconds for rule in rules_for(step, "slow")], default=SECONDS)

    def in_shell(self, step: Step) -> None:
        code = self.changed(step)
        if self.run.short and (built := rules_for(step, "built")):
            code = built[0].do
        for rule in rules_for(step, "given"):
            self.shell.type(rule.do, SECONDS)
        begin = time.monotonic()
        status, output = self.shell.type(code, self.seconds_for(step))
        if missing := re.search(r"(latimer[-\w]*): command not found", output):
            self.add(
                step, "FAILED", f"`{missing[1]}` is not on the PATH, and no step of the page puts it there", output
            )
            self.shell.type(f"PATH={self.run.clone}/build/host/bin:$PATH", 5)
            status, output = self.shell.type(code, self.seconds_for(step))
        if code.rstrip().endswith("&"):
            time.sleep(1)  # Nobody types faster.
        if self.judge(step, status, output, time.monotonic() - begin) and not code.startswith("test "):
            self.check_files(step)

    def in_python(self, step: Step) -> None:
        self.python = self.python or Python(self.shell, self.logs / "python")
        for rule in rules_for(step, "given"):
            self.python.type(rule.do, 60)
        begin = time.monotonic()
        status, output = self.python.type(self.changed(step), self.seconds_for(step))
        self.judge(step, status, output, time.monotonic() - begin)

    def compile(self, step: Step) -> None:
        given = rules_for(step, "given")
        if not given:
            self.add(step, "FAILED", f"no rule says how to run this {step.kind}")
            return
        name, commands = RUN[step.kind]
        folder = self.logs / f"line_{step.line}"
        folder.mkdir()
        build = "" if self.run.short else "cmake --build build/host --target installable >/dev/null &&"
        for new, old in (("{file}", folder / name), ("{folder}", folder), ("{build}", build)):
            commands = commands.replace(new, str(old))
        line = re.compile(r"^(?:#include|import)\b.*\n", re.M)
        imports = self.imports.setdefault(step.kind, [])  # Those of the page so far, as a reader has them.
        imports += line.findall(step.code)
        for extra in ("", given[0].extra):
            program = given[0].do.replace("{imports}", extra + "\n" + "".join(imports))
            program = program.replace("{code}", line.sub("", step.code))
            (folder / name).write_text(program, encoding="utf-8")
            begin = time.monotonic()
            status, output = self.shell.type(commands, 3 * SECONDS)
            why = extra and "with " + extra.replace("\n", " ")
            if self.judge(step, status, output, time.monotonic() - begin, why):
                break
            if not given[0].extra:
                break

    def write(self, step: Step) -> None:
        for rule in rules_for(step, "file"):
            folder, _ = self.shell.environment()
            (folder / rule.name).write_text(step.code + "\n", encoding="utf-8")
            self.add(step, "ok", f"written to {rule.name}")
            return
        self.add(step, "FAILED", f"no rule says what to do with a block of {step.kind}")

    # ---- Whether it did what the page says ---------------------------------------------------------------------------

    def judge(self, step: Step, status: int, output: str, seconds: float, why: str = "") -> bool:
        announced = re.search(r"exit code (\d+)", step.comment)
        wanted = int(announced[1]) if announced else 0
        if status != wanted:
            problem = "killed: it took too long" if status == -9 else f"exit code {status}, not {wanted}"
            return self.add(step, "FAILED", f"{why}: {problem}" if why else problem, output, seconds)
        tolerance = max([float(rule.do) for rule in rules_for(step, "about")], default=0)
        if step.shown and (line := differs(step.shown, output, tolerance)):
            return self.add(step, "FAILED", f"the page shows: {line}", output, seconds)
        for rule in rules_for(step, "prints"):
            pattern = rule.do
            if pattern.startswith("$("):
                pattern = self.shell.type(f"echo {pattern}", 10)[1].strip()
            if not re.search(pattern, output):
                return self.add(step, "FAILED", f"does not print {pattern!r} ({rule.reason})", output, seconds)
        return self.add(step, "ok", why, output, seconds)

    def check_files(self, step: Step) -> None:
        """Those that the comment names."""
        for name in re.findall(r"\bbuild/[\w./*-]*[\w*]", step.comment):
            folder, _ = self.shell.environment()
            if not any(path.is_file() or any(path.iterdir()) for path in folder.glob(name)):
                self.add(step, "FAILED", f"{name} is not there, or empty")

    def claim(self, step: Step) -> None:
        status, output = self.shell.type(step.code, 120)
        said = float(step.shown[0].replace(",", ""))
        try:
            found = float(output) if not status else None
        except ValueError:
            found = None
        if found is None:
            self.add(step, "FAILED", "cannot be measured", output)
        elif abs(found - said) > 0.05 * said:
            self.add(step, "FAILED", f"the page says {said:g}, found {found:g}")
        else:
            self.add(step, "ok", f"{said:g}: {found:g}")

    def serve(self, step: Step, rule: Rule) -> None:
        begin = time.monotonic()
        self.shell.type(f"{step.command} & typed_server=$!", 20)
        log = self.logs / f"{self.shell.count:03}"
        self.serves = True
        url = problem = ""
        ended = False
        while time.monotonic() < begin + 20 and not ended and (problem or not url) and "HTTP" not in problem:
            time.sleep(0.5)
            ended = self.shell.type("kill -0 $typed_server", 5)[0] != 0
            urls = re.findall(r"http://[\w.:]+\S*", step.comment + " " + self.shell.output(log))
            url = urls[0] if urls else ""
            problem = url and self.ask(url)
        if ended or not url:
            problem = "it ends" if ended else "it names no URL"
        seconds = time.monotonic() - begin
        folder, _ = self.shell.environment()
        for word in shlex.split(step.command)[1:]:
            if "/" in word and not (folder / word).exists() and not ended:
                self.add(step, "FAILED", f"it runs, although {word} is not there")
        if self.add(step, "FAILED" if problem else "ok", problem or url, self.shell.output(log), seconds) and rule.do:
            self.browse(step, rule, url)

    @staticmethod
    def ask(url: str) -> str:
        """What is wrong with the answer."""
        try:
            with urllib.request.urlopen(url, timeout=5) as response:
                return "" if response.read() else f"{url} answers with nothing"
        except OSError as error:
            return f"{url}: {error}"

    def browse(self, step: Step, rule: Rule, url: str) -> None:
        browser = shutil.which("chromium") or shutil.which("google-chrome")
        if not browser:
            self.add(step, "not typed", "this machine lacks a browser (chromium)")
            return
        with Chromium(browser) as chromium:
            chromium.open(url)
            found, end = None, time.monotonic() + 60
            while not found and time.monotonic() < end:
                time.sleep(0.1)
                shown = chromium.run("document.documentElement.outerHTML")
                found = re.search(rule.do, shown)
        self.add(step, "ok" if found else "FAILED", f"the page in {Path(browser).name}", shown[-2000:])
