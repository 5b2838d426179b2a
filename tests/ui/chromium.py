"""Chromium without a window, by its DevTools protocol over two pipes.

https://chromedevtools.github.io/devtools-protocol/
"""

import base64
import fcntl
import json
import os
import subprocess
import tempfile
import time

KEYS = {"Enter": 13, "Tab": 9, "Escape": 27, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38,
        "ArrowRight": 39, "ArrowDown": 40}


class Chromium:
    """A browser with one page, and what it complains of."""

    def __init__(self, program, *arguments):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        read, self.to = os.pipe()
        self.back, write = os.pipe()
        # Chromium reads at 3 and writes at 4.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (read, write)]
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
             "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}",
             *arguments],
            pass_fds=(3, 4), preexec_fn=lambda: [os.dup2(end, 3 + i) for i, end in enumerate(ends)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in (read, write, *ends):
            os.close(end)
        self.number, self.rest, self.session = 0, b"", None
        self.complaints = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
        self.profile.cleanup()

    # ---- The protocol --------------------------------------------------------

    def send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self.receive()
            if answer.get("id") != self.number:
                self.note(answer.get("method"), answer.get("params", {}))
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def receive(self):
        while b"\0" not in self.rest:
            some = os.read(self.back, 1 << 20)
            if not some:
                raise RuntimeError("Chromium has ended.")
            self.rest += some
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def note(self, method, parameters):
        if method == "Log.entryAdded":
            entry = parameters["entry"]
            if entry["level"] in ("error", "warning"):
                self.complaints.append(f"{entry['text']} {entry.get('url', '')}")
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))

    # ---- What a reader does --------------------------------------------------

    def show(self, width, height, dark=False, phone=False):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
        self.send("Emulation.setTouchEmulationEnabled", enabled=phone)
        self.send("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def open(self, url):
        self.send("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def press(self, *keys):
        for key in keys:
            text = {"Enter": "\r", " ": " "}.get(key)
            names = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key]}
            self.send("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **names,
                      **({"text": text} if text else {}))
            self.send("Input.dispatchKeyEvent", type="keyUp", **names)

    def type(self, text):
        self.send("Input.insertText", text=text)

    def click(self, element):
        """`element` is an expression."""
        place = self.run(f"(() => {{ const e = {element}; e.scrollIntoView({{ block: 'nearest' }});"
                         " const b = e.getBoundingClientRect();"
                         " return { x: b.x + b.width / 2, y: b.y + b.height / 2 }; })()")
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            button = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            self.send("Input.dispatchMouseEvent", type=kind, **place, **button)

    # ---- What there is to see ------------------------------------------------

    def run(self, expression):
        """The value of a JavaScript expression, of a promise what it gives."""
        result = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['result'].get('description')}")
        return result["result"].get("value")

    def until(self, expression, seconds=30):
        end = time.monotonic() + seconds
        while True:
            try:
                value = self.run(expression)
            except RuntimeError as error:  # The page is about to change.
                value, last = None, error
            else:
                last = value
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"not in {seconds} s: {expression}: {last}")
            time.sleep(0.02)

    def picture(self, path):
        height = self.run("document.body.scrollHeight")
        width = self.run("innerWidth")
        image = self.send("Page.captureScreenshot", captureBeyondViewport=True,
                          clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(image["data"]))
