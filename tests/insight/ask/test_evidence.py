"""Which engines can skip by a dictionary or a Bloom filter: what the doctor says of a column is what `ask` does."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from made import ours

import pqexplore
from pqexplore.insight.ask import evidence
from pqexplore.insight.ask.pruning_result import BLOOM, DICTIONARY
from tests.insight.doctor.doctor_cases import written

INSTANT = datetime.datetime(2026, 1, 31, 12, tzinfo=datetime.UTC)

COLUMNS = {
    "int": (pa.array([1, 3] * 50), "c = 2"),
    "uint": (pa.array([1, 3] * 50, pa.uint32()), "c = 2"),
    "text": (pa.array(["a", "c"] * 50), "c = 'b'"),
    "binary": (pa.array([b"a", b"c"] * 50), "c = X'62'"),
    "boolean": (pa.array([False] * 100), "c = true"),
    "double": (pa.array([1.5, 3.5] * 50), "c = 2.5e0"),
    "decimal": (pa.array([Decimal("1.50")] * 100), "c = 2.50"),
    "date": (pa.array([datetime.date(2026, 1, 31)] * 100), "c = DATE '2026-02-01'"),
    "instant": (pa.array([INSTANT] * 100), "c = TIMESTAMP '2026-01-31 13:00:00Z'"),
    "clock": (
        pa.array([INSTANT.replace(tzinfo=None)] * 100),
        "c = TIMESTAMP_NTZ '2026-01-31 13:00:00'",
    ),
}  # fmt: skip

WRITTEN = {
    "dictionary": lambda table: written(table, row_group_size=50, write_statistics=False),
    "plain": lambda table: written(
        table, row_group_size=50, write_statistics=False, use_dictionary=False
    ),
    "Bloom filter": lambda table: ours(
        table, row_group_rows=50, statistics=(), column_index=False, encoding="PLAIN", bloom_filter=True
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", WRITTEN)
@pytest.mark.parametrize("column", COLUMNS)
def test_engines_with_evidence_are_those_that_skip_an_absent_value(column, how):
    values, where = COLUMNS[column]
    with pqexplore.open(WRITTEN[how](pa.table({"c": values}))) as file:
        able = {reader for reader, _ in evidence.of_chunk(file.row_groups[0].columns[0])}
        for reader in evidence.READERS:
            kept = [group.kept for group in pqexplore.ask(file, where, engine=reader).groups]
            assert any(kept) == (reader not in able), (reader, kept)


def test_evidence_in_words():
    found = [("duckdb", BLOOM), ("spark", DICTIONARY), ("spark", BLOOM)]
    said = "DuckDB by the Bloom filter and Spark by the Bloom filter or the dictionary"
    assert evidence.by_engine(found) == said
