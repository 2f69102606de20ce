"""The answer of a lens at any node: at one that it applies to, or as one table over all that lies below it.

`across.answer(file, node, name)` is what `f.view` and the terminal say. A lens that applies to the node answers as in the
explorer. A lens of column chunks or pages that is asked at the file, a row group or a column gives one row for each of
them, with its address. A row of the file (`rows/172`) has its value in each column. Where neither is possible the error names addresses of this file where it is.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Callable, Iterator

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.row_group import row_starts
from pqexplore.engine.tree.node import Node
from pqexplore.insight import places
from pqexplore.insight.across.rows import columns_of
from pqexplore.insight.across.scope import Scope, scope_of
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.ask.question import Question
from pqexplore.insight.findings_at import with_findings
from pqexplore.insight.lenses import LENSES, answer_of, finish, require
from pqexplore.insight.lenses.lens import Lens
from pqexplore.insight.row_pages import by_group
from pqexplore.insight.wording import listing, plural

PLACES = 3
"""Addresses that are named."""

LOOKED_AT = 200
"""Columns that are looked at, and their pages and values in the first row group."""

_PARTS = ("column_index", "offset_index", "bloom_filter", "pages/0", "pages/1", "pages/0/values/0")


def where_it_applies(file: ParquetFile, lens: Lens, node: Node, over_all: bool) -> list[str]:
    """At most `PLACES` addresses to which a lens applies, those above the node first; empty if none was found.

    `over_all`: the lens has a table over the column chunks of a file.
    """
    found: list[str] = [""] if over_all else []
    for address in _candidates(file, Address(node.address)):
        if len(found) == PLACES:
            break
        try:
            one = file.node(address)
            applies = lens.applies(one) and not (lens.lacking and lens.lacking(file, one))
        except (ParquetError, KeyError, ValueError, IndexError):
            continue
        if applies and address not in found:
            found.append(address)
    return found


def _candidates(file: ParquetFile, address: Address) -> Iterator[str]:
    """Addresses that most lenses apply to one of: above the node, then from the file down to values."""
    while address:
        address = address.parent
        yield address
    columns = range(min(len(file.schema.leaves), LOOKED_AT))
    fields = range(1, min(len(file.schema.fields), LOOKED_AT))
    yield from ("footer", "schema", "row_groups", "row_groups/0")
    yield from (f"row_groups/0/columns/{column}" for column in columns)
    yield from (f"schema/{field}" for field in fields)
    for part in _PARTS:
        yield from (f"row_groups/0/columns/{column}/{part}" for column in columns)


NAMES = frozenset({"rows", "value", "page"})
"""The lenses that are about values, and so about a row."""

COLUMNS = (
    Column("column", "column", meaning="the dotted path of the leaf, or of the Variant"),
    Column(
        "value", "value", meaning="a list of its entries for a leaf inside lists; a Variant as JSON, a geometry as WKT"
    ),
    Column("page", "page", "code", "the page that has it"),
    Column("remark", "remark", meaning="why the value is not known"),
)


def of_row(file: ParquetFile, row: int) -> Answer:
    """A row for each column, which leads to the value; its bytes are those of the page."""
    table = Table(COLUMNS, f"Row {row:,}")
    for shown in columns_of(file, file.schema.leaves):
        one = places.cell_of_row(file, row, shown.field.leaves()[0])
        table.add(
            shown.name,
            None if one.trouble else shown.values(row, row + 1)[0],
            one.page,
            one.trouble or None,
            address=one.address,
            span=one.span,
        )
    group, within, _ = by_group(row_starts(file), row, row + 1)[0]
    return Answer(
        f"Row {row:,} of {row_starts(file)[-1]:,} is row {within:,} of row group {group:,}, in "
        f"{plural(len(table.rows), 'column')}.",
        table=table,
        code=f"f.view('rows', 'rows/{row}')",
    )


def has_table(name: str) -> bool:
    """Whether a lens has a table over many column chunks; `levels` is no lens, and at a page the same as `page`."""
    return name == "levels" or (name in LENSES and bool(LENSES[name].across))


def _over(name: str, scope: Scope) -> Answer:
    """The table of a lens over many column chunks."""
    kind = "page_entries" if name == "levels" else LENSES[name].across
    if kind in ("chunks", "columns"):
        from pqexplore.insight.across.joined import over_chunks, over_columns

        return over_chunks(scope, name) if kind == "chunks" else over_columns(scope, name)
    over: Callable[[Scope], Answer] = importlib.import_module(f"{__name__}.{kind}").over
    return over(scope)


def answer(file: ParquetFile, node: Node, name: str, question: Question | None = None) -> Answer:
    """The Answer of the lens `name` at a node or over all that lies below it.

    Raises UsageError for a lens that does not exist, and for one that has nothing to say of the node: the message names
    addresses of this file where it has. ParquetError if the schema or the row groups cannot be read.
    """
    if name == "levels" and LENSES["page"].applies(node):
        name = "page"
    lens = LENSES.get(name)
    own = lens is None and has_table(name)
    if own or (lens is not None and not lens.lacks() and not lens.applies(node)):
        row = places.row_of(node)
        if row is not None and name in NAMES:
            return _made(file, node, name, functools.partial(of_row, file, row))
        scope = scope_of(file, node) if has_table(name) else None
        if scope is not None and not scope.size:
            lacks = "columns" if scope.groups else "row groups"
            return Answer(f"There are no column chunks: the file has no {lacks}.", lens=name)
        if scope is not None:
            return _made(file, node, name, functools.partial(_over, name, scope))
        raise UsageError(_not_here(file, node, name))
    from pqexplore.insight.across.beside import BESIDE

    made = finish(answer_of(file, node, require(name, node), question))
    if name not in BESIDE:
        return made
    try:
        with file.budget.asking(f"the lens {name}", node.address):
            return BESIDE[name](file, node, made)
    except ParquetError as error:
        said = f"{made.sentence} There is no table, because something cannot be read: {error.message}."
        return dataclasses.replace(made, sentence=said)


def _made(file: ParquetFile, node: Node, name: str, make: Callable[[], Answer]) -> Answer:
    """An answer within the budget, with the findings about the node."""
    with file.budget.asking(f"the lens {name}", node.address):
        made = make()
        if file.budget.exhausted:
            made.sentence += f" Not everything was looked at: {file.budget.exhausted}."
    made.lens = name
    return with_findings(file, node, made, False, LENSES[name].misled_by if name in LENSES else frozenset())


def _not_here(file: ParquetFile, node: Node, name: str) -> str:
    said = f"the lens {name} does not apply to a {node.kind.replace('_', ' ')}"
    try:
        lens = LENSES.get(name, LENSES["page"])
        found = where_it_applies(file, lens, node, has_table(name))
    except ParquetError:
        found = []
    if not found:
        return f"{said}, and no place was found in this file where it does"
    return f"{said}; it applies to {listing([place or 'the whole file' for place in found], 'and')}"
