"""latimer-serve under load and faults: serve_faults.py BIN MODEL prints the table of server/README.md.

BIN has latimer-serve; MODEL is the English-German demo model.
"""
import contextlib
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

BIN, MODEL = sys.argv[1:3]
resource.setrlimit(resource.RLIMIT_NOFILE, (8192, 8192))


class Server:
    def __init__(self, *options, model=MODEL, memory=None):
        limit = memory and (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)))
        self.process = subprocess.Popen([os.path.join(BIN, "latimer-serve"), model, "--port", "0", *options],
                                        stderr=subprocess.PIPE, text=True, preexec_fn=limit)
        line = self.process.stderr.readline()
        self.port = int(re.search(r":(\d+)/", line)[1])
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def resident(self):
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def ask(self, data, half_closed=False):
        """The code of the answer, 0 if none came whole."""
        answer = b""
        with contextlib.suppress(OSError), self.connect() as made:
            made.sendall(data)
            if half_closed:
                made.shutdown(socket.SHUT_WR)
            while part := made.recv(1 << 20):
                answer += part
        head, _, body = answer.partition(b"\r\n\r\n")
        size = re.search(rb"Content-Length: (\d+)", head)
        return int(answer[9:12]) if size and len(body) == int(size[1]) else 0

    def latencies(self, count):
        """Of one client that asks one after another: the codes, and the 50th and 99th percentile in ms."""
        codes, times = [], []
        for _ in range(count):
            begin = time.monotonic()
            codes.append(self.ask(SHORT))
            times.append(1000 * (time.monotonic() - begin))
        times.sort()
        return f"{counted(codes)}; p50 {times[count // 2]:.0f} ms, p99 {times[count * 99 // 100]:.0f} ms"


def request(q, target="de"):
    body = json.dumps({"q": q, "source": "en", "target": target}).encode()
    return (b"POST /translate HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body) + body)


SHORT = request("Where is the station?")


def counted(codes):
    return ", ".join(f"{codes.count(code)} x {code or 'no answer'}" for code in sorted(set(codes)))


def at_once(count, call):
    """What `call` returns in each of so many threads."""
    found = []
    threads = [threading.Thread(target=lambda: found.append(call())) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads, found


def row(name, result):
    print(f"| {name} | {result} |", flush=True)


def connections(limit):
    with Server("--connections", str(limit)) as server, contextlib.ExitStack() as stack:
        before = server.resident()
        for _ in range(2000):
            made = stack.enter_context(server.connect())
            with contextlib.suppress(OSError):
                made.sendall(SHORT[:60])
        row(f"2000 connections with a half request each, `--connections {limit}`",
            f"{server.latencies(100)}; RSS {before:.0f} to {server.resident():.0f} MB")


def slow():
    with Server() as server, contextlib.ExitStack() as stack:
        before = server.resident()
        writers = []
        for _ in range(100):
            writers.append(stack.enter_context(server.connect()))
            writers[-1].sendall(SHORT[:-30])
            stack.enter_context(server.connect()).sendall(request("a" * 900_000, "en"))
        stop = threading.Event()

        def write_on():
            for byte in SHORT[-30:-1]:
                for made in writers:
                    with contextlib.suppress(OSError):
                        made.send(bytes([byte]))
                if stop.wait(1):
                    return
        thread = threading.Thread(target=write_on)
        thread.start()
        time.sleep(1)
        row("100 writers of a byte per second, 100 that do not read their 900 kB",
            f"{server.latencies(100)}; RSS {before:.0f} to {server.resident():.0f} MB")
        stop.set()
        thread.join()


def half_closed():
    with Server() as server:
        threads, codes = at_once(100, lambda: server.ask(SHORT, half_closed=True))
        for thread in threads:
            thread.join()
        row("100 clients that shut down their side after the request", counted(codes))


def load(server, stop, outcomes, count=64):
    def client():
        while not stop.is_set():
            begun = time.monotonic()
            outcomes.append((begun, server.ask(SHORT)))
            if outcomes[-1][1] == 0:
                return
    return at_once(count, client)[0]


def terminated():
    with Server() as server:
        stop, outcomes = threading.Event(), []
        threads = load(server, stop, outcomes)
        time.sleep(3)
        signalled = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        status = server.process.wait(60)
        seconds = time.monotonic() - signalled
        stop.set()
        for thread in threads:
            thread.join()
        # A client that began just before may not have connected by then.
        begun = [code for begin, code in outcomes if begin < signalled - 0.02]
        row("SIGTERM with 64 clients", f"{counted(begun)}; ends in {seconds:.2f} s with status {status}")


def replaced():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "en-de.ltm")
        shutil.copy(MODEL, path)
        with Server(model=path) as server:
            stop, outcomes = threading.Event(), []
            threads = load(server, stop, outcomes)
            for _ in range(20):
                time.sleep(0.1)
                shutil.copy(MODEL, path + ".new")
                os.rename(path + ".new", path)
            stop.set()
            for thread in threads:
                thread.join()
            row("the model replaced 20 times by rename, 64 clients", counted([code for _, code in outcomes]))


def little_memory():
    with Server(memory=256 << 20) as server:
        codes = []
        stop, outcomes = threading.Event(), []
        threads = load(server, stop, outcomes, 32)
        for _ in range(3):
            more, found = at_once(64, lambda: server.ask(request(["a"] * 60_000, "en")))
            for thread in more:
                thread.join()
            codes += found
        stop.set()
        for thread in threads:
            thread.join()
        row("`ulimit -v 262144`, 32 clients beside 3 x 64 lists of 60,000 texts",
            f"short: {counted([code for _, code in outcomes])}; lists: {counted(codes)}; "
            f"then: {server.ask(SHORT)}; RSS {server.resident():.0f} MB")


def fair():
    with Server() as server:
        client = threading.Thread(target=server.ask, args=(request("\n".join(["the house " * 1500] * 32)),))
        client.start()
        time.sleep(0.7)
        times = []
        for _ in range(3):
            begin = time.monotonic()
            server.ask(SHORT)
            times.append(f"{time.monotonic() - begin:.2f}")
        row("short ones beside a request of 32 lines of 3000 words without a stop", ", ".join(times) + " s")
        server.process.kill()
        client.join()


print("| what | answers |\n| --- | --- |")
connections(256)
connections(2100)
slow()
half_closed()
terminated()
replaced()
little_memory()
fair()
