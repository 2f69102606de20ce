"""What a Bloom filter is worth, and how it answers, on filters of known content."""

import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import bloom


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """2,000 texts a column in filters of 4,096, 256 and 32,768 bytes."""
    path = tmp_path_factory.mktemp("bloom") / "f"
    write_sample("bloom-filter", str(path))
    with pqexplore.open(path) as file:
        yield file.row_groups[0].columns


def chunk_of(array, tmp_path, **options):
    chosen = {"bloom_filter": True} | options
    pqexplore.write(pa.table({"v": array}), tmp_path / "f", pqexplore.WriteOptions(**chosen))
    return pqexplore.open(tmp_path / "f").row_groups[0].columns[0]


@pytest.mark.parametrize(
    ("column", "verdict", "words"),
    [
        ("right", "suits", "It suits: about 2,001 distinct values in 4,096 bytes"),
        ("small", "too small", "lets through all of the values that are not there"),
        ("large", "too large", "and 4,096 bytes would do for 1 %"),
    ],
)
def test_verdicts(sample, column, verdict, words):
    made = bloom.of_chunk(sample[column])
    assert made.picture["verdict"] == verdict
    assert words in made.sentence


def test_numbers_of_the_picture_and_the_table(sample):
    made = bloom.of_chunk(sample["right"])
    picture, table = made.picture, made.table
    assert picture["ndv"] == pytest.approx(2_000, rel=0.02)
    assert picture["fpp"] == pytest.approx(0.0015, abs=0.0002)
    assert sum(row[1] for row in table.rows) == picture["bits_set"] == 12_584
    assert table.rows[66] == ("block 66", 93, 93 / 256, 66 * 32)
    assert table.addresses[66].endswith("bloom_filter/bitset/66")
    start = sample["right"].bloom_filter.offset + sample["right"].bloom_filter.header_length
    assert (table.spans[66].start, len(table.spans[66])) == (start + 66 * 32, 32)


def test_every_value_may_be_there(sample):
    for i in range(0, 2_000, 97):
        assert bloom.ask(sample["right"], f"right {i * i}").derivation.hit


def test_the_derivation_of_an_answer(sample):
    made = bloom.ask(sample["right"], "nothing here")
    assert made.derivation.block == 77 and made.outside is True
    assert made.sentence == (
        "nothing here is certainly not there: 2 of its eight bits are not set in block 77. "
        "The chunk's minimum and maximum rule it out as well."
    )
    bitset = sample["right"].bloom_filter.bitset
    assert [word for word, *_ in made.bits] == list(range(8))
    for word, bit, is_set, byte in made.bits:
        assert byte == 77 * 32 + word * 4 + bit // 8
        assert bool(bitset[byte] >> bit % 8 & 1) is is_set


@pytest.mark.parametrize(
    ("array", "typed", "hit"),
    [
        (pa.array([1, 2, 3]), "2", True),
        (pa.array([1, 2, 3]), "9", False),
        (pa.array([1, 2], pa.date32()), "1970-01-02", True),
        (pa.array([1_000_000], pa.timestamp("us")), "1970-01-01 00:00:01", True),
        (pa.array([b"\x01\xff"], pa.binary()), "0x01ff", True),
        (pa.array([1.5]), "1.5", True),
    ],
)
def test_typed_values_are_read_by_the_type(tmp_path, array, typed, hit):
    made = bloom.ask(chunk_of(array, tmp_path), typed)
    assert made.derivation.hit is hit


def test_what_is_no_value_of_the_column(tmp_path):
    with pytest.raises(UsageError, match="no value of v"):
        bloom.ask(chunk_of(pa.array([1]), tmp_path), "Oslo")


def test_zeros_are_two_values(tmp_path):
    chunk = chunk_of(pa.array([0.0, 5.0]), tmp_path, bloom_filter_bytes=1_024)
    assert bloom.ask(chunk, "0.0").derivation.hit
    made = bloom.ask(chunk, "-0.0")
    assert not made.derivation.hit and "two values" in made.note


def test_an_empty_filter_rules_everything_out(tmp_path):
    chunk = chunk_of(pa.array([None, None], pa.int32()), tmp_path)
    made = bloom.of_chunk(chunk)
    assert made.picture["verdict"] == "empty" and "empty" in made.sentence
    assert not bloom.ask(chunk, 1).derivation.hit


def test_no_filter(tmp_path):
    made = bloom.of_chunk(chunk_of(pa.array([1]), tmp_path, bloom_filter=False))
    assert made.picture is None and "parquet-java" in made.empty


def test_blocks_are_nodes(sample):
    file = sample["right"].file
    node = file.node(f"{sample['right'].address}/bloom_filter/bitset/66")
    assert node.kind == "bloom_filter_block" and len(node.span) == 32
    facts = {fact.name: fact.value for fact in node.facts}
    stored = file.bytes(node.span)
    assert facts["bits set"] == sum(byte.bit_count() for byte in stored) == 93
    assert int(facts["word 1"], 2) == int.from_bytes(stored[4:8], "little")
