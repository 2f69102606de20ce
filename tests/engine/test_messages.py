"""Messages are ours: they name the values that differ, and never a library's words."""

import base64
import json
import random

import pytest
from engine.check import forged
from made import events, parquet

import pqexplore
from pqexplore.engine.errors import CorruptFileError, NotParquetError, ParquetError
from pqexplore.engine.format import codecs, embedded
from pqexplore.engine.format.thrift import fast, structs

FOREIGN = (
    "ttype", "know what type", "exceeded", "whole buffer", "deflate stream", "gzip stream", "invalid data", "eresult",
    "source buffer", "size prefix", "frame descriptor", "corruption detected", "expecting value",
    "base64-encoded string", "metadata bytes", "snappy:",
)  # fmt: skip
"""Words of Thrift's reader, cramjam, lzallright, json, base64 and pyarrow."""


def is_ours(error):
    assert not [words for words in FOREIGN if words in error.message.lower()], error.message


def test_damaged_structs_have_our_messages_at_the_byte():
    data = parquet(events(50))
    footer = data[-8 - int.from_bytes(data[-8:-4], "little") : -8]
    chance, kinds = random.Random(1), set()
    for _ in range(2_000):
        changed = bytearray(footer)
        changed[chance.randrange(len(changed))] = chance.randrange(256)
        try:
            fast.decode(structs.FileMetaData, bytes(changed))
        except ParquetError as error:
            is_ours(error)
            kinds.add(error.message.split(" has ")[0])
    assert {"not a struct: a field header", "not a struct: an element"} <= kinds


THRIFT = [
    (b"\x1f\x00", "a field header has wire type 15; Thrift has 1 (true) to 13 (uuid)", 0),
    (b"\x15\x02\x0f\x04\x00", "a field header has wire type 15", 2),
    (b"\x15\xff\xff\xff\xff\xff\xff\x01\x00", "a number has more than 5 bytes", 1),
    (b"\x29\x1f\x00", "the element of a list has wire type 15", 1),
    (b"\xfc" * 200 + b"\x00" * 201, "nested too deeply", None),
]


@pytest.mark.parametrize(("data", "words", "offset"), THRIFT)
def test_a_struct_that_cannot_be_read_says_which_byte(data, words, offset):
    with pytest.raises(ParquetError) as raised:
        fast.decode(structs.FileMetaData, data)
    assert words in raised.value.message
    assert offset is None or raised.value.offset == offset


CODECS = ("SNAPPY", "GZIP", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW")


@pytest.mark.parametrize("codec", CODECS)
def test_damaged_compressed_bytes_have_our_messages(codec):
    chance = random.Random(2)
    good = codecs.compress(getattr(codecs, codec), bytes(i % 7 for i in range(300)))
    damaged = [good[: len(good) // 2], good + b"xyz", b"", b"\x00", bytes(chance.randbytes(50))]
    for _ in range(60):
        changed = bytearray(good)
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        damaged.append(bytes(changed))
    errors = 0
    for data in damaged:
        for size in (299, 300, 301):
            try:
                codecs.decompress(getattr(codecs, codec), data, size)
            except CorruptFileError as error:
                is_ours(error)
                errors += 1
    assert errors > 10


REASONS = [
    ("GZIP", lambda data: data[:-9], 300, "end too early|are damaged"),  # cramjam 2.11: which, unknown
    ("GZIP", lambda data: b"PK" + data[2:], 300, "do not begin so"),
    ("GZIP", lambda data: data[:-6] + b"\x00\x00" + data[-4:], 300, "the checksum in them"),
    ("ZSTD", lambda data: data, 10, "decompress to more"),
    ("ZSTD", lambda data: data[:-2], 300, "end too early"),
    ("SNAPPY", lambda data: data, 10, "say that they decompress to 300 bytes"),
]


@pytest.mark.parametrize(("codec", "change", "size", "words"), REASONS)
def test_the_reason_of_a_damaged_page(codec, change, size, words):
    number = getattr(codecs, codec)
    data = change(codecs.compress(number, bytes(i % 7 for i in range(300))))
    with pytest.raises(CorruptFileError, match=words):
        codecs.decompress(number, data, size)


GOOD = parquet(events(20))

MAGICS = {
    "cut off": (GOOD[:-20], "cut off or still being written", "changed"),
    "a newer magic": (GOOD[:-4] + b"PAR3", "so only the magic is wrong", "cut off"),
    "a newer magic at both ends": (b"PAR3" + GOOD[4:-4] + b"PAR3", "the format does not have", "cut"),
    "a newer magic, another footer": (GOOD[:-8] + b"\xff\xff\xff\x7fPAR3", "newer", "cut off"),
    "a changed magic": (GOOD[:-4] + b"XXXX", "so only the magic is wrong", "cut off"),
    "no Parquet at all": (b"PK\x03\x04" + b"x" * 40, "it is not a Parquet file", "cut off"),
}


@pytest.mark.parametrize(("data", "words", "never"), MAGICS.values(), ids=MAGICS)
def test_only_what_is_cut_off_is_said_to_be(data, words, never):
    with pytest.raises(NotParquetError) as raised:
        pqexplore.open(data)
    assert words in raised.value.message and never not in raised.value.message


def test_a_wrong_checksum_has_both_values():
    page = forged.page([1, 2], crc=1)
    with pqexplore.open(forged.one_column([page])) as file:
        (finding,) = file.check()
        fact = next(one for one in file.node(finding.address).facts if one.name == "checksum")
    stored, computed = finding.evidence["crc"], finding.evidence["computed"]
    assert stored == 1
    assert f"stores the CRC32 00000001, the page's bytes have {computed:08x}" in finding.message
    assert fact.value == f"00000001, wrong: the body has {computed:08x}"
    right = forged.page([1, 2], crc=computed)
    assert forged.findings(forged.one_column([right])) == []


EMBEDDED = [
    ("org.apache.spark.sql.parquet.row.metadata", json.dumps({})[:-1], "from character 1 on"),
    ("ARROW:schema", "a", "is not base64: letters"),
    ("ARROW:schema", base64.b64encode(b"junkjunkjunk").decode(), "12 bytes begin with 6a 75 6e 6b"),
]


@pytest.mark.parametrize(("key", "value", "words"), EMBEDDED)
def test_embedded_text_that_cannot_be_read_says_where(key, value, words):
    found = embedded.decode(key, value)
    assert words in found.problem
    assert not [one for one in FOREIGN if one in found.problem.lower()]
