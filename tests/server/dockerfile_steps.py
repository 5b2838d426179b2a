#!/usr/bin/env python3
"""Does what server/Dockerfile says, where there is no Docker.

    tests/server/dockerfile_steps.py FOLDER MODELS

As root, on Debian. FOLDER/debian becomes a minimal Debian 12 by debootstrap,
from the mirror that this machine's apt uses, unless it is there already; each
stage is a copy of it, in which the steps run by chroot. MODELS is a folder
with en-de.ltm. Then it starts the server as the image would, translates,
detects a language, and ends it with SIGTERM.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parents[2]
FOLDER, MODELS = (pathlib.Path(path).resolve() for path in sys.argv[1:3])


def run(*command):
    subprocess.run([str(part) for part in command], check=True)


def fresh(name):
    """A stage: a Debian of its own."""
    debian = FOLDER / "debian"
    if not (debian / "etc/debian_version").exists():
        mirror = subprocess.run(
            ["apt-get", "indextargets", "--format", "$(REPO_URI)",
             "Created-By: Packages", "Codename: bookworm"],
            check=True, capture_output=True, text=True).stdout.splitlines()[0]
        run("debootstrap", "--variant=minbase", "bookworm", debian, mirror)
    stage = FOLDER / name
    shutil.rmtree(stage, ignore_errors=True)
    run("cp", "-a", debian, stage)
    shutil.copy("/etc/resolv.conf", stage / "etc")
    return stage


def context():
    """What docker build would send: the checkout without .dockerignore."""
    made = FOLDER / "context"
    shutil.rmtree(made, ignore_errors=True)
    ignored = (HERE / ".dockerignore").read_text().split()
    shutil.copytree(HERE, made, symlinks=True, ignore=lambda at, names: [
        name for name in names if f"**/{name}" in ignored or
        (pathlib.Path(at) == HERE and name in ignored)])
    shutil.copytree(MODELS, made / "models", dirs_exist_ok=True)
    return made


def build():
    """Runs all steps. Returns the last stage, its user and its command."""
    text = (HERE / "server/Dockerfile").read_text()
    text = re.sub(r"^#.*\n", "", text, flags=re.M).replace("\\\n", " ")
    sent, stages, user, entry, folder = context(), {}, "root", [], "/"
    for line in filter(None, text.split("\n")):
        print("+", line, flush=True)
        step, rest = line.split(maxsplit=1)
        if step == "FROM":
            assert re.match(r"debian:12(-slim)?\b", rest), rest
            name = rest.split(" AS ")[1] if " AS " in rest else "image"
            stage, folder = stages.setdefault(name, fresh(name)), "/"
        elif step == "RUN":
            run("chroot", stage, "/bin/sh", "-euc", f"cd {folder}; {rest}")
        elif step == "WORKDIR":
            folder = rest
        elif step == "COPY":
            words = rest.split()
            source = sent
            if words[0].startswith("--from="):
                source = stages[words.pop(0)[len("--from="):]]
            what, to = source / words[0].lstrip("/"), stage / words[1].lstrip("/")
            if what.is_dir():
                run("cp", "-a", f"{what}/.", to)
            else:
                run("cp", "-a", what, to)
        elif step == "USER":
            user = rest
        elif step == "ENTRYPOINT":
            entry = json.loads(rest)
        else:
            assert step in ("EXPOSE", "STOPSIGNAL"), line
    return stage, user, entry


def ask(path, **values):
    data = json.dumps(values).encode() if values else None
    request = urllib.request.Request(f"http://127.0.0.1:5017{path}", data,
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def main():
    stage, user, entry = build()
    server = subprocess.Popen(["chroot", f"--userspec={user}", str(stage), *entry,
                               "--port", "5017"])
    for _ in range(100):
        time.sleep(0.1)
        try:
            assert ask("/health") == {"status": "ok"}
            break
        except OSError:
            assert server.poll() is None, "it has ended"
    with open(f"/proc/{server.pid}/status") as file:
        assert "Uid:\t65534" in file.read(), "it runs as root"
    text = ask("/translate", q="Where is the station?", source="en", target="de")
    html = ask("/translate", q="<b>Where</b> is it?", source="en", target="de",
               format="html")
    found = ask("/detect", q="Where is the station in this town?")
    print(text, html, found)
    assert text["translatedText"] == "Wo ist der Bahnhof?"
    assert html["translatedText"].startswith("<b>")
    assert found[0]["language"] == "en"
    os.kill(server.pid, signal.SIGTERM)
    assert server.wait(timeout=20) == 0
    size = sum(path.lstat().st_size for path in stage.rglob("*")
               if path.is_file() and not path.is_symlink())
    print(f"The image's files have {size / 1e6:.0f} MB.")


if __name__ == "__main__":
    main()
