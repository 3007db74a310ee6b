"""Reads a built site: every link within it leads somewhere, and nothing is loaded from another host."""
import html.parser
import pathlib
import sys
import urllib.parse

# What a browser fetches by itself; links that a reader follows are not among them.
LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("link", "href")}
# Names of pages and not of files.
NOT_LOADED = {"canonical", "next", "prev", "alternate"}


class Page(html.parser.HTMLParser):
    def __init__(self, file):
        super().__init__()
        self.links, self.loaded, self.anchors = [], [], set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(value for name, value in attributes if name in ("id", "name") and value)
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        for name, value in attributes:
            if (tag, name) in LOADED and value and values.get("rel") not in NOT_LOADED:
                self.loaded.append(value)


def problems(folder):
    site = {file: Page(file) for file in folder.rglob("*.html")}
    found = []
    for file, page in site.items():
        name = file.relative_to(folder)
        for address in page.loaded:
            if urllib.parse.urlsplit(address).netloc:
                found.append(f"{name}: loads {address} from another host")
        for address in page.links + page.loaded:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = file
            if parts.path:
                base = folder / parts.path.lstrip("/") if parts.path.startswith("/") else file.parent / parts.path
                target = pathlib.Path(urllib.parse.unquote(str(base))).resolve()
                target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                found.append(f"{name}: {address} leads nowhere")
            elif parts.fragment and target in site:
                if urllib.parse.unquote(parts.fragment) not in site[target].anchors | {"__top"}:
                    found.append(f"{name}: {address} names no place of that page")
    for style in folder.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        if "url(http" in text or "url(//" in text or "@import" in text:
            found.append(f"{style.relative_to(folder)}: loads from another host")
    return found, len(site)


def main(folder):
    found, count = problems(folder)
    for problem in found:
        print(problem, file=sys.stderr)
    print(f"{folder}: {count} pages, {len(found)} problems")
    sys.exit(1 if found else 0)
