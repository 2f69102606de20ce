"""Field 32767: the place in every struct that the format reserves for extensions.

Readers that do not know an extension skip it, as they skip any field that they do not know (specification, "Binary
Protocol Extensions").
"""

from __future__ import annotations

from collections.abc import Mapping

from pqexplore.engine.thrift.declaration import Struct


def attach(struct: Struct, extensions: Mapping[str, bytes]) -> None:
    """Give the struct, and every struct in it, the extension that is meant for structs of its name."""
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
