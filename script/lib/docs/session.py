"""Runs the blocks of a page one after the other as one shell script, as a reader would who pastes them.

The script has a network namespace of its own, so that the ports which the pages name are free: the server listens at
8080, the simulator at 2197 and 2198. Paths under /tmp, /etc and /var are in a temporary folder.
"""
import os
import pathlib
import re
import shlex
import subprocess

import pages

PRELUDE = pathlib.Path(__file__).parent / "session.sh"
FOLDERS = re.compile(r"(?<![\w.:/$}])/(tmp|etc|var/lib|backups)(?=/)")
LIMIT = 120  # seconds a page
INTERPRETERS = {"python": "python3 -", "js": "node --input-type=module -", "ruby": "ruby -", "php": "php"}
RUN = ("sh", "http", *INTERPRETERS)


def is_run(block):
    return block.language in RUN and block.reason_not_to_run is None and block.marker("file") is None


def program(block):
    """A block in another language than the shell's, given to its interpreter."""
    command = f"{INTERPRETERS[block.language]} {block.marker('arguments') or ''}"
    call = f"{command} <<'END_OF_BLOCK'\n{block.text}END_OF_BLOCK\n"
    expected = block.marker("prints")
    return f'printed=$({call})\n[ "$printed" = "{expected}" ]\n' if expected else call


def requests(block):
    """An http block as calls of the API; variables in it are the shell's."""
    text = ""
    for line, verb, path, body in pages.requests(block):
        quoted = body.replace("\\", "\\\\").replace('"', '\\"').strip()
        text += f'block={block.page}:{line}\nrequest {block.marker("status") or "2"} {verb} "{path}" "{quoted}"\n'
    return text


def script(blocks):
    lines = []
    for block in filter(is_run, blocks):
        lines.append(f"block={block.place}")
        if block.language == "http":
            lines.append(requests(block))
        elif block.language == "sh" and block.marker("background") is not None:
            ready = block.marker("background").removeprefix("until").strip() or "true"
            lines.append(f"{{\n{block.text}}} &\nuntil_true {shlex.quote(ready)}")
        else:
            lines.append(block.text if block.language == "sh" else program(block))
        if block.marker("proved by") is not None:
            lines.append(f"until_true {shlex.quote(block.marker('proved by'))}")
    return "\n".join(lines)


def prepare(blocks, work):
    """Makes the folder with the files that blocks are."""
    for name in ("tmp", "etc", "var/lib", "backups"):
        (work / name).mkdir(parents=True)
    for block in blocks:
        name = block.marker("file")
        if name:
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text(moved(block.text, work), encoding="utf-8")


def moved(text, work):
    return FOLDERS.sub(lambda match: f"{work}/{match[1]}", text)


def problem(blocks, work, carillon, environment, limit=LIMIT, mounts=None, **variables):
    """What the first failing block said; None if all succeed.

    `work` is a folder that `prepare` made, `limit` seconds; `mounts` has folders and the ones that they stand for.
    """
    file = work / "session"
    mounted = "".join(f"mount --bind {shlex.quote(str(a))} {shlex.quote(str(b))}\n" for a, b in (mounts or {}).items())
    file.write_text(f"{mounted}source {PRELUDE}\n{moved(script(blocks), work)}\n", encoding="utf-8")
    programs = [str(pathlib.Path(carillon).absolute().parent), f"{environment}/bin", os.environ["PATH"]]
    variables = {**os.environ, "PATH": ":".join(programs), "TMPDIR": str(work / "tmp"), "WORK": str(work), **variables}
    command = ["unshare", *([] if os.getuid() == 0 else ["--map-root-user"]), "--net", "--pid", "--fork", "--kill-child",
               "--mount-proc", "bash", str(file)]
    with (work / "output").open("w") as output:
        try:
            result = subprocess.run(
                command, cwd=work, env=variables, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                timeout=limit, check=False).returncode
        except subprocess.TimeoutExpired:
            result = "no end"
    if result == 0:
        return None
    said = (work / "output").read_text(encoding="utf-8", errors="replace").strip().split("\n")
    where = next((line.removeprefix("FAILED ") for line in reversed(said) if line.startswith("FAILED ")), work.name)
    return f"{where} (ended with {result})\n    " + "\n    ".join(said[-12:])


def page_problem(page, folder, carillon, environment):
    """As `problem`, for the blocks of a page that belong to no path."""
    blocks = [block for block in page.blocks if not block.path]
    if not any(map(is_run, blocks)):
        return None
    work = pathlib.Path(folder) / re.sub(r"\W", "-", page.path)
    prepare(blocks, work)
    return problem(blocks, work, carillon, environment, HOME=str(work), OWN_SERVERS="1" if page.has_own_servers else "")


def syntax_problem(block):
    """What `bash -n` or Python's compiler says of a block that is not run."""
    if block.language == "sh":
        result = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True, check=False)
        return f"{block.place}: {result.stderr}" if result.returncode else None
    if block.language == "python":
        try:
            compile(block.text, block.place, "exec")
        except SyntaxError as error:
            return f"{block.place}: {error}"
    return None
