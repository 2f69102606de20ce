import pytest

from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError, UsageError
from pqexplore.engine.format.variant import metadata

READ = [
    # header: version 1 | sorted << 4 | (offset size - 1) << 6
    ("01 00 00", (), False),
    ("01 00", (), False),  # as the shredding specification's examples write the empty dictionary
    ("11 00 00", (), True),
    ("11 02 00 01 03 61 62 63", ("a", "bc"), True),
    ("01 02 00 02 03 62 63 61", ("bc", "a"), False),
    ("51 01 00 00 00 01 00 61", ("a",), True),  # 2-byte offsets
    ("91 01 00 00 00 00 00 01 00 00 61", ("a",), True),  # 3-byte offsets
    ("d1 01 00 00 00 00 00 00 00 01 00 00 00 61", ("a",), True),  # 4-byte offsets
    ("31 01 00 01 61", ("a",), True),  # bit 5 has no meaning
    ("01 02 00 01 02 61 61", ("a", "a"), False),  # unsorted dictionaries may repeat a name
    ("01 01 00 02 c3 a9", ("é",), False),
    ("01 01 00 00", ("",), False),
]


@pytest.mark.parametrize("encoded, names, in_order", READ)
def test_read(encoded, names, in_order):
    found = metadata.read(bytes.fromhex(encoded))
    assert (found.names, found.sorted_strings) == (names, in_order)


BROKEN = [
    ("", 0, "empty"),
    ("00 00 00", 0, "version 0"),
    ("41 00", 1, "ends inside its dictionary size"),
    ("01 02 00 01", 1, "announces 2 strings"),
    ("c1 ff ff ff ff", 1, "announces 4,294,967,295 strings"),
    ("01 01 01 02 61 62", 2, "first offset"),
    ("01 02 00 02 01 61 62", 4, "less than the one before"),
    ("01 01 00 05 61", 3, "need 9 bytes"),
    ("01 01 00 01 61 62", 5, "1 bytes follow"),
    ("01 01 00 02 c3 28", 4, "not UTF-8"),
]


@pytest.mark.parametrize("encoded, offset, message", BROKEN)
def test_damaged_metadata_raises_with_reason_and_offset(encoded, offset, message):
    with pytest.raises(CorruptFileError, match=message) as caught:
        metadata.read(bytes.fromhex(encoded))
    assert caught.value.offset == offset


def test_a_later_version_is_not_supported():
    with pytest.raises(UnsupportedFeatureError, match="version 2"):
        metadata.read(bytes.fromhex("020000"))


@pytest.mark.parametrize("encoded", ["11 02 00 01 02 62 61", "11 02 00 01 02 61 61"])
def test_a_sorted_flag_that_lies_is_found(encoded):
    found = metadata.read(bytes.fromhex(encoded))
    assert found.unsorted_at == 1
    with pytest.raises(CorruptFileError, match="sorted_strings"):
        found.require_sorted()


def test_strings_are_sorted_by_their_bytes_and_not_by_utf_16():
    names = ["\U0001f600", "\uff5e", "z"]  # in UTF-16 the first would come before the second
    assert metadata.read(metadata.encode(names)).names == ("z", "\uff5e", "\U0001f600")
    assert metadata.read(metadata.encode(names)).unsorted_at is None


@pytest.mark.parametrize("offset_size", [1, 2, 3, 4])
@pytest.mark.parametrize("sort", [True, False])
def test_encoded_metadata_reads_to_its_names(offset_size, sort):
    names = ["b", "", "a" * 100, "é"]
    encoded = metadata.encode(names, sort=sort, offset_size=offset_size)
    assert encoded[0] >> 6 == offset_size - 1
    assert metadata.read(encoded).names == tuple(sorted(names) if sort else names)


@pytest.mark.parametrize("names, size", [(["a" * 255], 1), (["a" * 256], 2), ([str(i) for i in range(300)], 2)])
def test_offsets_are_as_narrow_as_they_can_be(names, size):
    assert metadata.read(metadata.encode(names)).offset_size == size


def test_offsets_that_are_too_narrow_are_refused():
    with pytest.raises(UsageError, match="needs offsets of 2 bytes"):
        metadata.encode(["a" * 256], offset_size=1)


def test_split_finds_the_end_of_the_metadata():
    assert metadata.split(bytes.fromhex("11 01 00 01 61 0c 2a")) == (bytes.fromhex("1101000161"), bytes.fromhex("0c2a"))


def test_field_id_lists_are_checked_once_and_for_all():
    known = metadata.read(metadata.encode(["a", "b"]))
    assert known.keys(b"\x00\x01", 1) == ("a", "b")
    assert known.keys(b"\x00\x00\x01\x00", 2) == ("a", "b")
    assert known.keys(b"\x01\x00", 1) is None  # out of order
    assert known.keys(b"\x00\x00", 1) is None  # twice
    assert known.keys(b"\x02", 1) is None  # beyond the dictionary
