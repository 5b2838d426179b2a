"""latimer-serve with real clients: curl, libretranslatepy and plain sockets.

server_test.py BIN MODEL: BIN has latimer-serve and latimer, MODEL is the
English-German demo model.
"""
# Tests server/main.cc, server/service.cc, server/http_server.cc, server/job.cc,
# server/model.cc, server/catalog.cc, server/languages.cc, server/detect.cc,
# server/html.cc, server/files.cc, server/subtitles.cc, server/documents.cc, server/archive.cc,
# server/markup.cc, server/limits.cc, server/metrics.cc, server/wording.cc, server/http_message.cc,
# server/forwarded.cc, programs/os/text_lines.cc.
import contextlib
import http.client
import importlib.util
import io
import json
import os
import random
import re
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zipfile
from xml.etree import ElementTree

BIN, MODEL = sys.argv[1:3]
CLIENT = "libretranslatepy==2.1.4"
# What the model makes of these sources: of examples/en-de/training/renew.sh.
with open(os.path.join(os.path.dirname(__file__), "../data/demo_texts.tsv"),
          encoding="utf-8") as file:
    TEXTS = dict(line.rstrip("\n").split("\t") for line in file if line.count("\t") == 1)
I_AM_HERE = TEXTS["I am here."]


class Server:
    """The program, at a port that it has chosen."""

    def __init__(self, *options, models=(MODEL,), limit=None):
        self.process = subprocess.Popen(
            [os.path.join(BIN, "latimer-serve"), *models, "--port", "0", *options],
            stderr=subprocess.PIPE, text=True,
            preexec_fn=limit and (lambda: resource.setrlimit(limit[0], (limit[1], limit[1]))))
        line = self.process.stderr.readline()
        match = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert match, line + self.process.stderr.read()
        self.port = int(match[1])
        self.url = f"http://127.0.0.1:{self.port}"
        # Read on, so that the program never waits for a reader.
        self.log = []
        self.reader = threading.Thread(target=lambda: self.log.extend(self.process.stderr))
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stderr.close()

    def post(self, path, body, headers=None):
        """Status, JSON and headers of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            connection.request("POST", path, json.dumps(body),
                               {"Content-Type": "application/json", **(headers or {})})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read()), answer.headers

    def translate(self, text, source="en", target="de", **more):
        return self.post("/translate", {"q": text, "source": source, "target": target, **more})[:2]

    def ask_in_vain(self, text):
        """A thread that asks and may get no answer."""
        def ask():
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.translate(text)
        thread = threading.Thread(target=ask)
        thread.start()
        return thread

    def file_url(self, *fields):
        """Where a translated file is, of a request with these fields."""
        return json.loads(curl("-F", "file=@-;filename=a.txt", "-F", "source=de", "-F", "target=de",
                               *(part for field in fields for part in ("-H", field)),
                               self.url + "/translate_file", stdin="Hallo"))["translatedFileUrl"]

    def metric(self, name):
        text = curl(self.url + "/metrics")
        return float(re.search(rf"^{re.escape(name)} (\S+)$", text, re.M)[1])

    def resident(self):
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def requests(self):
        """That it has answered, this one not included."""
        return sum(int(count) for count in re.findall(r"^latimer_requests_total.* (\d+)$",
                                                      curl(self.url + "/metrics"), re.M))

    def peak(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) << 10

    def socket(self):
        made = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        return contextlib.closing(made)


class Proxy:
    """A proxy of Debian before a server, at a port of its own, as server/proxy.md says, without TLS."""

    program, options = None, []
    refuses = set()  # Of what the server takes.

    def __init__(self, upstream):
        self.folder = tempfile.TemporaryDirectory()
        with socket.create_server(("127.0.0.1", 0)) as made:
            self.port = made.getsockname()[1]
        path = os.path.join(self.folder.name, "config")
        with open(path, "w") as out:
            out.write(self.config(upstream))
        self.process = subprocess.Popen([self.program, *self.options, path], stderr=subprocess.DEVNULL,
                                        env={**os.environ, "HOME": self.folder.name})
        wait_until(self.listens)

    def config(self, upstream):
        raise NotImplementedError

    def listens(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
            return True
        return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


class Nginx(Proxy):
    program, options = "nginx", ["-c"]

    def config(self, upstream):
        return f"""
daemon off; pid {self.folder.name}/pid; error_log {self.folder.name}/log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {self.folder.name}/body; proxy_temp_path {self.folder.name}/proxy;
  fastcgi_temp_path {self.folder.name}/1; uwsgi_temp_path {self.folder.name}/2; scgi_temp_path {self.folder.name}/3;
  upstream latimer {{ server 127.0.0.1:{upstream}; keepalive 8; }}
  server {{
    listen 127.0.0.1:{self.port};
    client_max_body_size 1m;
    location / {{
      proxy_pass http://latimer; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host $host; proxy_read_timeout 150s;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;
    }}
  }}
}}
"""


class Caddy(Proxy):
    program, options = "caddy", ["run", "--adapter", "caddyfile", "--config"]
    refuses = {"an empty line before"}

    def config(self, upstream):
        return f"""
{{
  admin off
  auto_https off
}}
http://:{self.port} {{
  bind 127.0.0.1
  request_body {{
    max_size 1MiB
  }}
  reverse_proxy 127.0.0.1:{upstream} {{
    buffer_requests
  }}
}}
"""


PROXIES = [proxy for proxy in (Nginx, Caddy) if shutil.which(proxy.program)]


def curl(*arguments, stdin=None):
    return subprocess.run(["curl", "-s", *arguments], check=True, capture_output=True,
                          text=True, input=stdin).stdout


def latimer(*arguments):
    return subprocess.run([os.path.join(BIN, "latimer"), "translate", *arguments], check=True,
                          capture_output=True, text=True).stdout


def request(body, close=True):
    body = json.dumps(body).encode()
    return (b"POST /translate HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n"
            + (b"Connection: close\r\n" if close else b"")
            + b"Content-Length: %d\r\n\r\n" % len(body) + body)


def wait_until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)


def load(server, stop, clients):
    """Clients that ask again and again; each outcome with its begin."""
    outcomes = []

    def client(number):
        body = request({"q": f"Where is the station? I have {number} books.",
                        "source": "en", "target": "de"})
        while not stop.is_set():
            begun, answer = None, b""
            try:
                with server.socket() as made:
                    made.sendall(body)
                    begun = time.monotonic()
                    while part := made.recv(65536):
                        answer += part
            except OSError:
                pass
            head, _, rest = answer.partition(b"\r\n\r\n")
            size = re.search(rb"Content-Length: (\d+)", head)
            whole = size is not None and len(rest) == int(size[1])
            outcomes.append((begun, whole and b" 200 " in head.split(b"\r\n")[0]))
            if not outcomes[-1][1]:
                return
    threads = [threading.Thread(target=client, args=(i,)) for i in range(clients)]
    for thread in threads:
        thread.start()
    return threads, outcomes


class OneServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(models=(MODEL, f"de-fr={MODEL}"))

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__(None, None, None)

    def test_curl_gets_the_same_from_json_a_form_and_parts(self):
        url = self.server.url + "/translate"
        text = "Where is the station?"
        expected = {"translatedText": TEXTS[text]}
        body = json.dumps({"q": text, "source": "en", "target": "de"})
        for arguments in (["-H", "Content-Type: application/json", "-d", body],
                          ["-d", f"q={text}&source=en&target=de"],
                          ["-F", f"q={text}", "-F", "source=en", "-F", "target=de"]):
            self.assertEqual(json.loads(curl(*arguments, url)), expected)

    def test_the_python_client_of_libretranslate_translates(self):
        sys.path.insert(0, os.path.join(tempfile.gettempdir(), "latimer-" + CLIENT))
        try:
            import libretranslatepy
        except ImportError:
            done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--target",
                                   sys.path[0], CLIENT], capture_output=True, text=True)
            if done.returncode != 0:
                if os.environ.get("CI"):
                    self.fail(done.stderr)
                self.skipTest(f"{CLIENT} cannot be installed: {done.stderr[-200:]}")
            import importlib
            importlib.invalidate_caches()
            import libretranslatepy
        client = libretranslatepy.LibreTranslateAPI(self.server.url)
        self.assertEqual(client.translate("I am here.", "en", "de"), I_AM_HERE)
        self.assertEqual([entry["code"] for entry in client.languages()], ["de", "en", "fr"])
        if json.loads(curl(self.server.url + "/frontend/settings"))["language"]["source"][
                "code"] == "auto":
            self.assertEqual(client.detect("Where is the station in this town?")[0]["language"],
                             "en")

    def test_the_description_names_every_path_and_their_methods_are_the_only_ones(self):
        spec = json.loads(curl(self.server.url + "/spec"))
        self.assertTrue(spec["openapi"].startswith("3."))
        self.assertRegex(spec["info"]["version"], r"^\d+\.\d+\.\d+$")
        self.assertIn('fetch("spec")', curl(self.server.url + "/docs"))
        operations = [call["operationId"] for methods in spec["paths"].values() for call in methods.values()]
        self.assertEqual(len(operations), len(set(operations)))
        file = self.server.file_url()
        for path, methods in spec["paths"].items():
            path = path.replace("{name}", file.rsplit("/", 1)[1])
            for call in methods.values():
                self.assertTrue(call["tags"] and call["summary"])
                for code, response in call["responses"].items():
                    if "$ref" in response:
                        response = spec["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
                    self.assertGreater(len(response["description"]), 5, (path, code))
            for method in ("GET", "POST", "PUT", "DELETE"):
                connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
                connection.request(method, path)
                response = connection.getresponse()
                error = response.read()
                if method.lower() in methods:
                    self.assertIn(response.status, (200, 400), path)
                else:
                    self.assertEqual(response.status, 405, (method, path))
                    self.assertEqual(response.headers["Allow"].lower(), *methods)
                    error = json.loads(error)["error"]
                    self.assertIn("not allowed", error["message"] if path.startswith("/v1/") else error)
                connection.close()

    def translated_file(self, name, content):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            with open(path, "wb") as out:
                out.write(content if isinstance(content, bytes) else content.encode())
            answer = json.loads(curl("-F", f"file=@{path}", "-F", "source=en", "-F", "target=de",
                                     self.server.url + "/translate_file"))
        if "error" in answer:
            return answer["error"]
        self.assertTrue(answer["translatedFileUrl"].endswith("." + name), answer)
        return subprocess.run(["curl", "-s", answer["translatedFileUrl"]], check=True,
                              capture_output=True).stdout.decode()

    def test_files_are_translated_as_their_endings_say(self):
        self.assertEqual(self.translated_file("a.txt", "I am here.\n\nI am here.\n"),
                         f"{I_AM_HERE}\n\n{I_AM_HERE}\n")
        self.assertEqual(self.translated_file("b.HTML", "<p>I am <b>here</b>.</p>").count("<b>"), 1)
        subtitles = ("1\r\n00:00:01,000 --> 00:00:02,500\r\nI am\r\nhere.\r\n\r\n"
                     "2\r\n00:00:03,000 --> 00:00:04,000 X1:9\r\nI am here.")
        lines = self.translated_file("c.srt", subtitles).split("\r\n")
        self.assertEqual(lines[:2], subtitles.split("\r\n")[:2])
        self.assertEqual(" ".join(lines[2:4]), I_AM_HERE)
        self.assertEqual(lines[4:], ["", "2", "00:00:03,000 --> 00:00:04,000 X1:9", I_AM_HERE])
        self.assertIn("not supported", self.translated_file("d.pdf", "I am here."))
        self.assertEqual("", self.translated_file("e.txt", ""))
        self.assertIn("no subtitles", self.translated_file("f.srt", "I am here."))
        self.assertIn("UTF-8", self.translated_file("g.srt", b"1\n0 --> 1\ncaf\xe9\n"))

    def test_cues_keep_times_positions_and_speakers(self):
        subtitles = ("1\n00:01 --> 00:02\n{\\an8}I am here.\n2\n00:03 --> 00:04\n- I am\nhere.\n- I am here.\n\n"
                     "3\n00:05 --> 00:06\n-5\n")
        first, second = I_AM_HERE.rsplit(" ", 1)
        expected = (f"1\n00:01 --> 00:02\n{{\\an8}}{I_AM_HERE}\n2\n00:03 --> 00:04\n- {first}\n{second}\n- {I_AM_HERE}"
                    "\n\n3\n00:05 --> 00:06\n-5\n")
        self.assertEqual(self.translated_file("a.srt", subtitles), expected)
        self.assertEqual(self.translated_file("b.srt", subtitles.replace("\n", "\r")), expected.replace("\n", "\r"))

    def test_breaks_and_marks_of_cues_are_no_words(self):
        first, second = I_AM_HERE.rsplit(" ", 1)
        times = "00:01.000 --> 00:02.000"
        for cue, expected in [
                ("I am<br/>here.", f"{first}<br/>{second}"),
                ("I am <BR> here.", f"{first} <BR> {second}"),
                ("I am\\Nhere.\\n", f"{first}\\N{second}\\n"),
                ("I am<br>\nhere.", f"{first}<br>\n{second}"),
                ("<br>I am here.", f"<br>{I_AM_HERE}"),
                ("{\\an8}\nI am here.", f"{{\\an8}}\n{I_AM_HERE}"),
                ("- I am here.<br>- I am here.", f"- {I_AM_HERE}<br>- {I_AM_HERE}"),
                ("<i>- I am here.</i>\n<i>- I am here.</i>", f"<i>- {I_AM_HERE}</i>\n<i>- {I_AM_HERE}</i>"),
                ("{\\pos(1,2)}{\\i1}I am here.{\\i0}", f"{{\\pos(1,2)}}{{\\i1}}{I_AM_HERE}{{\\i0}}"),
                ('<font color="#ff0000">I am here.</font>', f'<font color="#ff0000">{I_AM_HERE}</font>'),
                ("<b><i>I am here.</b></i>", f"<b><i>{I_AM_HERE}</b></i>"),
                ("<v Ann Lee>I am here.", f"<v Ann Lee>{I_AM_HERE}"),
                ("<c.yellow>I am here.</c><00:01.500> I am here.", f"<c.yellow>{I_AM_HERE}</c><00:01.500> {I_AM_HERE}")]:
            subtitles = f"WEBVTT\n\nname\n{times}\n{cue}\n\n{times}\nI am here.\n"
            for name in ("a.srt", "b.vtt"):
                self.assertEqual(self.translated_file(name, subtitles),
                                 f"WEBVTT\n\nname\n{times}\n{expected}\n\n{times}\n{I_AM_HERE}\n")

    def test_a_translated_file_cannot_be_guessed(self):
        answer = curl(self.server.url + "/download_file/0123456789abcdef.a.txt")
        self.assertIn("no such file", json.loads(answer)["error"])

    def test_of_several_texts_in_a_form_the_first_counts(self):
        url = self.server.url + "/translate"
        answer = curl("-d", "q=I am here.", "-d", "q=Other.", "-d", "source=en", "-d", "target=de", url)
        self.assertEqual(json.loads(answer)["translatedText"], I_AM_HERE)

    def test_codes_of_languages_may_be_written_in_capitals(self):
        self.assertEqual(self.server.translate("I am here.", "EN", "De"),
                         (200, {"translatedText": I_AM_HERE}))
        self.assertEqual(self.server.translate("x", "en", "zt"),
                         (400, {"error": "zh-Hant is not supported"}))

    def test_lists_lines_and_alternatives_keep_their_places(self):
        status, result = self.server.translate(
            ["Tom is here.\n\nWhere is the station?", "", "I am here."], alternatives=2)
        self.assertEqual(status, 200, result)
        self.assertEqual(result["translatedText"],
                         [TEXTS["Tom is here."] + "\n\n" + TEXTS["Where is the station?"], "",
                          I_AM_HERE])
        self.assertEqual(len(result["alternatives"]), 3)
        for best, others in zip(result["translatedText"], result["alternatives"]):
            self.assertEqual(len(set([best, *others])), 1 + len(others))
        self.assertGreater(len(result["alternatives"][0]), 0)

    def test_alternatives_at_a_position_differ_in_the_next_word(self):
        status, result = self.server.translate("I have not read the book yet. Go home!", segments=True)
        self.assertEqual(status, 200)
        sources = [one["source"] for one in result["segments"]]
        self.assertEqual(sources, ["I have not read the book yet.", "Go home!"])
        self.assertEqual(" ".join(one["translation"] for one in result["segments"]), result["translatedText"])
        best = result["segments"][0]["translation"]
        words = best.split(" ")
        prefix = " ".join(words[:2]) + " "
        status, result = self.server.translate(sources[0], target_prefix=prefix, alternatives=3)
        self.assertEqual(status, 200)
        choices = [result["translatedText"], *result["alternatives"]]
        self.assertIn(best, choices)
        self.assertEqual(len({choice.split(" ")[2] for choice in choices}), len(choices))
        self.assertGreater(len(choices), 2)
        for choice in choices:
            self.assertTrue(choice.startswith(prefix), choice)
        # At the first word, and of a prefix alone.
        status, result = self.server.translate(sources[0], target_prefix="", alternatives=3)
        self.assertGreater(len({c.split(" ")[0] for c in [result["translatedText"], *result["alternatives"]]}), 2)
        status, result = self.server.translate(sources[0], target_prefix="Ich " * 500)
        self.assertEqual(status, 400)
        self.assertIn("The target prefix has more than", result["error"])
        # Only the first sentence has alternatives.
        status, result = self.server.translate("I am here. Go home!", target_prefix="Ich ", alternatives=3)
        self.assertEqual(len({choice.split(". ")[-1] for choice in [result["translatedText"], *result["alternatives"]]}), 1)
        status, result = self.server.translate(sources[0], target_prefix="Mein")
        self.assertTrue(result["translatedText"].startswith("Mein"), result)
        self.assertNotIn("alternatives", result)
        # A number that only the translation has.
        before = self.server.metric("latimer_number_mismatches_total")
        status, result = self.server.translate("I am here. Go home!", target_prefix="31 ", segments=True)
        self.assertEqual([one.get("numbers") for one in result["segments"]],
                         [{"missing": [], "surplus": ["31"]}, None])
        self.assertEqual(self.server.metric("latimer_number_mismatches_total"), before + 1)
        status, result = self.server.translate("<p>Go home!</p>", format="html", segments=True)
        self.assertEqual((status, result["error"]), (400, "Invalid request: segments are those of plain text"))
        for more in [{"q": [sources[0]]}, {"format": "html"}]:
            body = {"q": sources[0], "source": "en", "target": "de", "target_prefix": "Ich", **more}
            status, result, _ = self.server.post("/translate", body)
            self.assertEqual((status, result["error"]),
                             (400, "Invalid request: target_prefix is for q as one plain text"))

    def test_alternatives_keep_what_the_model_cannot_read(self):
        status, result = self.server.translate("I am here \U0001F600.", alternatives=2)
        self.assertEqual(status, 200, result)
        self.assertGreater(len(result["alternatives"]), 0)
        for text in [result["translatedText"], *result["alternatives"]]:
            self.assertEqual(text.count("\U0001F600"), 1, text)

    def test_running_text_is_translated_as_by_the_program(self):
        text = " ".join(["Tom is here.", "Where is the station?", "I like it!"] * 20)
        self.assertEqual(self.server.translate(text)[1]["translatedText"] + "\n",
                         latimer(MODEL, "--paragraphs", "--text", text))

    def test_html_keeps_its_tags_from_json_a_form_and_parts(self):
        html = '<p class="a&amp;b">The <b>red</b> <i>house</i> is old.</p>\n<!-- Tom -->'
        expected = {"translatedText":
                    '<p class="a&amp;b">Das <b>rote</b> <i>Haus</i> ist alt.</p>\n<!-- Tom -->'}
        url = self.server.url + "/translate"
        values = {"q": html, "source": "en", "target": "de", "format": "html"}
        for arguments in (["-H", "Content-Type: application/json", "-d", json.dumps(values)],
                          [a for name in values for a in
                           ("--data-urlencode", f"{name}={values[name]}")],
                          [a for name in values for a in
                           ("--form-string", f"{name}={values[name]}")]):
            self.assertEqual(json.loads(curl(*arguments, url)), expected)

    def test_html_is_translated_as_by_the_program(self):
        body = " ".join("The <b>red</b> house is old. <i>Where</i> is <code>x</code>? "
                        f"I have {number} books." for number in range(60))
        long_sentence = "the <b>red</b> house " * 700
        pages = [f"<p>{body}</p>", f"<p>{long_sentence}</p><br>x", "", "<img>", "<p>Tom &amp; I"]
        status, result = self.server.translate(pages, format="html", alternatives=2)
        self.assertEqual(status, 200, result)
        self.assertEqual(result["translatedText"],
                         [latimer(MODEL, "--html", "--text", page) for page in pages])
        # As LibreTranslate's.
        self.assertEqual(result["alternatives"], [[]] * len(pages))
        pages = pages[:1] + pages[3:]
        status, result = self.server.translate(pages, target="fr", format="html")
        self.assertEqual(status, 200, result)
        self.assertEqual(result["translatedText"],
                         [latimer(MODEL, MODEL, "--html", "--text", page) for page in pages])

    def test_html_and_texts_of_many_clients_share_the_lanes(self):
        html = "<p>The <b>red</b> house is old. " * 20
        expected = latimer(MODEL, "--html", "--text", html)
        found = []

        def ask(number):
            if number % 2:
                found.append(self.server.translate(html, format="html")[1] ==
                             {"translatedText": expected})
            else:
                found.append(self.server.translate("I am here.")[1] ==
                             {"translatedText": I_AM_HERE})
        threads = [threading.Thread(target=ask, args=(i,)) for i in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [True] * 32)

    def test_two_models_are_the_way_if_none_is_direct(self):
        self.assertEqual(self.server.translate("Where is the station?", target="fr")[1]
                         ["translatedText"] + "\n",
                         latimer(MODEL, MODEL, "--text", "Where is the station?"))
        languages = json.loads(curl(self.server.url + "/languages"))
        self.assertEqual([(entry["code"], entry["name"], entry["targets"]) for entry in languages],
                         [("de", "German", ["de", "fr"]),
                          ("en", "English", ["de", "en", "fr"]),
                          ("fr", "French", ["fr"])])

    def test_errors_are_those_of_libretranslate(self):
        for body, error in (
                ({"source": "en", "target": "de"}, "Invalid request: missing q parameter"),
                ({"q": "x", "target": "de"}, "Invalid request: missing source parameter"),
                ({"q": "x", "source": "en"}, "Invalid request: missing target parameter"),
                ({"q": "x", "source": "en", "target": "xx"}, "xx is not supported"),
                ({"q": "x", "source": "fr", "target": "de"},
                 "German (de) is not available as a target language from French (fr)"),
                ({"q": "x", "source": "en", "target": "de", "format": "odt"},
                 "odt format is not supported"),
                ({"q": "x", "source": "en", "target": "de", "alternatives": "a"},
                 "Invalid request: alternatives parameter is not a number"),
                ({"q": "x", "source": "en", "target": "de", "alternatives": 4},
                 "Invalid request: alternatives parameter must be <= 3"),
                ({"q": {}, "source": "en", "target": "de"},
                 "Invalid request: q parameter is not a string"),
                ({"q": [1], "source": "en", "target": "de"},
                 "Invalid request: q has something that is no string"),
                ([1], "Invalid JSON format")):
            with self.subTest(error):
                self.assertEqual(self.server.post("/translate", body)[:2], (400, {"error": error}))
        # What curl sends without a header of its own.
        self.assertEqual(json.loads(curl("-d", '{"q": "x", "source": "en", "target": "de"}',
                                         self.server.url + "/translate"))["error"],
                         "Invalid request: missing q parameter; JSON needs Content-Type: application/json")
        self.assertEqual(self.server.post("/suggest", {})[0], 403)
        self.assertEqual(self.server.post("/nothing", {})[:2], (404, {"error": "Not Found"}))

    def test_the_languages_of_texts_are_detected_or_that_is_refused(self):
        status, found, _ = self.server.post("/detect", {"q": "Where is the station in this town?"})
        _, result = self.server.translate("Where is the station in this town?", source="auto")
        if status == 400:
            self.assertIn("cannot detect languages", found["error"])
            self.assertIn("cannot detect languages", result["error"])
            return
        # Of HTML, the tags do not count.
        tags = '<div class="wahrscheinlichkeitsrechnung und naturwissenschaften">' * 9
        _, html = self.server.translate(tags + "Where is the station in this town?",
                                        source="auto", format="html")
        self.assertEqual(html["detectedLanguage"], result["detectedLanguage"])
        self.assertEqual(found[0]["language"], "en")
        # Those that are only translated into are known, too.
        self.assertEqual(self.server.post("/detect", {
            "q": "Je voudrais une chambre avec vue sur la mer."})[1][0]["language"], "fr")
        self.assertGreater(found[0]["confidence"], 50)
        self.assertEqual(result["detectedLanguage"]["language"], "en")
        self.assertEqual(result["translatedText"],
                         self.server.translate("Where is the station in this town?")[1]
                         ["translatedText"])

    def test_what_frontends_ask_for_is_there(self):
        self.assertEqual(json.loads(curl(self.server.url + "/health")), {"status": "ok"})
        settings = json.loads(curl(self.server.url + "/frontend/settings"))
        self.assertEqual(settings["charLimit"], -1)
        self.assertFalse(settings["apiKeys"])
        self.assertEqual(settings["language"]["target"], {"code": "de", "name": "German"})
        page = curl("-i", self.server.url + "/")
        self.assertIn("text/html", page)
        self.assertIn('<html lang="en">', page)
        options = curl("-i", "-X", "OPTIONS", self.server.url + "/translate")
        self.assertIn("204", options.splitlines()[0])
        self.assertIn("Access-Control-Allow-Origin: *", options)

    def test_a_large_body_is_refused_before_it_is_read(self):
        before = self.server.resident()
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"a" * (2 << 20))
            file.flush()
            for more in ([], ["-H", "Expect:"], ["-H", "Expect:", "-H", "Transfer-Encoding: chunked"]):
                self.assertTrue(curl("-w", "%{http_code}", "--data-binary", f"@{file.name}", *more,
                                     self.server.url + "/translate").endswith("413"))
        # It says how many bytes would come, and sends none.
        with self.server.socket() as made:
            made.sendall(b"POST /translate HTTP/1.1\r\nHost: here\r\n"
                         b"Content-Length: 99999999999\r\n\r\n")
            self.assertIn(b" 413 ", made.recv(4096))
        # A line of the head without an end.
        with self.server.socket() as made, contextlib.suppress(OSError):
            made.sendall(b"GET / HTTP/1.1\r\nX: " + b"a" * (4 << 20))
            made.recv(4096)
        self.assertLess(self.server.resident() - before, 4 << 20)
        self.assertEqual(self.server.translate("I am here.")[0], 200)

    def test_a_refused_body_closes_the_connection_once(self):
        for head in (b"Content-Length: 99999999999", b"Content-Length: 99999999999\r\nConnection: close"):
            with self.server.socket() as made:
                made.sendall(b"POST /translate HTTP/1.1\r\nHost: here\r\n" + head + b"\r\n\r\n")
                answer = made.recv(4096)
            self.assertIn(b" 413 ", answer)
            self.assertEqual(answer.lower().count(b"connection: close"), 1, answer)

    def test_json_comes_under_other_names_and_whole_numbers_with_a_point(self):
        body = {"q": "I am here.", "source": "en", "target": "de", "alternatives": 1.0}
        for kind in ("application/json; charset=utf-8", "application/vnd.api+json", "Application/LD+JSON;x=y"):
            status, result, _ = self.server.post("/translate", body, {"Content-Type": kind})
            self.assertEqual((status, len(result.get("alternatives", []))), (200, 1), result)
        for alternatives, count in (("1", 1), ("2.0", 2), (0.0, None), (1.5, None), ("x", None), ("nan", None), ([], None)):
            status, result = self.server.translate("I am here.", alternatives=alternatives)
            self.assertEqual(status, 200 if count or alternatives == 0 else 400, alternatives)
            self.assertLessEqual(len(result.get("alternatives", [])), count or 0)
        self.assertEqual(self.server.post("/translate", body, {"Content-Type": "text/plain"})[0], 400)

    def test_requests_follow_each_other_on_one_connection(self):
        with self.server.socket() as made:
            # Both are sent at once.
            made.sendall(request({"q": "I am here.", "source": "en", "target": "de"}, close=False)
                         + request({"q": "Tom is here.", "source": "en", "target": "de"}))
            answers = b""
            while part := made.recv(4096):
                answers += part
        self.assertEqual(answers.count(b"HTTP/1.1 200"), 2)
        self.assertIn(b"Keep-Alive: timeout=30,", answers)
        self.assertLess(answers.index(I_AM_HERE.encode()),
                        answers.index(TEXTS["Tom is here."].encode()))

    def test_slow_clients_do_not_hold_up_others(self):
        with contextlib.ExitStack() as stack:
            for _ in range(100):
                slow = stack.enter_context(self.server.socket())
                slow.sendall(b"POST /translate HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
            begin = time.monotonic()
            for _ in range(10):
                self.assertEqual(self.server.translate("I am here.")[0], 200)
            self.assertLess(time.monotonic() - begin, 10)

    def test_a_client_that_goes_takes_its_sentences_with_it(self):
        before = self.server.metric("latimer_cancelled_sentences_total")
        text = "Where is the station? " * 4000
        with self.server.socket() as made:
            made.sendall(request({"q": text, "source": "en", "target": "de"}))
            wait_until(lambda: self.server.metric("latimer_queue_sentences") > 100)
        wait_until(lambda: self.server.metric("latimer_queue_sentences") == 0)
        self.assertGreater(self.server.metric("latimer_cancelled_sentences_total"), before + 100)

    def test_a_short_request_does_not_wait_for_a_long_one(self):
        text = "Where is the station in this old town? " * 8000
        done = threading.Event()

        def long_one():
            self.server.translate(text)
            done.set()
        thread = threading.Thread(target=long_one)
        thread.start()
        wait_until(lambda: self.server.metric("latimer_queue_sentences") > 100)
        self.assertEqual(self.server.translate("I am here.")[0], 200)
        self.assertFalse(done.is_set())
        thread.join()

    def test_it_counts(self):
        self.server.translate("I am here.")
        text = curl(self.server.url + "/metrics")
        for line in text.splitlines():
            self.assertRegex(line, r'^(# (HELP|TYPE) \w+ .*|\w+(\{[^}]*\})? [-+.e0-9]+)$')
        self.assertIn('latimer_requests_total{path="/translate",code="200"}', text)
        self.assertGreater(self.server.metric("latimer_tokens_total"), 0)
        buckets = re.findall(r'^latimer_request_seconds_bucket\{.*\} (\d+)$', text, re.M)
        self.assertEqual(buckets, sorted(buckets, key=int))


def module(path):
    """A module of the Python package or its tests, by its path in the sources."""
    path = os.path.join(os.path.dirname(__file__), "../..", path)
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def archive(members, method=zipfile.ZIP_DEFLATED):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as out:
        for name, content in members.items():
            out.writestr(name, content)
    return made.getvalue()


class Documents(unittest.TestCase):
    """/translate_file with .docx, .pptx, .odt, .odp and .epub."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def translated(self, name, document, target="de"):
        """The translated document, or the error and its code."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            with open(path, "wb") as out:
                out.write(document)
            answer = json.loads(curl("-F", f"file=@{path}", "-F", "source=en", "-F", f"target={target}",
                                     self.server.url + "/translate_file"))
        if "error" in answer:
            return answer["error"]
        return subprocess.run(["curl", "-s", answer["translatedFileUrl"]], check=True, capture_output=True).stdout

    def members(self, name, members, target="de"):
        document = self.translated(name, archive(members), target)
        self.assertIsInstance(document, bytes, document)
        with zipfile.ZipFile(io.BytesIO(document)) as found:
            self.assertIsNone(found.testzip())
            return {name: found.read(name) for name in found.namelist()}

    def test_they_become_what_the_python_package_makes_of_them(self):
        markup = module("bindings/python/latimer/_markup.py")
        made = module("tests/bindings/python/random_documents.py")

        def translate(html):
            status, result = self.server.translate(html, format="html")
            self.assertEqual(status, 200, result)
            return result["translatedText"]

        for ending, names, kind in ((".odt", made.ODF, markup.OpenDocument), (".docx", made.OOXML, markup.OfficeOpen)):
            for target, count, how in (("en", 300 if ending == ".docx" else 60, lambda html: html), ("de", 12, translate)):
                given, expected = {"a.bin": bytes(range(256))}, {"a.bin": bytes(range(256))}
                for seed in range(count):
                    draw = random.Random(seed)
                    xml = f"<root>{''.join(made.element(draw, names) for _ in range(6))}</root>"
                    # An .odt has one file that is read.
                    name = f"word/header{seed}.xml" if ending == ".docx" else "content.xml"
                    if ending == ".odt":
                        given, expected = {}, {}
                    given[name] = xml
                    expected[name] = kind(xml).translated(how).encode()
                    if ending == ".odt" and kind(xml).translated(str.upper) != xml:
                        self.assertEqual(self.members("a.odt", given, target), expected, xml)
                if ending == ".docx":
                    found = self.members("a.docx", given, target)
                    for name, xml in expected.items():
                        self.assertEqual(found[name], xml, given[name])

    def test_formats_notes_and_pictures_stay(self):
        w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
        bold = "<w:r><w:rPr><w:b/></w:rPr><w:t>{}</w:t></w:r>"
        run = '<w:r><w:t xml:space="preserve">{}</w:t></w:r>'
        note = '<w:r><w:footnoteReference w:id="2"/></w:r>'
        xml = f"<w:document {w}><w:p>{run.format('I have ')}{bold.format('not read')}{run.format(' the book yet.')}{note}</w:p></w:document>"
        found = self.members("a.docx", {"mimetype": "x", "word/document.xml": xml, "word/media/a.png": b"\x89PNG"})
        self.assertEqual(list(found), ["mimetype", "word/document.xml", "word/media/a.png"])
        self.assertEqual(found["word/media/a.png"], b"\x89PNG")
        root = ElementTree.fromstring(found["word/document.xml"])
        self.assertEqual("".join(root.itertext()), TEXTS["I have not read the book yet."])
        self.assertIn(bold.format("nicht gelesen").replace("<w:t>", '<w:t xml:space="preserve">').encode(),
                      found["word/document.xml"])
        self.assertIn(note.encode(), found["word/document.xml"])

    def test_a_book_is_xml_afterwards(self):
        page = ("<?xml version='1.0' encoding='utf-8'?>\n<!DOCTYPE html>\n<?own a > b?>"
                '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{0}</title><script src="a.js"/><style/></head>'
                '<body><!-- hello --><p><a id="p5"/>{0}<br/>{1}</p><td/><script>//<![CDATA[\n a < b //]]></script></body></html>')
        found = self.members("a.EPUB", {"mimetype": "application/epub+zip",
                                        "a.xhtml": page.format("I am here.", "Good&#160;morning."),
                                        "toc.ncx": "<ncx><text>I am here.</text></ncx>"})
        self.assertEqual(found["a.xhtml"].decode(), page.format(I_AM_HERE, TEXTS["Good morning."]))
        self.assertEqual(found["toc.ncx"].decode(), f"<ncx><text>{I_AM_HERE}</text></ncx>")

    def test_the_libraries_that_people_write_them_with_read_them(self):
        sys.path.append(os.path.join(BIN, "../python_packages"))  # Of .ci/run.
        self.addCleanup(sys.path.pop)
        try:
            import docx
            from odf import opendocument, teletype, text
        except ImportError as error:
            self.skipTest(f"{error.name} is missing: pip install python-docx odfpy")
        document, saved = docx.Document(), io.BytesIO()
        document.add_heading("I am here.", 1)
        document.add_paragraph("I have ").add_run("not read").bold = True
        document.paragraphs[1].add_run(" the book yet.")
        document.add_table(1, 1).cell(0, 0).text = "I am here."
        document.save(saved)
        found = docx.Document(io.BytesIO(self.translated("a.docx", saved.getvalue())))
        self.assertEqual([p.text for p in found.paragraphs], [I_AM_HERE, TEXTS["I have not read the book yet."]])
        self.assertEqual([r.text for r in found.paragraphs[1].runs if r.bold], ["nicht gelesen"])
        self.assertEqual(found.tables[0].cell(0, 0).text, I_AM_HERE)
        document, saved = opendocument.OpenDocumentText(), io.BytesIO()
        document.text.addElement(text.P(text="I am here."))
        document.save(saved)
        found = opendocument.load(io.BytesIO(self.translated("a.odt", saved.getvalue())))
        self.assertEqual([teletype.extractText(p) for p in found.getElementsByType(text.P)], [I_AM_HERE])

    def test_what_is_no_document_is_refused(self):
        def deep(count):
            return "<a>" * count + "</a>" * count
        long = "<w:p><w:r><w:rPr>" + "<w:b/>" * 20_000 + "</w:rPr>" + "<w:tab/>" * 20_000 + "<w:t>a</w:t></w:r></w:p>"
        for name, content, says in (
                ("a.docx", {"a": ""}, "no text"),
                ("a.docx", {"word/document.xml": "<a><b></a>"}, "word/document.xml in it has an end"),
                ("a.docx", {"word/document.xml": "<a><b>"}, "without an end"),
                ("a.docx", {"word/document.xml": "<a"}, "without an end"),
                ("a.docx", {"word/document.xml": "<a><!--</a>"}, "without an end"),
                ("a.docx", {"word/document.xml": deep(1000)}, "nested too deeply"),
                ("a.docx", {"word/document.xml": "<a/>".encode("utf-16")}, "not UTF-8"),
                ("a.docx", {"word/document.xml": long}, "too long"),
                ("a.odt", {"content.xml": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"}, "entities of its own"),
                ("a.epub", {"a.xhtml": "<a>"}, "without an end"),
                ("a.epub", {"a.xhtml": deep(1000)}, "nested too deeply"),
                ("a.epub", {"a.xhtml": "<a latimer" + "x" * 99_999 + "='1'>" + "<b/>" * 9999 + "</a>"}, "too long"),
                ("a.epub", {"a.xhtml": "<a/>", "../b": ""}, "leads out"),
                ("a.epub", {"a.xhtml": "<a/>", "/b": ""}, "leads out"),
                ("a.odt", {str(i): "" for i in range(10_001)}, "more than 10000 files"),
                ("a.odt", {"content.xml": b"<a>" + b" " * (60 << 20) + b"</a>"}, "too much text"),
                ("a.docx", {f"word/header{i}.xml": b" " * (3 << 20) for i in range(30)}, "more than 64 MiB of text"),
                ("a.docx", {"word/document.xml": "<w:p><w:r>" + "<w:cr/>" * 150_000 + "</w:r></w:p>"}, "too much text")):
            self.assertIn(says, self.translated(name, archive(content)), name)
        self.assertIn("not a zip file", self.translated("a.docx", b"I am here."))
        self.assertIn("not a zip file", self.translated("a.docx", b""))
        self.assertEqual(self.server.translate("I am here."), (200, {"translatedText": I_AM_HERE}))

    def test_archives_that_are_damaged_are_refused(self):
        whole = archive({"word/document.xml": "<w:p><w:r><w:t>I am here.</w:t></w:r></w:p>", "b": "b" * 999})
        for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
            self.assertIn("rare way", self.translated("a.docx", archive({"word/document.xml": "<a/>"}, method)))
        directory = whole.index(b"PK\1\2")
        for at, value, says in ((directory + 8, 1, "encrypted"),
                                (directory + 16, whole[directory + 16] ^ 1, "is damaged"),  # The checksum.
                                (directory + 20, 255, "damaged"),  # The packed size,
                                (directory + 23, 255, "lies outside"),
                                (directory + 24, whole[directory + 24] ^ 1, "damaged"),  # and the other.
                                (50, whole[50] ^ 0xFF, "in it is damaged")):  # A byte of the text.
            self.assertIn(says, self.translated("a.docx", whole[:at] + bytes([value]) + whole[at + 1:]), at)
        twice = archive({"a": "", "b": ""}).replace(b"b", b"a")
        self.assertIn("a name twice", self.translated("a.docx", twice))
        for size in range(0, len(whole), 7):
            self.assertIsInstance(self.translated("a.docx", whole[:size]), str)
        draw = random.Random(1)
        for _ in range(60):
            other = bytearray(whole)
            for _ in range(draw.randrange(1, 4)):
                other[draw.randrange(len(other))] = draw.randrange(256)
            self.translated("a.docx", bytes(other))
        self.assertEqual(self.server.translate("I am here."), (200, {"translatedText": I_AM_HERE}))

    @unittest.skipIf(os.environ.get("LATIMER_SANITIZE"), "sanitizers cost memory")
    def test_a_document_takes_what_is_counted(self):
        before = self.server.peak()
        for xml in ("<w:p><w:r>" + "<w:cr/>" * 60_000 + "<w:t>a</w:t></w:r></w:p>",
                    "<w:p><w:r><w:t>a</w:t></w:r></w:p>" * 15_000, "<a>" + "x" * (5 << 20) + "</a>"):
            self.translated("a.docx", archive({"word/document.xml": xml}), "en")
        self.assertLess(self.server.peak() - before, 56 << 20)


class SeveralWorkers(unittest.TestCase):
    """Workers share the requests; each answer is that of one worker."""

    def test_many_clients_get_what_one_worker_gives(self):
        bodies = []
        for number in range(24):
            text = " ".join(list(TEXTS)[number % 3:number % 7 + 4])
            bodies.append([{"q": text}, {"q": [text, "", "I am here."]},
                           {"q": f"<p>{text} The <b>red</b> house.", "format": "html"},
                           {"q": text, "alternatives": 2},
                           {"q": text, "target": "fr"}][number % 5])

        def answers(*options):
            found = [None] * len(bodies)
            # French is the way back and forth, by two models.
            with Server("--lanes", "4", *options,
                        models=(MODEL, f"de-fr={MODEL}")) as server:
                def ask(number):
                    body = {"source": "en", "target": "de", **bodies[number]}
                    found[number] = server.post("/translate", body)[:2]
                threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(bodies))]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                server.process.send_signal(signal.SIGTERM)
                self.assertEqual(server.process.wait(timeout=60), 0)
            return found
        expected = answers("--workers", "1")
        self.assertEqual({status for status, _ in expected}, {200})
        self.assertEqual(answers("--workers", "3"), expected)

    def test_a_number_that_makes_no_sense_is_refused(self):
        for number in "0", "65", "two":
            done = subprocess.run([os.path.join(BIN, "latimer-serve"), MODEL, "--workers", number],
                                  stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--workers", done.stderr)


class HostileRequests(unittest.TestCase):
    """One request, or few, that used to end the server or to keep it busy."""

    def setUp(self):
        self.server = Server("--timeout", "20")

    def tearDown(self):
        try:
            self.assertEqual(self.server.translate("I am here."),
                             (200, {"translatedText": I_AM_HERE}))
        finally:
            self.server.__exit__(None, None, None)

    def cpu_seconds(self):
        with open(f"/proc/{self.server.process.pid}/stat") as file:
            user, system = file.read().rsplit(")", 1)[1].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def answer(self, data):
        """What the server sends to a client that sends this, and goes on to read."""
        answer = b""
        with self.server.socket() as made, contextlib.suppress(OSError):
            made.settimeout(30)
            made.sendall(data)
            while part := made.recv(65536):
                answer += part
        return answer

    def test_nested_json_is_refused(self):
        body = b'{"x":' + b"[" * 250_000 + b"]" * 250_000 + b"}"
        for path in ("/translate", "/detect", "/suggest", "/translate_file"):
            answer = self.answer(b"POST %s HTTP/1.1\r\nContent-Type: application/json\r\n"
                                 b"Connection: close\r\nContent-Length: %d\r\n\r\n"
                                 % (path.encode(), len(body)) + body)
            self.assertIn(b" 400 ", answer[:20])
            self.assertIn(b"nested", answer)

    def test_a_text_of_several_parts_needs_no_other_client(self):
        text = "the house " * 600
        for more in ({}, {"format": "html"}):
            status, result = self.server.translate(text, **more)
            self.assertEqual(status, 200, result)
            self.assertGreater(len(result["translatedText"]), 3000)

    def test_ranges_are_ignored(self):
        for ranges in ("bytes=" + ",".join(["0-"] * 2600), "bytes=0-1", "lines=1-2", "x"):
            status, result, headers = self.server.post(
                "/translate", {"q": "a" * 100_000, "source": "de", "target": "de"},
                {"range": ranges})
            self.assertEqual(status, 200)
            self.assertEqual(len(result["translatedText"]), 100_000)
            self.assertNotIn("Content-Range", headers)

    @unittest.skipIf(os.environ.get("LATIMER_SANITIZE"), "sanitizers cost time")
    def test_the_names_of_parts_cost_no_time(self):
        line = (b'Content-Disposition: form-data; name="' + b'";filename="' * 320
                + b'";filename*=' * 330 + b" x")
        body = b"--X\r\n" + line + b"\r\n\r\nhello\r\n--X--\r\n"
        before = self.cpu_seconds()
        self.answer(b"POST /translate HTTP/1.1\r\nConnection: close\r\n"
                    b"Content-Type: multipart/form-data; boundary=X\r\n"
                    b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.assertLess(self.cpu_seconds() - before, 2)  # Once 8.

    def test_a_path_of_any_length_needs_no_stack(self):
        for path in (b"/download_file/" + b"a" * 8000, b"/download_file/" + b"." * 8100, b"/" + b"a/" * 4000):
            self.assertIn(b" 404 ", self.answer(b"GET " + path + b" HTTP/1.1\r\nConnection: close\r\n\r\n")[:20])
        self.assertIn(b" 414 ", self.answer(b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n")[:20])

    def test_parameters_are_counted(self):
        many = b"&".join(b"%d=" % i for i in range(140_000))
        before = self.server.resident()
        for fields, body in ((FORM, many), (b"Content-Type: multipart/form-data; boundary=X\r\n", b"".join(
                b'--X\r\nContent-Disposition: form-data; name="%d"\r\n\r\n\r\n' % i for i in range(1200)) + b"--X--\r\n")):
            answer = self.answer(b"POST /translate HTTP/1.1\r\nConnection: close\r\n" + fields
                                 + b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.assertIn(b" 400 ", answer[:20])
            self.assertIn(b"more than 1000 values", answer)
        self.assertLess(self.server.peak() - before, 16 << 20)

    @unittest.skipIf(os.environ.get("LATIMER_SANITIZE"), "sanitizers cost memory")
    def test_what_is_made_of_a_body_is_counted(self):
        for body, code in (([""] * 150_000, 200), ([[]] * 200_000, 413), ("A!\n" * 250_000, 413),
                           ({str(i): {} for i in range(60_000)}, 400), ("<p>a" * 250_000, 413)):
            status, result = self.server.translate(body, format="html" if "<" in body else "text")
            self.assertEqual(status, code, str(result)[:100])
        self.assertEqual(self.server.translate(["a."] * 60_000, segments=True)[0], 413)
        self.assertIn(self.server.translate([""] * 100_000, "auto")[0], (400, 413))  # 400: it cannot detect languages.
        for lines in ("-\n" * 400_000, "-&\n" * 250_000, "a\\N" * 300_000):
            answer = curl("-F", "file=@-;filename=a.srt", "-F", "source=en", "-F", "target=de",
                          self.server.url + "/translate_file", stdin="-->\n" + lines)
            self.assertIn("too many", answer)
        self.assertLess(self.server.peak(), 120 << 20)

    @unittest.skipIf(os.environ.get("LATIMER_SANITIZE"), "sanitizers cost memory")
    def test_html_takes_eight_times_its_bytes(self):
        self.server.translate("<p>I am here.</p>", format="html")
        before = self.server.peak()
        for unit in ("<b>", "</b>", "<", "&amp;", "<!---->", "<a b=c>", "<script>", "<b></b>"):
            html = unit * (500_000 // len(unit))
            self.assertEqual(self.server.translate(html, format="html")[0], 200)
            self.assertLess(self.server.peak() - before, 4_000_000 + (2 << 20), unit)

    @unittest.skipIf(os.environ.get("LATIMER_SANITIZE"), "sanitizers cost memory")
    def test_pages_of_a_list_are_read_in_the_same_memory(self):
        def faults():
            with open(f"/proc/{self.server.process.pid}/stat") as file:
                return int(file.read().rsplit(")", 1)[1].split()[7])
        before = faults()
        self.assertEqual(self.server.translate(["<b>"] * 20_000, format="html")[0], 200)
        self.assertLess(faults() - before, 20_000)  # Once 560,000.

    @unittest.skipIf(os.environ.get("LATIMER_SANITIZE"), "sanitizers cost memory")
    def test_many_large_bodies_are_put_off_or_answered(self):
        body = b"source=en&target=de&q=a." + b"\n" * 1_040_000
        data = (b"POST /translate HTTP/1.1\r\nConnection: close\r\n" + FORM
                + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        codes = []
        threads = [threading.Thread(target=lambda: codes.append(self.answer(data)[9:12])) for _ in range(64)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertLessEqual(set(codes), {b"200", b"503"})
        self.assertIn(b"200", codes)
        self.assertLess(self.server.peak(), 200 << 20)  # Once 10 GB.

    @unittest.skipIf(os.environ.get("LATIMER_SANITIZE"), "sanitizers keep memory")
    def test_memory_of_requests_goes_back_to_the_system(self):
        self.server.translate("I am here.")
        before = self.server.resident()
        for _ in range(2):
            threads = [threading.Thread(target=self.server.translate, args=(["a"] * 50_000, "en", "en")) for _ in range(4)]
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                self.server.file_url()  # A file stays, wherever there was room.
                time.sleep(0.02)
        end = time.monotonic() + 10
        while self.server.resident() - before > 3 << 20:
            self.assertLess(time.monotonic(), end, self.server.resident() - before)  # Once 8 to 18 MB.
            time.sleep(0.05)

    def test_the_head_is_bounded(self):
        for head in (b"a:b\r\n" * 180_000, b"a:b\r\n" * 200, b"a: " + b"b" * 70_000 + b"\r\n"):
            self.assertIn(b" 431 ", self.answer(b"GET /health HTTP/1.1\r\n" + head + b"\r\n")[:40])
        before = self.server.resident()
        with contextlib.ExitStack() as stack:
            for _ in range(20):
                made = stack.enter_context(self.server.socket())
                with contextlib.suppress(OSError):
                    made.sendall(b"GET /health HTTP/1.1\r\n" + b"a:b\r\n" * 180_000)
            time.sleep(1)
            self.assertLess(self.server.resident() - before, 32 << 20)  # Once 400.

    def test_the_time_of_a_list_grows_as_its_length(self):
        def seconds(count):
            before = self.cpu_seconds()
            status, result = self.server.translate(["\n"] * count)
            self.assertEqual((status, len(result["translatedText"])), (200, count))
            return self.cpu_seconds() - before
        few = max(seconds(10_000), 0.1)
        self.assertLess(seconds(80_000), 24 * few)  # Were it quadratic, 64.

    def test_the_time_of_json_grows_as_its_length(self):
        def seconds(body):
            before = self.cpu_seconds()
            status = self.answer(b"POST /translate HTTP/1.1\r\nContent-Type: application/json\r\n"
                                 b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)[9:12]
            self.assertEqual(status, b"400")
            return self.cpu_seconds() - before
        for make in (lambda count: b'{"q":[' + b",".join([b"{}"] * count) + b"]}",
                     lambda count: b"{" + b",".join(b'"%d":{}' % i for i in range(count)) + b"}"):
            self.assertLess(seconds(make(80_000)), 2.5**3 * max(seconds(make(10_000)), 0.02))

    def test_the_time_of_a_target_prefix_does_not_grow_with_the_lines_before(self):
        text = "\n" * 400_000 + "A.\n" * 200
        before = self.cpu_seconds()
        self.assertEqual(self.server.translate(text, target_prefix="x")[0], 200)
        with_lines, before = self.cpu_seconds() - before, self.cpu_seconds()
        self.assertEqual(self.server.translate("A.\n" * 200, target_prefix="x")[0], 200)
        self.assertLess(with_lines, 3 * max(self.cpu_seconds() - before, 0.2))  # Once 10.

    def test_bytes_that_are_no_text_have_no_language(self):
        for text in (b"%ff", b"Where+is+the+station%00%ff+in+this+old+town%ef%bf%bf?", b"%ed%a0%80", b"%01"):
            for path in (b"/detect", b"/translate"):
                body = b"source=auto&target=de&q=" + text
                answer = self.answer(b"POST %s HTTP/1.1\r\nConnection: close\r\nContent-Length: %d\r\nContent-Type: "
                                     b"application/x-www-form-urlencoded\r\n\r\n" % (path, len(body)) + body)
                result = json.loads(answer.split(b"\r\n\r\n", 1)[1])
                if "cannot detect" in str(result):
                    return
                found = result[0] if path == b"/detect" else result["detectedLanguage"]
                self.assertEqual(found["language"], "en")
                # What is text in it still says which language it is.
                self.assertEqual(found["confidence"] > 50, b"Where" in text, found)

    @unittest.skipIf(os.environ.get("LATIMER_SANITIZE"), "sanitizers cost memory")
    def test_white_space_costs_its_bytes(self):
        before = self.server.resident()
        for text in ("\n" * 500_000, " \n" * 300_000, "\r\n" * 250_000):
            status, result = self.server.translate(text)
            self.assertEqual((status, result["translatedText"]), (200, text))
        self.assertLess(self.server.peak() - before, 16 << 20)  # Once 80.

    def test_a_short_request_does_not_wait_for_long_sentences(self):
        # No sentence of these ends: each has many parts, and there are more than lanes.
        client = self.server.ask_in_vain("\n".join(["the house " * 1500] * 32))
        wait_until(lambda: self.server.metric("latimer_under_way_sentences") >= 5)
        time.sleep(0.5)
        before = self.server.metric("latimer_sentences_total")
        self.assertEqual(self.server.translate("I am here."), (200, {"translatedText": I_AM_HERE}))
        # Once it waited for the sentences of all lanes.
        self.assertLess(self.server.metric("latimer_sentences_total") - before, 12)
        self.assertGreater(self.server.metric("latimer_queue_sentences"), 20)
        client.join()

    def test_a_post_without_a_length_has_no_body(self):
        begin = time.monotonic()
        self.assertEqual(
            json.loads(curl("-X", "POST", self.server.url +
                            "/translate?q=I%20am%20here.&source=en&target=de")),
            {"translatedText": I_AM_HERE})
        self.assertIn(b"missing q", self.answer(b"POST /translate HTTP/1.1\r\n"
                                                b"Connection: close\r\n\r\n"))
        self.assertLess(time.monotonic() - begin, 15)  # Once the 30 of a client that is slow.

    def test_numbers_and_characters_are_counted_as_they_are(self):
        status, result = self.server.translate("I am here.", alternatives=2**64 - 1)
        self.assertEqual((status, result["error"]),
                         (400, "Invalid request: alternatives parameter must be <= 3"))
        with Server("--char-limit", "20") as server:
            answer = curl("--data-binary", "source=en&target=de&q=" + "%80" * 21,
                          server.url + "/translate")
            self.assertIn("request (21) exceeds", answer)


# What a request says about its end, beside what it is to be: the codes of the answers on one connection. 413 to 505
# end it. Each has a second request behind it, which is answered, or read by no one: (RFC 9112, section 11.2).
FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"
BODY = b"source=de&target=de&q=Hallo"
NEXT = b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
CHUNKS = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
LENGTH = b"Content-Length: %d\r\n" % len(BODY)
CHUNKED = b"Transfer-Encoding: chunked\r\n"


def post(fields, body, line=b"POST /translate HTTP/1.1"):
    return line + b"\r\nHost: a\r\n" + FORM + fields + b"\r\n" + body


SMUGGLING = {
    "a length": (post(LENGTH, BODY), [200, 200]),
    "chunks": (post(CHUNKED, CHUNKS), [200, 200]),
    "chunks in capitals": (post(b"TRANSFER-ENCODING: CHUNKED\r\n", CHUNKS), [200, 200]),
    "a chunk with an extension": (post(CHUNKED, CHUNKS.replace(b"\r\n", b";a=b\r\n", 1)), [200, 200]),
    "many chunks": (post(CHUNKED, b"".join(b"1\r\n%c\r\n" % c for c in BODY) + b"0\r\n\r\n"), [200, 200]),
    "an empty line before": (b"\r\n" + post(LENGTH, BODY), [200, 200]),
    "no body": (post(b"", b""), [400, 200]),
    "a body of GET": (post(LENGTH, BODY, b"GET /health HTTP/1.1"), [200, 200]),
    "two lengths": (post(LENGTH + b"Content-Length: 3\r\n", BODY), [400]),
    "two lengths, the other way": (post(b"Content-Length: 3\r\n" + LENGTH, BODY), [400]),
    "a length twice": (post(LENGTH + LENGTH, BODY), [400]),
    "a list of lengths": (post(b"Content-Length: 27, 27\r\n", BODY), [400]),
    "a length with a sign": (post(b"Content-Length: +27\r\n", BODY), [400]),
    "a negative length": (post(b"Content-Length: -27\r\n", BODY), [400]),
    "a length in hexadecimal": (post(b"Content-Length: 0x1b\r\n", BODY), [400]),
    "a length with a point": (post(b"Content-Length: 27.0\r\n", BODY), [400]),
    "an empty length": (post(b"Content-Length:\r\n", BODY), [400]),
    "a length beyond 64 bits": (post(b"Content-Length: 18446744073709551643\r\n", BODY), [413]),
    "length and chunks": (post(LENGTH + CHUNKED, CHUNKS), [400]),
    "chunks and length": (post(CHUNKED + b"Content-Length: 3\r\n", CHUNKS), [400]),
    "chunked twice": (post(CHUNKED + CHUNKED, CHUNKS), [400]),
    "chunked and identity": (post(CHUNKED + b"Transfer-Encoding: identity\r\n", CHUNKS), [400]),
    "identity": (post(b"Transfer-Encoding: identity\r\n", BODY), [501]),
    "a coding that is none": (post(b"Transfer-Encoding: xchunked\r\n", CHUNKS), [501]),
    "gzip, chunked": (post(b"Transfer-Encoding: gzip, chunked\r\n", CHUNKS), [501]),
    "chunked, identity": (post(b"Transfer-Encoding: chunked, identity\r\n", CHUNKS), [501]),
    "an empty coding": (post(b"Transfer-Encoding:\r\n", CHUNKS), [501]),
    "a vertical tab before chunked": (post(b"Transfer-Encoding: \x0bchunked\r\n", CHUNKS), [400, 501]),
    "a space before the colon": (post(b"Transfer-Encoding : chunked\r\n", CHUNKS), [400]),
    "a space before the name": (post(b"X: a\r\n Transfer-Encoding: chunked\r\n", CHUNKS), [400]),
    "a line that goes on": (post(b"Transfer-Encoding:\r\n chunked\r\n", CHUNKS), [400]),
    "a field without a colon": (post(LENGTH + b"X\r\n", BODY), [400]),
    "a field without a name": (post(LENGTH + b": a\r\n", BODY), [400]),
    "a line feed alone": (post(LENGTH[:-2] + b"\n", BODY), [400]),
    "a line feed in a value": (post(LENGTH + b"X: a\nTransfer-Encoding: chunked\r\n", BODY), [400]),
    "a carriage return in a value": (post(LENGTH + b"X: a\rTransfer-Encoding: chunked\r\n", BODY), [400]),
    "a NUL in a value": (post(LENGTH + b"X: a\0b\r\n", BODY), [400]),
    "a NUL in a name": (post(b"Content\0-Length: 27\r\n", BODY), [400]),
    "chunks of HTTP/1.0": (post(CHUNKED, CHUNKS, b"POST /translate HTTP/1.0"), [400]),
    "HTTP/2.0": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [505]),
    "no version": (b"GET /health\r\n\r\n", [400]),
    "a space in the target": (post(LENGTH, BODY, b"POST /translate x HTTP/1.1"), [400]),
    "two hosts": (post(LENGTH + b"Host: b\r\n", BODY), [400]),
    "a trailer": (post(CHUNKED, CHUNKS[:-2] + b"X: a\r\n\r\n"), [400]),
    "a trailer of the framing": (post(CHUNKED, CHUNKS[:-2] + b"Content-Length: 3\r\n\r\n"), [400]),
    "a chunk with a sign": (post(CHUNKED, b"+" + CHUNKS), [400]),
    "a negative chunk": (post(CHUNKED, b"-1\r\n\r\n0\r\n\r\n"), [400]),
    "a chunk with 0x": (post(CHUNKED, b"0x" + CHUNKS), [400]),
    "a chunk with a space": (post(CHUNKED, b" " + CHUNKS), [400]),
    "a chunk without a size": (post(CHUNKED, b"\r\n\r\n0\r\n\r\n"), [400]),
    "a chunk that ends with a line feed": (post(CHUNKED, CHUNKS.replace(b"\r\n", b"\n", 1)), [400]),
    "an extension with a line feed": (post(CHUNKED, CHUNKS.replace(b"\r\n", b";\n\r\n", 1)), [400]),
    "an extension without an end": (post(CHUNKED, b"1;" + b"a" * 300 + b"\r\na\r\n0\r\n\r\n"), [400]),
    "a chunk that is too short": (post(CHUNKED, b"5\r\nabc\r\n0\r\n\r\n"), [400]),
    "a chunk that is too long": (post(CHUNKED, b"2\r\nabc\r\n0\r\n\r\n"), [400]),
    "a chunk beyond 64 bits": (post(CHUNKED, b"10000000000000001\r\na\r\n0\r\n\r\n"), [400]),
    "a chunk of 64 bits": (post(CHUNKED, b"ffffffffffffffff\r\na\r\n0\r\n\r\n"), [413]),
    "chunks in compressed form": (post(CHUNKED + b"Content-Encoding: gzip\r\n", CHUNKS), [415]),
}


class Smuggling(unittest.TestCase):
    """What two readers could read differently is refused, and ends the connection."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__(None, None, None)

    def codes(self, port, data):
        answers = b""
        with socket.create_connection(("127.0.0.1", port), timeout=20) as made, contextlib.suppress(OSError):
            made.sendall(data)
            while part := made.recv(65536):
                answers += part
        return [int(code) for code in re.findall(rb"HTTP/1\.[01] (\d{3}) ", answers)]

    def test_the_server_reads_each_request_in_one_way(self):
        for name, (data, codes) in SMUGGLING.items():
            with self.subTest(name):
                found = self.codes(self.server.port, data + NEXT)
                self.assertEqual(found, codes if codes != [400, 501] else [400])

    def test_trailers_cost_no_memory(self):
        trailers = b"a:\r\n" * 250_000
        before = self.server.resident()
        with contextlib.ExitStack() as stack:
            for _ in range(10):
                made = stack.enter_context(self.server.socket())
                with contextlib.suppress(OSError):
                    made.sendall(post(CHUNKED, CHUNKS[:-2] + trailers))
            time.sleep(1)
            self.assertLess(self.server.resident() - before, 16 << 20)  # Once 250.

    @unittest.skipUnless(PROXIES, "there is no proxy")
    def test_a_proxy_in_front_hides_no_request(self):
        for kind in PROXIES:
            with kind(self.server.port) as proxy:
                for name, (data, codes) in SMUGGLING.items():
                    if name == "no version":  # nginx answers it as HTTP/0.9 did, without a head.
                        continue
                    with self.subTest(f"{kind.program}: {name}"):
                        before = self.server.requests()
                        found = self.codes(proxy.port, data + NEXT)
                        # As many requests have come to the server as the proxy has answered, at most.
                        self.assertLessEqual(self.server.requests() - before - 1, len(found))
                        if codes == [200, 200] and name not in kind.refuses:
                            self.assertEqual(found[0], 200)


@unittest.skipIf(os.environ.get("LATIMER_SANITIZE"), "sanitizers take all addresses")
class LittleMemory(unittest.TestCase):
    def test_a_request_beyond_the_memory_fails_alone(self):
        server = Server("--body-limit", str(256 << 20), "--connections", "4",
                        limit=(resource.RLIMIT_AS, 700 << 20))
        with server:
            for _ in range(3):
                with contextlib.suppress(OSError, http.client.HTTPException):
                    self.assertGreaterEqual(server.translate(["x" * 20] * 2_000_000)[0], 500)
                self.assertEqual(server.translate("I am here."),
                                 (200, {"translatedText": I_AM_HERE}))


class Cache(unittest.TestCase):
    def test_kept_translations_are_what_others_would_be(self):
        texts = [f"{word} {i % 7} is here." for i in range(40) for word in ("Tom", "I am", "He")]
        with Server() as server:
            plain = server.translate(texts)
            more = server.translate("I am here.", alternatives=2)
            bare = server.translate("Tom is at https://a.b/c here.", protect=False)
        with Server("--cache", "1", "--workers", "2") as server:
            for _ in range(2):
                self.assertEqual(server.translate(texts), plain)
                self.assertEqual(server.translate("I am here."), (200, {"translatedText": I_AM_HERE}))
                self.assertEqual(server.translate("I am here.", alternatives=2), more)
                self.assertEqual(server.translate("Tom is at https://a.b/c here.", protect=False), bare)
            different = len(set(texts)) + 3
            self.assertGreaterEqual(server.metric("latimer_cache_hits_total"), len(texts) + 3)
            self.assertGreaterEqual(server.metric("latimer_cache_misses_total"), different)
            self.assertGreater(server.metric("latimer_cache_bytes"), 100 * different)
            tokens = server.metric("latimer_tokens_total")
            self.assertEqual(server.translate(texts), plain)
            self.assertEqual(server.metric("latimer_tokens_total"), tokens)

    def test_terms_and_html_are_not_kept(self):
        with Server("--cache", "1") as server:
            self.assertEqual(server.translate("I am here.")[1], {"translatedText": I_AM_HERE})
            with_terms = server.translate("I am here.", terms={"here": "dort"})[1]
            self.assertIn("dort", with_terms["translatedText"])
            server.translate("<b>I am here.</b>", format="html")
            self.assertEqual(server.metric("latimer_cache_hits_total"), 0)
            self.assertEqual(server.metric("latimer_cache_misses_total"), 1)

    def test_its_bytes_are_bounded(self):
        with Server("--cache", "1") as server:
            for begin in range(0, 6000, 1000):
                texts = [f"{i}" for i in range(begin, begin + 1000)]
                self.assertEqual(server.translate(texts)[0], 200)
            self.assertLessEqual(server.metric("latimer_cache_bytes"), 1 << 20)
            self.assertGreater(server.metric("latimer_cache_bytes"), 900_000)

    def test_more_than_there_is_is_refused(self):
        for mib in ("-1", "2048", "x"):
            outcome = subprocess.run([os.path.join(BIN, "latimer-serve"), MODEL, "--cache", mib],
                                     capture_output=True, check=False)
            self.assertEqual(outcome.returncode, 2)


class Limits(unittest.TestCase):
    def test_keys_open_what_is_closed_without(self):
        with tempfile.NamedTemporaryFile("w", encoding="utf-8-sig") as file:
            file.write("sesame 100 50\n# KEY REQUESTS CHARACTERS\n\nfew 1\n")
            file.flush()
            with Server("--api-keys", file.name, "--require-api-key") as server:
                self.assertEqual(server.translate("Hi.")[0], 400)
                self.assertEqual(server.translate("Hi.", api_key="wrong"),
                                 (403, {"error": "Invalid API key"}))
                self.assertEqual(server.translate("Hi.", api_key="sesame")[0], 200)
                self.assertEqual(server.translate("a" * 51, api_key="sesame")[0], 400)
                self.assertEqual(server.translate("Hi.", api_key="few")[0], 200)
                self.assertEqual(server.translate("Hi.", api_key="few")[0], 429)
                self.assertTrue(json.loads(curl(server.url + "/frontend/settings"))["keyRequired"])

    def test_the_characters_of_a_key_are_those_of_files_too(self):
        with tempfile.NamedTemporaryFile("w") as file, tempfile.NamedTemporaryFile("w", suffix=".txt") as text:
            file.write("sesame 10 50\n")
            text.write("I am here.\n" * 50)
            file.flush()
            text.flush()
            with Server("--api-keys", file.name) as server:
                ask = ["-F", f"file=@{text.name}", "-F", "source=en", "-F", "target=de", server.url + "/translate_file"]
                self.assertIn("translatedFileUrl", curl(*ask))
                self.assertIn("Slowdown: 10", curl("-F", "api_key=sesame", *ask))  # It counts as 11.

    def test_requests_characters_and_texts_are_limited(self):
        with Server("--req-limit", "5", "--char-limit", "10", "--batch-limit", "3") as server:
            self.assertEqual(server.translate("ä" * 10)[0], 200)
            status, result = server.translate("ä" * 11)
            self.assertEqual((status, result["error"]),
                             (400, "Invalid request: request (11) exceeds text limit (10)"))
            self.assertEqual(server.translate(["a"] * 4)[0], 400)
            self.assertEqual(server.translate(["a"] * 3)[0], 200)
            status, result, headers = server.post(
                "/translate", {"q": "a", "source": "en", "target": "de"})
            self.assertEqual((status, result["error"]), (429, "Slowdown: 5 per 1 minute"))
            self.assertTrue(1 <= int(headers["Retry-After"]) <= 60)

    def test_more_than_the_queue_holds_is_put_off(self):
        with Server("--queue", "50") as server:
            long_one = server.ask_in_vain("Where is the station in this old town? " * 8000)
            wait_until(lambda: server.metric("latimer_queue_sentences") > 100)
            status, result, headers = server.post(
                "/translate", {"q": ["a"] * 9, "source": "en", "target": "de"})
            self.assertEqual(status, 503, result)
            self.assertEqual(headers["Retry-After"], "1")
            self.assertEqual(server.translate(["a"] * 8)[0], 200)
            server.process.kill()
            long_one.join()

    def test_bodies_that_stall_keep_no_short_request_out(self):
        with Server() as server, contextlib.ExitStack() as stalled:
            for size in (1 << bits for bits in range(20, 3, -2)):
                for _ in range(17 if size == 1 << 20 else 5):
                    client = stalled.enter_context(server.socket())
                    client.sendall(b"POST /translate HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % size)
                    with contextlib.suppress(OSError):
                        client.sendall(b"q" * (size - 1))
                    if select.select([client], [], [], 0.05)[0]:
                        break  # Refused.
            self.assertEqual(server.translate("I am here."), (200, {"translatedText": I_AM_HERE}))

    def test_connections_beyond_the_limit_are_told(self):
        with Server("--connections", "2") as server, server.socket(), server.socket():
            with server.socket() as third:
                third.sendall(b"GET /health HTTP/1.1\r\n\r\n")
                self.assertIn(b" 503 ", third.recv(4096))

    def test_the_command_line_says_what_is_wrong(self):
        for arguments, why in (([], "MODEL"), (["none.ltm"], "latimer-serve: none.ltm: cannot map"),
                               (["xx-yy"], "latimer-serve: xx-yy: there is no such file; latimer serve xx-yy, of"),
                               ([MODEL, "--lanes", "0"], "--lanes"),
                               ([MODEL, "--require-api-key"], "--api-keys"),
                               ([MODEL, "--host", "256.1.1.1"], "256.1.1.1"),
                               ([MODEL, "--trust-proxy", "10.0.0.0/33"], "--trust-proxy 10.0.0.0/33: give an address"),
                               ([MODEL, "--trust-proxy", "a"], "--trust-proxy a: give an address"),
                               ([MODEL, f"en-de={MODEL}"], f"en-de={MODEL}: models before it translate between"),
                               ([f"en={MODEL}"], "en-de=")):
            done = subprocess.run([os.path.join(BIN, "latimer-serve"), *arguments],
                                  capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(why, done.stderr + done.stdout)


class BehindAProxy(unittest.TestCase):
    """What a proxy says of its clients counts if it is trusted."""

    def status(self, server, **fields):
        fields = {name.replace("_", "-"): value for name, value in fields.items()}
        return server.post("/translate", {"q": "a", "source": "de", "target": "de"}, fields)[0]

    def test_clients_are_those_that_it_names(self):
        with Server("--req-limit", "1", "--trust-proxy", "127.0.0.0/8", "--trust-proxy", "2001:db8::1") as server:
            for first, then in (
                    ("192.0.2.1", {"X_Forwarded_For": "192.0.2.1:80"}),
                    ("2001:db8::2", {"X_Forwarded_For": "[2001:DB8::2]:80"}),
                    # What a client says itself is before what the proxies add.
                    ("192.0.2.2", {"X_Forwarded_For": "192.0.2.9, 192.0.2.2"}),
                    ("192.0.2.3", {"X_Forwarded_For": "192.0.2.9, 192.0.2.3, 2001:db8::1, 127.0.0.2"}),
                    ("192.0.2.4", {"Forwarded": 'for=192.0.2.9;by=a, For="192.0.2.4:80"; proto=http'}),
                    ("2001:db8::5", {"Forwarded": 'for="[2001:db8::5]:80"'}),
                    ("192.0.2.6", {"X_Forwarded_For": "192.0.2.6", "Forwarded": "for=192.0.2.9"})):
                with self.subTest(first):
                    self.assertEqual(self.status(server, X_Forwarded_For=first), 200)
                    self.assertEqual(self.status(server, **then), 429)
            self.assertEqual(self.status(server, X_Forwarded_For="192.0.2.9"), 200)
            # Of what is no address, the one that says it is the client.
            self.assertEqual(self.status(server), 200)
            for none in ("", "unknown", "192.0.2.10, x", "192.0.2.10, ", "_hidden", "1" * 5000, '"', "[", "::1:2:3:4:5:6:7:8"):
                self.assertEqual(self.status(server, X_Forwarded_For=none), 429, none)
            for none in ("", "for", "for=", 'for="', "for=_a", ";;,,==", "by=192.0.2.10", "for=192.0.2.10,"):
                self.assertEqual(self.status(server, Forwarded=none), 429, none)

    def test_others_are_not_believed(self):
        for options in ((), ("--trust-proxy", "192.0.2.0/24"), ("--trust-proxy", "126.0.0.0/8"),
                        ("--trust-proxy", "::1")):
            with Server("--req-limit", "1", *options) as server:
                self.assertEqual(self.status(server, X_Forwarded_For="192.0.2.1"), 200)
                self.assertEqual(self.status(server, X_Forwarded_For="192.0.2.2"), 429)
        with Server() as server:
            self.assertRegex(server.file_url("X-Forwarded-Proto: https", "X-Forwarded-Host: a.example"),
                             "^http://127.0.0.1:[0-9]+/download_file/")

    def test_addresses_of_files_are_what_the_client_asked(self):
        with Server("--trust-proxy", "127.0.0.1") as server:
            for fields, begin in (
                    (["X-Forwarded-Proto: https"], "https://127.0.0.1:"),
                    (["X-Forwarded-Proto: https", "Host: a.example"], "https://a.example/"),
                    (["X-Forwarded-Proto: http, HTTPS", "X-Forwarded-Host: b, a.example:8443"], "https://a.example:8443/"),
                    (["Forwarded: for=192.0.2.1;host=b, proto=https;host=\"[::1]:81\""], "https://[::1]:81/"),
                    (["X-Forwarded-Proto: javascript", "X-Forwarded-Host: a/<b>"], "http://127.0.0.1:")):
                self.assertTrue(server.file_url(*fields).startswith(begin), fields)

    @unittest.skipUnless(PROXIES, "there is no proxy")
    def test_a_proxy_says_who_asks(self):
        for kind in PROXIES:
            with (self.subTest(kind.program), Server("--req-limit", "1", "--trust-proxy", "127.0.0.1") as server,
                  kind(server.port) as proxy):
                def code(client, *more):
                    return curl("-o", os.devnull, "-w", "%{http_code}", "-d", "q=a", "-d", "source=de", "-d", "target=de",
                                "--interface", client, *more, f"http://127.0.0.1:{proxy.port}/translate")
                self.assertEqual(code("127.0.0.2"), "200")
                self.assertEqual(code("127.0.0.3"), "200")
                # A client cannot pass for another.
                self.assertEqual(code("127.0.0.3", "-H", "X-Forwarded-For: 192.0.2.1"), "429")
                self.assertEqual(code("127.0.0.3", "-H", "Forwarded: for=192.0.2.1"), "429")


class Hangup(unittest.TestCase):
    """SIGHUP opens the files anew."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.model, self.terms, self.keys = (os.path.join(self.folder.name, name) for name in (
            "en-de.ltm", "terms.tsv", "keys"))
        shutil.copy(MODEL, self.model)
        self.write(self.terms, "house\tBau\n")
        self.write(self.keys, "old\n")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, path, text):
        with open(path + ".new", "w") as out:
            out.write(text)
        os.rename(path + ".new", path)

    def hang_up(self, server):
        """What the log says of it."""
        said = len(server.log)
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: server.log[said:] and re.search("anew|as before", server.log[-1]))
        return "".join(server.log[said:])

    def is_open(self, server, suffix):
        with open(f"/proc/{server.process.pid}/maps") as maps:
            return any(line.endswith(self.model + suffix + "\n") for line in maps)

    def test_no_request_is_lost(self):
        stop = threading.Event()
        with Server("--workers", "2", "--cache", "1", models=[self.model]) as server:
            threads, outcomes = load(server, stop, 16)
            for _ in range(5):
                before = len(outcomes)
                wait_until(lambda: len(outcomes) > before + 32)
                shutil.copy(MODEL, self.model + ".new")
                os.rename(self.model + ".new", self.model)
                self.assertTrue(self.is_open(server, " (deleted)"))
                self.assertIn("anew", self.hang_up(server))
            stop.set()
            for thread in threads:
                thread.join()
            self.assertTrue(all(good for _, good in outcomes))
            # Nothing of before is kept.
            wait_until(lambda: not self.is_open(server, " (deleted)"))
            self.assertTrue(self.is_open(server, ""))
            self.hang_up(server)
            wait_until(lambda: server.metric("latimer_cache_bytes") == 0)

    def test_what_is_under_way_is_translated_by_the_model_that_began(self):
        with Server(models=[self.model]) as server:
            answers = []
            text = "Where is the station in this old town? " * 400
            client = threading.Thread(target=lambda: answers.append(server.translate(text)))
            client.start()
            wait_until(lambda: server.metric("latimer_queue_sentences") > 100)
            os.rename(self.model, self.model + ".old")
            shutil.copy(MODEL, self.model)
            self.hang_up(server)
            self.assertEqual(server.translate("I am here.")[0], 200)
            client.join()
            self.assertEqual(answers[0][0], 200)
            wait_until(lambda: not self.is_open(server, ".old"))

    def test_a_model_that_does_not_open_changes_nothing(self):
        with Server("--terms", f"a={self.terms}", models=[self.model]) as server:
            self.write(self.terms, "house\tHütte\n")
            self.write(self.model, "none")
            log = self.hang_up(server)
            self.assertIn(f"latimer-serve: {self.model}: ", log)
            self.assertIn("goes on as before", log)
            self.assertIn("Bau", server.translate("The house is big.", terms="a")[1]["translatedText"])
            os.remove(self.model)
            self.assertIn("goes on as before", self.hang_up(server))
            self.assertEqual(server.translate("I am here.")[1]["translatedText"], I_AM_HERE)

    def test_terms_and_keys_are_read_anew(self):
        with Server("--terms", f"a={self.terms}", "--api-keys", self.keys, "--require-api-key",
                    models=[self.model]) as server:
            self.assertIn("Bau", server.translate("The house is big.", terms="a", api_key="old")[1]["translatedText"])
            self.write(self.terms, "house\tHütte\n")
            self.write(self.keys, "new\n")
            self.hang_up(server)
            self.assertEqual(server.translate("a", api_key="old")[0], 403)
            self.assertIn("Hütte", server.translate("The house is big.", terms="a", api_key="new")[1]["translatedText"])
            server.process.send_signal(signal.SIGTERM)
            server.process.send_signal(signal.SIGHUP)
            self.assertEqual(server.process.wait(timeout=20), 0)


class TermsAndProtectedSpans(unittest.TestCase):
    TEXT = "The house is big."

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "shop.tsv")
        with open(self.file, "wb") as out:
            out.write("\ufeffhouse\tGebäude\r\n\r\nbook\tHeft".encode())
        self.server = self.enterContext(Server("--terms", f"shop={self.file}", "--terms", f"two={self.file}"))

    def text(self, **more):
        status, result = self.server.translate(more.pop("q", self.TEXT), **more)
        return result["translatedText"] if status == 200 else result["error"]

    def test_terms_are_given_by_name_as_an_object_or_as_lines(self):
        plain = self.text()
        self.assertNotIn("Gebäude", plain)
        for terms in ("shop", "two", {"house": "Gebäude"}, "house\tGebäude", "x\ty\r\nhouse\tGebäude\r\n"):
            self.assertIn("Gebäude", self.text(terms=terms))
            self.assertRegex(self.text(terms=terms, q="<p>The <b>house</b> is big.</p>", format="html"),
                             "<p>.*<b>.*Gebäude.*</b>.*</p>")
        for terms in ({}, "", None, {"other": "Gebäude"}):
            self.assertEqual(self.text(terms=terms), plain)
        self.assertEqual(self.text(q=[self.TEXT, "I am here."], terms="shop")[1], I_AM_HERE)

    def test_files_have_them_too(self):
        page = self.file + ".html"
        with open(page, "w", encoding="utf-8") as out:
            out.write("<p>The house is big, {name}.</p>")
        for terms in ("terms=shop", f"terms=@{self.file}"):
            answer = json.loads(curl("-F", f"file=@{page}", "-F", "source=en", "-F", "target=de", "-F", terms,
                                     "-F", "protect=true", self.server.url + "/translate_file"))
            translated = curl(answer["translatedFileUrl"])
            self.assertIn("Gebäude", translated)
            self.assertEqual(translated.count("{name}"), 1)

    def test_protected_spans_stay(self):
        text = 'I want to give <span style="color:%2$s;">%1$s</span> books to my friend.'
        translated = self.text(q=text, format="html", protect=True)
        self.assertIn('<span style="color:%2$s;">', translated)
        self.assertEqual(translated.count("%1$s"), 1, translated)
        self.assertIn("<b>{count}</b>", self.text(q="There are <b>{count}</b> books.", format="html", protect="1"))
        self.assertEqual(self.text(q="I see {name}.", protect=True).count("{name}"), 1)
        # One that is longer than a part of a sentence.
        url = "http://example.com/" + "abc1/" * 400
        for format in ("text", "html"):
            self.assertEqual(self.text(q=f"I see {url} here.", format=format, protect=True).count(url), 1)

    def test_what_is_wrong_is_said(self):
        for terms, why in (("none", "this server has shop, two."), ({"a": ""}, "none empty"), ({"": "a"}, "none empty"),
                           ({"a": 1}, "none empty"), (["a"], "not a string"), ("a\tb\tc", 'one reads "a'),
                           ({str(i): "a" for i in range(1001)}, "at most 1000 terms"),
                           ({"a": "b" * 100_000}, "at most 1000 terms of 100000 bytes"),
                           ({"house": "\U00013000"}, "house")):
            status, result = self.server.translate(self.TEXT, terms=terms)
            self.assertEqual(status, 400, (terms, result))
            self.assertIn(why, result["error"])
        self.assertEqual(self.server.translate(self.TEXT, protect="perhaps")[0], 400)
        for arguments, why in ((["--terms", self.file], "NAME=FILE"), (["--terms", "a=none.tsv"], "none.tsv"),
                               (["--terms", f"a={MODEL}"], "a tab and a target"),
                               (["--terms", f"a={self.file}", "--terms", f"a={self.file}"], "two of this name")):
            done = subprocess.run([os.path.join(BIN, "latimer-serve"), MODEL, *arguments],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stderr)

    def test_terms_are_for_one_model(self):
        with Server(models=(MODEL, f"de-fr={MODEL}")) as server:
            status, result = server.translate(self.TEXT, target="fr", terms={"house": "a"})
            self.assertEqual(status, 400)
            self.assertIn("one model", result["error"])


class Drain(unittest.TestCase):
    CLIENTS = 64

    def test_all_that_was_begun_is_answered(self):
        stop = threading.Event()
        with Server() as server:
            threads, outcomes = load(server, stop, self.CLIENTS)
            wait_until(lambda: len(outcomes) > 5 * self.CLIENTS)
            signalled = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.process.wait(timeout=30), 0)
            stop.set()
            for thread in threads:
                thread.join()
            lost = [begun for begun, good in outcomes
                    if not good and begun is not None and begun < signalled]
            self.assertEqual(lost, [])
            # Some were answered while it drained.
            self.assertTrue(any(good and begun > signalled - 0.5 for begun, good in outcomes))

    def test_a_second_signal_ends_it_at_once(self):
        with Server() as server:
            client = server.ask_in_vain("Where is the station in this old town? " * 8000)
            wait_until(lambda: server.metric("latimer_queue_sentences") > 100)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
            self.assertIsNone(server.process.poll())  # It drains.
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.process.wait(timeout=5), 128 + signal.SIGTERM)
            client.join()

    def test_a_connection_without_a_request_does_not_hold_it_up(self):
        with Server() as server, server.socket():
            begin = time.monotonic()
            server.process.send_signal(signal.SIGINT)
            self.assertEqual(server.process.wait(timeout=20), 0)
            self.assertLess(time.monotonic() - begin, 10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
