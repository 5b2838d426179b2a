"""A server with published students: Mozilla's registry at /db/models.json, and Firefox's Remote Settings."""

import gzip
import hashlib
import json
import re
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RECORDS = "/v1/buckets/main/collections/translations-models-v2/records"
# Kinds of files, as the registry and Remote Settings call them.
KINDS = {"model": "model", "lex": "lexicalShortlist", "vocab": "vocab", "srcvocab": "srcVocab", "trgvocab": "trgVocab"}


class CatalogServer(ThreadingHTTPServer):
    """Use it in a `with` statement. `files` has what is sent for a path; tests change it."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.registry = f"{self.url}/db/models.json"
        self.records = f"{self.url}{RECORDS}"
        self.files: dict[str, bytes] = {}
        self.asked: list[tuple[str, int]] = []  # Paths, and where the request began.
        self.cut: dict[str, int] = {}  # Paths, and after how many bytes their next answer ends.
        self.status: dict[str, int] = {}  # Paths, and what is answered instead of the file.
        self.short: set[str] = set()  # Paths whose answers all end after a byte.
        self.slow = 0.0  # Seconds before each file of a model.
        self._models: dict[str, list] = {}
        self._rows: list[dict] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # Clients that are killed.

    def add(self, pair, files, *, size="tiny", status="Release", version="2.0", bleu=40.0, wrong=()):
        """A student whose files are {kind: bytes}. `wrong` names what is said wrongly: hash or size."""
        source, target = pair.split("-")
        entry, together = {}, pair.replace("-", "")
        for kind, data in files.items():
            name = {"model": f"model.{together}.intgemm.alphas.bin", "lex": f"lex.50.50.{together}.s2t.bin"}.get(
                kind, f"{kind}.{together}.spm")
            digest = hashlib.sha256(data).hexdigest() if "hash" not in wrong else "0" * 64
            length = len(data) + ("size" in wrong)
            path = f"models/{pair}/{size}_{version}/exported/{name}.gz"
            self.files[f"/{path}"] = gzip.compress(data, mtime=0)
            entry[KINDS[kind]] = {"path": path}
            if kind == "model":
                entry[KINDS[kind]] |= {"uncompressedSize": length, "uncompressedHash": digest}
            location = f"main-workspace/translations-models-v2/{size}-{version}-{name}.zst"
            packed = zstandard(data)
            self.files[f"/attachments/{location}"] = packed
            self._rows.append({
                "id": location, "name": name, "fileType": kind, "version": version, "architecture": size,
                "sourceLanguage": source.replace("_h", "-H"), "targetLanguage": target.replace("_h", "-H"),
                "filter_expression": "", "decompressedHash": digest, "decompressedSize": length,
                "attachment": {"hash": hashlib.sha256(packed).hexdigest(), "size": len(packed),
                               "filename": f"{name}.zst", "location": location, "mimetype": "application/zstd"},
            })
        self._models.setdefault(pair, []).append({
            "architecture": size, "releaseStatus": status, "sourceLanguage": source, "targetLanguage": target,
            "files": entry, "modelStatistics": {"parameters": 1},
            "metrics": {"flores200-plus": {"bleu": bleu, "comet": 0.9}},
        })
        self.publish()

    def withdraw(self, pair):
        """The catalogs forget a pair; its files stay."""
        del self._models[pair]
        self.publish()

    def publish(self):
        registry = {"generated": "2026-11-27T00:00:00Z", "baseUrl": "https://elsewhere.invalid", "models": self._models}
        self.files["/db/models.json"] = json.dumps(registry).encode()
        self.files[RECORDS] = json.dumps({"data": self._rows}).encode()
        about = {"capabilities": {"attachments": {"base_url": f"{self.url}/attachments/"}}}
        self.files["/v1/"] = json.dumps(about).encode()

    def weights(self, pair):
        """The paths of a pair's weights in the registry."""
        return [path for path in self.files if path.startswith(f"/models/{pair}/") and "/model." in path]

    def fetched(self):
        return [path for path, _ in self.asked if path.endswith((".gz", ".zst"))]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        server, path = self.server, self.path
        begin = 0
        if span := re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", "")):
            begin = int(span[1])
        server.asked.append((path, begin))
        if path.endswith((".gz", ".zst")):
            time.sleep(server.slow)
        data = server.files.get(path)
        if data is None or path in server.status:
            self.send_response(server.status.get(path, 404))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if begin >= len(data) > 0:
            self.send_response(416)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if begin else 200)
        self.send_header("Content-Length", str(len(data) - begin))
        self.end_headers()
        if (cut := 1 if path in server.short else server.cut.pop(path, None)) is not None:
            self.wfile.write(data[begin:begin + cut])
            self.close_connection = True
            return
        self.wfile.write(data[begin:])


def zstandard(data):
    """As Remote Settings has it; b"" where the program zstd is missing."""
    try:
        return subprocess.run(["zstd", "-q"], input=data, stdout=subprocess.PIPE, check=True).stdout
    except FileNotFoundError:
        return b""
