"""Rules about dictionaries: those that the writer gave up, and those that save nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.format.thrift.structs import Encoding, PageType
from pqexplore.insight.doctor.diagnosis import Cost, Diagnosis, Severity, Source
from pqexplore.insight.doctor.rules.rule import FOOTER, Rule
from pqexplore.insight.wording import name, plural, size

if TYPE_CHECKING:
    from pqexplore.engine.format.thrift.structs import ColumnMetaData
    from pqexplore.insight.doctor.subject import Subject

ENCODINGS = Source(
    "Parquet, encodings: dictionary encoding",
    "https://parquet.apache.org/docs/file-format/data-pages/encodings/",
)

LEAST_BYTES = 1 << 20
"""Bytes of a column below which its dictionary does not matter."""

_DICTIONARY = (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY)
_DATA = (PageType.DATA_PAGE, PageType.DATA_PAGE_V2)


def pages_by_dictionary(metadata: ColumnMetaData) -> tuple[int, int] | None:
    """(data pages with the dictionary, all data pages) by the footer's `encoding_stats`; None without them."""
    stats = metadata.encoding_stats
    if not stats:
        return None
    data = [one for one in stats if one.page_type in _DATA]
    through = sum(max(0, one.count or 0) for one in data if one.encoding in _DICTIONARY)
    return through, sum(max(0, one.count or 0) for one in data)


def given_up(subject: Subject) -> Iterator[Diagnosis]:
    """Columns whose writer began with a dictionary and went on without it."""
    for leaf in subject.leaves:
        if subject.total("total_compressed_size", leaf) < LEAST_BYTES:
            continue
        groups, pages, plain, bytes_ = [], 0, 0, 0
        for group, metadata in subject.metadata(leaf):
            found = pages_by_dictionary(metadata)
            if found is None or not 0 < found[0] < found[1]:
                continue
            groups.append(group)
            pages += found[1]
            plain += found[1] - found[0]
            bytes_ += max(0, metadata.total_compressed_size)
        if not groups or bytes_ < LEAST_BYTES:
            continue
        yield Diagnosis(
            "dictionary-given-up",
            Severity.NOTE,
            f"The writer gave up the dictionary of {name(leaf.path)} in {plural(len(groups), 'row group')}: "
            f"{plain:,} of {plural(pages, 'data page')} repeat their values in full.",
            Address.of("row_groups", groups[0], "columns", leaf.leaf_index),
            ".".join(leaf.path),
            tuple(groups[:1_000]),
            evidence={"row_groups": len(groups), "pages": pages, "pages_without": plain},
            cost=Cost(
                f"these column chunks take {size(bytes_)}; the dictionary is stored, and helps only the first pages. "
                "parquet-java cannot skip these row groups by their dictionary"
            ),
            fix="Raise the limit of the dictionary, write smaller row groups, or turn the dictionary off for this column.",
            code={
                "pyarrow": "pq.write_table(table, path, dictionary_pagesize_limit=4 << 20)",
                "Spark": "df.write.option('parquet.dictionary.page.size', 4 << 20).parquet(path)",
                "DuckDB": "COPY … TO 'path' (FORMAT parquet, DICTIONARY_SIZE_LIMIT 100_000)",
                "pqexplore": f"pqexplore.WriteOptions(columns={{{'.'.join(leaf.path)!r}: {{'dictionary_bytes': 4 << 20}}}})",
            },
            source=ENCODINGS,
        )


RULES = (
    Rule(
        "dictionary-given-up", Severity.NOTE, FOOTER,
        "A dictionary that the writer gave up",
        "A writer stops using the dictionary when it is too large. The pages after it repeat every value in full.",
        given_up, ENCODINGS,
        f"Column chunks of at least {size(LEAST_BYTES)} together, by the footer's count of pages by encoding.",
    ),
)  # fmt: skip
