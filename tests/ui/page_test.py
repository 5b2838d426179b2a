"""What a reader does with the pages, in Chromium, at two widths, light and dark.

page_test.py CHROMIUM server BIN MODEL: the page of BIN/latimer-serve.
page_test.py CHROMIUM site SITE: the page that translates in the browser.
MODEL and the model of SITE are the English-German demo model.
"""
import contextlib
import os
import sys
import unittest

from chromium import Chromium
from pages import ROOT, at, latimer_serve, site

CHROMIUM, KIND, PLACE, *MODEL = sys.argv[1:]
IS_SERVER = KIND == "server"
with open(os.path.join(ROOT, "tests/data/demo_texts.tsv"), encoding="utf-8") as file:
    TEXTS = dict(line.rstrip("\n").split("\t") for line in file if line.count("\t") == 1)
HERE, BOOK, MORNING = (TEXTS[text] for text in ("I am here.", "I have not read the book yet.", "Good morning."))


TRANSLATION = at("translation") + ".textContent"
DONE = at("translation") + ".ariaBusy === 'false'"
FOCUSED = "document.activeElement"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.browser = cls.stack.enter_context(Chromium(CHROMIUM))
        page = latimer_serve(PLACE, *MODEL, "--char-limit", "500") if IS_SERVER else site(PLACE)
        cls.url = cls.stack.enter_context(page)

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def setUp(self):
        self.browser.complaints.clear()
        self.open()

    def tearDown(self):
        self.assertEqual(self.browser.complaints, [])

    def open(self, url=None, width=1100, **how):
        self.browser.show(width, 800, **how)
        self.browser.open(url or self.url)
        self.browser.until(f"{at('direction')}.textContent.includes(' to ')")

    def write(self, text):
        self.browser.run(f"{at('text')}.focus(), {at('text')}.select()")
        self.browser.type(text)

    def shows(self, translation):
        try:
            self.browser.until(f"{TRANSLATION} === {translation!r} && {DONE} && {at('message')}.textContent === ''")
        except AssertionError:
            self.assertEqual(self.browser.run(TRANSLATION), translation)
            raise

    def test_languages_come_first_and_facts_of_the_model_last(self):
        self.assertIn(self.browser.run(f"{at('direction')}.textContent"),
                      ("English to German", "Any language to German"))
        self.assertEqual(self.browser.run(f"{at('target-only')}.textContent"), "German")
        if not IS_SERVER:
            self.assertRegex(self.browser.run("document.querySelector('footer').innerText"),
                             r"en-de\.ltm: int8, [\d.]+ MB, loaded in \d+ ms, memory [\d.]+ MB")
            self.assertTrue(self.browser.run(f"{at('source-only')}.checkVisibility()"))

    def test_the_boxes_are_of_one_height_and_nothing_is_wider_than_the_page(self):
        boxes = ("[...document.querySelectorAll('.card')].map((card) => card.getBoundingClientRect())"
                 ".map(({ height, width }) => [height, width])")
        self.write("Good morning. " * 30)
        self.browser.until(f"{TRANSLATION}.length > 300 && {DONE}")
        left, right = self.browser.run(boxes)
        self.assertEqual(left, right)
        for width in (390, 320):
            self.browser.show(width, 800, phone=True)
            self.assertEqual(self.browser.run("document.documentElement.scrollWidth"), width)
            self.assertTrue(all(one <= width - 32 for _, one in self.browser.run(boxes)))

    def test_text_has_a_contrast_of_4_5_and_more_in_light_and_dark(self):
        self.write("I am here.")
        self.shows(HERE)
        for dark in (False, True):
            self.browser.show(1100, 800, dark=dark)
            self.assertEqual(self.browser.run(CONTRASTS), [])

    def test_nothing_tells_a_phone_to_drop_files(self):
        drop = "document.body.innerText.includes('drop one')"
        self.assertEqual(self.browser.run(drop), not IS_SERVER)
        for width in (390, 1024):  # The latter is a tablet.
            self.open(width=width, phone=True)
            self.assertFalse(self.browser.run(drop))

    def test_all_that_can_be_used_has_a_name_and_can_be_reached_by_keyboard(self):
        self.write("I am here.")
        self.shows(HERE)
        tree = self.browser.send("Accessibility.getFullAXTree")["nodes"]
        names = {(node["role"]["value"], node["name"]["value"]) for node in tree
                 if "name" in node and not node["ignored"]}
        self.assertLessEqual({("textbox", "Text"), ("button", "Clear"), ("button", "Copy"), ("button", "Ich"),
                              ("heading", "English to German"), ("status", "Translation")}, names)
        self.assertNotIn("", {name for role, name in names if role in ("button", "combobox", "textbox", "link")})
        self.browser.press("Tab")
        self.assertEqual(self.browser.run(f"{FOCUSED}.id"), "clear")
        self.browser.press("Tab")
        self.assertEqual(self.browser.run(f"{FOCUSED}.textContent"), "Ich")
        self.browser.press("Tab")
        self.assertEqual(self.browser.run(f"{FOCUSED}.id"), "copy")

    def test_a_word_is_replaced_with_the_mouse_and_then_another(self):
        self.write("I am here. I am here.\n\nI have not read the book yet.")
        self.shows(f"{HERE} {HERE}\n\n{BOOK}")
        self.browser.click("[...document.querySelectorAll('.word')].find((word) => word.textContent === 'bin')")
        first = self.browser.until(f"{at('words')}.matches(':popover-open') && {at('words')}.firstChild.textContent")
        self.assertNotRegex(first, r"^bin\b")
        self.browser.click(f"{at('words')}.firstChild")
        replaced = f"Ich {first}"
        self.shows(f"{replaced} {replaced}\n\n{BOOK}")
        self.assertFalse(self.browser.run(f"{at('words')}.matches(':popover-open')"))
        self.browser.click("[...document.querySelectorAll('.word')].find((word) => word.textContent === 'das')")
        second = self.browser.until(f"{at('words')}.matches(':popover-open') && {at('words')}.firstChild.textContent")
        self.browser.click(f"{at('words')}.firstChild")
        self.shows(f"{replaced} {replaced}\n\nIch habe {second}")
        # What was chosen stays while another sentence is written.
        self.write("I am here. Good morning.")
        self.shows(f"{replaced} {MORNING}")

    def test_a_word_is_replaced_by_keyboard(self):
        self.write("I am here.")
        self.shows(HERE)
        self.browser.press("Tab", "Tab", "ArrowRight")
        self.assertEqual(self.browser.run(f"[{FOCUSED}.textContent, {FOCUSED}.getAttribute('aria-expanded')]"),
                         ["bin", "false"])
        self.browser.press("Enter")
        self.browser.until(f"{FOCUSED}.role === 'option'")
        self.assertEqual(self.browser.run(f"{at('words')}.ariaLabel"), "Instead of “bin”")
        self.browser.press("Escape")
        self.browser.until(f"{FOCUSED}.textContent === 'bin' && {FOCUSED}.ariaExpanded === 'false'")
        self.browser.press(" ")
        self.browser.until(f"{FOCUSED}.role === 'option'")
        self.browser.press("ArrowDown")
        second = self.browser.run(f"{FOCUSED}.textContent")
        self.assertEqual(second, self.browser.run(f"{at('words')}.children[1].textContent"))
        self.browser.press("Enter")
        self.shows(f"Ich {second}")
        self.assertTrue(second.startswith(self.browser.run(f"{FOCUSED}.textContent")))
        self.browser.press("Home", "Enter")  # The first word has nothing before it.
        self.browser.until(f"{FOCUSED}.role === 'option'")
        third = self.browser.run(f"{FOCUSED}.textContent")
        self.browser.press("Enter")
        self.shows(third)

    def test_alternatives_of_one_sentence_take_its_place(self):
        self.write("I have not read the book yet.")
        self.shows(BOOK)
        button = f"{at('alternatives')}.querySelector('button')"
        other = self.browser.run(f"{button}.textContent")
        self.assertNotEqual(other, BOOK)
        self.browser.click(button)
        self.shows(other)
        self.assertEqual(self.browser.run(f"{button}.textContent"), BOOK)
        self.write("I am here. Good morning.")
        self.shows(f"{HERE} {MORNING}")
        self.assertFalse(self.browser.run(f"{at('others')}.checkVisibility()"))

    def test_copy_and_clear(self):
        self.browser.send("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self.write("I am here.")
        self.shows(HERE)
        self.browser.click(at("copy"))
        self.browser.until(f"{at('message')}.textContent === 'Copied.'")
        self.assertEqual(self.browser.run("navigator.clipboard.readText()"), HERE)
        self.browser.click(at("clear"))
        self.shows("")
        self.assertEqual(self.browser.run(f"[{at('text')}.value, {FOCUSED}.id, {at('copy')}.disabled]"),
                         ["", "text", True])

    def test_without_a_way_back_there_is_no_swap(self):
        self.assertFalse(self.browser.run(f"{at('swap')}.checkVisibility()"))

    @unittest.skipUnless(IS_SERVER, "the site has one model")
    def test_swap_takes_the_translation_as_text(self):
        with latimer_serve(PLACE, *MODEL, f"de-en={MODEL[0]}") as url:
            self.open(url)
            self.write("I am here.")
            self.shows(HERE)
            self.browser.click(at("swap"))
            self.browser.until(f"{at('text')}.value === {HERE!r}")
            self.browser.until(f"{at('direction')}.textContent === 'German to English'")
            self.browser.open("about:blank")  # Before the server ends.

    @unittest.skipUnless(IS_SERVER, "the site has no limit")
    def test_a_text_that_is_too_long_is_kept_and_not_sent(self):
        self.write("Good morning. " * 40)
        self.browser.until(f"/too long/.test({at('message')}.textContent)")
        self.assertEqual(self.browser.run(f"[{at('count')}.textContent, {at('text')}.value.length]"),
                         ["560 of 500 characters", 560])
        self.write("I am here.")
        self.shows(HERE)

    @unittest.skipUnless(IS_SERVER, "the site detects nothing")
    def test_a_text_that_is_in_the_target_language_stays(self):
        if self.browser.run(f"{at('source')}.value") != "auto":
            self.skipTest("this server cannot detect languages")
        text = "Das ist ein deutscher Satz, der so bleibt."
        self.write(text)
        self.shows(text)
        self.assertEqual(self.browser.run(f"{at('direction')}.textContent"), "German to German")
        self.assertFalse(self.browser.run(f"{at('hint')}.checkVisibility()"))

    @unittest.skipUnless(IS_SERVER, "the site has none")
    def test_the_interface_is_described(self):
        self.browser.open(self.url + "docs")
        self.browser.until("[...document.querySelectorAll('h2')].some((h) => h.textContent === 'POST /translate')")
        self.assertEqual(self.browser.run(CONTRASTS), [])
        self.browser.show(390, 800, phone=True)
        self.assertEqual(self.browser.run("document.documentElement.scrollWidth"), 390)

    @unittest.skipIf(IS_SERVER, "the server does not show it")
    def test_attention_is_drawn_when_it_is_opened(self):
        self.write("I am here.")
        self.shows(HERE)
        self.assertFalse(self.browser.run(f"{at('attention')}.checkVisibility()"))
        self.browser.click("document.querySelector('#attention-details summary')")
        self.browser.until("document.querySelectorAll('#attention tbody tr').length > 3")


# Texts whose contrast with what is behind them is below 4.5, by WCAG 2.2.
CONTRASTS = """(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const over = (colors) => {
    for (const color of colors) { canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => rgb.map((v) => v / 255)
    .map((v) => (v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const found = [];
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility() || element.matches(":disabled, option, script, .unseen")) continue;
    const behind = [];
    for (let e = element; e; e = e.parentElement) behind.unshift(getComputedStyle(e).backgroundColor);
    const [a, b] = [luminance(over(behind)), luminance(over([...behind, getComputedStyle(element).color]))];
    const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (contrast < 4.5) found.push(`${element.outerHTML.slice(0, 80)}: ${contrast.toFixed(2)}`);
  }
  return found;
})()"""


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
