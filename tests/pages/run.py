#!/usr/bin/env python3
"""Types what the pages say, as a reader would: on a fresh clone, in a new shell for each page, step by step.

    tests/pages/run.py [--short] [--jobs N] [--page PAGE]... [--list] [--commit REV | --changes] [--folder FOLDER] [--install]

A step fails if its exit code is not 0 (or the one that its comment names: `# exit code 1`), if it does not print what
the page shows, or if a file that its comment names, such as `# build/wasm32/site`, is not there. rules.py has what is
not typed as it stands, and why; README.md says more. Exit code 1: a step failed.
"""

import argparse
import contextlib
import fcntl
import fnmatch
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

sys.dont_write_bytecode = True
from page import Step, read  # noqa: E402
from rules import RULES  # noqa: E402
from sessions import Shell  # noqa: E402
from typist import DEMO, Row, Typist, plan, rules_for  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
NO_PAGES = r"docs/notes/|tests/data/|CHANGELOG\.md|LICENSE\.md"
BUILT = (  # Of build/host.
    "bin/latimer*", "bin/example_interpreter", "en-de.ltm", "java/*.jar", "java/*.so", "python", "cmake_install.cmake"
)  # fmt: skip


def git(*words: str, folder: Path = ROOT, **options) -> str:
    return subprocess.run(
        ["git", "-C", folder, *words], check=True, text=True, stdout=subprocess.PIPE, **options
    ).stdout


def pages_of(folder: Path) -> list[str]:
    pages = [page for page in git("ls-files", "*.md", folder=folder).split() if not re.match(NO_PAGES, page)]
    return sorted(pages, key=lambda page: (page != "README.md", page))


class Shared:
    """Of runs side by side, each in its own folder: which pages one of them has taken, and who may serve."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def take(self, page: str) -> bool:
        """Whether no other run has taken the page."""
        if self.folder is None:
            return True
        with open(self.folder / "taken", "a+", encoding="utf-8") as taken:
            fcntl.flock(taken, fcntl.LOCK_EX)
            taken.seek(0)
            if page in taken.read().split("\n"):
                return False
            print(page, file=taken)
        return True

    @contextlib.contextmanager
    def ports(self, steps: list[Step]) -> Iterator[None]:
        """Pages that serve have ports in common."""
        if self.folder is None or not any(rules_for(step, "serves") for step in steps):
            yield
            return
        with open(self.folder / "ports", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def run_side_by_side(jobs: int, folder: Path) -> int:
    """Runs this program so many times at once, for other pages each; returns the exit code."""
    (folder / "taken").unlink(missing_ok=True)
    runs = []
    for job in range(jobs):
        log = open(folder / f"run_{job}.log", "w+", encoding="utf-8")
        words = [*sys.argv, "--jobs", "1", "--shared", folder, "--folder", folder / f"run_{job}"]
        runs.append((log, subprocess.Popen([sys.executable, *words], stdout=log, stderr=log)))
    try:
        codes = [process.wait() for _, process in runs]
    finally:
        for _, process in runs:
            process.terminate()  # It ends what it has begun.
    for log, _ in runs:
        log.seek(0)
        shutil.copyfileobj(log, sys.stdout)
    return int(any(codes))


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
        git("status", folder=to)  # Else files that were copied count as changed, and are written again.
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
                shell = Shell(self.clone, self.environment(), self.folder / "logs")
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

    def environment(self) -> dict[str, str]:
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
        # Debian's own Python, whose pip installs into environments only; another one of this machine does the same.
        result["PATH"] = ":".join(["/usr/bin", *paths])
        result["PIP_REQUIRE_VIRTUALENV"] = "1"
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
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="type so many pages at once")
    parser.add_argument("--shared", type=Path, help=argparse.SUPPRESS)
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
    if arguments.jobs > 1:
        sys.exit(run_side_by_side(arguments.jobs, arguments.folder))
    shared = Shared(arguments.shared)
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
        steps = read(page, text)
        if not steps or not shared.take(page):
            continue
        run.begin(page)
        print(f"\n{page}", flush=True)
        typist = Typist(page, text, run)
        try:
            with shared.ports(steps):
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
