"""The HTTP API as openapi.yaml describes it: schemas for JSON blocks, paths for inline code."""
import json
import re

import jsonschema_rs
import yaml

import pages

DESCRIPTION = pages.ROOT / "Sources/CarillonServer/Resources/openapi.yaml"
# Paths in prose: a verb may precede them, `…` may end them.
PATH = re.compile(r"(?:\b(GET|POST|PUT|PATCH|DELETE) +)?(/v1/[A-Za-z0-9{}_./$…-]*)")


class Description:
    def __init__(self):
        with DESCRIPTION.open(encoding="utf-8") as file:
            # By way of JSON: YAML has keys that are numbers, and dates.
            self.document = json.loads(json.dumps(yaml.safe_load(file), default=str))
        self.patterns = []
        for path, item in self.document["paths"].items():
            segments = path.strip("/").split("/")
            verbs = {verb.upper() for verb in item if verb in ("get", "put", "post", "patch", "delete")}
            self.patterns.append((segments, verbs, path))

    def knows(self, path, verb=None):
        """Whether the API has the path, with ids or names of variables in place of parameters."""
        wanted = path.split("?")[0].rstrip(".").strip("/").split("/")
        return any(
            len(wanted) == len(segments) and (verb is None or verb in verbs)
            and all(one == other or "{" in other for one, other in zip(wanted, segments))
            for segments, verbs, _ in self.patterns)

    def is_beginning(self, path):
        wanted = path.rstrip("…").strip("/").split("/")
        return any(
            all(one == other or "{" in other for one, other in zip(wanted, segments)) and len(wanted) <= len(segments)
            for segments, _, _ in self.patterns)

    def problems(self, schema, value, is_partial):
        """What of the value is not as the schema says."""
        if schema not in self.document["components"]["schemas"]:
            return [f"openapi.yaml has no schema {schema}"]
        components = self.document["components"]
        root = components["schemas"][schema]
        if is_partial:
            names = {"required", "oneOf", "anyOf", "allOf", "if", "else"}
            root = {name: part for name, part in root.items() if name not in names}
        whole = {"allOf": [root], "components": components}
        validator = jsonschema_rs.Draft202012Validator(whole)
        return [f"{'.'.join(map(str, error.instance_path))}: {error.message}" for error in validator.iter_errors(value)]


def json_values(text):
    """All JSON values of a text, one after the other."""
    decoder, position, values = json.JSONDecoder(), 0, []
    while text[position:].strip():
        position += len(text[position:]) - len(text[position:].lstrip())
        value, position = decoder.raw_decode(text, position)
        values.append(value)
    return values


def check_json(description, block):
    try:
        values = json_values(block.text)
    except json.JSONDecodeError as error:
        return [f"{block.page}:{block.line + error.lineno - 1}: not JSON: {error.msg}"]
    schema = block.marker("schema")
    if schema is None:
        return []
    name, _, rest = schema.partition(",")
    return [
        f"{block.place}: not a {name}: {problem}"
        for value in values for problem in description.problems(name.strip(), value, rest.strip() == "partial")]


def check_spans(description, page):
    """Inline code that names a path of the API."""
    found = []
    for line, span in page.spans:
        for verb, path in PATH.findall(span):
            path = path.rstrip(",;)")
            known = description.is_beginning(path) if path.endswith(("…", "/")) else description.knows(path, verb or None)
            if not known:
                found.append(f"{page.path}:{line}: openapi.yaml has no {verb} {path}".replace("  ", " "))
    return found


def check_http(description, block):
    found = []
    for line, verb, path, body in pages.requests(block):
        if path.startswith("/v1/") and not description.knows(path, verb):
            found.append(f"{block.page}:{line}: openapi.yaml has no {verb} {path}")
        if body.strip() and not re.search(r"\$[A-Z]", body):
            try:
                json.loads(body)
            except json.JSONDecodeError as error:
                found.append(f"{block.page}:{line}: not JSON: {error}")
    if not pages.requests(block):
        found.append(f"{block.place}: no request, such as GET /v1/apps")
    return found
