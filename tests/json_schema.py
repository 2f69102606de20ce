"""Compares documents with docs/json.schema.json."""

import json
import re
from pathlib import Path

SCHEMA = json.loads((Path(__file__).resolve().parents[1] / "docs" / "json.schema.json").read_text("utf-8"))

TYPES = {"null": type(None), "boolean": bool, "integer": int, "number": (int, float), "string": str, "array": list, "object": dict}  # fmt: skip


def misfits(schema, value, at="$"):
    """Where a value differs from a schema, as JSON Schema has it; and members that the schema does not list."""
    if "$ref" in schema:
        yield from misfits(SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], value, at)
        return
    if "anyOf" in schema:
        if not any(is_one(one, value) for one in schema["anyOf"]):
            tried = [list(misfits(one, value, at)) for one in schema["anyOf"]]
            yield min(tried, key=len)[0]
        return
    if "const" in schema and value != schema["const"]:
        yield f"{at} is {value!r}, not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at} is {value!r}, not one of {schema['enum']}"
    names = schema.get("type", [])
    names = names if isinstance(names, list) else [names]
    if names and not any(is_of(name, value) for name in names):
        yield f"{at} is {value!r:.80}, not {' or '.join(names)}"
        return
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{at} does not match"
    if isinstance(value, list) and "items" in schema:
        for index, one in enumerate(value):
            yield from misfits(schema["items"], one, f"{at}[{index}]")
    if isinstance(value, dict) and "properties" in schema:
        yield from misfit_members(schema, value, at)


def misfit_members(schema, value, at):
    """What is wrong with the members of an object: those that are lacking, of another schema, or not listed."""
    other = schema.get("additionalProperties", False)
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{at} lacks {name}"
    for name, one in value.items():
        if name in schema["properties"]:
            yield from misfits(schema["properties"][name], one, f"{at}.{name}")
        elif other is False:
            yield f"{at} has {name}, which the schema does not list"
        elif other is not True:
            yield from misfits(other, one, f"{at}.{name}")


def is_of(name, value):
    """Whether a value is of a type of JSON Schema; a bool is no number."""
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def is_one(schema, value):
    """Whether a value is as a schema says; what differs first is enough to know that it is not."""
    return next(misfits(schema, value), None) is None


def branches(document):
    """The kinds of document that a document fits: `oneOf` of the schema."""
    return [one["$ref"].rpartition("/")[2] for one in SCHEMA["oneOf"] if is_one(one, document)]


def named(kind):
    """The name of the definition of a kind of document."""
    return f"{kind.replace('-', '_')}_document"


def fits(kind, made):
    """A document of a kind as a JSON reader sees it, after it was compared with the schema."""
    whole = {"version": 1, "kind": kind, **made}
    read = json.loads(json.dumps(whole, allow_nan=False))
    found = branches(read)
    assert found == [named(kind)], list(misfits({"$ref": f"#/$defs/{named(kind)}"}, read))
    return read
