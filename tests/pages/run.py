#!/usr/bin/env python3
"""Types what the pages say, as a reader would: on a fresh clone, in a new shell for each page, step by step.

    tests/pages/run.py [--short] [--page PAGE]... [--list] [--commit REV | --changes] [--folder FOLDER] [--install]

A step fails if its exit code is not 0 (or the one that its comment names: `# exit code 1`), if it does not print what
the page shows, or if a file that its comment names, such as `# build/wasm32/site`, is not there. rules.py has what is
not typed as it stands, and why; README.md says more. Exit code 1: a step failed.
"""

import argparse
import fcntl
import fnmatch
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
from page import Step, differs, read  # noqa: E402
from rules import RULES, RUN, Rule  # noqa: E402
from sessions import Python, Shell  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
NO_PAGES = r"docs/notes/|tests/data/|CHANGELOG\.md|LICENSE\.md"
NOT_TYPED = ("skip", "ci", "needs", "slow")
DEMO = "cmake --workflow --preset demo"
BUILT = ("bin/latimer*", "en-de.ltm", "java/*.jar", "java/*.so", "python", "cmake_install.cmake")  # Of build/host.
SECONDS = 600  # For a step, if no rule says otherwise.


def git(*words: str, folder: Path = ROOT, **options) -> str:
    return subprocess.run(
        ["git", "-C", folder, *words], check=True, text=True, stdout=subprocess.PIPE, **options
    ).stdout


def pages_of(folder: Path) -> list[str]:
    pages = [page for page in git("ls-files", "*.md", folder=folder).split() if not re.match(NO_PAGES, page)]
    return sorted(pages, key=lambda page: (page != "README.md", page))


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
        uses_python = any(
            step.kind == "python" or "pip " in step.code or "python -" in step.code for step in self.steps
        )
        self.shell = Shell(run.clone, run.environment(uses_python), self.logs)
        self.python: Python | None = None
        self.server = ""
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
            if step.last and self.server:
                self.shell.type("kill $typed_server; wait $typed_server; true", 20)
                self.server = ""
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
            code = code.replace("apt-get install --simulate", "apt-get install -y")
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
            before, after = (
                "\n".join(lines[: step.line]).split("\n#")[-1],
                "\n".join(lines[step.line :]).split("\n#")[0],
            )
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
        folder = self.logs / str(step.line)
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
            status, output = self.shell.type(commands, SECONDS)
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
        self.server = step.title
        url, answer = "", "it does not answer"
        while time.monotonic() < begin + 20:
            urls = re.findall(r"http://[\w.:]+\S*", step.comment + " " + self.shell.output(log))
            try:
                if urls:
                    url = urls[0]
                    with urllib.request.urlopen(url, timeout=5) as response:
                        answer = "" if response.read() else "it answers with nothing"
                    break
            except urllib.error.HTTPError as error:
                answer = f"{url} answers {error.code}"
                break
            except OSError:
                pass
            time.sleep(0.2)
        seconds = time.monotonic() - begin
        folder, _ = self.shell.environment()
        for word in shlex.split(step.command)[1:]:
            if "/" in word and not (folder / word).exists() and "does not" not in answer:
                self.add(step, "FAILED", f"it runs, although {word} is not there")
        if (
            not self.add(step, "FAILED" if answer else "ok", answer or url, self.shell.output(log), seconds)
            or not rule.do
        ):
            return
        browser = shutil.which("chromium") or shutil.which("google-chrome")
        if not browser:
            self.add(step, "not typed", "this machine lacks a browser (chromium)")
            return
        shown = subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--timeout=20000",
             f"--user-data-dir={self.logs}/browser", "--dump-dom", url],
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        found = re.search(rule.do, shown.stdout)
        self.add(step, "ok" if found else "FAILED", f"the page in {Path(browser).name}", shown.stdout[-2000:])


class Run:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self.short, self.install = arguments.short, arguments.install
        self.folder: Path = arguments.folder
        self.clone, self.base, self.home = (self.folder / name for name in ("latimer", "base", "home"))
        self.commit, self.changes = arguments.commit, arguments.changes

    def fresh_clone(self, to: Path) -> None:
        shutil.rmtree(to, ignore_errors=True)
        git("clone", "--quiet", "--no-checkout", ROOT, to)
        self.checkout(to)

    def checkout(self, to: Path) -> None:
        commit = git("rev-parse", self.commit).strip()
        git("fetch", "--quiet", ROOT, commit, folder=to)
        git("checkout", "--quiet", "--force", "--detach", commit, folder=to)
        if self.changes:
            changes = git("diff", "--binary", "HEAD")
            if changes:
                git("apply", folder=to, input=changes)
            for name in filter(None, git("ls-files", "-oz", "--exclude-standard").split("\0")):
                (to / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, to / name)

    def begin(self, page: str) -> None:
        """A clone as the page's reader has it: README.md's alone, the others' after README.md's first command."""
        if page == "README.md" and not self.short:
            self.fresh_clone(self.clone)
            return
        if not self.base.exists():
            self.fresh_clone(self.clone)
            if self.short:  # What the rules `built` say.
                for name in BUILT:
                    for path in (ROOT / "build/host").glob(name):
                        to = self.clone / path.relative_to(ROOT)
                        to.parent.mkdir(parents=True, exist_ok=True)
                        subprocess.run(["cp", "-a", path, to], check=True)
            else:
                shell = Shell(self.clone, self.environment(False), self.folder / "logs")
                print(f"{DEMO}, for all pages", flush=True)
                status, output = shell.type(DEMO, 3600)
                shell.close()
                if status:
                    sys.exit(f"{output[-3000:]}\n{DEMO} failed.")
            self.keep_base()
        shutil.rmtree(self.clone, ignore_errors=True)
        subprocess.run(["cp", "-a", self.base, self.clone], check=True)

    def keep_base(self) -> None:
        subprocess.run(["cp", "-a", self.clone, self.base], check=True)

    def environment(self, with_python: bool) -> dict[str, str]:
        """Variables of a reader: a new home, whose caches are this machine's, and no Latimer anywhere."""
        old = Path.home()
        shutil.rmtree(self.home, ignore_errors=True)
        cache = Path(os.environ.get("LATIMER_CACHE_DIR") or old / ".cache/latimer")
        links = {
            name: old / name for name in (".cache/pip", ".cache/ccache", ".config/ccache", ".config/pip", ".npmrc")
        }
        for name, target in {**links, ".cache/latimer": cache}.items():
            if target.exists() or name == ".cache/latimer":
                target.mkdir(parents=True, exist_ok=True) if not target.exists() else None
                (self.home / name).parent.mkdir(parents=True, exist_ok=True)
                (self.home / name).symlink_to(target)
        left_out = (
            r"HOME|PYTHON(PATH|HOME)|VIRTUAL_ENV|(LATIMER|XDG|GIT)_.*|LD_LIBRARY_PATH|PKG_CONFIG_PATH|CMAKE_PREFIX_PATH"
        )
        result = {name: value for name, value in os.environ.items() if not re.fullmatch(left_out, name)}
        if (old / ".pyenv").exists():
            result.setdefault("PYENV_ROOT", str(old / ".pyenv"))  # It would look for its versions in the new home.
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        result |= {
            "HOME": str(self.home),
            "TMPDIR": str(temporary),
            "LANG": "C.UTF-8",
            "DEBIAN_FRONTEND": "noninteractive",
        }
        paths = [path for path in result["PATH"].split(":") if not list(Path(path or ".").glob("latimer*"))]
        if virtual := os.environ.get("VIRTUAL_ENV"):
            paths = [path for path in paths if not path.startswith(virtual)]
        if with_python:  # pip of Debian refuses to install elsewhere.
            shutil.rmtree(self.folder / "venv", ignore_errors=True)
            subprocess.run(["python3", "-m", "venv", self.folder / "venv"], check=True, env=result)
            paths.insert(0, str(self.folder / "venv/bin"))
            result["VIRTUAL_ENV"] = str(self.folder / "venv")
        result["PATH"] = ":".join(paths)
        return result


def check_rules(pages: dict[str, str]) -> list[str]:
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8").split("\n")
    errors = []
    for page, text in pages.items():
        for step in plan(page, text):
            if rules_for(step, "ci") and step.command not in ci:
                errors.append(f"{page}:{step.line}: .ci/run does not type: {step.command}")
    errors += [f"rules.py: matches nothing: {r.kind} {r.pages} {r.pattern}" for r in RULES if not r.hits]
    return errors


def list_steps(pages: dict[str, str]) -> None:
    for page, text in pages.items():
        steps = plan(page, text)
        print(f"\n{page}" if steps else f"\n{page}: nothing to type")
        for step in steps:
            print(f"{step.line:5}  {step.kind:6}  {step.title}")
            for rule in rules_for(step):
                print(f"{'':15}{rule.kind}: {rule.reason or '.ci/run types it'}")


def report(rows: list[Row], short: bool, seconds: float) -> None:
    print("\nNot typed, and why:")
    for row in (row for row in rows if row.result == "not typed"):
        print(f"  {row.step.page}:{row.step.line}: {row.step.title[:70]}: {row.why}")
    print("\nStand-ins and changes:")
    kinds = ["stand-in", "instead", "given", "file", *(["built"] if short else [])]
    for rule in RULES:
        lines = sorted(
            {
                f"{row.step.page}:{row.step.line}"
                for row in rows
                if row.result != "not typed" and rule in rules_for(row.step, *kinds)
            }
        )
        if lines:
            print(f"  {rule.kind} {rule.name or rule.pattern}: {rule.reason} ({', '.join(lines)})")
    failed = [row for row in rows if row.result == "FAILED"]
    print("\nFailed:" if failed else "\nNothing failed.")
    for row in failed:
        print(f"  {row.step.page}:{row.step.line}: {row.step.title[:80]}: {row.why}")
    count = {result: sum(row.result == result for row in rows) for result in ("ok", "FAILED", "not typed")}
    print(
        f"\n{count['ok']} ok, {count['FAILED']} failed, {count['not typed']} not typed, in {seconds / 60:.0f} minutes."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--page", action="append", metavar="PAGE", help="only this one, or those that match; repeatable"
    )
    parser.add_argument(
        "--short", action="store_true", help="only what takes seconds, with build/host of this checkout"
    )
    parser.add_argument("--list", action="store_true", help="list steps and rules, type nothing")
    parser.add_argument("--commit", default="HEAD", metavar="REV", help="type the pages of this commit")
    parser.add_argument("--changes", action="store_true", help="with what is not committed yet")
    default = f"latimer-pages-{zlib.crc32(bytes(ROOT)):08x}"
    parser.add_argument("--folder", type=Path, default=Path(os.environ.get("TMPDIR", "/tmp")) / default)
    parser.add_argument("--again", action="store_true", help="with the clone and the programs of the last run, updated")
    parser.add_argument("--install", action="store_true", help="let apt-get install what the pages say")
    arguments = parser.parse_args()
    arguments.folder = arguments.folder.resolve()
    if arguments.folder.is_relative_to(ROOT):
        sys.exit(f"{arguments.folder} is in the checkout; give another --folder.")

    if arguments.list:
        pages = {page: (ROOT / page).read_text(encoding="utf-8") for page in pages_of(ROOT)}
        list_steps(pages)
        if errors := check_rules(pages):
            sys.exit("\n" + "\n".join(errors))
        return

    arguments.folder.mkdir(parents=True, exist_ok=True)
    lock = open(arguments.folder / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(f"{arguments.folder} is in use by another run.")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    run = Run(arguments)
    begin = time.monotonic()
    if arguments.again and run.base.exists():
        run.checkout(run.base)
        run.begin("")
    else:
        shutil.rmtree(run.base, ignore_errors=True)
        run.fresh_clone(run.clone)
    pages = {page: (run.clone / page).read_text(encoding="utf-8") for page in pages_of(run.clone)}
    if (errors := check_rules(pages)) and arguments.commit == "HEAD":  # Rules are for the pages of today.
        sys.exit("\n".join(errors))
    rows: list[Row] = []
    for page, text in pages.items():
        if arguments.page and not any(fnmatch.fnmatch(page, pattern) for pattern in arguments.page):
            continue
        if not read(page, text):
            continue
        run.begin(page)
        print(f"\n{page}", flush=True)
        typist = Typist(page, text, run)
        try:
            typist.type_all()
        finally:
            typist.shell.kill_children()  # Also when a signal ends this program.
        rows += typist.rows
        left = [line[3:] for line in git("status", "--porcelain", folder=run.clone).split("\n") if line]
        if left:
            print(f"{'':26}left in the checkout: {', '.join(left)}")
    report(rows, run.short, time.monotonic() - begin)
    sys.exit(any(row.result == "FAILED" for row in rows))


if __name__ == "__main__":
    main()
