"""Checks the schema of Variant columns, and finds groups that could be Variants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.field import Field
from pqexplore.engine.format.variant.schema_check import SCHEMA_RULES, schema_problems
from pqexplore.engine.format.variant.shape import is_variant_shape
from pqexplore.engine.text import name

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile


def shapes(file: ParquetFile) -> Iterator[Finding]:
    """The schema of VARIANT groups; groups with the fields of a Variant, but without the annotation."""
    if file.metadata is None:
        return
    for field in file.schema.fields:
        if field.kind == "variant":
            yield from _of_schema(field)
        if field.kind == "group" and is_variant_shape(field):
            path = ".".join(field.path)
            yield Finding(
                "possible-variant",
                Address.of("schema", field.index),
                f"{name(path)} has the fields of a Variant, but is not annotated as VARIANT; it is read as a struct. "
                f"variant_get({path!r}, '$') reads it as Variants",
                {"path": field.path},
            )


def _of_schema(variant: Field) -> Iterator[Finding]:
    for problem in schema_problems(variant):
        yield Finding(
            f"variant-{problem.rule}",
            Address.of("schema", problem.field.index),
            f"VARIANT {name(variant.path)}: {problem.message}",
            {"row": None, "path": problem.path, "column": variant.path},
            SCHEMA_RULES[problem.rule],
        )
