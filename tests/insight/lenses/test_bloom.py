"""The Bloom filter lens, on filters of known content."""

import pyarrow as pa
import pytest
from made import open_sample, ours

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.insight.lenses import bloom

CHUNK = "row_groups/0/columns/0"


@pytest.fixture(scope="module")
def sample():
    """2,000 texts a column (`right`, `small`, `large`) in filters of 4,096, 256 and 32,768 bytes."""
    with open_sample("bloom-filter") as file:
        yield file.row_groups[0].columns


def chunk_of(array, **options):
    data = ours(pa.table({"v": array}), **{"bloom_filter": True} | options)
    return pqexplore.open(data).row_groups[0].columns[0]


def answer_of(chunk):
    return bloom.answer(chunk.file, chunk.file.node(chunk.address))


def probe(chunk, value):
    return bloom.probe_chunk(chunk, chunk.bloom_filter, value)


@pytest.mark.parametrize(("column", "verdict", "words"), [
    ("right", "suits", "It suits: about 2,001 distinct values in 4,096 bytes"),
    ("small", "too small", "lets through all of the values that are not there"),
    ("large", "too large", "and 2,656 bytes would do for 1 %"),
])  # fmt: skip
def test_filters_of_three_sizes_have_three_verdicts(sample, column, verdict, words):
    answer = answer_of(sample[column])
    assert answer.picture.verdict == verdict
    assert words in answer.sentence


def test_numbers_of_the_picture_and_the_table(sample):
    answer = answer_of(sample["right"])
    picture, table = answer.picture, answer.table
    assert picture.ndv == pytest.approx(2_000, rel=0.02)
    assert picture.fpp == pytest.approx(0.0015, abs=0.0002)
    assert sum(row[1] for row in table.rows) == picture.bits_set == 12_584
    assert len(picture.cells) == picture.blocks == 128 and picture.cells[66] == 93
    assert table.rows[66] == ("block 66", 93, 93 / 256, 66 * 32)
    assert table.addresses[66].endswith("bloom_filter/bitset/66")
    start = sample["right"].bloom_filter.offset + sample["right"].bloom_filter.header_length
    assert (table.spans[66].start, len(table.spans[66])) == (start + 66 * 32, 32)


def test_words_of_a_block(sample):
    file = sample["right"].file
    assert sum(word.bit_count() for word in bloom.words(file, CHUNK, 66).words) == 93
    with pytest.raises(UsageError, match="there is no block 128"):
        bloom.words(file, CHUNK, 128)


def test_every_value_of_the_column_may_be_there(sample):
    for i in range(0, 2_000, 97):
        assert probe(sample["right"], f"right {i * i}").hit


def test_a_probe_shows_the_hash_the_block_and_its_bytes(sample):
    file = sample["right"].file
    reply = bloom.ask(file, CHUNK, "right 25")
    assert (reply.verdict, reply.block) == ("may be there", 66)
    assert reply.hash == "840905e8b665b2a9" and reply.plain == b"right 25".hex(" ")
    stored = file.bytes(file.node(f"{CHUNK}/bloom_filter/bitset/66").span)
    assert len(reply.span) == 32 and file.bytes(reply.span) == stored


def test_a_probe_for_an_absent_value_names_the_bits_that_are_clear(sample):
    reply = probe(sample["right"], "nothing here")
    assert (reply.block, reply.verdict) == (77, "certainly not there")
    assert reply.sentence == (
        "nothing here is certainly not there: 2 of its eight bits are not set in block 77. "
        "The chunk's minimum and maximum rule it out as well."
    )
    bitset = sample["right"].bloom_filter.bitset
    assert [one.word for one in reply.bits] == list(range(8))
    for one in reply.bits:
        assert one.byte == 77 * 32 + one.word * 4 + one.bit // 8
        assert bool(bitset[one.byte] >> one.bit % 8 & 1) is one.set


@pytest.mark.parametrize(("array", "typed", "hit"), [
    (pa.array([1, 2, 3]), "2", True),
    (pa.array([1, 2, 3]), "9", False),
    (pa.array([1, 2], pa.date32()), "1970-01-02", True),
    (pa.array([1_000_000], pa.timestamp("us")), "1970-01-01 00:00:01", True),
    (pa.array([b"\x01\xff"], pa.binary()), "0x01ff", True),
    (pa.array([1.5]), "1.5", True),
])  # fmt: skip
def test_typed_values_are_read_by_the_type_of_the_column(array, typed, hit):
    assert probe(chunk_of(array), typed).hit is hit


def test_a_value_that_the_column_cannot_hold_raises():
    with pytest.raises(UsageError, match="no value of v"):
        probe(chunk_of(pa.array([1])), "Oslo")


def test_a_value_that_is_too_long_raises(sample):
    with pytest.raises(UsageError, match="at most 4,096 characters"):
        bloom.ask(sample["right"].file, CHUNK, "x" * 5_000)


def test_positive_and_negative_zero_are_two_values():
    chunk = chunk_of(pa.array([0.0, 5.0]), bloom_filter_bytes=1_024)
    assert probe(chunk, "0.0").hit
    reply = probe(chunk, "-0.0")
    assert not reply.hit and "two values" in reply.note


def test_an_empty_filter_rules_everything_out():
    chunk = chunk_of(pa.array([None, None], pa.int32()))
    answer = answer_of(chunk)
    assert answer.picture.verdict == "empty" and "empty" in answer.sentence
    assert not probe(chunk, 1).hit


def test_without_a_filter_the_answer_says_who_writes_one():
    chunk = chunk_of(pa.array([1]), bloom_filter=False)
    answer = answer_of(chunk)
    assert answer.picture is None and "parquet-java" in answer.empty
    with pytest.raises(UsageError, match="no Bloom filter"):
        bloom.ask(chunk.file, CHUNK, "1")


@pytest.mark.parametrize(("encoding", "words"), [
    ("RLE_DICTIONARY", "unless its range, or in Spark its dictionary, rules it out."),
    ("PLAIN", "unless its range rules it out."),
])  # fmt: skip
def test_without_a_filter_a_dictionary_rules_values_out_for_some_engines(encoding, words):
    chunk = chunk_of(pa.array([1, 2] * 50), bloom_filter=False, encoding=encoding)
    assert answer_of(chunk).sentence.endswith(words)


def test_blocks_are_nodes(sample):
    file = sample["right"].file
    node = file.node(f"{sample['right'].address}/bloom_filter/bitset/66")
    assert node.kind == "bloom_filter_block" and len(node.span) == 32
    facts = {fact.name: fact.value for fact in node.facts}
    stored = file.bytes(node.span)
    assert facts["bits set"] == sum(byte.bit_count() for byte in stored) == 93
    assert int(facts["word 1"], 2) == int.from_bytes(stored[4:8], "little")
