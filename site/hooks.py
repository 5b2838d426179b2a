"""What mkdocs does otherwise for this repository: its pages stay where they are.

Every Markdown file of the repository is a page at its own path, and so are the pictures beside them; what other tools
made is in the folder LATIMER_SITE_PARTS. Links between pages work as they stand. One to a folder leads to its
README.md, one to the public headers to their reference, and one to another file of the repository to `repo_url`, or
nowhere if there is none.

`nav` may have patterns. A page without a title there is that of its section; others are listed in it, also a README.
What a page begins with describes it elsewhere, and the search has pages for users first.
"""

import fnmatch
import html
import os
import posixpath
import re
import subprocess
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
# The public headers and their reference.
HEADERS = re.compile(r"runtime/include/latimer(/\w+(?=\.h$)|$)(\.h)?")
LINK = re.compile(r"\[((?:[^][]|\[[^]]*\])*)\]\(([^)\s]+)\)")
DEFINITION = re.compile(r"^\[([^]]+)\]: (\S+)$", re.M)
CODE = re.compile(r"^(```.*?^```$)", re.M | re.S)
ROW = re.compile(r"^\|.*", re.M)
# Other pages have 1.
BOOSTS = {
    r"(docs/notes|tests/(?!bench)|site|ui)/|CONTRIBUTING|RELEASING|CHANGELOG|SECURITY|docs/README|.*LICENSE": 0.2,
    r"reference/|runtime/": 0.5,
    r"docs/tutorials/": 2,
}
# Characters that a search engine or a messenger shows.
LONGEST_DESCRIPTION = 200


def expanded(nav, paths):
    """With the pages that match in place of each pattern; `paths` are those that have no line of their own."""
    if isinstance(nav, dict):
        return {title: expanded(below, paths) for title, below in nav.items()}
    if isinstance(nav, str):
        return nav
    return [one for entry in nav for one in (fnmatch.filter(paths, entry) if isinstance(entry, str) and "*" in entry
                                             else [expanded(entry, paths)])]


def lines_of(nav):
    """Each page that has a line, and whether the line has a title for it."""
    for entry in nav:
        if isinstance(entry, str):
            yield entry, False
            continue
        for below in entry.values():
            yield from [(below, True)] if isinstance(below, str) else lines_of(below)


def on_files(files, config):
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "*.md", "*.svg", "*.png"],
                            capture_output=True, text=True, check=True).stdout.split()
    for path in listed:
        if not path.startswith(("site/pages/", "tests/data/")):
            files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    # README.md is not the home page, which is pages/index.md.
    overview = files.get_file_from_path("README.md")
    overview.dest_uri = "overview/index.html"
    overview.url = "overview/"
    parts = Path(os.environ["LATIMER_SITE_PARTS"])
    for path in sorted(parts.rglob("*")):
        # Other tools' READMEs are no pages.
        if path.is_file() and (path.suffix != ".md" or path.is_relative_to(parts / "reference/cpp")):
            files.append(File.generated(config, path.relative_to(parts).as_posix(), abs_src_path=str(path)))
    colours = re.search(r":root \{\n.*?\n\}\n", (ROOT / "ui/style.css").read_text(encoding="utf-8"), re.S)[0]
    files.append(File.generated(config, "assets/colours.css", content=colours))
    lines = dict(lines_of(config.nav))
    config.nav = expanded(config.nav, sorted(file.src_uri for file in files if file.src_uri not in lines))
    for path, has_title in lines.items():
        file = files.get_file_from_path(path)
        if file and has_title and file.url:  # The URL is made of the name.
            file.name = "page"
    return files


def on_page_markdown(markdown, page, config, files):
    """Leaves the links that lead to pages of the site, and says where the others lead."""
    folder = posixpath.dirname(page.file.src_uri)
    for pattern, boost in BOOSTS.items():
        if re.match(pattern, page.file.src_uri):
            page.meta["search"] = {"boost": boost}

    def place(link):
        """Of a relative link; "" if the site does not have it."""
        path, hash_, anchor = link.partition("#")
        if re.match(r"\w+:", link) or not path:
            return link
        path = posixpath.normpath(posixpath.join(folder, path))
        header = HEADERS.sub(lambda match: f"reference/cpp{match[1] or '/index'}.md", path)
        for found in (header, posixpath.join(path, "README.md")):
            if files.get_file_from_path(found):
                return posixpath.relpath(found, folder or ".") + hash_ + anchor
        if not (ROOT / path).exists():
            return link  # mkdocs complains.
        return f"{config.repo_url.rstrip('/')}/blob/main/{path}" if config.repo_url else ""

    def inline(match):
        to = place(match[2])
        return f"[{match[1]}]({to})" if to else match[1]

    def definition(match):
        return f"[{match[1]}]: {place(match[2]) or match[2]}"

    def row(match):
        """GitHub wants a backslash before a | in code, Python-Markdown does not."""
        return re.sub(r"`[^`]+`", lambda code: code[0].replace("\\|", "|"), match[0])

    parts = CODE.split(markdown)
    parts[::2] = [ROW.sub(row, DEFINITION.sub(definition, LINK.sub(inline, text))) for text in parts[::2]]
    return "".join(parts)


def words(content):
    """Of HTML."""
    return " ".join(html.unescape(re.sub(r"<a class=\"headerlink.*?</a>|<[^>]+>", "", content, flags=re.S)).split())


def on_page_content(content, page, config, files):
    """The title of the window is the heading, which says more than the line in `nav`."""
    heading = re.search(r"<h1[^>]*>(.*?)</h1>\s*(?:<p><(?:em|img).*?</p>\s*)*(?:<p>(.*?)</p>)?", content, re.S)
    if not heading:
        return content
    if (title := words(heading[1])) != config.site_name:
        page.meta.setdefault("title", title)
    text = words(heading[2] or "")
    if len(text) > LONGEST_DESCRIPTION:
        begin, end, _ = text[:LONGEST_DESCRIPTION].rpartition(". ")
        text = begin + end.strip() or f"{text[: LONGEST_DESCRIPTION - 2]} …"
    if text:
        page.meta.setdefault("description", text)
    return content
