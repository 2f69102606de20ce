"""For each lens a sample of the project and an address in it where the lens has something to show."""

from __future__ import annotations

LENS_PLACES = {
    "overview": ("events", ""),
    "rows": ("events", "row_groups/0"),
    "query": ("events", ""),
    "what_if": ("events", "row_groups/0/columns/9"),
    "layout": ("events", "row_groups/0/columns/3"),
    "schema": ("nested", "schema"),
    "thrift": ("events", "row_groups/0/columns/3/pages/1/header"),
    "statistics": ("events", "row_groups/0/columns/0"),
    "page_index": ("page-index", "row_groups/0/columns/0"),
    "page": ("nested", "row_groups/0/columns/0/pages/0"),
    "encoding": ("deltas", "row_groups/0/columns/0/pages/0/values"),
    "dictionary": ("dictionary-fallback", "row_groups/0/columns/0"),
    "nesting": ("nested", "row_groups/0/columns/0/pages/0"),
    "bloom": ("bloom-filter", "row_groups/0/columns/0"),
    "variant": ("variant-shredded", "row_groups/0/columns/1"),
    "geospatial": ("geometry", "row_groups/0/columns/0"),
    "encryption": ("encrypted-columns", ""),
    "compare": ("events", "row_groups/0/columns/0"),
    "facts": ("events", "row_groups/0/columns/0"),
}
