"""Variant columns against the rules of their encoding and of shredding, and groups that could be Variants.

The rules and the search are `variant.check`'s; here its problems become findings with an address. Reading goes on where
the specification says how, so what readers cope with is a warning, and what makes them fail, or differ, an error.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.reading import Budget, assembled
from pqexplore.engine.schema import Field, Leaf, walk
from pqexplore.engine.tree import Finding, join
from pqexplore.engine.variant.check import RULES, Problem, check
from pqexplore.engine.variant.columns import variants
from pqexplore.engine.variant.shape import is_variant_shape

if TYPE_CHECKING:
    from pqexplore.engine.file import ParquetFile
    from pqexplore.engine.row_group import RowGroup

MOST_PROBLEMS = 100
"""Problems of one Variant group in one row group that are told."""
MOST_VALUES = 2_000_000
"""Values of a column's leaves in one row group that are looked into; a larger one is said to be left out."""

READABLE = frozenset(
    (
        "missing",
        "missing-element",
        "required-field",
        "required-element",
        "shredded-field-in-value",
        "value-not-object",
        "object-in-value",
        "array-in-value",
    )
)
"""Broken rules for which the specification, or common sense, tells readers what to give."""


def shapes(file: ParquetFile) -> Iterator[Finding]:
    """Groups with the fields of a Variant, and without the annotation."""
    if file.metadata is None:
        return
    for field in file.schema.fields:
        if field.kind == "group" and is_variant_shape(field):
            path = ".".join(field.path)
            yield Finding(
                "possible-variant",
                "note",
                join("schema", field.index),
                f"{path!r} has the fields of a Variant and does not say that it is one; it is read as a struct, and "
                f"variant_get({path!r}, '$') reads it as Variants",
                {"path": field.path},
                "A Variant is represented as a group annotated with the VARIANT logical type",
            )


def findings(group: RowGroup, sound: Collection[int]) -> Iterator[Finding]:
    """What is wrong with the Variants of a row group. `sound` are the readable columns."""
    file = group.file
    for field in file.schema.root.children:
        if not any(node.kind == "variant" for node in walk(field)):
            continue
        leaves = field.leaves()
        if any(leaf.leaf_index not in sound for leaf in leaves):
            continue
        size = sum(group.columns[leaf.leaf_index].num_values for leaf in leaves)
        if size > MOST_VALUES:
            yield Finding(
                "variant-not-checked",
                "note",
                join(group.address, "columns", leaves[0].leaf_index),
                f"the Variants of {field.name!r} have {size:,} values in this row group; up to {MOST_VALUES:,} are looked "
                "into",
                {"values": size},
            )
            continue
        for array, _ in assembled(
            file, field, leaves, [group.index], Budget(file, "check()").spend
        ):
            for part, node in variants(array, field):
                yield from _problems(group, part, node)


def _problems(group: RowGroup, array: object, field: Field) -> Iterator[Finding]:
    places = _places(field)
    found = check(array, field, most=MOST_PROBLEMS + 1, limits=group.file.limits)
    nested = field.max_repetition_level > 0
    for problem in found[:MOST_PROBLEMS]:
        row = "the schema" if problem.row is None else f"row {problem.row:,}"
        if nested and problem.row is not None:
            row = f"element {problem.row:,}"
        yield Finding(
            f"variant-{problem.rule}",
            "warning" if problem.rule in READABLE else "error",
            join(group.address, "columns", _leaf(field, places, problem).leaf_index),
            f"{'.'.join(field.path)}, {row}, {problem.path}: {problem.message}",
            {"row": problem.row, "path": problem.path, "column": field.path},
            RULES[problem.rule],
        )
    if len(found) > MOST_PROBLEMS:
        yield Finding(
            "variant-more",
            "note",
            group.address,
            f"{'.'.join(field.path)}: the first {MOST_PROBLEMS} broken rules are told, there are more",
        )


def _places(field: Field) -> dict[str, Field]:
    """The groups of a shredded Variant by the paths that `Problem` has."""
    found, todo = {"$": field}, [("$", field)]
    while todo:
        path, node = todo.pop()
        typed = next(iter(node.named("typed_value")), None)
        if typed is None:
            continue
        below = [(f"{path}.{child.name}", child) for child in typed.children]
        if typed.list_element is not None:
            below = [(f"{path}[*]", typed.list_element)]
        for name, child in below:
            if name not in found:
                found[name] = child
                todo.append((name, child))
    return found


def _leaf(field: Field, places: dict[str, Field], problem: Problem) -> Leaf:
    """The column that shows the problem best."""
    node = field if problem.rule == "metadata" else places.get(problem.path, field)
    for name in ("metadata",) if problem.rule == "metadata" else ("value", "typed_value"):
        for child in node.named(name):
            if isinstance(child, Leaf):
                return child
    return (node.leaves() or field.leaves())[0]
