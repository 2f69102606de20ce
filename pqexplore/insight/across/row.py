"""One row of a file: its value in each column, and where each is stored."""

from __future__ import annotations

from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight import places
from pqexplore.insight.across.rows import columns_of
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.row_pages import by_group, row_starts
from pqexplore.insight.wording import plural

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
