"""Type-checks Swift blocks against the modules of a build: each as a file, alone or inside a context.

A context is a Swift file with the line `// BLOCK`, in whose place the block stands; imports that begin the block come
first in the file. A context `Package…` is checked against SwiftPM's manifest API.
"""
import concurrent.futures
import functools
import os
import pathlib
import re
import subprocess

import pages

CONTEXTS = pathlib.Path(__file__).parent / "contexts"
IMPORT = re.compile(r"^(@testable )?import \S+\s*$")


@functools.cache
def module_options(build):
    """What finds the modules of the package and of the C libraries below them."""
    build = pathlib.Path(build)
    options = ["-I", str(build / "Modules")]
    for module_map in build.glob("*/module.modulemap"):
        options += ["-Xcc", f"-fmodule-map-file={module_map}"]
    scratch = next(parent for parent in build.parents if (parent / "checkouts").is_dir())
    for folder in sorted(scratch.glob("checkouts/*/Sources/*/include")):
        options += ["-I", str(folder)]
    for folder in sorted((pages.ROOT / "Sources").glob("C*/module.modulemap")):
        options += ["-Xcc", f"-fmodule-map-file={folder}"]
    return options


@functools.cache
def manifest_options():
    compiler = pathlib.Path(os.path.realpath(subprocess.check_output(["which", "swiftc"], text=True).strip()))
    return ["-I", str(compiler.parent.parent / "lib/swift/pm/ManifestAPI"), "-package-description-version", "6.2.0"]


def whole_file(block):
    """The file that is type-checked: the block where its context has room for it, each line under its own number."""
    name = block.marker("in")
    code = block.text.split("\n")
    imports = []
    while name and code and (IMPORT.match(code[0]) or not code[0].strip()):
        imports.append(code.pop(0))
    here = f'#sourceLocation(file: "{block.page}", line: {block.line + len(imports)})'
    if not name:
        return "\n".join([here, *code])
    context = (CONTEXTS / f"{name}.swift").read_text(encoding="utf-8")
    before, after = context.split("// BLOCK\n")
    return "\n".join([*imports, before + here, *code, "#sourceLocation()", after])


def problem(block, build, folder):
    """What the compiler says; None when it says nothing."""
    name = block.marker("in")
    if name and not (CONTEXTS / f"{name}.swift").exists():
        return f"{block.place}: there is no context {name}"
    text = whole_file(block)
    is_manifest = (name or "").startswith("Package") or "import PackageDescription" in block.text
    is_script = not name and not is_manifest and "@main" not in text and has_statements(block.text)
    file = pathlib.Path(folder) / re.sub(r"\W", "-", block.place) / ("main.swift" if is_script else "Block.swift")
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    options = manifest_options() if is_manifest else [*module_options(build), "-swift-version", "6"]
    if not is_script and not is_manifest:
        options += ["-parse-as-library"]
    command = ["swiftc", "-typecheck", *options, "-module-name", "Guide", str(file)]
    result = subprocess.run(command, cwd=pages.ROOT, capture_output=True, text=True, timeout=120, check=False)
    if result.returncode == 0:
        return None
    # What is wrong with the context is wrong because of the block.
    lines = result.stderr.replace(str(file), f"{block.place} (in {name or 'a file'}), line").split("\n")
    errors = [line for line in lines if ": error: " in line]
    return "\n".join(errors[:6]) or f"{block.place}: {result.stderr[-800:]}"


def has_statements(text):
    """Whether the block is a program with code at its top level."""
    start = re.compile(r"^(try|await|for|if|guard|switch|do|print)\b", re.M)
    return bool(start.search(text))


def check(blocks, build, folder):
    """The problems of all blocks, as many compilers at a time as there are processors."""
    module_options(str(build))
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool:
        found = pool.map(lambda block: problem(block, str(build), folder), blocks)
    return [text for text in found if text]
