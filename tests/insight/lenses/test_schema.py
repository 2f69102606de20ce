"""The schema: depth, levels, rules, and whether the descriptions of Arrow and Spark fit it."""

import json

import pyarrow as pa
import pytest
from made import events, parquet, rebuilt

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.embedded import SPARK
from pqexplore.insight.lenses import schema as lens


def answer(data, address="schema"):
    with pqexplore.open(data) as file:
        return lens.answer(file, file.node(address))


def with_spark(table, columns):
    """The table, described by Spark's row metadata as having other columns."""
    described = [{"name": n, "type": t, "nullable": True, "metadata": {}} for n, t in columns]
    metadata = {SPARK: json.dumps({"type": "struct", "fields": described})}
    return parquet(table.replace_schema_metadata(metadata))


def test_each_row_has_the_bytes_of_its_declaration():
    data = parquet(events())
    table = answer(data).table
    for row, span in zip(table.rows, table.spans, strict=True):
        assert row[0].split(".")[-1].encode() in data[span.start : span.end]


@pytest.mark.parametrize(("kind", "sentence", "agrees"), [
    ("long", "Arrow's and Spark's own descriptions agree with it.", True),
    ("string", "column 'x' is string there, INT64 in the file", False),
])  # fmt: skip
def test_spark_types_that_fit_and_that_do_not(kind, sentence, agrees):
    found = answer(with_spark(pa.table({"x": [1, 2]}), [("x", kind)]))
    assert sentence in found.sentence
    row = found.table.rows[1]
    assert (row[8], row[9]) == (kind, agrees)


def test_a_column_that_arrow_describes_and_the_file_lacks():
    data = parquet(pa.table({"x": [1], "y": [2]}))
    renamed = rebuilt(data, schema__2__name="z")
    assert "describes columns that the file does not have: 'y'" in answer(renamed).sentence


def test_a_broken_schema_raises_its_error():
    data = rebuilt(parquet(pa.table({"x": [1]})), schema__0__num_children=5)
    with pqexplore.open(data) as file, pytest.raises(pqexplore.ParquetError, match="schema"):
        lens.answer(file, file.node("schema"))


def picture(file, address="schema"):
    return lens.answer(file, file.node(address)).picture


def test_a_wide_schema_comes_in_parts():
    with pqexplore.open(parquet(pa.table({f"c{i}": [i] for i in range(1200)}))) as file:
        first = picture(file)
        assert (first.total, len(first.fields)) == (1201, 500)
        rest = lens.fields_from(file, 1000).fields
        assert (len(rest), rest[-1].name) == (201, "c1199")
        with pytest.raises(UsageError, match="field 7 is not where 500 fields begin"):
            lens.fields_from(file, 7)
