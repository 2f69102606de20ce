"""Rules about bytes beside the data: gaps, key-value metadata, checksums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import embedded
from pqexplore.engine.rule import FOOTER, PAGES, Cost, Rule, Severity, Source
from pqexplore.engine.tree.gap_reason import is_copy
from pqexplore.insight import summary
from pqexplore.insight.wording import name, percent, plural, size

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.insight.doctor.subject import Subject

FORMAT = Source("Parquet, file format", "https://parquet.apache.org/docs/file-format/")
CHECKSUMS = Source("Parquet, checksumming", "https://parquet.apache.org/docs/file-format/data-pages/checksumming/")

GAP_BYTES = 64 << 10
GAP_SHARE = 0.05
GAPS = 20
"""Gaps that are looked at."""
KEY_VALUE_BYTES = 64 << 10
KEY_VALUE_SHARE = 0.1
PAGES_LOOKED_AT = 20_000


def unused_bytes(subject: Subject) -> Iterator[Finding]:
    """Bytes that nothing in the footer names."""
    unnamed = subject.unnamed
    if unnamed is not None and unnamed < max(GAP_BYTES, GAP_SHARE * subject.file.size):
        return
    layout = subject.file.layout("chunks").to_pydict()
    gaps = [
        (start, end - start, address)
        for start, end, kind, address in zip(
            layout["start"], layout["end"], layout["kind"], layout["address"], strict=True
        )
        if kind == "gap"
    ]
    total = sum(count for _, count, _ in gaps)
    if total < GAP_BYTES or total < GAP_SHARE * subject.file.size:
        return
    start, largest, address = max(gaps, key=lambda one: one[1])
    some = [(start, largest, address), *gaps[:: -(-len(gaps) // GAPS)]]
    if all(is_copy(subject.file, at, at + count) for at, count, _ in some):
        return  # old writers leave one after each column chunk: what is wasteful is the number of chunks
    yield Finding(
        "unused-bytes",
        address,
        f"Nothing in the footer names {size(total)} of the file, {percent(total / subject.file.size)}; the largest gap has "
        f"{size(largest)}, from byte {start:,}.",
        {"bytes": total, "gaps": len(gaps), "largest": largest, "at": start},
        cost=Cost(f"{size(total)} that no reader uses", bytes=total),
        fix="Look at the gap: it may be data that a footer lost. Writing the file again leaves it out.",
        code={
            "DuckDB": "COPY (FROM 'path') TO 'new' (FORMAT parquet)",
            "pyarrow": "pq.write_table(pq.read_table(path), new)",
        },
    )


def heavy_key_values(subject: Subject) -> Iterator[Finding]:
    """Key-value metadata that is a large part of the file. Arrow's schema grows with the columns, and is `large-footer`."""
    sizes = summary.key_value_sizes(subject.file)
    sizes.pop(embedded.ARROW, None)
    total = sum(sizes.values())
    if total < KEY_VALUE_BYTES or total < KEY_VALUE_SHARE * subject.file.size:
        return
    key = max(sizes, key=lambda one: sizes[one])
    yield Finding(
        "heavy-key-values",
        "footer",
        f"Key-value metadata takes {size(total)}, {percent(total / subject.file.size)} of the file; {name(key)} alone takes "
        f"{size(sizes[key])}.",
        {"bytes": total, "key": key, "of_key": sizes[key]},
        cost=Cost("every query reads it with the footer", bytes=total),
        fix="Store it beside the file, or drop it.",
        code={"pyarrow": "pq.write_table(table.replace_schema_metadata(None), path)"},
    )


def some_checksums(subject: Subject) -> Iterator[Finding]:
    """Checksums on some pages only."""
    with_, without, looked = 0, 0, 0
    first: ColumnChunk | None = None
    for leaf in subject.leaves:
        for chunk in subject.chunks(leaf):
            if chunk.locked or chunk.elsewhere or looked > PAGES_LOOKED_AT:
                continue
            try:
                for page in chunk.pages:
                    looked += 1
                    if page.header.crc is None:
                        without += 1
                        first = first or chunk
                    else:
                        with_ += 1
            except ParquetError:
                continue
    if not with_ or not without or first is None:
        return
    yield Finding(
        "some-checksums",
        first.address,
        f"{with_:,} of {plural(with_ + without, 'page')} have a checksum: damage of the other {without:,} goes unnoticed.",
        {"with": with_, "without": without},
        column=".".join(first.leaf.path),
        fix="Let the writer write checksums for all pages, or for none.",
        code={
            "pyarrow": "pq.write_table(table, path, write_page_checksum=True)",
            "Spark": "df.write.option('parquet.page.write-checksum.enabled', 'true').parquet(path)",
            "pqexplore": "pqexplore.WriteOptions(checksum=True)",
        },
    )


RULES = (
    Rule(
        "unused-bytes", Severity.WASTEFUL, FOOTER,
        "Bytes that nothing uses",
        "A file may hold what an editor left behind, or data that its footer lost.",
        unused_bytes, FORMAT,
        f"Gaps of at least {size(GAP_BYTES)} together, and {percent(GAP_SHARE)} of the file; not what old writers leave after each column chunk, a second copy of its metadata.",
    ),
    Rule(
        "heavy-key-values", Severity.WASTEFUL, FOOTER,
        "Key-value metadata that weighs much",
        "It is a part of the footer, which every query reads.",
        heavy_key_values, FORMAT,
        f"At least {size(KEY_VALUE_BYTES)}, and {percent(KEY_VALUE_SHARE)} of the file, without Arrow's schema, which grows with the columns.",
    ),
    Rule(
        "some-checksums", Severity.NOTE, PAGES,
        "Checksums on some pages only",
        "Files that were joined from others often have it.",
        some_checksums, CHECKSUMS,
    ),
)  # fmt: skip
