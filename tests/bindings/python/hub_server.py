"""A server that speaks as much of the Hub's API as huggingface_hub needs."""

import hashlib
import json
import pathlib
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Repo:
    """A model's files, and how the server treats who asks for them."""

    files: dict[str, bytes]
    gated: bool = False
    cut: int = 0
    """How many answers with weights end after CUT bytes."""
    announced: int | None = None
    """The size of weights, where that is not their size."""
    stall: bool = False
    """Whether answers with weights stop in the middle for good."""
    status: int | None = None
    """What every request is answered with."""
    fetched: list[tuple[str, int]] = field(default_factory=list)
    """Names of files and where the request began, in order."""

    @staticmethod
    def of(folder, **how):
        return Repo(
            {
                str(path.relative_to(folder)): path.read_bytes()
                for path in pathlib.Path(folder).rglob("*")
                if path.is_file()
            },
            **how,
        )


class HubServer(ThreadingHTTPServer):
    """Repositories by name, at `url`; use it in a `with` statement."""

    CUT = 12_000_000  # huggingface_hub keeps pieces of 10 MB.

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repos: dict[str, Repo] = {}
        self.stalled = threading.Semaphore(0)  # For each answer that stops.
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # Clients that are killed.


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        path = self.path.partition("?")[0]
        if found := re.fullmatch(r"/api/models/(.+?)/(revision|tree)/(\w+)", path):
            name, kind, revision = found.groups()
        elif path.startswith("/api/models/"):
            name, kind, revision = path[len("/api/models/"):], "revision", "main"
        else:
            found = re.fullmatch(r"/(.+?)/resolve/(\w+)/(.+)", path)
            name, revision, kind = found.groups()
        repo = self.server.repos.get(name)
        if repo is None:  # As the Hub answers those who are not logged in.
            return self.fail(401, "RepoNotFound")
        if repo.status is not None:
            return self.fail(repo.status, "")
        if revision not in ("main", COMMIT):
            return self.fail(404, "RevisionNotFound")
        if kind == "revision":
            siblings = [{"rfilename": file} for file in repo.files]
            return self.send({"id": name, "sha": COMMIT, "siblings": siblings})
        if kind == "tree":
            return self.send([
                {"type": "file", "path": file, "size": len(data), "oid": digest(data)}
                for file, data in repo.files.items()
            ])
        if repo.gated and "hf_right" not in self.headers.get("Authorization", ""):
            return self.fail(401, "GatedRepo")
        if kind not in repo.files:
            return self.fail(404, "EntryNotFound")
        self.file(repo, kind)

    def file(self, repo, name):
        data = repo.files[name]
        weights = name == "model.safetensors"
        begin = 0
        if span := re.fullmatch(r"bytes=(\d+)-.*", self.headers.get("Range", "")):
            begin = int(span[1])
        headers = {"ETag": f'"{digest(data)}"', "X-Repo-Commit": COMMIT}
        if weights and repo.announced is not None:
            headers["X-Linked-Size"] = str(repo.announced)
        if begin:
            headers["Content-Range"] = f"bytes {begin}-{len(data) - 1}/{len(data)}"
        self.begin(206 if begin else 200, len(data) - begin, headers)
        if self.command == "HEAD":
            return
        repo.fetched.append((name, begin))
        rest = data[begin:]
        if weights and repo.cut > 0:
            repo.cut -= 1
            self.wfile.write(rest[: self.server.CUT])
            self.close_connection = True
            return
        if weights and repo.stall:
            self.wfile.write(rest[: self.server.CUT])
            self.server.stalled.release()
            self.rfile.read(1)  # Until the client has gone.
            return
        self.wfile.write(rest)

    def send(self, what):
        data = json.dumps(what).encode()
        self.begin(200, len(data), {"Content-Type": "application/json"})
        if self.command != "HEAD":
            self.wfile.write(data)

    def fail(self, status, code):
        self.begin(status, 0, {"X-Error-Code": code, "X-Error-Message": code})

    def begin(self, status, length, headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(length)}.items():
            self.send_header(name, value)
        self.end_headers()


def digest(data):
    return hashlib.sha1(data).hexdigest()
