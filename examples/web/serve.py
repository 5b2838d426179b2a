#!/usr/bin/env python3
"""Serves a page to this machine.

With the two headers of cross-origin isolation, so that workers share a model.
"""

import argparse
import functools
import http.server
import pathlib


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def end_headers(self):
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="build/wasm32/site, or another one with an index.html")
    parser.add_argument("--port", type=int, default=8000)
    arguments = parser.parse_args()
    if not pathlib.Path(arguments.folder, "index.html").is_file():
        parser.error(f"{arguments.folder} has no index.html; cmake --workflow --preset wasm32 builds a page.")
    handler = functools.partial(Handler, directory=arguments.folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", arguments.port), handler) as server:
        print(f"http://localhost:{server.server_port}", flush=True)
        server.serve_forever()
