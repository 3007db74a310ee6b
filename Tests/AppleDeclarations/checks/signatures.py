"""Holds the simulated frameworks against a table of Apple's declarations, symbol by symbol."""

import fnmatch
import json
import re
import subprocess

# In the order of their dependencies.
FRAMEWORKS = ["UserNotifications", "UIKit", "PushKit", "CallKit", "CoreLocation", "WebKit"]
# Modules of functions, which are not simulated.
CALLS = ["Security", "Darwin"]
# Kinds of symbols that stand in the table.
KINDS = {
    "class", "struct", "enum", "protocol", "method", "type.method", "property", "type.property", "init", "enum.case",
    "var", "func", "typealias",
}


def check(here, root, platforms, toolchain):
    folder = platforms[0].folder.parent / "simulated"
    folder.mkdir(exist_ok=True)
    allowed = Differences(here / "known-differences.txt")
    problems = []
    for framework in FRAMEWORKS + CALLS:
        table = json.loads((here / "Signatures" / f"{framework}.json").read_text())
        problems += rows(table)
        for platform in platforms:
            problems += declared(framework, table, platform, toolchain, allowed)
        if framework in CALLS:
            continue
        known = {row["symbol"]: row for row in table["symbols"]}
        for name, declaration in simulated(framework, root, folder, toolchain):
            row = known.get(name)
            if row is None:
                said = "is in no table"
            elif isOfType(declaration) != isOfType(row["declaration"]):
                said = f"belongs to {'the type' if isOfType(declaration) else 'a value'}, and with Apple not"
            elif isSettable(declaration) and not isSettable(row["declaration"]):
                said = "can be set, and with Apple not"
            elif normal(declaration) != normal(row["declaration"]):
                said = f"is\n    {normal(declaration)}\n  and with Apple\n    {normal(row['declaration'])}"
            else:
                continue
            if not allowed.covers(framework, name):
                problems.append(f"{framework}: {name} {said}")
    problems += [f"known-differences.txt: no difference any more: {row}" for row in allowed.unused()]
    for problem in problems:
        print(problem)
    return problems


def rows(table):
    """Problems of the table itself."""
    for row in table["symbols"]:
        if not row["availability"] or ("page" in row) != ("read" in row):
            yield f"{table['module']}.json: {row['symbol']} needs an availability, and a page and its date or neither"


def declared(framework, table, platform, toolchain, allowed):
    """Where the headers, as the importer reads them, and the table differ: symbols and availability."""
    known = {row["usr"]: row for row in table["symbols"] if row.get("usr", "").startswith("c:")}
    seen = set()
    for symbol in imported(framework, platform, toolchain):
        usr, name = symbol["identifier"]["precise"], ".".join(symbol["pathComponents"])
        if not usr.startswith("c:") or "::SYNTHESIZED::" in usr or "Carillon" in usr:
            continue
        seen.add(usr)
        row = known.get(usr)
        if row is None:
            if not allowed.covers(framework, name):
                yield f"{framework}.h: {name} ({usr}) is in no table"
            continue
        written = row["availability"].get(platform.name)
        read = introduced(symbol, platform.name)
        if read is not None and read != written and not allowed.covers(framework, name):
            yield f"{framework}.h: {name} is there since {platform.name} {read}, and in the table since {written}"
    if seen and platform.name == "iOS":
        for usr, row in known.items():
            if usr not in seen and not allowed.covers(framework, row["symbol"]):
                yield f"{framework}.json: {row['symbol']} ({usr}) is in no header"


def imported(framework, platform, toolchain):
    """The symbols of a framework's header; none where the platform does not have it."""
    folder = platform.folder / "graphs"
    folder.mkdir(exist_ok=True)
    command = ["swift-symbolgraph-extract", "-module-name", framework, "-target", platform.platform["target"], "-sdk", "/"]
    for option in toolchain.c_options():
        command += ["-Xcc", option]
    for place in (toolchain.folder / platform.platform["file"], platform.modules, platform.headers):
        command += ["-I", str(place)]
    command += ["-minimum-access-level", "public", "-output-dir", str(folder)]
    if f"module {framework} " not in (platform.headers / "module.modulemap").read_text():
        return []
    subprocess.run(command, check=True, capture_output=True)
    return json.loads((folder / f"{framework}.symbols.json").read_text())["symbols"]


def introduced(symbol, platform):
    """The version since which a symbol is there, as "16.0"; `None` when it says nothing, "" when it is unavailable."""
    for each in symbol.get("availability", []):
        if each.get("domain") == platform:
            if each.get("isUnconditionallyUnavailable"):
                return None
            version = each.get("introduced")
            return version and f"{version.get('major', 0)}.{version.get('minor', 0)}"
    return None


def simulated(framework, root, folder, toolchain):
    """The public symbols of a simulated framework: name and declaration."""
    files = sorted(str(file) for file in (root / "Sources" / "AppleFrameworks" / framework).rglob("*.swift"))
    command = ["swiftc", "-emit-module", "-wmo", "-Xfrontend", "-experimental-skip-all-function-bodies"]
    command += ["-suppress-warnings", "-swift-version", "6", "-parse-as-library", "-module-name", framework, "-package-name", "carillon"]
    for feature in ("ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault"):
        command += ["-enable-upcoming-feature", feature]
    command += ["-I", str(folder), "-o", str(folder / f"{framework}.swiftmodule"), *files]
    subprocess.run(command, check=True)
    extract = ["swift-symbolgraph-extract", "-module-name", framework, "-I", str(folder), "-target", toolchain.triple]
    extract += ["-minimum-access-level", "public", "-output-dir", str(folder), "-skip-inherited-docs"]
    subprocess.run(extract, check=True, capture_output=True)
    graph = json.loads((folder / f"{framework}.symbols.json").read_text())
    for symbol in graph["symbols"]:
        kind = symbol["kind"]["identifier"].removeprefix("swift.")
        path = symbol["pathComponents"]
        if kind not in KINDS or any("Simulat" in part for part in path) or "::SYNTHESIZED::" in symbol["identifier"]["precise"]:
            continue
        yield ".".join(path), "".join(part["spelling"] for part in symbol["declarationFragments"])


def isOfType(declaration):
    return re.search(r"\b(static|class) (var|let|func)\b", declaration) is not None


def isSettable(declaration):
    """Whether code that compiles here may set a property; of what is only read here Apple's may be settable."""
    return re.search(r"\bvar\b", declaration) is not None and "{ get }" not in declaration


def normal(declaration):
    """A declaration without what a caller does not see: attributes, parameters' own names, default values."""
    text = re.sub(r"@(?!Sendable|MainActor|escaping)\w+(\([^)]*\))? ?", "", declaration)
    # Members inherit the isolation of their type; Apple's pages print it with the type alone.
    if not re.search(r"\b(class|struct|enum|protocol) \w+( :|:| where|$|<)", text):
        text = re.sub(r"^@MainActor ", "", text)
    text = re.sub(r"\b(public|open|final|lazy|static|class(?= (var|func|let))|override|convenience|required|dynamic|weak|unowned"
                  r"|optional|nonisolated|package\(set\)|preconcurrency|mutating|indirect)(\([a-z]+\))? ", "", text)
    text = re.sub(r" = (nil|\[\]|\.\w+|\[[^]]*\]|\w+)(?=[,)])", "", text)
    text = re.sub(r"\b(\w+) \w+: ", r"\1: ", text)
    text = re.sub(r"\blet\b", "var", text).replace("{ get set }", "").replace("{ get }", "")
    # The same type, by its names in Objective-C and in Swift.
    text = text.replace("dispatch_queue_t", "DispatchQueue").replace("NSNotification.Name", "Notification.Name")
    return re.sub(r"\s+", " ", text).strip()


class Differences:
    """Where the simulation differs from Apple on purpose: framework, symbol, reason; * stands for any text."""

    def __init__(self, file):
        self.rows = []
        for line in file.read_text().splitlines():
            if line and not line.startswith("#"):
                framework, name, _ = (part.strip() for part in line.split("|"))
                self.rows.append([framework, name, 0])

    def covers(self, framework, name):
        for row in self.rows:
            if fnmatch.fnmatchcase(framework, row[0]) and fnmatch.fnmatchcase(name, row[1]):
                row[2] += 1
                return True
        return False

    def unused(self):
        return [f"{framework} {name}" for framework, name, count in self.rows if count == 0]
