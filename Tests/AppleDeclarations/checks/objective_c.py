"""Holds the facades' Objective-C headers, as the compiler prints them, against the vendors' selectors, and has Clang read
samples that call them."""

import re
import subprocess

# The facades by their samples: the headers that a sample's app imports.
SAMPLES = {
    "ToastPushSample.m": ["CarillonServiceExtension", "ToastPush", "ToastVoIP"],
    "CorePushSample.m": ["CorePush", "CorePushLocation"],
    "CoimSample.m": ["Coim"],
}


def selectors(header):
    """All selectors of a printed header, as "ToastPush +setDelegate:" or "ToastPush -name"."""
    found, owner = set(), None
    for line in header.splitlines():
        opened = re.match(r"@(?:interface|protocol) (\w+)", line)
        if opened:
            owner = opened[1]
        elif line.startswith("@end"):
            owner = None
        elif owner and re.match(r"[-+] \(", line):
            found.add(f"{owner} {line[0]}{selector(line)}")
        elif owner and line.startswith("@property"):
            found.update(f"{owner} {each}" for each in accessors(line))
    return found


def selector(line):
    """The selector of a method's declaration."""
    text = re.sub(r"\bSWIFT_\w+(\(.*?\))?|\bOBJC_\w+|\bDEPRECATED\w*", "", line.split(";")[0][2:])
    # Types stand in parentheses, which may be nested by blocks.
    while True:
        shorter = re.sub(r"\([^()]*\)", "", text)
        if shorter == text:
            break
        text = shorter
    parts = re.findall(r"(\w+):", text)
    return "".join(f"{part}:" for part in parts) if parts else text.split()[0]


def accessors(line):
    """The selectors of a property's getter and setter."""
    attributes = re.match(r"@property \(([^)]*)\)", line)
    declared = attributes[1] if attributes else ""
    text = re.sub(r"\bSWIFT_\w+(\(.*?\))?", "", line.split(";")[0])
    name = re.findall(r"\w+", text)[-1]
    sign = "+" if "class" in re.split(r",\s*", declared) else "-"
    getter = re.search(r"getter=(\w+)", declared)
    yield sign + (getter[1] if getter else name)
    if "readonly" not in declared:
        yield f"{sign}set{name[0].upper()}{name[1:]}:"


def check(here, root, ios, toolchain):
    problems = []
    headers = {header.name.removesuffix("-Swift.h"): plain(header.read_text()) for header in ios.printed.glob("*.h")}
    printed = set().union(*map(selectors, headers.values()))
    sources = "".join(file.read_text() for file in (root / "Sources" / "Facades").rglob("*.swift"))
    for table in sorted((here / "Selectors").glob("*.txt")):
        for line in table.read_text().splitlines():
            if line.startswith("? "):
                # Its types cannot be printed here: the attribute has to be there.
                isThere = f"@objc({line.split()[2][1:]})" in sources
            else:
                isThere = not line or line.startswith("#") or line in printed
            if not isThere:
                problems.append(f"{table.name}: the facade has no {line}")
    for name, text in headers.items():
        (ios.printed / f"{name}-Swift.h").write_text(text)
    for sample, modules in SAMPLES.items():
        problems += syntax(here / "Samples" / sample, modules, here, ios, toolchain)
    problems += launch_problems(here, root, toolchain)
    for problem in problems:
        print(problem)
    return problems


def launch_problems(here, root, toolchain):
    """Whether the code that runs before the app is compiled for iOS, runs by itself, and finds the class that it calls."""
    source = root / "Sources" / "Facades" / "ToastPushLaunch" / "ToastPushLaunch.c"
    hook = (root / "Sources" / "Facades" / "ToastPush" / "ToastLaunchHook.swift").read_text()
    command = [toolchain.clang, "-S", "-o", "-", "-target", "arm64-apple-ios15.0", "-Wall", "-Werror"]
    command += ["-fno-define-target-os-macros", "-Wno-incompatible-sysroot", f"-I{here}/Samples/Headers", source]
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    problems = [f"{source.name}: Clang does not compile it:\n{result.stderr}"] if result.returncode else []
    if not re.search(r"__mod_init_func.*\n.*\n\s*\.quad\s+_observeLaunch", result.stdout):
        problems.append(f"{source.name}: nothing runs before the app")
    for name in re.findall(r'(?:objc_getClass|sel_registerName)\("(\w+)"\)', source.read_text()):
        if f"@objc({name})" not in hook:
            problems.append(f"{source.name}: the facade has no {name}")
    return problems


def plain(header):
    """A printed header with the names that Foundation's classes have on Apple's systems, and without imports."""
    header = re.sub(r"_TtC\d+Foundation\d+(NS\w+)", r"\1", header)
    return re.sub(r"^(@import \w+;|#include <Foundation/Foundation.h>)$", "", header, flags=re.M)


def syntax(sample, modules, here, ios, toolchain):
    command = [toolchain.clang, "-fsyntax-only", "-x", "objective-c", "-target", "arm64-apple-ios15.0", "-fobjc-arc"]
    command += ["-fblocks", "-Wall", "-Werror", "-Wno-nullability-completeness", f"-I{here}/Samples/Headers"]
    command += ["-Wno-incompatible-sysroot", f"-I{ios.headers}", f"-I{ios.printed}", "-include", "SampleSupport.h"]
    command += [option for option in toolchain.c_options() if not option.startswith("-fmodule")]
    for module in modules:
        command += ["-include", f"{module}-Swift.h"]
    result = subprocess.run([*map(str, command), str(sample)], capture_output=True, text=True)
    if result.returncode == 0:
        return []
    return [f"{sample.name}: Clang does not read it:\n{result.stderr}"]
