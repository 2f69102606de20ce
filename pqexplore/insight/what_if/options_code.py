"""Options of our writer as Python code."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from pqexplore.engine.writer.options import WriteOptions


def options_code(options: WriteOptions) -> str:
    """The call of `WriteOptions` that makes these options: those that differ from the default."""
    default = WriteOptions()
    given = [
        f"    {field.name}={getattr(options, field.name)!r},\n"
        for field in dataclasses.fields(options)
        if field.init and getattr(options, field.name) != getattr(default, field.name)
    ]
    return f"pqexplore.WriteOptions(\n{''.join(given)})" if given else "pqexplore.WriteOptions()"


def rewrite_code(source: str, target: str, options: WriteOptions, sort: Sequence[str] = ()) -> str:
    """Code that writes the file at the path `source` anew at `target`, and compares all values."""
    order = f", sort={tuple(sort)!r}" if sort else ""
    return (
        f"import pqexplore\n\noptions = {options_code(options)}\n"
        f"pqexplore.rewrite({source!r}, {target!r}, options{order}, verify=True)\n"
    )
