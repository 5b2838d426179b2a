#!/usr/bin/env python3
"""Runs the checks in a browser: browser_test.py BROWSER SITE [--times]

BROWSER is chromium or firefox-esr, SITE the folder site of the build. The page
with the checks sends their results to the server here.
"""

import argparse
import functools
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "examples" / "web"))
import serve  # noqa: E402


def data(site):
    demo = ROOT / "examples" / "en-de"
    lines = (demo / "data" / "test.en").read_text("utf-8").splitlines()[:200]
    fixture = (demo / "fixture.jsonl").read_text("utf-8").splitlines()[:20]
    hashes = (ROOT / "tests" / "data" / "same_tokens.sha256").read_text()
    return {
        "lines": lines,
        "fixture": [json.loads(line) for line in fixture],
        "converter": (pathlib.Path(site) / "latimer" / "latimer-convert.wasm").exists(),
        "texts": (ROOT / "tests" / "data" / "demo_texts.tsv").read_text("utf-8"),
        "model": sorted(path.name for path in demo.iterdir() if path.is_file()),
        "published": re.search(r"^(\w+) +int8 200$", hashes, re.MULTILINE)[1],
    }


class Handler(serve.Handler):
    """/site/, /tests/ and /model/, the data of the checks, and their results."""

    def __init__(self, *arguments, site, done, **options):
        self.site, self.done = site, done
        super().__init__(*arguments, **options)

    def translate_path(self, path):
        path = path.split("?")[0]
        for prefix, folder in (
            ("/site/", self.site), ("/tests/", HERE), ("/model/", ROOT / "examples" / "en-de")
        ):
            if path.startswith(prefix):
                name = path.removeprefix(prefix) or "index.html"
                return str(pathlib.Path(folder) / pathlib.Path(name).name
                           if prefix == "/tests/" else pathlib.Path(folder) / name)
        return str(HERE / "nothing")

    def do_GET(self):
        if self.done.offline:
            self.close_connection = True  # As if nobody were there.
            return
        if self.path != "/data":
            super().do_GET()
            return
        self.answer(json.dumps(data(self.site)).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.answer(b"{}")
        if self.path == "/result":
            self.done.report = json.loads(body)
            self.done.set()
        else:
            self.done.offline = self.path == "/offline"

    def answer(self, body):
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self):
        if self.path.endswith("?plain"):
            http.server.SimpleHTTPRequestHandler.end_headers(self)
        else:
            super().end_headers()

    def log_message(self, *arguments):
        pass


def command(browser, profile, url):
    if "firefox" in browser:
        return [browser, "--headless", "--no-remote", "--profile", profile, url]
    return [
        browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--disable-dev-shm-usage", f"--user-data-dir={profile}", url,
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("browser")
    parser.add_argument("site")
    parser.add_argument("--times", action="store_true", help="print times only")
    parser.add_argument("--timeout", type=float, default=280)
    arguments = parser.parse_args()
    done = threading.Event()
    done.offline = False
    handler = functools.partial(Handler, site=arguments.site, done=done)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/tests/browser_test.html"
    if arguments.times:
        url += "?times"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(
            command(arguments.browser, profile, url),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        ended = done.wait(arguments.timeout)
        browser.terminate()
        browser.wait()
    if not ended:
        sys.exit(f"{arguments.browser} has sent no results.")
    report = done.report
    print(report["agent"])
    if "times" in report:
        print(json.dumps(report["times"]))
    failed = 0
    for result in report["results"]:
        error = result.get("error")
        print(f"{'FAILED' if error else 'ok'}: {result['name']}")
        if error:
            print(f"  {error}")
            failed += 1
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
