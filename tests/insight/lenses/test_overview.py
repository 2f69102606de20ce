"""The overview lens: the sizes add up to the file, and the sentence names what matters."""

import itertools
import os
import re

import pyarrow as pa
import pytest
from made import events, ours, parquet, rebuilt
from needs import ONE_COLUMN_METADATA, has, needs_pyarrow

import pqexplore
from pqexplore.engine.span import Span
from pqexplore.engine.writer.samples import SAMPLES, write_sample
from pqexplore.insight import summary
from pqexplore.insight.account import pieces
from pqexplore.insight.lenses import finish, overview, overview_headline


def opened(table, **options):
    return pqexplore.open(parquet(table, **options))


def answer_of(file):
    return finish(overview.answer(file, file.root))


def noise(rows):
    return pa.table({"id": pa.array(range(rows)), "payload": [os.urandom(900) for _ in range(rows)]})


@pytest.mark.parametrize(
    "options", [{}, {"row_group_size": 300}, {"write_page_index": True}, {"compression": "none"}], ids=str
)
def test_every_byte_is_in_one_piece(options):
    with opened(events(), **options) as f:
        found = pieces(f)
        assert sum(one.size for one in found) == f.size
        for chunk in f.chunks():
            own = [p for p in found if (p.group, p.column) == (chunk.row_group.index, chunk.index)]
            pages = [p for p in own if "index" not in p.kind]
            assert sum(p.size for p in pages) == len(chunk.span)


def test_the_column_that_takes_the_file_is_named_with_what_its_codec_does():
    with opened(noise(1000), compression="snappy", use_dictionary=False) as f:
        sentence = answer_of(f).sentence
    assert re.fullmatch(
        r"No problems found \(footer, all \d+ pages, no checksums\); 99 % of 9\d\d kB is column `payload`, which Snappy does not shrink; there is no page index\.",
        sentence,
    )


@pytest.mark.parametrize(("options", "words"), [
    ({"compression": "none"}, "which is not compressed"),
    ({"compression": "zstd"}, "which ZSTD shrinks"),
    ({"write_statistics": False}, "there are no statistics and no page index."),
    ({"write_page_index": True}, "."),
], ids=str)  # fmt: skip
def test_the_sentence_names_codec_and_absent_features(options, words):
    table = pa.table({"x": pa.array([i * 7919 % 100_003 for i in range(20_000)], pa.int64())})
    with opened(table, use_dictionary=False, **options) as f:
        sentence = answer_of(f).sentence
    assert words.lower() in sentence.lower()
    assert ("page index" in sentence) is not bool(options.get("write_page_index"))


@pytest.mark.parametrize(("sample", "keys", "words"), [
    ("encrypted", True, "the footer needs a key, and 6 of 6 column chunks"),
    ("encrypted-columns", True, "the footer needs a key, and 4 of 6 column chunks"),
    ("plaintext-footer-bloom", True, "; 4 of 6 column chunks need a key;"),
    ("plaintext-footer-bloom", False, "; 4 of 6 column chunks need a key;"),
    ("encrypted", False, "The footer is encrypted and no key opens it"),
    ("encrypted", True, "No problems found (footer, all 12 pages); encrypted, and the keys given open it; "),
    (
        "plaintext-footer-bloom",
        False,
        "2 of 3 columns are encrypted and no key opens them: `secret` and `shared`. ",
    ),
])  # fmt: skip
def test_the_sentence_says_what_is_encrypted_with_keys_or_without(tmp_path, sample, keys, words):
    write_sample(sample, tmp_path / "f")
    known = pqexplore.Decryption(**SAMPLES[sample].keys) if keys else None
    with pqexplore.open(tmp_path / "f", decryption=known) as f:
        assert words in answer_of(f).sentence


def test_a_footer_that_is_only_signed_needs_no_key():
    table = pa.table({"x": [1, 2]})
    signed = pqexplore.Encryption(footer_key=bytes(16), plaintext_footer=True, column_keys={})
    with pqexplore.open(ours(table, encryption=signed)) as f:
        assert f.metadata.encryption_algorithm is not None
        assert "key" not in answer_of(f).sentence


@pytest.mark.parametrize(
    ("kept", "says"), [(["a"], "; `b` and `c` lack them"), (["a", "b"], "; `c` lacks them"), (True, None)]
)
def test_the_columns_that_lack_statistics_are_named(kept, says):
    table = pa.table({name: range(50) for name in "abc"})
    with opened(table, write_statistics=kept) as f:
        (one,) = [one for one in answer_of(f).picture.features if one.name == "statistics"]
    assert one.meaning.endswith(says) if says else "lack" not in one.meaning


def test_the_table_has_a_row_a_column_and_the_rest_of_the_file():
    with opened(events(), row_group_size=300) as f:
        table = answer_of(f).table
        sizes = table.column("size")
        assert sum(sizes) == f.size  # no page index: nothing of a column lies outside its chunks
        names = table.column("column")
        assert set(names) >= {"id", "name", "(footer)", "(magics and footer length)"}
        shares = table.column("share")[: len(f.schema.leaves)]
        assert shares == sorted(shares, reverse=True)
        address = table.addresses[names.index("id")]
        assert f.node(address).label == "id"
        assert len(table.to_pandas()) == len(names)


def test_a_schema_that_cannot_be_read_leaves_the_bytes():
    broken = rebuilt(parquet(pa.table({"x": [1, 2]})), schema__0__num_children=5)
    with pqexplore.open(broken) as f:
        answer = answer_of(f)
    assert answer.picture.tiles[0].size == answer.picture.size == len(broken)
    assert "cannot be read" in answer.empty


@ONE_COLUMN_METADATA
def test_the_sentence_names_bytes_without_an_owner():
    data = parquet(pa.table({"x": [1]}))
    length = int.from_bytes(data[-8:-4], "little")
    start = len(data) - 8 - length
    with pqexplore.open(data[:start] + bytes(5000) + data[start:]) as f:
        sentence = answer_of(f).sentence
    size = "5.48" if has("pyarrow", "22") else "5.47"  # older ones do not say whether bounds are exact
    assert sentence.endswith(f"91 % of {size} kB belong to nobody; there is no page index.")


def wide(number, **options):
    table = pa.table({f"c{i}": [i * n % 97 for n in range(5_000)] for i in range(number)})
    return ours(table, **options)


BLOOM = {"bloom_filter": True, "bloom_filter_bytes": 1 << 17}

WHERE_THE_BYTES_ARE = [
    # what takes the file, the file, the beginning of the sentence, what must not be in it
    ("Bloom filters", lambda: wide(3, columns={f"c{i}": BLOOM for i in range(3)}),
        r"9\d % of 3\d\d kB are Bloom filters\.", "column"),
    ("Bloom filters beside as many pages",
        lambda: ours(noise(900), columns={"payload": {**BLOOM, "bloom_filter_bytes": 1 << 19}}),
        r"6\d % of 1\.\d+ MB is column `payload`, .*; 3\d % are Bloom filters", " in "),
    (
        "page indexes",
        lambda: parquet(
            pa.table({"s": ["x" * 200] * 2_000}), write_page_index=True, data_page_size=1, write_batch_size=1
        ),
        r"\d+ % of .* are page indexes",
        "columns",
    ),
    pytest.param("footer", lambda: parquet(pa.table({"x": [1]})), r"the file is small: \d+ % of \d+ B is the footer",
        "columns", marks=needs_pyarrow(20, "its footer is smaller than the schema for Arrow in it")),
    ("key-values", lambda: ours(pa.table({"x": [1]}), key_value_metadata={"k": "v" * 9_000}),
        r"the file is small: 9\d % of 9\.\d+ kB is key-value metadata", "columns"),
    ("many columns", lambda: wide(12), r"the largest of 12 columns, `c\d+`, has \d\.?\d* % of \d+\.?\d* kB of pages; ",
        "filters"),
]  # fmt: skip


@pytest.mark.parametrize(
    "what, make, begins, never",
    WHERE_THE_BYTES_ARE,
    ids=[getattr(one, "values", one)[0] for one in WHERE_THE_BYTES_ARE],
)
def test_the_sentence_names_the_kind_of_bytes_that_takes_most(what, make, begins, never):
    with pqexplore.open(make()) as f:
        found = overview_headline.parts(f, pieces(f), summary.columns(f), [])
        found = "; ".join(found) + "."
        kinds = overview_headline.by_kind(f, pieces(f))
    assert re.match(begins, found), found
    assert never not in found
    assert sum(kinds.values()) == f.size


def icicle_of(data):
    """The tiles of the icicle; every address in it is a node's."""
    with pqexplore.open(data) as file:
        tiles = answer_of(file).picture.tiles
        for tile in tiles:
            if tile.address:
                file.node(tile.address)
    return tiles


def below(tiles, above):
    return [tile for tile in tiles if tile.above == tiles.index(above)]


@pytest.fixture(scope="module")
def two_groups():
    return parquet(events(), row_group_size=600, write_page_index=True)


def test_parts_add_up_to_the_tile_above_and_lie_in_it():
    # so few columns that no kind of bytes is too narrow to be drawn
    data = parquet(events().select(["id", "name"]), row_group_size=600, write_page_index=True)
    tiles = icicle_of(data)
    assert (tiles[0].start, tiles[0].size) == (0, len(data))
    for tile in tiles:
        inside = below(tiles, tile)
        if inside:
            edges = [tile.start, *itertools.accumulate((one.size for one in inside), initial=tile.start)]
            assert edges[1:-1] == [one.start for one in inside]
            assert edges[-1] == tile.start + tile.size
            assert {one.level for one in inside} == {tile.level + 1}


def test_a_tile_lights_its_own_bytes():
    data = parquet(events().select(["name"]), row_group_size=600)
    tiles = icicle_of(data)
    with pqexplore.open(data) as f:
        chunk = f.row_groups[1].columns[0]
        (group,) = [tile for tile in tiles if tile.address == chunk.address and tile.kind == ""]
        (dictionary,) = [one for one in below(tiles, group) if one.kind == "dictionary_page"]
        (pages,) = [one for one in below(tiles, group) if one.kind == "data_page"]
        assert group.span == chunk.span
        page = chunk.pages[0].span  # its header is a tile of its own
        assert dictionary.span == Span(page.end - dictionary.size, page.end)
        assert pages.span is None  # their headers lie between them


def test_columns_are_ordered_by_size(two_groups):
    tiles = icicle_of(two_groups)
    sizes = [one.size for one in below(tiles, tiles[0]) if one.kind == ""]
    assert sizes == sorted(sizes, reverse=True) and len(sizes) > 5


def test_a_single_row_group_has_no_level_in_the_icicle():
    assert not any("row group" in tile.label for tile in icicle_of(parquet(events())))


@pytest.mark.parametrize(("columns", "groups"), [(400, 1), (3, 300), (60, 20)])
def test_a_large_file_has_few_tiles(columns, groups):
    table = pa.table({f"c{i}": list(range(groups)) for i in range(columns)})
    tiles = icicle_of(parquet(table, row_group_size=1))
    assert len(tiles) <= 1000
    rest = [tile.label for tile in tiles if tile.label.startswith("…")]
    assert rest
    if columns > 24:
        assert f"… {columns - 24:,} other columns" in rest


@pytest.mark.parametrize(
    "changes", [{"schema__0__num_children": 5}, {"row_groups": []}, {"row_groups__0__columns": []}], ids=str
)
def test_a_damaged_footer_leaves_an_icicle(changes):
    data = rebuilt(parquet(events()), **changes)
    assert icicle_of(data)[0].size == len(data)
