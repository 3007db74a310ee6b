"""The pages of the documentation, and the fenced blocks and code spans in them.

A page says how a block is checked in an HTML comment, which readers do not see, on the lines above the block's fence:

    <!-- check: in delegate -->              swift: the block stands in the context script/lib/docs/contexts/delegate.swift
    <!-- check: schema CampaignRequest -->   json: valid by that schema of openapi.yaml; "partial": without required members
    <!-- check: arguments "$TOKEN" -->       python, js, ruby, php: arguments of the program
    <!-- check: prints $SIGNATURE -->        python, js, ruby, php: what the program prints
    <!-- check: file NAME -->                any: the file that the page's other blocks use, relative to their folder
    <!-- check: background until COMMAND --> sh: runs beside the blocks below it, which begin once COMMAND succeeds
    <!-- check: proved by COMMAND -->        sh: what must succeed after the block, within 20 seconds
    <!-- check: status 202 -->               http: the status that is expected in place of 2xx
    <!-- check: not run: REASON -->          any: its syntax is checked, and the commands, options and paths that it names

`<!-- page: own servers -->` in a page: no server and no simulator run beside its blocks, because it starts them itself.
`<!-- path: NAME -->` begins a path, which script/paths walks; it starts its servers itself too.
"""
import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
FENCE = re.compile(r"^(\s*)(```+)\s*([^\s`]*)\s*$")
MARKER = re.compile(r"^\s*<!-- check: (.*?) -->\s*$")
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


@dataclasses.dataclass
class Block:
    page: str
    line: int  # of the first line of code
    language: str
    text: str
    markers: list
    path: str = ""  # the name of the path that it belongs to

    @property
    def place(self):
        return f"{self.page}:{self.line}"

    def marker(self, name):
        """What follows the name in its marker; None without such a marker."""
        for marker in self.markers:
            if marker == name or marker.startswith((name + " ", name + ":")):
                return marker[len(name):].lstrip(": ").strip()
        return None

    @property
    def reason_not_to_run(self):
        return self.marker("not run")


@dataclasses.dataclass
class Page:
    path: str
    blocks: list
    spans: list  # (line, text) of inline code
    has_own_servers: bool


def paths():
    """README, guides and the pages of examples and deployment, by their paths in the repository."""
    found = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
    for folder in ("docs", "Examples", "deploy"):
        found += sorted((ROOT / folder).rglob("*.md"))
    return [path.relative_to(ROOT) for path in found if path.exists() and ".build" not in path.parts]


def read(path):
    """The page, and what is wrong with its fences."""
    lines = (ROOT / path).read_text(encoding="utf-8").split("\n")
    page, problems = Page(str(path), [], [], False), []
    fence, markers, start, code, path_name = None, [], 0, [], ""
    for number, line in enumerate(lines, 1):
        match = FENCE.match(line)
        if fence and match and match[2] == fence[2] and not match[3]:
            indent = len(fence[1])
            text = "\n".join(one[indent:] for one in code) + "\n"
            page.blocks.append(Block(str(path), start, fence[3], text, markers, path_name))
            fence, markers = None, []
        elif fence:
            code.append(line)
        elif match:
            fence, start, code = match, number + 1, []
            if not match[3]:
                problems.append(f"{path}:{number}: the block names no language (text, if it is output)")
        elif MARKER.match(line):
            markers.append(MARKER.match(line)[1])
        elif line.startswith("<!-- path: "):
            path_name = line.removeprefix("<!-- path: ").removesuffix(" -->")
        else:
            if line.strip() and markers:
                problems.append(f"{path}:{number}: the marker above belongs to no block: {markers[-1]}")
                markers = []
            page.has_own_servers |= line.strip() == "<!-- page: own servers -->"
            page.spans += [(number, span) for span in SPAN.findall(line)]
    if fence:
        problems.append(f"{path}:{start}: the block has no end")
    return page, problems


def requests(block):
    """The requests of an http block: (line, verb, path, body), the body's lines following its first."""
    found = []
    for number, text in enumerate(block.text.split("\n"), block.line):
        match = re.match(r"^(GET|POST|PUT|PATCH|DELETE)\s+(\S+)\s*(.*)$", text)
        if match:
            found.append([number, match[1], match[2], match[3]])
        elif text.strip() and found:
            found[-1][3] += "\n" + text
    return found
