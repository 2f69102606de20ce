"""The pages, encodings, filters and levels of many column chunks in one table each."""

import decimal

import made
import numpy as np
import pyarrow as pa
import pytest
from made import open_sample
from needs import CHECKSUMS

import pqexplore
from pqexplore.insight.across import pages as pages_of

CHUNK = "row_groups/0/columns"


def opened(table, **options):
    return pqexplore.open(made.parquet(table, **options))


def rows(answer) -> list[dict]:
    names = [column.name for column in answer.table.columns]
    return [dict(zip(names, row, strict=True)) for row in answer.table.rows]


VERSIONS = [{"data_page_version": "1.0"}, {"data_page_version": "2.0"}]


@CHECKSUMS
@pytest.mark.parametrize("options", VERSIONS)
@pytest.mark.parametrize("index", [False, True])
def test_pages_have_rows_nulls_sizes_and_bounds(options, index):
    values = [None if n % 4 == 0 else n for n in range(1000)]
    table = pa.table({"n": pa.array(values, pa.int32()), "tags": [["a"] * (n % 3) for n in range(1000)]})
    file = opened(table, use_dictionary=False, data_page_size=500, write_batch_size=100,
                  write_page_index=index, **made.CHECKSUMS, **options)  # fmt: skip
    found = rows(file.view("page"))
    assert [one["page"] for one in found if one["column"] == "n"] == list(
        range(len(file.row_groups[0].columns[0].pages))
    )
    for column in ("n", "tags.list.element"):
        own = [one for one in found if one["column"] == column]
        assert sum(one["rows"] for one in own) == 1000
        assert [one["first_row"] for one in own] == np.cumsum([0] + [one["rows"] for one in own[:-1]]).tolist()
    first = found[0]
    assert first["nulls"] == -(-first["rows"] // 4)
    assert (first["min"], first["max"]) == (1, first["rows"] - 1)
    assert first["min_bytes"] == (1).to_bytes(4, "little")
    assert first["bounds_from"] == ("column index" if index else "page header")
    assert first["value_bytes"] == 4 * (first["rows"] - first["nulls"])
    assert first["repetition_bytes"] == 0 and first["definition_bytes"] > 0
    assert first["crc"] == first["crc_computed"] and first["crc_ok"] is True
    assert sum(one["header_bytes"] + one["stored_bytes"] for one in found) == sum(
        len(chunk.span) for chunk in file.row_groups[0].columns
    )


def test_a_wrong_checksum_and_pages_that_grow():
    found = open_sample("sick-checksum").view("page")
    one = rows(found)[0]
    assert (one["crc"], one["crc_computed"], one["crc_ok"]) == ("370284f0", "657f015e", False)
    assert f"1 page has a wrong checksum, the first is {CHUNK}/0/pages/0." in found.sentence
    noise = open_sample("sick-codec").view("page")
    assert rows(noise)[0]["grows"] is True
    assert f"larger with compression, the first is {CHUNK}/0/pages/0." in noise.sentence
    assert "larger" not in found.sentence and "checksum" not in noise.sentence


def test_large_files_are_not_decompressed_for_the_table(monkeypatch):
    table = pa.table({"n": pa.array([1, None] * 500)})
    file = opened(table, use_dictionary=False, **made.CHECKSUMS)
    monkeypatch.setattr(pages_of, "DECODED", 10)
    found = file.view("page")
    one = rows(found)[0]
    assert (one["definition_bytes"], one["crc_computed"]) == (None, None)
    assert (one["rows"], one["nulls"], one["values"]) == (1000, 500, 1000)
    assert "too much to be opened for this table" in found.sentence


def test_decimals_and_fixed_lengths_have_values_bytes_and_widths():
    amounts = pa.array([decimal.Decimal("-1.25"), decimal.Decimal("10000.00")], pa.decimal128(9, 2))
    file = opened(pa.table({"amount": amounts}), use_dictionary=False)
    one = rows(file.view("statistics"))[0]
    assert (one["min"], one["min_unscaled"]) == (decimal.Decimal("-1.25"), -125)
    assert one["min_bytes"] == (-125).to_bytes(4, "big", signed=True)
    values = [one for one in rows(file.view("encoding")) if one["section"] == "values"]
    assert values[0]["width"] == "4 bytes"


def test_all_steps_of_a_page_are_in_its_table():
    file = opened(pa.table({"n": pa.array(range(3000), pa.int64())}), use_dictionary=False)
    assert len(file.view("encoding", f"{CHUNK}/0/pages/0").table.rows) == 3000


def test_variants_of_a_file():
    found = open_sample("variant-shredded").view("variant")
    assert {"$", "$.id"} <= set(found.table.column("path"))


def test_a_column_that_cannot_be_read_costs_its_own_rows():
    data = bytearray(made.parquet(pa.table({"a": [1, 2], "b": ["x", "y"]}), use_dictionary=False))
    data[pqexplore.open(bytes(data)).row_groups[0].columns[0].span.start] = 0xFF
    for lens in ("page", "encoding", "dictionary", "page_index", "nesting"):
        found = rows(pqexplore.open(bytes(data)).view(lens))
        assert any(one["column"] == "b" for one in found) or lens == "page_index"
        if lens != "page_index":
            assert [text for text in (found[0].get("remark"), found[0].get("cause"), found[-1].get("unread")) if text]


def test_the_sentence_counts_pages_by_column():
    table = pa.table({"a": range(3000), "b": ["x"] * 3000})
    file = opened(table, use_dictionary=False, data_page_size=1000, write_batch_size=100)
    counts = [len(chunk.pages) for chunk in file.row_groups[0].columns]
    assert f"2 column chunks: a has {counts[0]} pages and b has {counts[1]} pages." in file.view("page").sentence
    assert "has" not in file.view("page", f"{CHUNK}/0").sentence


def test_statistics_of_one_column_chunk_have_its_pages():
    file = opened(pa.table({"n": pa.array(range(1000), pa.int32())}), use_dictionary=False,
                  data_page_size=1000, write_batch_size=100, write_page_index=True, row_group_size=500)  # fmt: skip
    found = rows(file.view("statistics", "row_groups/1/columns/0"))
    pages = len(file.row_groups[1].columns[0].pages)
    assert [one["part"].strip() for one in found] == [
        "row group 0",
        "row group 1",
        *(f"page {n}" for n in range(pages)),
    ]
    assert (found[2]["min"], found[2]["min_bytes"]) == (500, (500).to_bytes(4, "little"))
    assert [one["bounds_from"] for one in found[1:3]] == ["min_value and max_value", "column index"]


def test_old_bounds_boxes_and_columns_that_grow():
    old = made.rebuilt(
        made.parquet(pa.table({"n": [1]})),
        row_groups__0__columns__0__meta_data__statistics__min_value=None,
        row_groups__0__columns__0__meta_data__statistics__max_value=None,
        row_groups__0__columns__0__meta_data__statistics__min=(1).to_bytes(8, "little"),
    )
    assert rows(pqexplore.open(old).view("statistics"))[0]["bounds_from"] == "min and max, which are deprecated"
    noise = rows(open_sample("sick-codec").view("statistics"))[0]
    assert noise["size"] == "larger by its compression" and noise["stored_bytes"] > noise["bytes"]
    point = [one for one in rows(open_sample("geometry").view("statistics")) if one["box"]]
    assert point and point[0]["box"].startswith("x ")
    for name in ("page-index", "plaintext-footer-bloom"):
        others = rows(open_sample(name).view("statistics"))
        assert "box" not in others[0] and {one["size"] for one in others} == {None}


def test_sentences_say_the_bits_of_a_filter_and_the_order_of_entries():
    file = open_sample("bloom-filter")
    assert "2,047 of its 2,048 bits are set." in file.view("bloom", f"{CHUNK}/1").sentence
    data = made.parquet(pa.table({"w": ["b", "a"] * 9}))
    assert pqexplore.open(data).view("dictionary", f"{CHUNK}/0").sentence.endswith("need not be sorted (is_sorted).")
