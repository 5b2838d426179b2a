"""Load on latimer-serve: clients that ask one sentence after another.

serve_load.py URL SENTENCES [--clients 1 8 64] [--seconds 10] [--pid PID]
prints a row for each number of clients; with the server's PID, what a request
takes of the CPU, and its memory.
"""
import argparse
import http.client
import json
import multiprocessing
import os
import threading
import time
import urllib.parse


def client(url, lines, number, clients, end, times):
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    for i in range(number, 1 << 30, clients):
        if time.monotonic() > end:
            return
        body = json.dumps({"q": lines[i % len(lines)], "source": "en", "target": "de"})
        begin = time.monotonic()
        connection.request("POST", "/translate", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
        times.append(time.monotonic() - begin)


def process(url, lines, numbers, clients, end, pipe):
    times = []
    threads = [threading.Thread(target=client, args=(url, lines, n, clients, end, times))
               for n in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pipe.send(times)


def resident(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", type=urllib.parse.urlsplit)
    parser.add_argument("sentences")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--pid", type=int)
    options = parser.parse_args()
    with open(options.sentences) as file:
        lines = file.read().splitlines()
    more = [] if options.pid is None else ["server's CPU ms", "RSS before, MB", "after"]
    print("| " + " | ".join(["clients", "requests/s", "p50 ms", "p99 ms", *more]) + " |")
    print("| --- " * (4 + len(more)) + "|")
    for clients in options.clients:
        if more:
            before, cpu = resident(options.pid), cpu_seconds(options.pid)
        begin = time.monotonic()
        parts = min(options.processes, clients)
        pipes = []
        for part in range(parts):
            here, there = multiprocessing.Pipe()
            multiprocessing.Process(target=process, args=(
                options.url, lines, range(part, clients, parts), clients,
                begin + options.seconds, there)).start()
            pipes.append(here)
        times = sorted(t for pipe in pipes for t in pipe.recv())
        seconds = time.monotonic() - begin
        row = [str(clients), f"{len(times) / seconds:.0f}",
               *(f"{1000 * times[int(len(times) * share)]:.1f}" for share in (0.5, 0.99))]
        if more:
            row += [f"{1000 * (cpu_seconds(options.pid) - cpu) / len(times):.2f}",
                    f"{before:.0f}", f"{resident(options.pid):.0f}"]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
