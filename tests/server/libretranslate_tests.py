"""LibreTranslate's own tests of its interface, over HTTP, against latimer-serve.

libretranslate_tests.py BIN MODEL FOLDER: BIN has latimer-serve, MODEL is any model, which is taken for one from English
to Spanish, and FOLDER is a checkout of github.com/LibreTranslate/LibreTranslate. Needs pytest. Only the test client is
replaced, which would call LibreTranslate's functions: here it sends the same requests.
"""

import json
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest


class Response:
    def __init__(self, status: int, data: bytes) -> None:
        self.status_code, self.data = status, data

    @property
    def json(self):
        return json.loads(self.data)


class Client:
    """What the tests use of Flask's client."""

    def __init__(self, url: str) -> None:
        self.url = url

    def get(self, path: str) -> Response:
        return self.send("GET", path, None, {})

    def post(self, path: str, data=None, json=None) -> Response:
        if json is not None:
            return self.send("POST", path, globals()["json"].dumps(json), {"Content-Type": "application/json"})
        return self.send("POST", path, urllib.parse.urlencode(data or {}), {})

    def send(self, method: str, path: str, body: str | None, headers: dict) -> Response:
        data = None if body is None else body.encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return Response(answer.status, answer.read())
        except urllib.error.HTTPError as error:
            return Response(error.code, error.read())


class Clients:
    """A plugin of pytest."""

    def __init__(self, url: str) -> None:
        self.url = url

    @pytest.fixture()
    def client(self) -> Client:
        return Client(self.url)


def main() -> int:
    program, model, folder = map(Path, sys.argv[1:])
    server = subprocess.Popen([program / "latimer-serve", f"en-es={model}", "--port", "0"],
                              stderr=subprocess.PIPE, text=True)  # fmt: skip
    url = re.search(r"http://[\d.:]+", server.stderr.readline())[0]
    try:
        with tempfile.TemporaryDirectory() as copies:
            for test in (folder / "libretranslate/tests/test_api").glob("test_*.py"):
                (Path(copies) / test.name).write_bytes(test.read_bytes())  # Without its conftest.py.
            return pytest.main(["-q", "-p", "no:cacheprovider", copies], plugins=[Clients(url)])
    finally:
        server.terminate()


if __name__ == "__main__":
    sys.exit(main())
