"""For each lens a sample of the project and an address in it where the lens has something to show."""

from pathlib import Path

import pyarrow as pa

import pqexplore

LENS_PLACES = {
    "overview": ("events", ""),
    "column": ("dictionary-fallback", "row_groups/0/columns/0"),
    "row_group": ("events", "row_groups/1"),
    "contents": ("events", "footer"),
    "rows": ("events", "row_groups/0"),
    "query": ("events", ""),
    "what_if": ("events", "row_groups/0/columns/9"),
    "layout": ("events", "row_groups/0/columns/3"),
    "schema": ("nested", "schema"),
    "thrift": ("events", "row_groups/0/columns/3/pages/1/header"),
    "statistics": ("events", "row_groups/0/columns/0"),
    "page_index": ("page-index", "row_groups/0/columns/0"),
    "page": ("nested", "row_groups/0/columns/0/pages/0"),
    "value": ("events", "row_groups/0/columns/5/pages/2/values/1007"),
    "encoding": ("deltas", "row_groups/0/columns/0/pages/0/values"),
    "dictionary": ("dictionary-fallback", "row_groups/0/columns/0"),
    "nesting": ("nested", "row_groups/0/columns/0/pages/0"),
    "bloom": ("bloom-filter", "row_groups/0/columns/0"),
    "variant": ("variant-shredded", "row_groups/0/columns/1"),
    "geospatial": ("geometry", "row_groups/0/columns/0"),
    "encryption": ("encrypted-columns", ""),
    "compare": ("events", "row_groups/0/columns/0"),
    "diff": ("events", "row_groups/0/columns/2"),
    "facts": ("events", "row_groups/0/columns/0"),
}

COMPARED = {"diff": "events-later"}
"""For a lens that needs a second file, its name; `write_second` writes it."""


def write_second(first: Path, target: Path) -> Path:
    """Write the first file again a day later: with more rows, a column less and one more, and two in another encoding."""
    with pqexplore.open(first) as file:
        table = file.read()
    rows = table.slice(0, 8_000)
    later = pa.concat_tables([table, rows]).drop(["payload"])
    later = later.append_column("country_again", later["country"])
    options = pqexplore.WriteOptions(
        row_group_rows=8_000, columns={"user": {"encoding": "PLAIN"}, "score": {"encoding": "BYTE_STREAM_SPLIT"}}
    )
    pqexplore.write(later, target, options)
    return target
