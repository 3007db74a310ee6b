"""Walks the paths of docs/quick-starts.md, each from an empty folder.

    paths.py --carillon PROGRAM --python ENVIRONMENT --folder FOLDER [--built FOLDER] [NAME…]
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import time

import pages
import session

PAGE = pathlib.Path("docs/quick-starts.md")
LIMIT = 1_800  # seconds: the first walk builds other packages
# What a path promises: commands from the clone to the result, lines of the program.
MOST_COMMANDS = {"operator": 5}
MOST_LINES = {"push/Sources/push/main.swift": 10}
# What of a build a path of other packages can start with: beside these the folder of the platform.
WITH_PACKAGES = {"push"}
BUILD_PARTS = {"artifacts", "build.db", "checkouts", "debug", "plugins", "repositories", "workspace-state.json"}


def commands(blocks):
    """How many commands a reader types: lines of a shell that are not the continuation of another."""
    lines = [line for block in blocks if block.language == "sh" for line in block.text.split("\n")]
    return sum(bool(line.strip()) and not line.startswith((" ", "#")) for line in lines)


def promises(name, blocks):
    """What is longer than a path promises."""
    found = []
    if commands(blocks) > MOST_COMMANDS.get(name, sys.maxsize):
        found.append(f"{name}: {commands(blocks)} commands, more than {MOST_COMMANDS[name]}")
    for block in blocks:
        file, lines = block.marker("file"), sum(bool(line.strip()) for line in block.text.split("\n"))
        if lines > MOST_LINES.get(file, sys.maxsize):
            found.append(f"{block.place}: {lines} lines, more than {MOST_LINES[file]}")
    return found


def start_built(scratch, built):
    """Fills a scratch folder with what a build of this package compiled: the packages that it depends on stay as they are."""
    if scratch.exists():
        return
    scratch.mkdir(parents=True)
    parts = [part for part in built.iterdir() if part.name in BUILD_PARTS or "-" in part.name and (part / "debug").is_dir()]
    subprocess.run(["cp", "-a", "--reflink=auto", *parts, scratch], check=True)


def walk(name, blocks, options):
    """The problem, None without one, and the seconds that it took."""
    # The same folder each time: SwiftPM builds again what has moved.
    work = options.folder.absolute() / name
    shutil.rmtree(work, ignore_errors=True)
    session.prepare(blocks, work)
    (work / "carillon").symlink_to(pages.ROOT)
    # One each: packages that another path does not have would be removed, and fetched and built again.
    scratch = options.folder.absolute() / f"build-{name}"
    mounts = {}
    if options.built and name in WITH_PACKAGES:
        start_built(scratch, options.built)
        # What is compiled names its folder.
        mounts = {scratch: options.built.absolute()}
    # The blocks run without a network, so packages are fetched before.
    for manifest in work.glob("*/Package.swift"):
        subprocess.run(
            ["swift", "package", "--scratch-path", scratch, "--package-path", manifest.parent, "resolve"],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    start = time.monotonic()
    build = str(pathlib.Path(options.carillon).absolute().parent)
    problem = session.problem(
        blocks, work, options.carillon, options.python.absolute(), limit=LIMIT, mounts=mounts,
        OWN_SERVERS="1", SWIFTPM_BUILD_DIR=str(mounts.get(scratch, scratch)), CARILLON_BUILD=build)
    return problem, time.monotonic() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--carillon", required=True)
    parser.add_argument("--python", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--built", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    page, _ = pages.read(PAGE)
    names = list(dict.fromkeys(block.path for block in page.blocks if block.path))
    unknown = set(options.names) - set(names)
    if unknown:
        sys.exit(f"{PAGE} has no path {', '.join(sorted(unknown))}; it has {', '.join(names)}")
    failed = False
    for name in options.names or names:
        blocks = [block for block in page.blocks if block.path == name]
        problem, seconds = walk(name, blocks, options)
        files = [block for block in blocks if block.marker("file")]
        lines = sum(block.text.count("\n") for block in files)
        print(f"{name}: {commands(blocks)} commands, {len(files)} files of {lines} lines, {seconds:.1f} s", flush=True)
        for text in filter(None, [problem, *promises(name, blocks)]):
            print(text, file=sys.stderr)
            failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
