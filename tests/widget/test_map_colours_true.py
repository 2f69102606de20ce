"""What the map says of a tile by its colour, computed a second time in another way: by pyarrow, and by plain counting."""

import collections
import io
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import parquet, sample
from widget.samples import orders_bytes

import pqexplore
from pqexplore.insight import lenses
from pqexplore.widget import map_colours

DAMAGED = "row_groups/0/columns/0/pages/1"


def damaged():
    """`orders` with a page header that cannot be read."""
    data = bytearray(orders_bytes())
    with pqexplore.open(bytes(data)) as file:
        start = file.row_groups[0].columns[0].pages[1].frame.start
    data[start : start + 6] = b"\xff" * 6
    return bytes(data)


FILES = {
    "orders": orders_bytes,
    "events": lambda: sample("events"),
    "codecs": lambda: sample("codecs"),
    "no statistics": lambda: sample("slow-no-statistics"),
    "one page": lambda: parquet(pa.table({"a": [1, None, 3]}), use_dictionary=False),
    "many pages": lambda: parquet(
        pa.table({"a": range(20_000)}), data_page_size=64, write_batch_size=8, use_dictionary=False
    ),
    "no rows": lambda: parquet(pa.table({"a": pa.array([], pa.int64())})),
    "2,000 columns": lambda: parquet(pa.table({f"c{i}": [i, None] for i in range(2_000)})),
    "damaged page": damaged,
}


@pytest.fixture(scope="module", params=FILES)
def subject(request):
    data = FILES[request.param]()
    with pqexplore.open(data) as file:
        yield request.param, data, file


def tiles(file, by, level):
    """Each tile with the class and the value that the map gives it."""
    made = lenses.finish(map_colours.map_colours(file, by, level))
    table = file.layout(level)
    rows = zip(
        *(table[name].to_pylist() for name in ("address", "kind", "start", "end")),
        [made.classes[code] for code in made.columns.by_name["code"].tolist()],
        made.columns.by_name.get("value", [math.nan] * len(table)),
        strict=True,
    )
    names = ("address", "kind", "start", "end", "class", "value")
    return [dict(zip(names, row, strict=True)) for row in rows]


def chunks(data, found):
    """The tiles of column chunks, with what pyarrow says of each."""
    meta = pq.ParquetFile(io.BytesIO(data)).metadata
    for tile in found:
        parts = tile["address"].split("/")
        if tile["kind"] == "column_chunk":
            yield tile, meta.row_group(int(parts[1])).column(int(parts[3]))


def within(number, name):
    """Whether a number is in the class that is named by its bounds."""
    low, _, high = name.removesuffix(" ×").partition("–")
    if name.startswith("below"):
        return number < float(low.removeprefix("below "))
    if name.endswith("and more"):
        return number >= float(low.split()[0])
    return float(low) <= number < float(high) or (high == "8" and number == 8)


def test_codec_and_ratio_of_a_chunk_are_those_that_pyarrow_reads(subject):
    _, data, file = subject
    codecs = list(chunks(data, tiles(file, "codec", "chunks")))
    ratios = list(chunks(data, tiles(file, "ratio", "chunks")))
    assert codecs or file.num_rows == 0 or file.findings
    for tile, column in codecs:
        # pyarrow has no name for the older LZ4, and calls LZ4_RAW so
        assert column.compression in (tile["class"].removesuffix("_RAW"), "UNKNOWN")
    for tile, column in ratios:
        right = column.total_uncompressed_size / column.total_compressed_size
        assert tile["value"] == pytest.approx(right, rel=1e-6)
        assert within(right, tile["class"])


def test_the_null_share_is_that_of_the_values(subject):
    name, data, file = subject
    if name == "damaged page":
        data = orders_bytes()  # the statistics are those of the values before the damage
    whole = pq.ParquetFile(io.BytesIO(data))
    for tile, column in chunks(data, tiles(file, "nulls", "chunks")):
        if column.statistics is None or not column.statistics.has_null_count:
            assert tile["class"] == "not known"
        elif "." not in column.path_in_schema and column.physical_type:
            group = int(tile["address"].split("/")[1])
            values = whole.read_row_group(group, [column.path_in_schema]).column(0)
            right = 100 * values.null_count / max(1, len(values))
            assert tile["value"] == pytest.approx(right, rel=1e-6)
            assert (tile["class"] == "none") == (right == 0)
            assert (tile["class"] == "all") == (right == 100)


def test_the_ratio_and_the_encoding_of_a_page_are_those_of_its_header(subject):
    _, _, file = subject
    encodings = {one["address"]: one for one in tiles(file, "encoding", "pages")}
    asked = 0
    for tile in tiles(file, "ratio", "pages"):
        address = tile["address"].removesuffix("/header")
        if "/pages/" not in address:
            continue
        if tile["kind"] == "unreadable":
            assert tile["class"] == encodings[tile["address"]]["class"] == "not known"
            continue
        asked += 1
        if asked % 97 not in (1, 2):  # a file of thousands of pages: some of them
            continue
        fields = file.node(f"{address}/header").children
        said = {field.name: field.facts[0].value for field in fields}
        sizes = said["uncompressed_page_size"], said["compressed_page_size"]
        if 0 in sizes:  # no ratio is made of them
            assert tile["class"] == "not known"
        else:
            right = sizes[0] / sizes[1]
            assert tile["value"] == pytest.approx(right, rel=1e-6)
            assert within(right, tile["class"])
        inner = next(one for one in fields if one.name.endswith(("page_header", "header_v2")))
        stated = {field.name: field.facts[0].value for field in inner.children}["encoding"]
        assert encodings[tile["address"]]["class"] == stated


def test_the_entropy_is_that_of_the_counted_bytes(subject):
    _, data, file = subject
    for tile in tiles(file, "entropy", "pages")[:300]:
        held = data[tile["start"] : tile["end"]]
        if len(held) < map_colours.SHORTEST:
            assert tile["class"] == f"shorter than {map_colours.SHORTEST} bytes"
        elif len(held) <= map_colours.LONGEST:
            counts = collections.Counter(held).values()
            plain = -sum(n / len(held) * math.log2(n / len(held)) for n in counts)
            # the estimate adds what few bytes take away (Miller): never more than this
            assert plain - 1e-6 <= tile["value"] <= plain + 256 / (2 * len(held) * math.log(2))
            assert within(float(tile["value"]), tile["class"])


LOCKED = {
    # sample, by, what all of the bytes are said to be that may be of a page
    "everything is encrypted": ("encrypted-columns", "codec", {"not known"}),
    "so is the ratio": ("encrypted-columns", "ratio", {"not known"}),
    "the footer is not": ("ctr-plaintext-footer", "codec", {"UNCOMPRESSED"}),
}


@pytest.mark.parametrize(("name", "by", "classes"), LOCKED.values(), ids=LOCKED)
def test_without_a_key_the_pages_are_no_other_bytes(name, by, classes):
    with pqexplore.open(sample(name)) as file:
        said = {
            tile["class"]
            for tile in tiles(file, by, "pages")
            if tile["kind"] in ("unknown_parts", "column_chunk", "data_page")
        }
        assert said == classes


def test_a_chunk_without_its_key_has_the_ratio_that_the_footer_says():
    with pqexplore.open(sample("ctr-plaintext-footer")) as file:
        locked = [one for one in tiles(file, "ratio", "pages") if one["kind"] == "column_chunk"]
        assert locked
        for tile in locked:
            _, group, _, column = tile["address"].split("/")
            stated = file.row_groups[int(group)].columns[int(column)].struct.meta_data
            if stated is None:
                assert tile["class"] == "not known"
            else:
                right = stated.total_uncompressed_size / stated.total_compressed_size
                assert tile["value"] == pytest.approx(right, rel=1e-6)
