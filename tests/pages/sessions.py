"""What a page's reader types into: a shell, and Python's prompt. Both keep their state from step to step."""

import contextlib
import os
import select
import signal
import subprocess
import time
from pathlib import Path

# Reads names of files, runs each in this shell and answers with its exit code. A command that fails before the last one
# of a line counts, too, as a reader would see its message.
SHELL = r"""
set -o pipefail -E
trap 'echo $? >>"$typed_failures"' ERR
while read -r -u "$0" typed; do
  typed_failures=$typed.failures
  source "$typed" </dev/null >"$typed.out" 2>&1
  typed_code=$?
  [[ $typed_code == 0 && -s $typed_failures ]] && read -r typed_code <"$typed_failures"
  echo "$typed_code" >&"$1"
done
"""

# The same for statements of Python, each as its prompt would run it.
PYTHON = r"""
import os, sys, traceback
asked, answers, scope = open(int(sys.argv[1])), int(sys.argv[2]), {"__name__": "__main__"}
for name in asked:
    name = name.strip()
    out = os.open(name + ".out", os.O_WRONLY | os.O_CREAT)
    os.dup2(out, 1), os.dup2(out, 2), os.close(out)
    code = 0
    try:
        exec(compile(open(name).read() + "\n", name, "single"), scope)
    except BaseException:
        code = 1
        kind, error, trace = sys.exc_info()
        traceback.print_exception(kind, error, trace and trace.tb_next)
    sys.stdout.flush(), sys.stderr.flush()
    os.write(answers, b"%d\n" % code)
"""


class Session:
    def __init__(self, program: list[str], folder: Path, environment: dict[str, str], logs: Path) -> None:
        self.logs, self.count = logs, 0
        logs.mkdir(parents=True, exist_ok=True)
        reads, self.asks = os.pipe()
        self.answers, writes = os.pipe()
        command = [str(reads) if word == "{reads}" else str(writes) if word == "{writes}" else word for word in program]
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, pass_fds=(reads, writes), start_new_session=True,
        )  # fmt: skip
        os.close(reads)
        os.close(writes)

    def type(self, code: str, timeout: float) -> tuple[int, str]:
        """Exit code and output. A command that takes longer is killed, with what it has started: code -9."""
        self.count += 1
        file = self.logs / f"{self.count:03}"
        file.write_text(code + "\n", encoding="utf-8")
        try:
            os.write(self.asks, f"{file}\n".encode())
        except BrokenPipeError:
            return 1, "The session has ended: a step before this one did that."
        end, killed = time.monotonic() + timeout, False
        while not select.select([self.answers], [], [], 0.1)[0]:
            if time.monotonic() > end:
                killed = True
                self.kill_children()
        answer = os.read(self.answers, 100).split()
        status = int(answer[0]) if answer else self.process.wait() or 1
        return -9 if killed else status, self.output(file)

    def output(self, file: Path) -> str:
        out = Path(f"{file}.out")
        return out.read_text(encoding="utf-8", errors="replace") if out.exists() else ""

    def kill_children(self) -> None:
        """All that the session has started and that still runs; itself if that is nothing."""
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                session = int(stat.read_text().rsplit(")", 1)[1].split()[3])
            except OSError:
                continue  # It has just ended.
            if session == self.process.pid != int(stat.parent.name):
                found.append(int(stat.parent.name))
        for pid in found or [self.process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def close(self) -> int:
        """Ends it as Ctrl-D does. Its exit code."""
        os.close(self.asks)
        try:
            code = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        os.close(self.answers)
        return code


class Shell(Session):
    def __init__(self, folder: Path, environment: dict[str, str], logs: Path) -> None:
        program = ["bash", "--noprofile", "--norc", "-c", SHELL, "{reads}", "{writes}"]
        super().__init__(program, folder, environment, logs)

    def environment(self) -> tuple[Path, dict[str, str]]:
        """Folder and variables, as the steps have left them."""
        _, out = self.type("pwd -P; env -0", 60)
        folder, variables = out.split("\n", 1)
        return Path(folder), dict(entry.split("=", 1) for entry in variables.rstrip("\n").split("\0") if "=" in entry)

    def close(self) -> int:
        self.type("kill $(jobs -p) && wait", 20)  # Servers.
        return super().close()


class Python(Session):
    def __init__(self, shell: Shell, logs: Path) -> None:
        folder, environment = shell.environment()
        super().__init__(["python", "-c", PYTHON, "{reads}", "{writes}"], folder, environment, logs)
