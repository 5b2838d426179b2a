#!/usr/bin/env python3
"""Looks at a built site in Chromium as a reader does: look.py SITE PICTURES

Some pages of each kind at three widths, light and dark: nothing is wider than the window, axe-core finds nothing
serious, the browser does not complain, the first page translates and leaves the focus where it is, and the search has
the page that a reader wants among the first five. PICTURES gets what was seen.
"""

import importlib.util
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/ui"))
from chromium import Chromium  # noqa: E402
from pages import site  # noqa: E402

WIDTHS = (360, 768, 1280)
PAGES = ("", "overview/", "docs/translate/", "targets/", "reference/cpp/latimer/", "reference/python/",
         "reference/javascript/", "docs/tutorials/device/", "docs/notes/2026-11-23-terms/")
# What a reader types, and a page that answers.
SEARCHES = {
    "beam": "docs/translate/#beams",
    "html": "docs/translate/#html",
    "raspberry pi": "docs/tutorials/device/",
    "quantize": "converter/",
    "out of memory": "targets/#out-of-memory",
    "length penalty": "docs/translate/#beams",
    "glossary": "docs/tutorials/shop/",
    "latimer_translate": "reference/cpp/latimer/#latimer_translate",
    "translate_batch": "reference/python/#latimer.Translator.translate_batch",
    "android": "bindings/java/#android",
}
FOUND = ("[...document.querySelectorAll('.md-search-result__item')].slice(0, 5)"
         ".flatMap((page) => [...page.querySelectorAll('a')].map(({ href }) => href.replace(/\\?[^#]*/, '')))")
INSIDE = "document.querySelector('iframe.translator').contentDocument"


def axe():
    folder = importlib.util.find_spec("axe_playwright_python").submodule_search_locations[0]
    return (Path(folder) / "axe.min.js").read_text(encoding="utf-8")


def main():
    folder, pictures = sys.argv[1], Path(sys.argv[2])
    program = shutil.which("chromium") or sys.exit("chromium is missing: apt-get install chromium.")
    pictures.mkdir(parents=True, exist_ok=True)
    errors, script = [], axe()
    with site(folder) as url, Chromium(program) as browser:
        for page in PAGES:
            for width, dark in [(width, False) for width in WIDTHS] + [(WIDTHS[-1], True)]:
                where = f"{page or 'the first page'}, {width} px{', dark' * dark}"
                browser.complaints.clear()
                browser.show(width, 800, dark=dark, phone=width < 500)
                browser.open(url + page)
                if not page:
                    browser.run("document.querySelector('button.translator:not([hidden])')?.click()")
                    browser.until(f"{INSIDE}?.getElementById('translation')?.textContent.includes('Buch')", 120)
                    if browser.run("document.activeElement !== document.body || scrollY > 0"):
                        errors.append(f"{where}: it takes the focus.")
                name = (page.strip("/").replace("/", "-") or "index") + f"-{width}{'-dark' * dark}.png"
                browser.picture(pictures / name)
                wide = browser.run("document.documentElement.scrollWidth")
                if wide > width:
                    errors.append(f"{where}: it is {wide} px wide.")
                browser.run(f"(() => {{ {script}; }})()")
                found = browser.run("axe.run(document, { resultTypes: ['violations'] })"
                                    ".then(({ violations }) => violations.map(({ id, impact, help, nodes }) =>"
                                    " ({ id, impact, help, nodes: nodes.map(({ html }) => html.slice(0, 200)) })))")
                errors += [f"{where}: {one['help']} ({one['id']}): {one['nodes'][0]} and {len(one['nodes']) - 1} more"
                           for one in found if one["impact"] in ("serious", "critical")]
                errors += [f"{where}: {complaint}" for complaint in browser.complaints]
        browser.show(WIDTHS[-1], 800)
        for words, wanted in SEARCHES.items():
            browser.open(url)
            browser.run("document.querySelector('input[name=query]').focus()")
            browser.type(words)
            try:
                first = browser.until(f"(() => {{ const found = {FOUND}; return found.length && found; }})()", 60)
            except AssertionError:
                first = []
            if not any(place.endswith(wanted) for place in first):
                errors.append(f"The search for “{words}” has no {wanted} among the first five, but {first}.")
    if errors:
        sys.exit("\n".join(errors))
    print(f"{len(PAGES)} pages at {len(WIDTHS)} widths, {len(SEARCHES)} searches; pictures in {pictures}")


if __name__ == "__main__":
    main()
