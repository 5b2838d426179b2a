#!/usr/bin/env python3
"""Measures LibreTranslate on CTranslate2 and on Latimer, with the same model on the same machine.

    python3 -m venv VENV && VENV/bin/pip install libretranslate ctranslate2 transformers sentencepiece torch spacy
    VENV/bin/python tests/peers/libretranslate_load.py build/host/python [--serve build/host/bin/latimer-serve MODEL.ltm]

LibreTranslate is as it comes from PyPI. Its model is an Argos package of examples/en-de: the folder that CTranslate2's
converter makes in int8, and a sentence splitter of spaCy that needs no download. The second server differs from the
first in PYTHONPATH only, which has latimer.ctranslate2 in place of ctranslate2. Clients ask on kept connections, one
sentence of examples/en-de/data/test.en each, in turns between the servers; RSS is the highest. Prints Markdown.
"""

import argparse
import http.client
import itertools
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).parents[2]
DEMO = ROOT / "examples/en-de"
SOURCES = (DEMO / "data/test.en").read_text(encoding="utf-8").splitlines()


def prepare(work: pathlib.Path, environment: dict[str, str]) -> None:
    """An Argos package of the demo, and what spaCy would download."""
    package = work / "packages/en_de"
    if package.exists():
        return
    bin_folder = pathlib.Path(sys.executable).parent
    subprocess.run([bin_folder / "ct2-transformers-converter", "--model", DEMO, "--output_dir", package / "model",
                    "--quantization", "int8"], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    config = package / "model/config.json"
    # Argos gives tokens without an EOS, which Marian models need.
    config.write_text(json.dumps(json.loads(config.read_text()) | {"add_source_eos": True}))
    shutil.copy(DEMO / "source.spm", package / "sentencepiece.model")
    metadata = {"package_version": "1.0", "argos_version": "1.9", "from_code": "en", "from_name": "English",
                "to_code": "de", "to_name": "German"}  # fmt: skip
    (package / "metadata.json").write_text(json.dumps(metadata))
    # With fewer than two packages it would look for models on the network.
    shutil.copytree(package, work / "packages/en_de_again")
    code = ("import spacy, pathlib, sys; p = pathlib.Path(sys.argv[1]); p.mkdir(parents=True); "
            "spacy.blank('xx').to_disk(p); (p / 'senter').mkdir(); (p / 'senter/model').touch()")  # fmt: skip
    subprocess.run([sys.executable, "-c", code, work / "cache/argos-translate/spacy"], check=True, env=environment)


def rss(pid: int) -> float:
    """The most that a process had in memory, in MB."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1000
    return 0.0


class Server:
    def __init__(self, name: str, command: list[str], environment: dict[str, str]) -> None:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]
        self.name, self.seconds = name, []
        self.texts: dict[str, str] = {}
        self.time = 0.0
        self.process = subprocess.Popen([*command, "--port", str(self.port)], env=environment,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        begin = time.monotonic()
        while True:
            try:
                self.ask(self.connect(), SOURCES[0])
                break
            except OSError:
                if self.process.poll() is not None or time.monotonic() - begin > 120:
                    sys.exit(f"{name} does not answer.")
                time.sleep(0.5)
        print(f"{name}: first answer after {time.monotonic() - begin:.1f} s", file=sys.stderr)

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def ask(self, connection: http.client.HTTPConnection, text: str) -> None:
        body = json.dumps({"q": text, "source": "en", "target": "de"})
        begin = time.monotonic()
        connection.request("POST", "/translate", body, {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        self.seconds.append(time.monotonic() - begin)
        self.texts[text] = answer["translatedText"]

    def load(self, clients: int, seconds: float, first: int) -> None:
        """So many clients ask for so long."""
        texts = itertools.islice(itertools.cycle(SOURCES), first, None)
        lock = threading.Lock()
        begin = time.monotonic()

        def client() -> None:
            connection = self.connect()
            while time.monotonic() - begin < seconds:
                with lock:
                    text = next(texts)
                self.ask(connection, text)

        threads = [threading.Thread(target=client) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.time += time.monotonic() - begin

    def row(self) -> str:
        times = sorted(1000 * s for s in self.seconds)
        p50, p99 = (times[int(share * (len(times) - 1))] for share in (0.5, 0.99))
        return (f"| {self.name} | {len(times) / self.time:.1f} | {p50:.0f} | {p99:.0f} | {rss(self.process.pid):.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=pathlib.Path, help="the folder in which the Python package latimer is")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/libretranslate"))
    parser.add_argument("--serve", nargs=2, metavar=("LATIMER-SERVE", "MODEL.ltm"))
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=10, help="of a turn")
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    work = arguments.work.absolute()
    environment = dict(os.environ, HOME=str(work), XDG_DATA_HOME=str(work / "data"), XDG_CACHE_HOME=str(work / "cache"),
                       XDG_CONFIG_HOME=str(work / "config"), ARGOS_PACKAGES_DIR=str(work / "packages"),
                       ARGOS_CHUNK_TYPE="SPACY", ARGOS_DEVICE_TYPE="cpu")  # fmt: skip
    prepare(work, environment)
    package = arguments.package.absolute()
    drop_in = dict(environment, PYTHONPATH=f"{package}:{package / 'latimer/dropin'}")
    program = [str(pathlib.Path(sys.executable).parent / "libretranslate"), "--host", "127.0.0.1", "--load-only",
               "en,de", "--threads", "4", "--disable-web-ui"]  # fmt: skip
    servers = [Server("LibreTranslate on CTranslate2", program, environment),
               Server("LibreTranslate on Latimer", program, drop_in)]  # fmt: skip
    if arguments.serve:
        servers.append(Server("latimer-serve", [*arguments.serve, "--host", "127.0.0.1"], environment))
    for server in servers:
        server.seconds.clear()
    for turn in range(arguments.turns):
        for server in servers:
            server.load(arguments.clients, arguments.seconds, turn * 500)
    print("| | requests/s | p50 ms | p99 ms | MB |\n| --- | --- | --- | --- | --- |")
    for server in servers:
        print(server.row())
        server.process.terminate()
    for other in servers[1:]:
        both = servers[0].texts.keys() & other.texts.keys()
        same = sum(servers[0].texts[text] == other.texts[text] for text in both)
        print(f"\n{other.name}: {same} of {len(both)} translations equal those of the first.")


if __name__ == "__main__":
    main()
