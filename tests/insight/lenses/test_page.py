"""A page: its parts, its checksum, its levels and values by entry, and one value in all its forms."""

import datetime

import pyarrow as pa
import pytest
from widget import samples

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.insight.lenses import page as lens
from pqexplore.insight.short_text import value_texts

TAGS = "row_groups/0/columns/2/pages/1"


@pytest.fixture(scope="module")
def file():
    """`orders` of the widget's samples; column 2 is `tags`, a list of texts."""
    with pqexplore.open(samples.orders_bytes()) as opened:
        yield opened


def picture(file, address):
    return lens.answer(file, file.node(address)).picture


def page_of(tmp_path, table, **options):
    path = tmp_path / "made.parquet"
    pqexplore.write(table, path, pqexplore.WriteOptions(**options))
    file = pqexplore.open(path)
    return next(page for page in file.row_groups[0].columns[0].pages if page.is_data)


def test_sizes_ratio_and_checksum_are_in_the_sentence(tmp_path):
    page = page_of(tmp_path, pa.table({"n": ["same"] * 999 + [None]}), encoding="PLAIN", codec="ZSTD")
    stored, opened = page.header.compressed_page_size, page.header.uncompressed_page_size
    assert lens.sentence(page) == (
        "1,000 entries; 999 of them have a value; 1 says with its definition level what is missing. "
        f"ZSTD makes {stored:,} bytes of {opened:,}, {opened / stored:.0f} × smaller. The checksum is right."
    )
    parts = lens.parts_of(page)
    assert [one.name for one in parts.sections] == ["definition levels", "values"]
    assert sum(one.bytes for one in parts.sections) == opened == parts.opened
    assert (parts.stored, parts.codec, parts.checksum) == (stored, "ZSTD", "right")


PRESENT = [
    # values, the beginning of the sentence
    (["a", None], "2 entries; 1 of them has a value; 1 says with its definition level what is missing."),
    (["a", None, "b", None], "4 entries; 2 of them have a value; 2 say with their definition level what is missing."),
    ([None, None], "2 entries; 0 of them have a value; 2 say with their definition level what is missing."),
    (["a"], "1 entry, each with a value."),
]


@pytest.mark.parametrize(("values", "words"), PRESENT)
def test_one_entry_has_and_several_have_a_value(tmp_path, values, words):
    page = page_of(tmp_path, pa.table({"n": pa.array(values, pa.string())}), encoding="PLAIN")
    assert lens.sentence(page).startswith(words)


@pytest.mark.parametrize(("checksum", "damaged", "sentence"), [
    (True, False, "The checksum is right."),
    (True, True, "The checksum is WRONG"),
    (False, False, "There is no checksum."),
])  # fmt: skip
def test_checksum_right_wrong_or_absent_is_in_the_sentence(tmp_path, checksum, damaged, sentence):
    options = {"checksum": checksum, "codec": "UNCOMPRESSED", "encoding": "PLAIN"}
    page = page_of(tmp_path, pa.table({"n": [1, 2, 3]}), **options)
    raw = bytearray((tmp_path / "made.parquet").read_bytes())
    if damaged:
        raw[page.frame.end - 1] ^= 1
    with pqexplore.open(bytes(raw)) as file:
        again = next(iter(file.row_groups[0].columns[0].pages))
        assert sentence in lens.sentence(again)


INSTANT = datetime.datetime(2024, 5, 6, 7, 8, 9, tzinfo=datetime.UTC)


@pytest.mark.parametrize(("array", "forms", "note"), [
    (pa.array([INSTANT], pa.timestamp("us", tz="UTC")),
        {"means": "2024-05-06 07:08:09.000000 UTC", "stored": "1714979289000000"}, "an instant"),
    (pa.array([INSTANT.replace(tzinfo=None)], pa.timestamp("us")), {"means": "2024-05-06 07:08:09.000000"},
        "local: what a clock on the wall shows, not an instant"),
    (pa.array([b"\x00ab"]), {"bytes": "00 61 62", "as text": "·ab"}, ""),
    (pa.array([7], pa.int32()), {"means": "7", "in Python": "7", "stored": "7", "bytes": "07 00 00 00"}, ""),
])  # fmt: skip
def test_a_value_in_all_its_forms(tmp_path, array, forms, note):
    page = page_of(tmp_path, pa.table({"v": array}), encoding="PLAIN")
    value = lens.value_of(page, 0, 0)
    assert {form.name: form.text for form in value.forms if form.name in forms} == forms
    assert (value.note, value.entry) == (note, None)


def test_bytes_are_listed_once_if_the_stored_form_is_the_same(tmp_path):
    page = page_of(tmp_path, pa.table({"v": pa.array([b"\x00ab"])}), encoding="PLAIN")
    names = [form.name for form in lens.value_of(page, 0, 0).forms]
    assert names == ["means", "type", "in Python", "bytes", "as text", "definition level"]


@pytest.mark.parametrize("length", [300, 5_000, 70_000])
def test_long_values_are_clipped_and_say_their_length(tmp_path, length):
    page = page_of(tmp_path, pa.table({"v": ["x" * length]}), encoding="PLAIN")
    texts = value_texts(page.chunk.leaf, page.physical[0].as_py())
    assert f"({length:,}" in texts["logical"]
    assert texts["hex"].endswith(f"… ({length:,} bytes)")
    assert all(len(text) < 400 for text in texts.values())


def test_a_later_block_goes_on_with_rows_and_values(file):
    page = file.row_groups[0].columns[2].pages[1]
    columns = lens.entries(file, TAGS, lens.COUNT).columns.by_name
    assert columns["row"][0] == (page.repetition_levels[: lens.COUNT + 1] == 0).sum() - 1
    first = next(value for value in columns["value"].tolist() if value >= 0)
    assert first == (page.definition_levels[: lens.COUNT] == 3).sum()


def test_entries_from_the_middle_of_a_block_raise(file):
    with pytest.raises(UsageError, match="entry 7 is not where 200 entries begin"):
        lens.entries(file, TAGS, 7)
