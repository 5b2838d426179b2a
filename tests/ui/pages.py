"""The two pages, each at a URL while it is needed."""
import contextlib
import functools
import http.server
import os
import re
import subprocess
import sys
import threading

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "examples/web"))
import serve  # noqa: E402


@contextlib.contextmanager
def latimer_serve(programs, *arguments):
    with subprocess.Popen([os.path.join(programs, "latimer-serve"), *arguments, "--port", "0"],
                          stderr=subprocess.PIPE, text=True) as process:
        try:
            yield re.search(r"http://127\.0\.0\.1:\d+/", process.stderr.readline())[0]
        finally:
            process.terminate()


class Quiet(serve.Handler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def site(folder):
    with http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def at(name):
    """The element of an id, in JavaScript."""
    return f"document.getElementById('{name}')"
