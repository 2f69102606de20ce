"""The life of a value: it ends with what pyarrow reads at that row and path, and every number of its sentence is true."""

import io
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import events, open_sample, ours, parquet

import pqexplore
from pqexplore.engine.errors import EncryptedFileError
from pqexplore.engine.span import Span
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.insight.lenses import value
from pqexplore.insight.lenses.page import value_number

PAGED = {"row_group_size": 400, "data_page_size": 256, "write_batch_size": 20}


def lives(file, each=1):
    """(page, entry, index or None, answer) of every `each`th entry of all data pages."""
    for group in file.row_groups:
        for chunk in group.columns:
            for page in chunk.pages:
                for entry in range(0, page.num_values if page.is_data else 0, each):
                    index = value_number(page, entry)
                    part = f"values/{index}" if index >= 0 else f"definition_levels/{entry}"
                    node = file.node(f"{page.address}/{part}")
                    yield page, entry, index if index >= 0 else None, value.answer(file, node)


def stages(made):
    return {stage.kind: stage for stage in made.picture.stages}


def walk(row, path):
    """What lies at a path such as `lists[2][0].x` in a row as pyarrow gives it."""
    for name, position in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        if position:
            row = row[int(position)]
        elif isinstance(row, tuple):
            row = row[("key", "value").index(name)]
        else:
            row = row[name]
    return row


def place_in(sentence):
    """The path and the row that a sentence names."""
    found = re.search(r"it is (?:column )?`(.*)` of row ([\d,]+)\.$", sentence)
    return found[1], int(found[2].replace(",", ""))


def bits_of(file, stage):
    """The integer in the stage's bits, read from the bytes of its span."""
    low, high = map(int, re.fullmatch(r"(\d+) to (\d+)", stage.bits).groups())
    number = int.from_bytes(bytes(file.bytes(stage.span)), "little") >> low
    return number & (1 << (high - low + 1)) - 1


def holds(file, made, page, entry, index, rows):
    """Compare a life with pyarrow's rows, and its bits with the bytes of the file."""
    path, row = place_in(made.sentence)
    by_kind = stages(made)
    found = walk(rows[row], path)
    if index is None:
        assert found is None or found == [], made.sentence
        assert f"Entry {entry:,} of page {page.index} has no value" in made.sentence
        assert "stored" not in by_kind
        return
    python = page.values[index].as_py()
    assert found == python, made.sentence
    shown = by_kind["logical"].gives
    if isinstance(python, (str, int)) and not isinstance(python, bool):
        assert shown == str(python)
    assert f"Value {index:,} of page {page.index} is" in made.sentence
    stage = by_kind["encoding"]
    if stage.bits and page.encoding != 10:
        number = bits_of(file, stage)
        assert f"= {number:,}" in stage.says[0] or stage.says[0].endswith(f"= {number}")
        width = int(stage.bits.split()[2]) - int(stage.bits.split()[0]) + 1
        assert f"{width} bit" in made.sentence
        assert f"at byte {stage.span.start:,}" in made.sentence
    if "dictionary" in by_kind:
        own = by_kind["dictionary"]
        entry = int(own.address.rpartition("/")[2])
        assert stage.gives == f"index {entry:,}" and f"entry {entry:,} of the dict" in made.sentence
        assert page.chunk.dictionary[entry].as_py() == python
        assert file.node(own.address).span == own.span


TABLE = events(400).append_column(
    "lists", pa.array([[[n, None], [], None, [n] * (n % 3)][: n % 5] for n in range(400)])
)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("codec", ["none", "snappy"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_a_life_ends_in_the_row_that_pyarrow_reads(version, codec, dictionary):
    data = parquet(
        TABLE,
        data_page_version=version,
        compression=codec,
        use_dictionary=dictionary,
        write_page_index=version == "2.0",
        **PAGED,
    )
    rows = pq.read_table(pa.BufferReader(data)).to_pylist()
    with pqexplore.open(data) as file:
        kinds, count = set(), 0
        for page, entry, index, made in lives(file, 37):
            holds(file, made, page, entry, index, rows)
            kinds |= set(stages(made))
            count += 1
    assert count > 90
    assert {"header", "repetition", "definition", "encoding", "stored", "logical", "row"} <= kinds
    assert ("dictionary" in kinds, "decompression" in kinds) == (dictionary, codec == "snappy")


ENCODED = {
    "DELTA_BINARY_PACKED": pa.array([n * n % 977 for n in range(300)], pa.int64()),
    "DELTA_LENGTH_BYTE_ARRAY": pa.array([f"text {n % 37}" for n in range(300)]),
    "DELTA_BYTE_ARRAY": pa.array([f"prefix {n // 5}" for n in range(300)]),
    "BYTE_STREAM_SPLIT": pa.array([n / 7 for n in range(300)], pa.float64()),
    "RLE": pa.array([n % 50 < 20 for n in range(300)]),
    "PLAIN": pa.array([n % 3 == 0 for n in range(300)]),
}


@pytest.mark.parametrize("name", ENCODED)
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("codec", ["UNCOMPRESSED", "ZSTD"])
def test_every_encoding_leads_to_its_value(name, version, codec):
    table = pa.table({"x": ENCODED[name]})
    data = ours(table, encoding=name, page_version=version, codec=codec, page_rows=90)
    rows = pq.read_table(io.BytesIO(data)).to_pylist()
    with pqexplore.open(data) as file:
        for page, entry, index, made in lives(file, 17):
            holds(file, made, page, entry, index, rows)
            assert stages(made)["encoding"].title == f"Encoding: {name}"


@pytest.mark.parametrize("name", [one for one in SAMPLES if one != "no-metadata" and not one.startswith("slow-")])
def test_every_sample_has_lives(name):
    with open_sample(name) as file:
        size = sum(group.num_rows for group in file.row_groups)
        count = 0
        for page, _, index, made in lives(file, 401):
            count += 1
            assert "cannot be read" not in made.sentence and "end" not in stages(made)
            assert 0 <= place_in(made.sentence)[1] < size
            assert (index is not None) == ("stored" in stages(made))
            for stage in made.picture.stages:
                if stage.address:
                    file.node(stage.address)
                if stage.span:
                    file.bytes(Span(stage.span.start, stage.span.start, stage.span.space))
            assert ("decryption" in stages(made)) == page.chunk.encrypted
            assert made.table.total == len(made.picture.stages)
    assert count or not size


WORDS = pa.table({"x": ["FR", "DE", None, "IT"] * 5, "tags": [["a"], [], None, ["b", None]] * 5})
PAGE = "row_groups/0/columns/0/pages/1"


@pytest.fixture(scope="module")
def words():
    with pqexplore.open(parquet(WORDS, compression="none")) as file:
        yield file


def said(file, address):
    return value.answer(file, file.node(address)).sentence


def test_the_sentence_of_a_dictionary_value(words):
    page = words.row_groups[0].columns[0].pages[1]
    body = page.body.section("values").span.start
    dictionary = words.row_groups[0].columns[0].pages[0].frame.header_end
    assert said(words, f"{PAGE}/values/2") == (
        f"Value 2 of page 1 is `IT`: 2 bits at byte {body + 2:,} hold index 2, entry 2 of the dictionary, at byte "
        f"{dictionary + 12:,}; it is column `x` of row 3."
    )
    assert bytes(words.bytes(Span(dictionary + 12, dictionary + 18))) == b"\2\0\0\0IT"


def test_a_level_with_a_value_has_the_life_of_the_value(words):
    """Near miss of the one above: the level of an entry that has a value."""
    assert said(words, f"{PAGE}/definition_levels/3") == said(words, f"{PAGE}/values/2")
    assert "no value" not in said(words, f"{PAGE}/values/2")


def test_equal_steps_have_no_bits_of_their_own():
    table = pa.table({"x": pa.array(range(90), pa.int64())})
    with pqexplore.open(ours(table, encoding="DELTA_BINARY_PACKED")) as file:
        page = "row_groups/0/columns/0/pages/0"
        assert "DELTA_BINARY_PACKED gives it no bits of its own" in said(file, f"{page}/values/50")
        assert "no bits" not in said(file, f"{page}/values/0")


def test_an_exception_of_alp_is_not_made_of_its_bits():
    with open_sample("alp") as file:
        page = next(one for one in file.row_groups[0].columns[0].pages if one.is_data)
        made = {n: value.answer(file, file.node(f"{page.address}/values/{n}")) for n in (7, 8)}
        exception, other = (stages(made[n])["encoding"] for n in (7, 8))
        stored = bytes(file.bytes(exception.span))
        assert stored == bytes.fromhex(stages(made[7])["stored"].says[0].removeprefix("bytes "))
    assert (exception.bits, len(stored)) == ("", 8) and "ALP gives it 8 bytes" in made[7].sentence
    assert other.bits and "ALP gives it 17 bits" in made[8].sentence


def test_a_row_over_two_pages_keeps_its_positions():
    """Pages of version 1 without an index may end inside a row; most writers end them between rows."""
    table = pa.table({"x": [list(range(n)) for n in range(60)]})
    with pqexplore.open(parquet(table, data_page_size=64, write_batch_size=7)) as file:
        for page, _, index, made in lives(file, 11):
            path, row = place_in(made.sentence)
            found = walk({"x": list(range(row))}, path)
            assert found == ([] if index is None else page.values[index].as_py())


def test_damage_ends_the_life_and_keeps_the_row():
    table = pa.table({"x": pa.array(range(100), pa.int64())})
    data = bytearray(parquet(table, use_dictionary=False, compression="snappy"))
    with pqexplore.open(bytes(data)) as whole:
        page = whole.row_groups[0].columns[0].pages[0]
        address, header_end, end = page.address, page.frame.header_end, page.frame.end
    cut = bytearray(data)
    cut[header_end + 40 : end] = b"\xff" * (end - header_end - 40)
    with pqexplore.open(bytes(cut)) as broken:
        page = broken.row_groups[0].columns[0].pages[0]
        life = value.life_of(page, f"{address}/values/17")
        assert [stage.kind for stage in life.stages][:1] == ["header"]
        assert "end" in [stage.kind for stage in life.stages]
        assert "cannot be read: " in value.sentence(life) and "is `17`" not in value.sentence(life)


def test_a_locked_page_says_that_a_key_is_missing():
    opened = open_sample("encrypted-columns", column_keys={})
    with opened as file, pytest.raises(EncryptedFileError, match="key"):
        file.node("row_groups/0/columns/1/pages/0/values/3")
    with open_sample("encrypted-columns") as file:
        page = next(one for one in file.row_groups[0].columns[1].pages if one.is_data)
        made = value.answer(file, file.node(f"{page.address}/values/3"))
        assert "of the decompressed page" in made.sentence or "decrypted" in made.sentence
        assert list(stages(made))[:2] == ["header", "decryption"]


@pytest.mark.parametrize(("column", "values", "how"), [
    ("decimal", [pa.scalar(12345, pa.decimal128(7, 0)).as_py()], " / 10^0"),
    ("date", pa.array([-1], pa.date32()), "1 day before 1970-01-01"),
    ("stamp", pa.array([5], pa.timestamp("us", "UTC")), "5 microseconds after 1970-01-01 00:00:00 UTC"),
    ("local", pa.array([5], pa.timestamp("ms")), "of a clock without a time zone"),
    ("uint", pa.array([4_294_967_295], pa.uint32()), "unsigned: -1 + 2^32 = 4,294,967,295"),
    ("small", pa.array([7], pa.uint32()), "a number of 32 bits, unsigned"),
    ("text", ["Straße"], "7 bytes of UTF-8, 6 characters"),
    ("plain", pa.array([7], pa.int64()), "no logical type"),
])  # fmt: skip
def test_the_logical_value_says_how_it_is_read(column, values, how):
    with pqexplore.open(parquet(pa.table({column: values}), use_dictionary=False)) as file:
        made = value.answer(file, file.node("row_groups/0/columns/0/pages/0/values/0"))
    assert how in stages(made)["logical"].says[0]


@pytest.mark.parametrize(
    ("options", "more"),
    [({}, True), ({"write_page_index": True}, False), ({"data_page_version": "2.0"}, False)],
    ids=["walked", "indexed", "version 2"],
)
def test_the_cost_counts_the_pages_before_only_if_they_are_decoded(options, more):
    table = pa.table({"x": [[n, n] for n in range(2_000)]})
    data = parquet(table, use_dictionary=False, data_page_size=512, write_batch_size=50, **options)
    with pqexplore.open(data) as file:
        pages = file.row_groups[0].columns[0].pages
        sizes = [page.header.uncompressed_page_size for page in pages]
        node = file.node(f"{pages[len(pages) - 1].address}/values/0")
        assert value.LENS.cost(file, node) == (sum(sizes) if more else sizes[-1])
