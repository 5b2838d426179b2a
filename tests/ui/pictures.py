#!/usr/bin/env python3
"""Takes the pictures of the pages in docs/: pictures.py CHROMIUM BIN MODEL SITE

docs/server.png is the page of BIN/latimer-serve, docs/web.png that of the folder SITE. MODEL and the model of SITE are
the English-German demo model.
"""
import os
import sys

from chromium import Chromium
from pages import ROOT, at, latimer_serve, site

TEXT = "Good morning. Where is the station?\n\nI have not read the book yet."


def write(browser, url):
    browser.open(url)
    browser.until(f"{at('direction')}.textContent.includes(' to ')")
    browser.run(f"{at('text')}.select()")
    browser.type(TEXT)
    browser.until(f"/Morgen[^]*gelesen/.test({at('translation')}.textContent) "
                  f" && {at('translation')}.ariaBusy === 'false'")


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    program, programs, model, folder = sys.argv[1:]
    with Chromium(program) as browser:
        browser.show(1000, 700)
        with latimer_serve(programs, model, f"de-en={model}") as url:
            write(browser, url)
            browser.click("[...document.querySelectorAll('.word')].find((word) => word.textContent === 'habe')")
            browser.until(f"{at('words')}.matches(':popover-open')")
            browser.picture(os.path.join(ROOT, "docs/server.png"))
            browser.open("about:blank")
        browser.show(1000, 700)
        with site(folder) as url:
            write(browser, url)
            browser.run("document.querySelector('#attention-details').open = true")
            browser.until("document.querySelectorAll('#attention tbody tr').length > 6")
            browser.run(f"{at('text')}.blur(), scrollTo(0, 0)")
            browser.picture(os.path.join(ROOT, "docs/web.png"))
        browser.show(390, 800, phone=True, dark=True)
        with site(folder) as url:
            write(browser, url)
            browser.run(f"{at('text')}.blur(), scrollTo(0, 0)")
            browser.picture(os.path.join(ROOT, "docs/web-phone.png"))


if __name__ == "__main__":
    main()
