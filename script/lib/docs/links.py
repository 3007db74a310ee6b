"""Links between pages of the repository: the file is there, and so is the heading."""
import functools
import re

import pages

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def slug(heading):
    """A heading's anchor, as GitHub makes it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"[^\w\- ]", "", text.replace("`", "").strip().lower())
    return text.replace(" ", "-")


def prose(path):
    """The numbered lines of a page outside of its blocks."""
    is_code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if pages.FENCE.match(line):
            is_code = not is_code
        elif not is_code:
            yield number, re.sub(r"`[^`]*`", lambda match: match[0].replace("[", " "), line)


@functools.cache
def anchors(path):
    found = {}
    for _, line in prose(path):
        match = re.match(r"^#{1,6} +(.*?)\s*$", line)
        if match:
            name = slug(match[1])
            count = found.get(name, 0)
            found[name] = count + 1
            if count:
                found[f"{name}-{count}"] = 1
    return set(found)


def check(page):
    found = []
    here = pages.ROOT / page.path
    for number, line in prose(here):
        for target in LINK.findall(line):
            if re.match(r"^[a-z]+:", target):
                continue
            name, _, fragment = target.partition("#")
            path = (here.parent / name).resolve() if name else here
            if not path.exists():
                found.append(f"{page.path}:{number}: {target} does not exist")
            elif fragment and path.suffix == ".md" and fragment not in anchors(path):
                found.append(f"{page.path}:{number}: {target} has no such heading")
    return found
