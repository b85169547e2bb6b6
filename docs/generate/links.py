"""Checks every link between the built pages, including its anchor, and prints the dead ones.

python docs/generate/links.py FOLDER
"""

import html.parser
import os
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The links of a page, and the anchors in it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], {""}
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        """Records links and anchors."""
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name == "id" or name == "name" and tag == "a":
                self.anchors.add(value)


def dead_links(folder):
    """Returns (page, link) for each dead link of the pages below `folder`,
    and the number of links.
    """
    paths = [
        os.path.join(path, name)
        for path, _, names in os.walk(folder)
        for name in names
        if name.endswith(".html")
    ]
    pages = {os.path.normpath(path): Page(path) for path in paths}
    dead, count = [], 0
    for path, page in sorted(pages.items()):
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            if os.path.basename(path) != "404.html" and not _leads(path, parts, pages):
                dead.append((os.path.relpath(path, folder), link))
    return dead, count


def _leads(path, parts, pages):
    target = (
        os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path))
        if parts.path
        else path
    )
    target = os.path.normpath(
        os.path.join(target, "index.html") if os.path.isdir(target) else target
    )
    if target in pages:
        return urllib.parse.unquote(parts.fragment) in pages[target].anchors
    return os.path.exists(target)


def main():
    """Prints the dead links, and returns 1 if there is one or if the pages contain no links."""
    dead, count = dead_links(sys.argv[1])
    for page, link in dead:
        print(f"{page}: dead link {link}")
    print(f"{count} links checked, {len(dead)} dead")
    return 1 if dead or not count else 0


if __name__ == "__main__":
    sys.exit(main())
