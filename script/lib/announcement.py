"""What `carillon serve --json` says when it listens."""


def admin_key(line):
    """The first API key, from the file that the announcement names."""
    with open(line["adminKeyFile"], encoding="utf-8") as file:
        return file.read().strip()
