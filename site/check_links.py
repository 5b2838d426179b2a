#!/usr/bin/env python3
"""Checks the links between the files of a built site, also in what mkdocs did not write: check_links.py SITE"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(values[name] for name in ("id", "name") if values.get(name))
        self.links += [values[name] for name in ("href", "src") if values.get(name)]


def main():
    site = Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    errors, checked = [], 0
    for path, page in pages.items():
        if path == site / "404.html":  # Its links are those of the published site.
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            checked += 1
            to = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if to.is_dir():
                to /= "index.html"
            anchor = unquote(parts.fragment)
            if not to.is_file():
                errors.append(f"{path.relative_to(site)}: {link} leads nowhere.")
            elif anchor and to in pages and anchor not in pages[to].anchors:
                errors.append(f"{path.relative_to(site)}: {link} is no place of that page.")
    if errors or checked < 1000:
        sys.exit("\n".join([*errors, f"{len(errors)} of {checked} links are wrong, or it is no site."]))
    print(f"{checked} links of {len(pages)} pages lead somewhere")


if __name__ == "__main__":
    main()
