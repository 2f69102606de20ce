"""Schemas as the specification writes them, for tests: `optional group a (LIST) { repeated int32 element; }`."""

import re

from pqexplore.engine.format import schema
from pqexplore.engine.format.thrift.structs import LogicalType, SchemaElement, VariantType

REPETITIONS = {"required": 0, "optional": 1, "repeated": 2}
TYPES = {"boolean": 0, "int32": 1, "int64": 2, "int96": 3, "float": 4, "double": 5, "binary": 6}
CONVERTED = {"STRING": 0, "MAP": 1, "MAP_KEY_VALUE": 2, "LIST": 3, "ENUM": 4, "INT_8": 15}


def elements(text):
    """The schema elements of some fields; the root is added."""
    tokens = re.findall(r"[\w.]+|[{}();]", text)
    found = [SchemaElement(name="schema", num_children=0)]
    groups = [found[0]]
    while tokens:
        token = tokens.pop(0)
        if token == "}":
            groups.pop()
            continue
        kind, name = tokens.pop(0), tokens.pop(0)
        element = SchemaElement(name=name, repetition_type=REPETITIONS[token])
        groups[-1].num_children += 1
        found.append(element)
        if tokens[0] == "(":
            _, annotation, _ = tokens.pop(0), tokens.pop(0), tokens.pop(0)
            if annotation == "VARIANT":
                element.logicalType = LogicalType(VARIANT=VariantType())
            else:
                element.converted_type = CONVERTED[annotation]
        if kind == "group":
            assert tokens.pop(0) == "{"
            element.num_children = 0
            groups.append(element)
        else:
            assert tokens.pop(0) == ";"
            element.type = TYPES[kind]
    assert len(groups) == 1, "a brace is missing"
    return found


def build(text):
    """The schema of some fields."""
    return schema.build(elements(text))


def field(text):
    """The one top-level field."""
    (only,) = build(text).root.children
    return only
