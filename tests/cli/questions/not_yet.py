"""Questions that are not answered yet, by what is missing."""

_BY_REASON: dict[str, tuple[str, ...]] = {
    "lake does not count": ("folder-rows",),
    "findings do not say the byte": ("page-overwritten",),
    "index does not count the indexes": ("metadatastore",),
    "lake does not say that it is a Delta table, and its version": ("delta-table",),
    "lake names the files that lack the column, not the one that has it": ("which-file-drifts",),
    "levels counts, and lists no entries": ("levels-of-list",),
    "schema --spark has only what Spark wrote down": (
        "schema-spark",
        "schema-spark-unsigned",
    ),
    "the table of an answer has no to_pandas": ("py-view-table",),
}

NOT_YET = {name: reason for reason, names in _BY_REASON.items() for name in names}
"""Why each of them is not answered, by the name of the question."""
