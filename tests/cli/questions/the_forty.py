"""Forty of the questions, always the same: of these, the share that the first command answers is counted."""

DIRECT = (
    "size-of-file", "who-wrote", "footer-bytes", "sorted-by", "first-rows", "rows-from-to", "row-172", "byte-9000",
    "biggest-column", "compression-enlarged", "fallback-row", "fallback-everywhere", "entries", "encodings-of-pages",
    "delta-blocks", "bounds-time", "nulls-by-group", "bounds-cut", "bounds-swapped", "distrusted", "page-bounds",
    "page-list", "probe-present", "filter-fpp", "time-units", "decimal-unscaled", "fixed-width", "skip-unsorted",
    "skip-works", "engine-bloom", "reader-alp", "text-in-gap", "page-overwritten", "crc-of-page", "key-of-column",
    "variant-row", "variant-valid", "levels-of-list", "empty-or-absent", "diff-layout",
)  # fmt: skip
"""The names of the forty."""
