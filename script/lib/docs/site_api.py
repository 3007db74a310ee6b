"""The HTTP API as pages: one for each tag of openapi.yaml, and one for its schemas."""
import json
import re

import yaml

import pages

VERBS = ("get", "post", "put", "patch", "delete")


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def cell(text):
    """A text in a cell of a table."""
    return " ".join(str(text).split()).replace("|", "\\|")


class Reference:
    def __init__(self, document):
        self.document = document

    def resolved(self, part):
        """The part itself, where it stands for another."""
        while isinstance(part, dict) and "$ref" in part:
            names = part["$ref"].removeprefix("#/").split("/")
            target = self.document
            for name in names:
                target = target[name]
            part = target
        return part

    def type_of(self, schema):
        """A schema in a few words; schemas with a name are links."""
        if not isinstance(schema, dict):
            return ""
        if "$ref" in schema:
            name = schema["$ref"].split("/")[-1]
            return f"[{name}](schemas.md#{slug(name)})"
        for joint, between in (("anyOf", " or "), ("oneOf", " or "), ("allOf", " and ")):
            if joint in schema and "properties" not in schema:
                return between.join(filter(None, map(self.type_of, schema[joint])))
        if "const" in schema:
            return f"`{json.dumps(schema['const'], ensure_ascii=False)}`"
        if "enum" in schema:
            return ", ".join(f"`{value}`" for value in schema["enum"])
        kind = schema.get("type", "")
        kinds = kind if isinstance(kind, list) else [kind]
        text = " or ".join(kinds)
        if "array" in kinds and "items" in schema:
            text = text.replace("array", f"array of {self.type_of(schema['items'])}")
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict) and extra:
            text += f" of {self.type_of(extra)}"
        return text + self.limits(schema)

    @staticmethod
    def limits(schema):
        words = []
        for low, high, unit in (("minimum", "maximum", ""), ("minLength", "maxLength", " characters"),
                                ("minItems", "maxItems", " items"), ("minProperties", "maxProperties", " members")):
            if low in schema and high in schema:
                words.append(f"{schema[low]:,}–{schema[high]:,}{unit}")
            elif high in schema:
                words.append(f"at most {schema[high]:,}{unit}")
            elif low in schema:
                words.append(f"at least {schema[low]:,}{unit}")
        if "default" in schema:
            words.append(f"default `{json.dumps(schema['default'])}`")
        return f", {', '.join(words)}" if words else ""

    def fields(self, schema):
        """The members of an object, as a table."""
        schema = self.resolved(schema)
        required = set(schema.get("required", []))
        rows = [
            f"| `{name}`{' (required)' if name in required else ''} | {cell(self.type_of(part))} "
            f"| {cell(part.get('description', ''))} |"
            for name, part in schema.get("properties", {}).items()]
        return ["| member | type | |", "| --- | --- | --- |", *rows, ""] if rows else []

    def example(self, content):
        value = content.get("example")
        if value is None and content.get("examples"):
            value = self.resolved(next(iter(content["examples"].values()))).get("value")
        if value is None:
            return []
        return ["```json", json.dumps(value, indent=2, ensure_ascii=False, default=str), "```", ""]

    def parameters(self, item, operation):
        found = [self.resolved(one) for one in item.get("parameters", []) + operation.get("parameters", [])]
        rows = [
            f"| `{one['name']}` | {one['in']}{', required' if one.get('required') else ''} "
            f"| {cell(self.type_of(one.get('schema', {})))} | {cell(one.get('description', ''))} |"
            for one in found]
        return ["| parameter | in | type | |", "| --- | --- | --- | --- |", *rows, ""] if rows else []

    def body(self, operation):
        request = self.resolved(operation.get("requestBody", {}))
        lines = []
        for kind, content in request.get("content", {}).items():
            lines += [f"**Body** (`{kind}`): {self.type_of(content.get('schema', {}))} "
                      f"{request.get('description', '')}", ""]
            lines += self.fields(content.get("schema", {})) + self.example(content)
        return lines

    def responses(self, operation):
        lines = ["| status | | body |", "| --- | --- | --- |"]
        for status, response in operation.get("responses", {}).items():
            response = self.resolved(response)
            bodies = [self.type_of(content.get("schema", {})) for content in response.get("content", {}).values()]
            lines.append(f"| {status} | {cell(response.get('description', ''))} | {cell(', '.join(filter(None, bodies)))} |")
        return [*lines, ""]

    def operation(self, path, item, verb):
        operation = item[verb]
        return [
            f"## {verb.upper()} `{path}` {{ #{operation['operationId']} }}", "",
            f"**{operation.get('summary', '')}** {operation.get('description', '')}", "",
            *self.parameters(item, operation), *self.body(operation), *self.responses(operation)]

    def tag_page(self, tag):
        lines = [f"# {tag['name']}", "", tag.get("description", ""), ""]
        for path, item in self.document["paths"].items():
            for verb in VERBS:
                if tag["name"] in item.get(verb, {}).get("tags", []):
                    lines += self.operation(path, item, verb)
        return "\n".join(lines)

    def schemas_page(self):
        lines = ["# Schemas", "", "The objects of requests and responses, by name.", ""]
        for name, schema in sorted(self.document["components"]["schemas"].items()):
            lines += [f"## {name}", "", schema.get("description", ""), ""]
            lines += self.fields(schema) or [self.type_of(schema), ""]
        return "\n".join(lines)


def write(folder):
    """Writes the pages, and returns their titles and names for the navigation."""
    file = pages.ROOT / "Sources/CarillonServer/Resources/openapi.yaml"
    reference = Reference(yaml.safe_load(file.read_text(encoding="utf-8")))
    folder.mkdir(parents=True)
    entries = []
    for tag in reference.document["tags"]:
        name = f"{slug(tag['name'])}.md"
        (folder / name).write_text(reference.tag_page(tag), encoding="utf-8")
        entries.append({tag["name"]: f"api/{name}"})
    (folder / "schemas.md").write_text(reference.schemas_page(), encoding="utf-8")
    return [*entries, {"Schemas": "api/schemas.md"}]
