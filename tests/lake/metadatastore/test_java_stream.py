"""Java's serialization stream: the one layout that occurs, and hostile bytes of every kind."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pqexplore.engine.errors import CorruptFileError, LimitExceededError, ParquetError, UnsupportedFeatureError
from pqexplore.lake.metadatastore import java_stream, sketch

MAGIC = b"\xac\xed\x00\x05"
FILTER = sketch.build(300, 0.05, range(100), ["x"])
STREAM = sketch.to_java(FILTER)


def utf(text):
    return java_stream.utf(text)


def described(name=b"\x00\x01A", flags=b"\x02", fields=b"\x00\x00", parent=b"\x70"):
    return b"\x72" + name + bytes(8) + flags + fields + b"\x78" + parent


def test_a_bloom_filter_is_an_object_of_an_object_that_wrote_bytes():
    found = java_stream.parse(STREAM)
    assert found.class_name == "io.xskipper.index.metadata.BloomFilterMetaData"
    assert found.description.parent.name == "io.xskipper.index.metadata.MetadataType"
    inner = found.fields["bloomFilter"]
    assert inner.class_name == "org.apache.spark.util.sketch.BloomFilterImpl"
    assert inner.description.fields == (("I", "numHashFunctions"), ("L", "bits"))
    assert inner.data == FILTER.to_bytes()


def test_references_strings_and_numbers_are_understood():
    fields = b"\x00\x03" + b"I" + utf("n") + b"L" + utf("s") + b"\x74" + utf("Ljava/lang/String;")
    fields += b"L" + utf("again") + b"\x71" + struct.pack(">i", 0x7E0001)
    stream = MAGIC + b"\x73" + described(fields=fields) + struct.pack(">i", -7)
    stream += b"\x74" + utf("hello") + b"\x71" + struct.pack(">i", 0x7E0003)
    assert java_stream.parse(stream).fields == {"n": -7, "s": "hello", "again": "hello"}


def test_every_truncation_is_an_error_with_a_place():
    assert len(STREAM) > 500
    for cut in range(len(STREAM)):
        with pytest.raises(ParquetError) as error:
            java_stream.parse(STREAM[:cut])
        assert error.value.offset is not None and error.value.offset <= cut


HOSTILE = {
    "no stream": (b"PAR1", CorruptFileError),
    "another version": (b"\xac\xed\x00\x06\x70", CorruptFileError),
    "null": (MAGIC + b"\x70", UnsupportedFeatureError),
    "a string": (MAGIC + b"\x74\x00\x01x", UnsupportedFeatureError),
    "an array": (MAGIC + b"\x75", UnsupportedFeatureError),
    "an exception": (MAGIC + b"\x7b", UnsupportedFeatureError),
    "a proxy class": (MAGIC + b"\x73\x7d", UnsupportedFeatureError),
    "an object without a class": (MAGIC + b"\x73\x70", CorruptFileError),
    "a reference to nothing": (MAGIC + b"\x71\x00\x7e\x00\x00", CorruptFileError),
    "a reference below the first": (MAGIC + b"\x73\x71\x00\x00\x00\x00", CorruptFileError),
    "a class that is its own parent": (MAGIC + b"\x73" + described(parent=b"\x71\x00\x7e\x00\x00"), CorruptFileError),
    "an externalizable class": (MAGIC + b"\x73" + described(flags=b"\x0c"), UnsupportedFeatureError),
    "an enum": (MAGIC + b"\x73" + described(flags=b"\x12"), UnsupportedFeatureError),
    "65,535 fields": (MAGIC + b"\x73" + described(fields=b"\xff\xff"), LimitExceededError),
    "a field of no type": (MAGIC + b"\x73" + described(fields=b"\x00\x01?\x00\x01a"), UnsupportedFeatureError),
    "a name that is longer than the stream": (MAGIC + b"\x73\x72\xff\xffA", CorruptFileError),
    "a name that is no text": (MAGIC + b"\x73\x72\x00\x01\xff" + bytes(8), CorruptFileError),
    "a class annotation": (MAGIC + b"\x73\x72\x00\x01A" + bytes(8) + b"\x02\x00\x00\x77\x01x\x78\x70",
        UnsupportedFeatureError),
    "a block of 2 GB": (MAGIC + b"\x73" + described(flags=b"\x03") + b"\x7a\x7f\xff\xff\xff", CorruptFileError),
    "a block of negative length": (MAGIC + b"\x73" + described(flags=b"\x03") + b"\x7a\xff\xff\xff\xff",
        CorruptFileError),
    "an object among the bytes": (MAGIC + b"\x73" + described(flags=b"\x03") + b"\x73", UnsupportedFeatureError),
    "classes above each other without end": (
        MAGIC + b"\x73" + b"".join(described(parent=b"") for _ in range(50)) + b"\x70",
        LimitExceededError,
    ),
    "objects inside each other without end": (
        MAGIC + (b"\x73" + described(fields=b"\x00\x01L\x00\x01a\x74\x00\x01b")) * 50,
        LimitExceededError,
    ),
    "more after the object": (STREAM + b"\x00", CorruptFileError),
}  # fmt: skip


@pytest.mark.parametrize(("stream", "kind"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_streams_are_refused(stream, kind):
    with pytest.raises(kind) as error:
        java_stream.parse(stream)
    assert error.value.offset is not None


def test_a_stream_that_is_too_long_is_not_looked_at():
    with pytest.raises(LimitExceededError, match="67,108,864"):
        java_stream.parse(bytes(java_stream.MAX_BYTES + 1))


@given(st.binary(max_size=200), st.integers(0, len(STREAM) - 1))
def test_no_bytes_raise_anything_but_a_parquet_error(noise, at):
    for stream in (MAGIC + noise, STREAM[:at] + noise + STREAM[at + len(noise) :]):
        try:
            sketch.from_java(stream)
        except ParquetError as error:
            assert error.offset is not None


def test_the_class_is_told_without_reading_on():
    assert java_stream.class_name(STREAM[:80]) == sketch.METADATA_CLASS
    with pytest.raises(UnsupportedFeatureError, match="does not begin with an object"):
        java_stream.class_name(MAGIC + b"\x70")
