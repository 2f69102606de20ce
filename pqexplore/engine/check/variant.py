"""Checks Variant columns: their encoding and shredding.

`format.variant` finds the problems; here they become findings with an address. What the specification forbids is an
error; what it does not mention, or says how to read, a warning.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.file.table_reader import ReadTally, assembled
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.field import Field, Leaf, walk
from pqexplore.engine.text import name as column_name

if TYPE_CHECKING:
    from pqexplore.engine.file.row_group import RowGroup
    from pqexplore.engine.format.variant.check import Problem

MAX_PROBLEMS = 100
"""Problems of one Variant group in one row group that are listed."""
MAX_VALUES = 2_000_000
"""A column whose leaves have more values in a row group is not checked; a note says so."""


def findings(group: RowGroup, sound: Collection[int]) -> Iterator[Finding]:
    """Findings about the Variants of a row group. `sound` are the readable columns."""
    file = group.file
    for field in file.schema.root.children:
        if not any(node.kind == "variant" for node in walk(field)):
            continue
        leaves = field.leaves()
        if any(leaf.leaf_index not in sound for leaf in leaves):
            continue
        size = sum(group.columns[leaf.leaf_index].num_values for leaf in leaves)
        if size > MAX_VALUES:
            yield Finding(
                "variant-not-checked",
                Address.of(group.address, "columns", leaves[0].leaf_index),
                f"the Variants of {field.name!r} have {size:,} values in this row group and were not checked; the limit "
                f"is {MAX_VALUES:,}",
                {"values": size},
            )
            continue
        from pqexplore.engine.format.variant.variants_in_columns import variants  # most files have no Variant

        for array, _ in assembled(file, field, leaves, [group.index], ReadTally(file, "check()").spend, again=True):
            for part, node in variants(array, field):
                yield from _problems(group, part, node)


def _problems(group: RowGroup, array: pa.StructArray, field: Field) -> Iterator[Finding]:
    from pqexplore.engine.format.variant.check import RULES, row_problems

    groups = _groups(field)
    found = row_problems(array, field, limits=group.file.limits)
    problems = list(itertools.islice(found, MAX_PROBLEMS + 1))
    entry = "element" if field.max_repetition_level else "row"
    variant = column_name(field.path)
    for problem in problems[:MAX_PROBLEMS]:
        part = "" if problem.path == "$" else f", at {problem.path}"
        yield Finding(
            f"variant-{problem.rule}",
            Address.of(group.address, "columns", _leaf(field, groups, problem).leaf_index),
            f"in {entry} {problem.row:,} of the Variant {variant}{part}, {problem.message}",
            {"row": problem.row, "path": problem.path, "column": field.path},
            RULES[problem.rule],
        )
    if len(problems) > MAX_PROBLEMS:
        yield Finding(
            "variant-more",
            group.address,
            f"the Variant {variant} has more than {MAX_PROBLEMS} problems; only the first {MAX_PROBLEMS} are listed",
        )


def _groups(field: Field) -> dict[str, Field]:
    """The groups of a shredded Variant, by `Problem.path`."""
    groups, todo = {"$": field}, [("$", field)]
    while todo:
        path, node = todo.pop()
        typed = next(iter(node.named("typed_value")), None)
        if typed is None:
            continue
        below = [(f"{path}.{child.name}", child) for child in typed.children]
        if typed.list_element is not None:
            below = [(f"{path}[*]", typed.list_element)]
        for name, child in below:
            if name not in groups:
                groups[name] = child
                todo.append((name, child))
    return groups


def _leaf(field: Field, groups: dict[str, Field], problem: Problem) -> Leaf:
    """The column that holds the value with the problem."""
    node = field if problem.rule == "metadata" else groups.get(problem.path, field)
    for name in ("metadata",) if problem.rule == "metadata" else ("value", "typed_value"):
        for child in node.named(name):
            if isinstance(child, Leaf):
                return child
    return (node.leaves() or field.leaves())[0]
