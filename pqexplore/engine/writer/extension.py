"""Writes field 32767, which the format reserves for extensions in every struct.

Readers skip extensions that they do not know, as any unknown field (specification, "Binary
Protocol Extensions").
"""

from __future__ import annotations

from collections.abc import Mapping

from pqexplore.engine.format.thrift.declaration import Struct


def attach(struct: Struct, extensions: Mapping[str, bytes]) -> None:
    """Add to the struct, and to every struct in it, the extension for structs of its name."""
    if not extensions:
        return
    todo = [struct]
    while todo:
        one = todo.pop()
        if one.NAME in extensions:
            one._extension = extensions[one.NAME]
        for field in one.FIELDS:
            value = getattr(one, field.name)
            if isinstance(value, Struct):
                todo.append(value)
            elif field.is_list and value and field.struct is not None:
                todo += value
