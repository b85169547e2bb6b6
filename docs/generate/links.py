"""Follows every link between the built pages, to its file and its place in it; says which lead nowhere.

    python docs/generate/links.py FOLDER
"""

import html.parser
import os
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """What a page links to, and the places in it that can be linked to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places = [], {""}
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        """Notes links and places."""
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name == "id" or name == "name" and tag == "a":
                self.places.add(value)


def dead_links(folder):
    """(page, link) for each link of the pages below `folder` that leads nowhere, and how many links there are."""
    paths = [os.path.join(path, name) for path, _, names in os.walk(folder) for name in names if name.endswith(".html")]
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
    target = os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path)) if parts.path else path
    target = os.path.normpath(os.path.join(target, "index.html") if os.path.isdir(target) else target)
    if target in pages:
        return urllib.parse.unquote(parts.fragment) in pages[target].places
    return os.path.exists(target)


def main():
    """Prints the links that lead nowhere; the exit code says whether there are any."""
    dead, count = dead_links(sys.argv[1])
    for page, link in dead:
        print(f"{page}: {link} leads nowhere")
    print(f"{count} links followed, {len(dead)} lead nowhere")
    return 1 if dead or not count else 0


if __name__ == "__main__":
    sys.exit(main())
