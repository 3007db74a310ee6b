"""The references of the public products as pages: DocC's own Markdown, a page for each type with its members."""
import json
import re

LINK = re.compile(r"\]\((/(?:documentation|tutorials)/[^)\s]*(?:\([^)\s]*\))?)\)")
BARE = re.compile(r"``doc://[^/`]+(/documentation/[^`]+)``")
HEAD = re.compile(r"\A<!--\n(.*?)\n-->\s*", re.S)


class Symbols:
    """The pages of one product's archive, by their paths below `/documentation`, in lower case as files have them."""

    def __init__(self, archive):
        self.root = archive / "data" / "documentation"
        self.files = {str(file.relative_to(self.root))[:-3].lower(): file for file in self.root.rglob("*.md")}

        self.tutorials = sorted((archive / "data" / "tutorials").glob("*/*.md"))

    def children(self, path):
        depth = path.count("/") + 1
        return sorted(one for one in self.files if one.startswith(path + "/") and one.count("/") == depth)


def parts(file):
    """What DocC says of a page, and its text without the title."""
    text = file.read_text(encoding="utf-8")
    about = json.loads(HEAD.match(text)[1])
    text = HEAD.sub("", text)
    text = re.sub(r"\A# .*\n", "", text).strip()
    # DocC's fences of declarations name no language.
    text = re.sub(r"\A((?:[^`]|`(?!``))*)```\n", r"\1```swift\n", text)
    return about, text


def lower_headings(text, by):
    """Headings some levels lower, outside of code."""
    lines, is_code = [], False
    for line in text.split("\n"):
        is_code ^= line.startswith("```")
        lines.append("#" * by + line if line.startswith("#") and not is_code else line)
    return "\n".join(lines)


def anchor(name):
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


class Writer:
    def __init__(self, folder, known):
        self.folder = folder
        self.known = known  # paths of all products

    def address(self, target):
        """Where a symbol of any product stands, seen from a page in a product's folder; None if nowhere."""
        names = target.removeprefix("/documentation/").lower().split("/")
        if "/".join(names) not in self.known:
            return None
        if len(names) == 1:
            return f"../{names[0]}/index.md"
        place = f"../{names[0]}/{anchor(names[1])}.md"
        return place if len(names) == 2 else f"{place}#{anchor('/'.join(names[2:]))}"

    def linked(self, text):
        def link(match):
            address = self.address(match[1])
            return f"]({address})" if address else "](#)"

        def bare(match):
            name, address = match[1].split("/")[-1], self.address(match[1])
            return f"[`{name}`]({address})" if address else f"`{name}`"
        text = LINK.sub(link, BARE.sub(bare, text))
        return re.sub(r"\[([^\]]*)\]\(#\)", r"\1", text)

    def members(self, symbols, path, depth=2):
        lines = []
        for child in symbols.children(path):
            about, text = parts(symbols.files[child])
            inside = child.split("/", 2)[2]
            title = about["title"].replace("_", "\\_").replace("*", "\\*")
            lines += [f"{'#' * min(depth, 6)} {title} {{ #{anchor(inside)} }}", "",
                      f"*{about['role']}*" if about.get("role") else "", "", lower_headings(text, depth), ""]
            lines += self.members(symbols, child, depth + 1)
        return lines

    def page(self, symbols, path):
        about, text = parts(symbols.files[path])
        lines = [f"# {about['title']}", "", f"*{about['role']}, module {about['framework']}*", "", text, ""]
        return about["title"], self.linked("\n".join(lines + self.members(symbols, path)))

    def product(self, name, symbols):
        """Writes a product's pages, and returns its part of the navigation."""
        module = name.lower()
        folder = self.folder / module
        folder.mkdir(parents=True)
        _, text = parts(symbols.files[module])
        rows, entries = [], []
        for child in symbols.children(module):
            title, page = self.page(symbols, child)
            file = f"{anchor(child.split('/')[1])}.md"
            (folder / file).write_text(page, encoding="utf-8")
            rows.append(f"- [{title}]({file})")
            entries.append({title: f"reference/{module}/{file}"})
        for tutorial in symbols.tutorials:
            about, text = parts(tutorial)
            text = re.sub(r"^```\n(.*?)^```$", r"```swift\n\1```", text, flags=re.M | re.S)
            (folder / tutorial.name).write_text(f"# {about['title']}\n\n{self.linked(text)}\n", encoding="utf-8")
            rows.insert(0, f"- Tutorial: [{about['title']}]({tutorial.name})")
            entries.insert(0, {about["title"]: f"reference/{module}/{tutorial.name}"})
        index = f"# {name}\n\n{self.linked(text)}\n\n" + "\n".join(rows) + "\n"
        (folder / "index.md").write_text(index, encoding="utf-8")
        return {name: [f"reference/{module}/index.md", *entries]}


def write(archives, folder):
    """Writes the pages of all products, and returns their navigation."""
    products = {archive.name: Symbols(archive) for archive in sorted(archives.iterdir()) if archive.is_dir()}
    known = {path for symbols in products.values() for path in symbols.files}
    writer = Writer(folder, known)
    return [writer.product(name, symbols) for name, symbols in products.items()]
