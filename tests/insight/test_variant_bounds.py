"""Bounds inside a Variant are usable only where the `value` column beside them is always null, in every view.

Specification: "Data Skipping" in VariantShredding.md.
"""

import io

import pyarrow as pa
import pytest
from engine.check.violations.variant import annotated
from lake.test_inspection import of_bytes
from made import ours, rebuilt

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.variant_bounds import chunk_bounds, chunk_doubt
from pqexplore.engine.format.variant.bounds import ENCODED, UNKNOWN, VALUES, WHY
from pqexplore.engine.format.variant.encode import encode_array
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import lenses
from pqexplore.insight.features import features
from pqexplore.insight.lenses import bloom
from pqexplore.insight.lenses.compare import compare
from pqexplore.insight.skippable import group_part, page_parts
from pqexplore.lake.metadatastore.collect import find_leaf

FITS = list(range(12))
MIXED = [1, 2, 3, 4, 5, 6, "seven", 8, 9, 10, 11, 12]
"""The text is in row 6: page 2 of a chunk of one row group, or row group 1 of two."""


def shredded(values, kind=None, **options):
    """A file of a shredded Variant with three rows in a page."""
    column = {"logical_type": "VARIANT", "shredding": pa.int64() if kind is None else kind}
    columns = {"v": column, "v.typed_value": {"bloom_filter": True}} if kind is None else {"v": column}
    table = pa.table({"v": encode_array(values)})
    return ours(table, page_rows=3, columns=columns, **options)


def silent(data, *columns):
    """The file without the null counts of these columns' chunks."""
    changes = {f"row_groups__0__columns__{i}__meta_data__statistics__null_count": None for i in columns}
    return rebuilt(data, **changes)


def without_index(data, column):
    path = f"row_groups__0__columns__{column}__"
    names = ("column_index_offset", "column_index_length", "offset_index_offset", "offset_index_length")
    return rebuilt(data, **{path + name: None for name in names})


OBJECT = pa.struct([("a", pa.int64()), ("b", pa.string())])
OBJECTS = [{"a": 1, "b": "x"}, {"a": 2, "b": 3}, {"a": 3, "c": 4}, {"b": "y"}]


def alone():
    """A Variant with typed_value, and no `value` column that could have other values."""
    kind = pa.struct([pa.field("metadata", pa.binary(), nullable=False), ("typed_value", pa.int64())])
    rows = [{"metadata": b"\1\0\0", "typed_value": value} for value in (1, None, 3)]
    return annotated(pa.array(rows, kind))


CHUNKS = {
    "no value column": (alone(), 1, ""),
    "metadata is encoded": (shredded(FITS), 0, ENCODED),
    "value is encoded": (shredded(MIXED), 1, ENCODED),
    "value that is always null is encoded": (shredded(FITS), 1, ENCODED),
    "all values fit": (shredded(FITS), 2, ""),
    "one value does not fit": (shredded(MIXED), 2, VALUES),
    "a Variant null is a value, too": (shredded([{"a": 1, "b": "x"}, {"a": None}], OBJECT), 3, VALUES),
    "no null count": (silent(shredded(FITS), 1), 2, UNKNOWN),
    "a null count that cannot be": (
        rebuilt(shredded(FITS), row_groups__0__columns__1__meta_data__statistics__null_count=99),
        2,
        UNKNOWN,
    ),
    "a field that always fits, beside an object with other fields": (shredded(OBJECTS, OBJECT), 3, ""),
    "a field that does not always fit": (shredded(OBJECTS, OBJECT), 5, VALUES),
    "elements that fit": (shredded([[1, 2], [], [3]], pa.list_(pa.int64())), 3, ""),
    "elements that do not": (shredded([[1, 2], ["x"], [3]], pa.list_(pa.int64())), 3, VALUES),
}


@pytest.mark.parametrize("name", CHUNKS)
def test_bounds_of_a_chunk(name):
    data, index, reason = CHUNKS[name]
    with pqexplore.open(data) as file:
        chunk = file.row_groups[0].columns[index]
        assert chunk_doubt(chunk) == reason
        decoded = chunk_bounds(chunk)
        if decoded.source:
            assert decoded.trusted is (reason == "")
            assert WHY.get(reason, "") in decoded.why
        facts = {fact.name: fact.value for fact in file.node(chunk.address).facts}
        assert facts.get("trusted", not reason) is (not reason)
        part = group_part(chunk)
        assert part.bounded is (reason == "")
        assert part.elsewhere is bool(reason)
        sentence = lenses.finish(
            lenses.answer_of(file, file.node(f"schema/{chunk.leaf.index}"), lenses.LENSES["statistics"])
        ).sentence
        assert ("this range can only skip it as a whole" in sentence) is (reason == "")
        assert (WHY.get(reason, "the column") in sentence) is bool(reason)


PAGES = {
    "all values fit": (shredded(FITS), [True] * 4),
    "only the page with the rows of the misfit is doubtful": (shredded(MIXED), [True, True, False, True]),
    "the null pages of value are enough": (silent(shredded(FITS), 1), [True] * 4),
    "no column index for value": (without_index(silent(shredded(FITS), 1), 1), [False] * 4),
    "no column index for value, but its null count": (without_index(shredded(FITS), 1), [True] * 4),
    "a page of nulls, beside values": (shredded([1, 2, 3, "a", "b", "c", 7, 8, 9]), [True, False, True]),
}


@pytest.mark.parametrize("name", PAGES)
def test_bounds_of_pages(name, tmp_path):
    data, usable = PAGES[name]
    with pqexplore.open(data) as file:
        chunk = file.row_groups[0].columns[2]
        assert [part.bounded for part in page_parts(chunk)] == usable
        found = lenses.finish(lenses.answer_of(file, file.node(chunk.address), lenses.LENSES["page_index"]))
    assert [not remark for remark in found.table.column("remark")] == usable
    if not any(usable):
        assert "cannot use their bounds" in found.sentence
    else:
        reads = "reads 1 of" if all(usable) else "reads 2 of"
        assert reads in found.sentence
    pages = [row for row in of_bytes(tmp_path, data, level="pages")["pages"] if row["leaf"] == 2]
    pages = [row for row in pages if row["page_type"] != "DICTIONARY_PAGE"]
    assert [row["min_key"] is not None for row in pages] == usable


@pytest.mark.parametrize(("values", "reasons"), [
    (FITS, [ENCODED, "none", "trusted"] * 2),
    (MIXED, [ENCODED, "none", "trusted", ENCODED, ENCODED, VALUES]),
    ([*FITS[:6], *"abcdef"], [ENCODED, "none", "trusted", ENCODED, ENCODED, VALUES]),
])  # fmt: skip
def test_bounds_in_the_tables_of_a_lake(values, reasons, tmp_path):
    data = shredded(values, row_group_rows=6)
    chunks = of_bytes(tmp_path, data)["column_chunks"]
    expected = [ENCODED if reason == "none" else reason for reason in reasons]
    assert [row["bounds"] for row in chunks] == expected
    keys = [row["min_key"] is not None for row in chunks]
    assert keys == [reason == "trusted" for reason in expected]
    # The chunks of one row group can come in several batches.
    again = of_bytes(tmp_path, data, batch_rows=2)["column_chunks"]
    assert [row["bounds"] for row in again] == expected


@pytest.mark.parametrize(("values", "count", "ranges"), [
    (FITS, 2, "do not overlap"),
    (MIXED, 1, "only 1 of them has a range"),
    ([*"abcdef", "g", *FITS[:5]], 0, "no ranges to skip by"),
])  # fmt: skip
def test_overview_and_compare_tell_usable_bounds_from_others(values, count, ranges):
    with pqexplore.open(shredded(values, row_group_rows=6)) as file:
        counted = {one.name: one for one in features(file)}["statistics"]
        assert (counted.count, counted.of) == (6, 6)  # all have statistics, whether a query can use them or not
        rest = f"inside a Variant, the bounds of {6 - count} column chunks rule nothing out"
        skips = "a query can skip row groups whose minimum and maximum rule them out"
        assert counted.meaning == (f"{skips}; {rest}" if count else rest)
        assert ranges in compare(file, file.schema.leaves[2]).sentence


def test_a_bloom_filter_of_typed_values_does_not_speak_for_value():
    for values, note in ((FITS, ""), (MIXED, "Values in the Variant's column 'value' are not in")):
        with pqexplore.open(shredded(values)) as file:
            chunk = file.row_groups[0].columns[2]
            asked = bloom.probe_chunk(chunk, chunk.bloom_filter, 1_000)
        assert ("rule it out as well" in asked.sentence) is (not note)
        assert asked.note.startswith(note) and bool(asked.note) is bool(note)


def test_an_index_of_a_metadata_store_takes_no_part_of_a_variant():
    with pqexplore.open(shredded(FITS)) as file, pytest.raises(UsageError, match="part of a Variant"):
        find_leaf(file, "v.typed_value")


def test_the_same_columns_without_the_annotation_are_columns_of_a_struct():
    def plain(schema):
        schema[1].logicalType = None
        return schema

    with pqexplore.open(rebuilt(shredded(MIXED), schema=plain)) as file:
        assert [group_part(chunk).bounded for chunk in file.row_groups[0].columns] == [True] * 3
        assert find_leaf(file, "v.typed_value") is not None


def test_the_overview_does_not_deny_statistics_inside_a_variant():
    """It said that only 1 of 11 column chunks have statistics, where all 11 have."""
    sink = io.BytesIO()
    write_sample("variant-shredded", sink)
    with pqexplore.open(sink.getvalue()) as file:
        assert all(chunk.statistics is not None for chunk in file.chunks())
        found = lenses.finish(lenses.LENSES["overview"].answer(file, file.root))
        assert "have statistics" not in found.sentence and "has statistics" not in found.sentence
