"""latimer-serve under load and faults: serve_faults.py BIN MODEL prints the table of server/README.md.

BIN has latimer-serve; MODEL is the English-German demo model. With --mixed SECONDS [--rate N], prints what comes of so
many seconds of mixed traffic instead, N requests a second: good, wrong, hostile and slow ones, while SIGHUP opens a new
model every 20 seconds.
"""
import argparse
import collections
import contextlib
import json
import os
import random
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

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("bin")
parser.add_argument("model")
parser.add_argument("--mixed", type=float, default=0, metavar="SECONDS")
parser.add_argument("--rate", type=float, default=8, metavar="N")
arguments = parser.parse_args()
BIN, MODEL = arguments.bin, arguments.model
resource.setrlimit(resource.RLIMIT_NOFILE, (8192, 8192))


class Server:
    def __init__(self, *options, model=MODEL, memory=None):
        limit = memory and (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)))
        self.process = subprocess.Popen([os.path.join(BIN, "latimer-serve"), model, "--port", "0", *options],
                                        stderr=subprocess.PIPE, text=True, preexec_fn=limit)
        line = self.process.stderr.readline()
        self.port = int(re.search(r":(\d+)/", line)[1])
        self.log = []
        threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def resident(self):
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=150)

    def answer(self, data, half_closed=False):
        with contextlib.suppress(OSError), self.connect() as made:
            with contextlib.suppress(OSError):  # It may have been refused by its head.
                made.sendall(data)
                if half_closed:
                    made.shutdown(socket.SHUT_WR)
            return read_all(made)
        return b""

    def ask(self, data, half_closed=False):
        """The code of the answer, 0 if none came whole."""
        return code_of(self.answer(data, half_closed))

    def latencies(self, count):
        """Of one client that asks one after another: the codes, and the 50th and 99th percentile in ms."""
        codes, times = [], []
        for _ in range(count):
            begin = time.monotonic()
            codes.append(self.ask(SHORT))
            times.append(1000 * (time.monotonic() - begin))
        times.sort()
        return f"{counted(codes)}; p50 {times[count // 2]:.0f} ms, p99 {times[count * 99 // 100]:.0f} ms"


def post(path, kind, body):
    return (b"POST %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            % (path.encode(), kind.encode(), len(body)) + body)


def request(q, target="de", **more):
    body = json.dumps({"q": q, "source": "en", "target": target, **more}).encode()
    return post("/translate", "application/json", body)


SHORT = request("Where is the station?")


def read_all(made):
    answer = b""
    with contextlib.suppress(OSError):
        while part := made.recv(1 << 20):
            answer += part
    return answer


def code_of(answer):
    """0 if it did not come whole."""
    head, _, body = answer.partition(b"\r\n\r\n")
    size = re.search(rb"Content-Length: (\d+)", head)
    return int(answer[9:12]) if size and len(body) == int(size[1]) else 0


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
                server.process.send_signal(signal.SIGHUP)
            stop.set()
            for thread in threads:
                thread.join()
            row("the model replaced 20 times by rename and SIGHUP, 64 clients", counted([code for _, code in outcomes]))


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


def large_pages():
    with Server() as server:
        before, slowest = server.resident(), []

        def ask(unit):
            begin = time.monotonic()
            code = server.ask(request(unit * (900_000 // len(unit)), format="html"))
            slowest.append(time.monotonic() - begin)
            return code
        units = ["<b>", "&", "<p>\n", "<a b='c'>", "<!--"] * 9
        threads, codes = at_once(44, lambda: ask(units.pop()))
        for thread in threads:
            thread.join()
        row("44 pages of 900 kB at once", f"{counted(codes)}; the slowest {max(slowest):.0f} s; "
            f"RSS {before:.0f} to {server.resident():.0f} MB")


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


class Mixed:
    """Traffic of all kinds, from a few clients that ask one after another."""

    CLIENTS = 6
    SECONDS_BETWEEN_REPLACEMENTS = 20

    def __init__(self, server, path):
        self.server, self.path = server, path
        self.counts = collections.Counter()
        self.wrong = []
        self.going = threading.Event()
        self.under_way, self.busy = threading.Condition(), 0
        with open(os.path.join(os.path.dirname(__file__), "../../examples/en-de/data/test.en"), encoding="utf-8") as file:
            self.lines = file.read().splitlines()
        self.kinds = [value for name, value in sorted(vars(type(self)).items()) if name.startswith("send_")]

    # Each returns the codes that may come; those that send by themselves return what came, too.

    def send_text(self, rng):
        return request(rng.choice(self.lines), **rng.choice([{}, {"segments": True}, {"alternatives": 2}, {
            "protect": True}, {"terms": {"house": "Bau"}}, {"target_prefix": "Ich"}])), (200,)

    def send_list(self, rng):
        return request(rng.choices(self.lines, k=rng.randint(1, 20))), (200,)

    def send_form(self, rng):
        return post("/translate", "application/x-www-form-urlencoded",
                    b"source=auto&target=de&q=" + "+".join(rng.choice(self.lines).split()).encode()), (200, 400)

    def send_html(self, rng):
        words = " ".join(rng.choices(self.lines, k=3)).split()
        for _ in range(6):
            words.insert(rng.randrange(len(words)), rng.choice(
                ["<b>", "</b>", "<p>", "</p>", "<br>", "&amp;", "<a href='x'>", "</a>", "<!-- c -->", "<x", "<pre>"]))
        return request(" ".join(words), format="html"), (200,)

    def send_deep_html(self, rng):
        return request("<b>" * rng.randint(1, 20_000) + "word", format="html"), (200,)

    def send_file(self, rng):
        lines = rng.choices(self.lines, k=4)
        name, content = rng.choice([
            ("a.txt", "\n".join(lines)), ("a.html", "<p>".join(lines)),
            ("a.vtt", "WEBVTT\n\n" + "\n\n".join(f"00:0{i}.000 --> 00:0{i}.900\n{line}" for i, line in enumerate(lines))),
            ("a.srt", "\n\n".join(f"{i}\n00:00:0{i},000 --> 00:00:0{i},900\n<i>{line}</i>" for i, line in enumerate(lines)))])
        parts = "".join(f'--B\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
                        for key, value in (("source", "en"), ("target", "de")))
        parts += f'--B\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n{content}\r\n--B--\r\n'
        answer = self.server.answer(post("/translate_file", "multipart/form-data; boundary=B", parts.encode()))
        found = re.search(rb"/download_file/[^\"]+", answer)
        if found:
            answer = self.server.answer(b"GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" % found[0])
        return answer, (200,)

    def send_chunks(self, rng):
        head, _, body = request(rng.choice(self.lines)).partition(b"\r\n\r\n")
        chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
        return re.sub(rb"Content-Length: \d+", b"Transfer-Encoding: chunked", head) + b"\r\n\r\n" + chunks, (200,)

    def send_large(self, rng):
        large = rng.choice(["a" * 900_000, "\n" * 900_000, ["a"] * 50_000, "<" * 500_000, "b" * 1_100_000])
        return request(large, "en", format=rng.choice(["text", "html"])), (200, 413, 503)

    def send_large_html(self, rng):
        html = rng.choice(["<b>", "&", "<p>\n", "<a b='c'>", "<!--"])
        return request(html * (900_000 // len(html)), "de", format="html"), (200, 413, 503)

    def send_large_json(self, rng):
        value = rng.choice(["{}", "[]", "1", '""', '{"a":1}'])
        return post("/translate", "application/json",
                    b'{"q":[' + ",".join([value] * (1_000_000 // (len(value) + 1))).encode() + b"]}"), (400, 413, 503)

    def send_garbage(self, rng):
        return rng.randbytes(rng.randint(1, 3000)) + b"\r\n\r\n", (0, 400, 408, 431)

    def send_damaged(self, rng):
        data = bytearray(request(rng.choice(self.lines)))
        for _ in range(rng.randint(1, 8)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        return self.server.answer(bytes(data), half_closed=True), tuple(range(1000))

    def send_path(self, rng):
        path = rng.choice(["/", "/languages", "/metrics", "/spec", "/docs", "/health", "/frontend/settings",
                           "/download_file/x", "/" + "a" * 5000, "/%ff%00"])
        return b"GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" % path.encode(), (200, 404)

    def send_detect(self, rng):
        return post("/detect", "application/x-www-form-urlencoded", b"q=" + rng.randbytes(20).hex("%").encode()), (200, 400)

    def send_and_shut_down(self, rng):
        return self.server.answer(request(rng.choice(self.lines)), half_closed=True), (0, 200, 499)

    def send_and_go(self, rng):
        with self.server.connect() as made:
            made.sendall(request(rng.choices(self.lines, k=50)))
            time.sleep(rng.random() / 4)
        return b"", (0,)

    def send_slowly(self, rng):
        data = request(rng.choice(self.lines))
        with self.server.connect() as made:
            for i in range(0, len(data), 10):
                made.sendall(data[i:i + 10])
                time.sleep(0.03)
            return read_all(made), (200,)

    def send_and_read_slowly(self, rng):
        with self.server.connect() as made:
            made.sendall(request("a" * 900_000, "en"))
            time.sleep(1)
            return read_all(made), (200, 503)

    def client(self, seed, end):
        rng = random.Random(seed)
        while time.monotonic() < end:
            self.going.wait()
            begin = time.monotonic()
            kind = rng.choice(self.kinds)
            code = None
            with self.under_way:
                self.busy += 1
            try:
                data, codes = kind(self, rng)
                code = code_of(data if not data or data.startswith(b"HTTP/") else self.server.answer(data))
                wrong = None if code in codes else code
            except OSError as error:
                wrong = str(error)
            with self.under_way:
                self.busy -= 1
                self.under_way.notify()
            if wrong is not None:
                self.wrong.append((kind.__name__, wrong))
            self.counts[code] += 1
            time.sleep(max(0, self.CLIENTS / arguments.rate * 2 * rng.random() - time.monotonic() + begin))

    def resident_when_idle(self):
        self.going.clear()
        with self.under_way:
            self.under_way.wait_for(lambda: self.busy == 0)
        time.sleep(1)
        resident = self.server.resident()
        self.going.set()
        return resident

    def replace(self):
        shutil.copy(MODEL, self.path + ".new")
        os.rename(self.path + ".new", self.path)
        self.server.process.send_signal(signal.SIGHUP)


def mixed(seconds):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "en-de.ltm")
        shutil.copy(MODEL, path)
        with Server("--cache", "1", model=path) as server:
            server.ask(request("\n".join(["the house " * 200] * 64)))  # All lanes touch all their memory.
            traffic = Mixed(server, path)
            end = time.monotonic() + seconds
            clients = [threading.Thread(target=traffic.client, args=(seed, end)) for seed in range(traffic.CLIENTS)]
            traffic.going.set()
            for thread in clients:
                thread.start()
            sizes = []
            while time.monotonic() < end and server.process.poll() is None:
                time.sleep(traffic.SECONDS_BETWEEN_REPLACEMENTS)
                traffic.replace()
                sizes.append(traffic.resident_when_idle())
                print(f"# {len(sizes)} {sizes[-1]:.2f} MB {sum(traffic.counts.values())} {traffic.wrong[-3:]}",
                      file=sys.stderr, flush=True)
            for thread in clients:
                thread.join()
            last = sizes[len(sizes) // 2:]
            server.process.send_signal(signal.SIGTERM)
            status = server.process.wait(60)
            codes = ", ".join(f"{count} x {code or 'no answer'}" for code, count in sorted(traffic.counts.items(), key=str))
            row(f"{seconds / 60:.0f} minutes of mixed traffic",
                f"{codes}; unexpected: {traffic.wrong or 'none'}; RSS {sizes[0]:.1f} MB first, "
                f"{min(last):.1f} to {max(last):.1f} MB in the second half; ends with status {status}")
            print("".join(server.log), file=sys.stderr)


if arguments.mixed > 0:
    mixed(arguments.mixed)
    sys.exit()
print("| what | answers |\n| --- | --- |")
connections(256)
connections(2100)
slow()
half_closed()
terminated()
replaced()
little_memory()
large_pages()
fair()
