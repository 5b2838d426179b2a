"""What mkdocs does otherwise for this repository: its pages stay where they are.

Every Markdown file of the repository is a page at its own path, and so are the pictures beside them; what other tools
made is in the folder LATIMER_SITE_PARTS. Links between pages work as they stand. One to a folder leads to its README.md,
one to the public headers to their reference, and one to another file of the repository to `repo_url`, or nowhere if there
is none.
"""

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
    return files


def on_page_markdown(markdown, page, config, files):
    """Leaves the links that lead to pages of the site, and says where the others lead."""
    folder = posixpath.dirname(page.file.src_uri)

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

    parts = CODE.split(markdown)
    parts[::2] = [DEFINITION.sub(definition, LINK.sub(inline, text)) for text in parts[::2]]
    return "".join(parts)
