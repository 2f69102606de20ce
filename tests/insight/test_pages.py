"""A page as a whole, and one of its values in all its forms."""

import datetime

import pyarrow as pa
import pytest

import pqexplore
from pqexplore.insight import pages
from pqexplore.insight.told import told


def page_of(tmp_path, table, **options):
    path = tmp_path / "made.parquet"
    pqexplore.write(table, path, pqexplore.WriteOptions(**options))
    file = pqexplore.open(path)
    return next(page for page in file.row_groups[0].columns[0].pages if page.is_data)


def test_sizes_ratio_and_checksum_are_in_the_sentence(tmp_path):
    page = page_of(
        tmp_path, pa.table({"n": ["same"] * 999 + [None]}), encoding="PLAIN", codec="ZSTD"
    )
    stored, opened = page.header.compressed_page_size, page.header.uncompressed_page_size
    assert pages.sentence(page) == (
        "1,000 entries, of which 999 have a value; 1 says with its definition level what is missing. "
        f"ZSTD makes {stored:,} bytes of {opened:,}, {opened / stored:.0f} × smaller. The checksum is right."
    )
    parts = pages.parts(page)
    assert [one["name"] for one in parts["sections"]] == ["definition levels", "values"]
    assert sum(one["bytes"] for one in parts["sections"]) == opened == parts["opened"]
    assert (parts["stored"], parts["codec"], parts["checksum"]) == (stored, "ZSTD", "right")


@pytest.mark.parametrize(
    ("checksum", "damaged", "said"),
    [
        (True, False, "The checksum is right."),
        (True, True, "The checksum is WRONG"),
        (False, False, "There is no checksum."),
    ],
)
def test_the_checksum_has_a_verdict(tmp_path, checksum, damaged, said):
    options = {"checksum": checksum, "codec": "UNCOMPRESSED", "encoding": "PLAIN"}
    page = page_of(tmp_path, pa.table({"n": [1, 2, 3]}), **options)
    raw = bytearray((tmp_path / "made.parquet").read_bytes())
    if damaged:
        raw[page.frame.end - 1] ^= 1
    with pqexplore.open(bytes(raw)) as file:
        again = next(iter(file.row_groups[0].columns[0].pages))
        assert said in pages.sentence(again)


INSTANT = datetime.datetime(2024, 5, 6, 7, 8, 9, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    ("array", "forms", "note"),
    [
        (
            pa.array([INSTANT], pa.timestamp("us", tz="UTC")),
            {"means": "2024-05-06 07:08:09.000000 UTC", "stored": "1714979289000000"},
            "an instant",
        ),
        (
            pa.array([INSTANT.replace(tzinfo=None)], pa.timestamp("us")),
            {"means": "2024-05-06 07:08:09.000000"},
            "local: what a clock on the wall shows, not an instant",
        ),
        (pa.array([b"\x00ab"]), {"bytes": "00 61 62", "as text": "·ab"}, ""),
        (
            pa.array([7], pa.int32()),
            {"means": "7", "in Python": "7", "stored": "7", "bytes": "07 00 00 00"},
            "",
        ),
    ],
)
def test_a_value_in_all_its_forms(tmp_path, array, forms, note):
    page = page_of(tmp_path, pa.table({"v": array}), encoding="PLAIN")
    found = pages.value(page, 0, 0)
    assert {name: text for name, text in found["forms"] if name in forms} == forms
    assert found["note"] == note


def test_an_entry_without_a_value_says_what_is_missing(tmp_path):
    page = page_of(tmp_path, pa.table({"v": [None, 1]}))
    assert pages.value(page, 0, -1)["forms"] == [
        ["means", "no value"],
        ["definition level", "0: v is null"],
    ]
    assert ["definition level", "1: v has a value"] in pages.value(page, 1, 0)["forms"]


@pytest.mark.parametrize("length", [300, 5_000, 70_000])
def test_long_values_are_clipped_and_say_their_length(tmp_path, length):
    page = page_of(tmp_path, pa.table({"v": ["x" * length]}), encoding="PLAIN")
    shown = told(page.chunk.leaf, page.physical[0].as_py())
    assert f"({length:,}" in shown["logical"]
    assert shown["hex"].endswith(f"… ({length:,} bytes)")
    assert all(len(text) < 400 for text in shown.values())
