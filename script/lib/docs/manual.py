"""Writes the manual page of `carillon`, from what the program says of itself, in mdoc.

    manual.py PROGRAM
"""
import json
import subprocess
import sys

SECTION = 1


def escaped(text):
    """Text of a line in roff: no control character at its beginning, no escapes."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("\u2019", "'")
    return "\\&" + text if text[:1] in (".", "'") else text


def paragraphs(text):
    lines = []
    for paragraph in (text or "").split("\n\n"):
        lines += [".Pp", *(escaped(line.strip()) for line in paragraph.split("\n") if line.strip())]
    return lines[1:] if lines else []


def spelling(name):
    dashes = "-" if name["kind"] in ("short", "longWithSingleDash") else "--"
    return dashes + name["name"]


def argument(part):
    """An argument, option or flag with its explanation, as an item of a list."""
    value = part.get("valueName") or "value"
    if part["kind"] == "positional":
        head = f".It Ar {escaped(value)}"
    else:
        names = ", ".join(spelling(name) for name in part.get("names", []))
        head = f".It {escaped(names)}" + (f" Ar {escaped(value)}" if part["kind"] == "option" else "")
    lines = [head]
    for text in (part.get("abstract"), part.get("discussion")):
        lines += paragraphs(text)
    if part.get("defaultValue"):
        lines.append(escaped(f"The default is {part['defaultValue']}."))
    return lines


def command(part, path):
    """A subcommand and what is below it."""
    path = [*path, part["commandName"]]
    arguments = [one for one in part.get("arguments", []) if one.get("shouldDisplay", True)]
    arguments = [one for one in arguments if spelling((one.get("names") or [{"kind": "", "name": ""}])[0]) != "--version"]
    lines = []
    if len(path) > 1:
        lines += [f".Ss {escaped(' '.join(path))}", escaped(part.get("abstract", "")), *spaced(part.get("discussion"))]
    if arguments:
        lines += [".Bl -tag -width 6n", *(line for one in arguments for line in argument(one)), ".El"]
    for child in part.get("subcommands", []):
        if child["commandName"] != "help":
            lines += command(child, path)
    return lines


def spaced(text):
    return [".Pp", *paragraphs(text)] if text else []


def main(program):
    root = json.loads(subprocess.check_output([program, "--experimental-dump-help"], text=True))["command"]
    version = subprocess.check_output([program, "--version"], text=True).strip()
    print("\n".join([
        ".\\\" Made by script/docs --man.", ".Dd $Mdocdate$", f".Dt CARILLON {SECTION}", f".Os Carillon {version}",
        ".Sh NAME", ".Nm carillon", f".Nd {escaped(root.get('abstract', ''))}",
        ".Sh SYNOPSIS", ".Nm", ".Ar subcommand", ".Op Ar options",
        ".Sh DESCRIPTION", *paragraphs(root.get("discussion") or root.get("abstract")),
        ".Sh COMMANDS", *command(root, []),
        ".Sh SEE ALSO", "The documentation of Carillon: docs/operations.md."]))


if __name__ == "__main__":
    main(sys.argv[1])
