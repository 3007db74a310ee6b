"""What a build links: Swift packages as they were resolved, and the system's libraries."""

import argparse
import json
import pathlib
import re
import subprocess
import sys

DOCUMENT = pathlib.Path("docs/dependencies.md")
RESOLVED = pathlib.Path("Package.resolved")
CHECKOUTS = pathlib.Path(".build/checkouts")
# Debian's packages whose libraries the `carillon` program loads, and their licences.
SYSTEM = {
    "libsqlite3-0": "blessing", "libpq5": "PostgreSQL", "libnghttp2-14": "MIT", "zlib1g": "Zlib",
    "libzip4": "BSD-3-Clause", "libqrencode4": "LGPL-2.1-or-later",
}


def licence(folder):
    """The SPDX expression of a checkout's licence file."""
    files = sorted(path for path in folder.iterdir() if path.name.upper().startswith("LICENSE"))
    if not files:
        return None
    text = files[0].read_text(errors="replace")
    if "Apache License" in text and "Version 2.0" in text:
        return "Apache-2.0 WITH Swift-exception" if "Runtime Library Exception" in text else "Apache-2.0"
    if "Permission is hereby granted, free of charge" in text:
        return "MIT"
    return None


def swift_packages():
    """Name, version, licence, revision and address of each resolved package."""
    if not RESOLVED.exists():
        sys.exit("sbom: nothing is resolved here; run `swift package resolve` first")
    packages = []
    for pin in json.loads(RESOLVED.read_text())["pins"]:
        name = pin["location"].removesuffix(".git").rsplit("/", 1)[-1]
        folder = CHECKOUTS / name
        if not folder.is_dir():
            sys.exit(f"sbom: {folder} is missing; run `swift package resolve` first")
        found = licence(folder)
        if found is None:
            sys.exit(f"sbom: the licence of {name} is not known; look at {folder}, and name it in script/lib/sbom.py")
        state = pin["state"]
        packages.append((name, state.get("version", state["revision"]), found, state["revision"], pin["location"]))
    return sorted(packages, key=lambda package: package[0].lower())


def system_version(name):
    """The installed version of a Debian package; None where there is no dpkg."""
    try:
        found = subprocess.run(
            ["dpkg-query", "-W", "-f=${Version}", name], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip()


def table(packages):
    rows = [f"| [{name}]({location.removesuffix('.git')}) | {version} | {spdx} |" for name, version, spdx, _, location in packages]
    return "\n".join(["| package | version | licence |", "| --- | --- | --- |", *rows])


def licence_field(spdx):
    return [{"expression": spdx}] if " " in spdx else [{"license": {"id": spdx}}]


def bill(packages):
    components = [
        {
            "type": "library",
            "bom-ref": f"swift:{name}@{version}",
            "name": name,
            "version": version,
            "purl": f"pkg:swift/{location.removesuffix('.git').removeprefix('https://')}@{version}",
            "licenses": licence_field(spdx),
            "properties": [{"name": "git:revision", "value": revision}],
        }
        for name, version, spdx, revision, location in packages
    ]
    for name, spdx in SYSTEM.items():
        version = system_version(name)
        component = {"type": "library", "bom-ref": f"deb:{name}", "name": name, "licenses": licence_field(spdx)}
        if version:
            component |= {"version": version, "purl": f"pkg:deb/debian/{name}@{version}"}
        components.append(component)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": "carillon", "name": "carillon"}},
        "components": components,
        "dependencies": [{"ref": "carillon", "dependsOn": [component["bom-ref"] for component in components]}],
    }


def check(packages):
    told = dict(
        (name, (version, spdx))
        for name, version, spdx in re.findall(r"^\| \[([^\]]+)\]\([^)]*\) \| (\S+) \| ([^|]+?) \|$", DOCUMENT.read_text(), re.M)
    )
    resolved = {name: (version, spdx) for name, version, spdx, _, _ in packages}
    problems = [f"{name} {resolved[name][0]} is not listed" for name in resolved.keys() - told.keys()]
    problems += [f"{name} is listed and not resolved" for name in told.keys() - resolved.keys()]
    problems += [
        f"{name}: listed {' '.join(told[name])}, resolved {' '.join(resolved[name])}"
        for name in resolved.keys() & told.keys()
        if told[name] != resolved[name]
    ]
    if problems:
        print(f"sbom: {DOCUMENT} does not name what was resolved:", *sorted(problems), sep="\n  ", file=sys.stderr)
        print("Read what changed, then put in the table of `script/sbom --table`.", file=sys.stderr)
        sys.exit(1)
    print(f"sbom: {len(resolved)} packages are as {DOCUMENT} says")


def main():
    parser = argparse.ArgumentParser(prog="script/sbom", description="What a build links, as CycloneDX.")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--check", action="store_true", help="compare docs/dependencies.md with what was resolved")
    choice.add_argument("--table", action="store_true", help="print the table for docs/dependencies.md")
    options = parser.parse_args()
    packages = swift_packages()
    if options.check:
        check(packages)
    elif options.table:
        print(table(packages))
    else:
        print(json.dumps(bill(packages), indent=2))


main()
