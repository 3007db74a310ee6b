"""Checks every fenced block of the documentation, its links, and the commands and paths that its prose names.

Prints each problem with file and line; ends with 1 when there is one.

    check.py --build FOLDER --carillon PROGRAM --python ENVIRONMENT [PAGE…]
"""
import argparse
import concurrent.futures
import configparser
import pathlib
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree

import yaml

import api
import commands
import links
import pages
import session
import swift

ALWAYS_NEEDS_REASON = {"objc"}


def check_data(block):
    """Files of settings: only that they are well-formed."""
    try:
        if block.language == "yaml":
            list(yaml.safe_load_all(block.text))
        elif block.language == "toml":
            tomllib.loads(block.text)
        elif block.language == "ini":
            text = block.text if block.text.startswith("[") else "[all]\n" + block.text
            configparser.ConfigParser(strict=False, interpolation=None).read_string(text)
        elif block.language == "xml":
            xml.etree.ElementTree.fromstring(f"<all>{block.text}</all>")
    except Exception as error:  # pylint: disable=broad-except
        return [f"{block.place}: not {block.language}: {error}"]
    return []


def check_alone(block, description):
    """What needs neither a compiler nor a server."""
    if block.reason_not_to_run == "":
        return [f"{block.place}: `not run` gives no reason"]
    if block.language in ("yaml", "toml", "ini", "xml"):
        return check_data(block)
    if block.language == "json":
        return api.check_json(description, block)
    if block.language == "http":
        return api.check_http(description, block)
    if block.language in ("sh", *session.INTERPRETERS):
        problem = session.syntax_problem(block)
        return [problem] if problem else []
    if block.language in ALWAYS_NEEDS_REASON and block.reason_not_to_run is None:
        return [f"{block.place}: nothing here checks {block.language}: <!-- check: not run: REASON -->"]
    if block.language not in {"", "csv", "swift", "text", *ALWAYS_NEEDS_REASON}:
        return [f"{block.place}: unknown language {block.language}"]
    return []


def timed(name, start):
    print(f"   {name}: {time.monotonic() - start:.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, help="the folder of the build's modules")
    parser.add_argument("--carillon", required=True)
    parser.add_argument("--python", required=True, type=pathlib.Path, help="an environment with aioapns")
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args()
    wanted = [pathlib.Path(page) for page in options.pages] or pages.paths()
    description, tree = api.Description(), commands.CommandTree(options.carillon)
    problems, read = [], []
    for path in wanted:
        page, found = pages.read(path)
        read.append(page)
        problems += found + links.check(page)
        problems += commands.check_spans(tree, page) + api.check_spans(description, page)
        problems += commands.check_blocks(tree, [block for block in page.blocks if block.language == "sh"])
        for block in page.blocks:
            problems += check_alone(block, description)
    blocks = [block for page in read for block in page.blocks]
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        # What belongs to a path is built by it.
        compiled = [one for one in blocks if one.language == "swift" and one.reason_not_to_run is None and not one.path]
        problems += swift.check(compiled, options.build, folder)
        timed("Swift", start)
        start = time.monotonic()
        arguments = (folder, options.carillon, options.python.absolute())
        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
            problems += filter(None, pool.map(lambda page: session.page_problem(page, *arguments), read))
        timed("pages that are run", start)
    for problem in problems:
        print(problem, file=sys.stderr)
    not_run = sum(block.reason_not_to_run is not None for block in blocks)
    print(f"{len(blocks)} blocks on {len(read)} pages, {not_run} of them not run: {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
