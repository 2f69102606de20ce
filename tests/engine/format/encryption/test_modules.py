"""Modules: AADs as the specification lays them out, frames, and the ciphers of published vectors."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import CorruptFileError, ParquetError, UsageError
from pqexplore.engine.format.encryption import modules
from pqexplore.engine.format.encryption.keys import Key
from pqexplore.engine.format.encryption.modules import Module, ModuleType, TagMismatchError

KEY = Key(b"0123456789012345")
FIXED = lambda: bytes(range(12))  # noqa: E731


# prefix, file identifier, (type, row group, column, page) -> AAD
AADS = [
    (b"", b"FILE", (ModuleType.FOOTER,), b"FILE\x00"),
    (b"tester", b"FILE", (ModuleType.FOOTER,), b"testerFILE\x00"),
    (b"", b"FILE", (ModuleType.COLUMN_METADATA, 0, 5), b"FILE\x01\x00\x00\x05\x00"),
    (b"", b"F", (ModuleType.DATA_PAGE, 1, 2, 3), b"F\x02\x01\x00\x02\x00\x03\x00"),
    (b"", b"F", (ModuleType.DICTIONARY_PAGE, 1, 2), b"F\x03\x01\x00\x02\x00"),
    (b"", b"F", (ModuleType.DATA_PAGE_HEADER, 258, 0, 32767), b"F\x04\x02\x01\x00\x00\xff\x7f"),
    (b"", b"F", (ModuleType.DICTIONARY_PAGE_HEADER, 0, 1), b"F\x05\x00\x00\x01\x00"),
    (b"", b"F", (ModuleType.COLUMN_INDEX, 0, 1), b"F\x06\x00\x00\x01\x00"),
    (b"", b"F", (ModuleType.OFFSET_INDEX, 0, 1), b"F\x07\x00\x00\x01\x00"),
    (b"", b"F", (ModuleType.BLOOM_FILTER_HEADER, 0, 1), b"F\x08\x00\x00\x01\x00"),
    (None, None, (ModuleType.BLOOM_FILTER_BITSET, 0, 1), b"\x09\x00\x00\x01\x00"),
]


@pytest.mark.parametrize(("prefix", "unique", "place", "expected"), AADS)
def test_aad(prefix, unique, place, expected):
    assert modules.aad(prefix, unique, *place) == expected
    assert Module(*place).aad(prefix, unique) == expected


def test_an_aad_is_explained_part_by_part():
    parts = modules.explain_aad(b"table", b"\x01\x02", ModuleType.DATA_PAGE, 1, 2, 3)
    assert [(part.name, part.data, part.value) for part in parts] == [
        ("AAD prefix", b"table", b"table"),
        ("file identifier", b"\x01\x02", b"\x01\x02"),
        ("module type", b"\x02", "data page"),
        ("row group ordinal", b"\x01\x00", 1),
        ("column ordinal", b"\x02\x00", 2),
        ("page ordinal", b"\x03\x00", 3),
    ]
    assert all(part.meaning.endswith(".") for part in parts)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ((ModuleType.FOOTER, 0), "the AAD of a footer has no row group ordinal"),
        ((ModuleType.COLUMN_INDEX, 0), "the AAD of a column index needs a column ordinal"),
        ((ModuleType.DATA_PAGE, 0, 0), "the AAD of a data page needs a page ordinal"),
        ((ModuleType.DICTIONARY_PAGE, 0, 0, 0), "the AAD of a dictionary page has no page ordinal"),
    ],
)
def test_ordinals_that_the_module_type_does_not_have(place, message):
    with pytest.raises(UsageError, match=message):
        modules.aad(b"", b"", *place)


@pytest.mark.parametrize("ordinal", [-1, 32768, 1 << 40])
def test_ordinals_beyond_two_bytes(ordinal):
    with pytest.raises(CorruptFileError, match="its AAD holds 0 to 32,767"):
        modules.aad(b"", b"", ModuleType.COLUMN_INDEX, ordinal, 0)


def test_no_two_modules_share_an_aad():
    places = [Module(ModuleType.FOOTER)]
    for kind in ModuleType:
        for group in range(3):
            for column in range(3):
                pages = range(3) if kind in modules.WITH_PAGE_ORDINAL else [None]
                if kind != ModuleType.FOOTER:
                    places += [Module(kind, group, column, page) for page in pages]
    assert len({place.aad(b"p", b"u") for place in places}) == len(places) == 1 + 7 * 9 + 2 * 27


def test_frame_of_a_gcm_module():
    buffer = b"before" + (28 + 5).to_bytes(4, "little") + b"n" * 12 + b"hello" + b"t" * 16 + b"after"
    frame = modules.split(buffer, 6, ctr=False)
    assert (frame.start, frame.length, frame.size, frame.plaintext_size) == (6, 33, 37, 5)
    assert buffer[frame.nonce.start : frame.nonce.end] == b"n" * 12
    assert buffer[frame.ciphertext.start : frame.ciphertext.end] == b"hello"
    assert buffer[frame.tag.start : frame.tag.end] == b"t" * 16
    assert buffer[frame.end :] == b"after"
    assert modules.module_size(buffer, 6) == 37


@pytest.mark.parametrize(
    ("buffer", "ctr", "message"),
    [
        (b"", False, "0 are left"),
        (b"\x00\x00\x00", False, "3 are left"),
        (b"\x00\x00\x00\x00", False, "a length of 0 bytes"),
        (b"\x0b\x00\x00\x00" + b"x" * 11, True, "a length of 11 bytes"),
        (b"\x1b\x00\x00\x00" + b"x" * 27, False, "nonce and tag alone take 28"),
        (b"\x1d\x00\x00\x00" + b"x" * 28, False, "a length of 29 bytes, 28 are left"),
        (b"\xff\xff\xff\x7f" + b"x" * 28, False, "a length of 2,147,483,647 bytes, 28 are left"),
        (b"\x00\x00\x00\x80" + b"x" * 28, True, "a length of 2,147,483,648 bytes"),
    ],
)
def test_frames_that_cannot_be(buffer, ctr, message):
    with pytest.raises(CorruptFileError, match=message) as caught:
        modules.split(b"__" + buffer, 2, ctr=ctr)
    assert caught.value.offset == 2


@pytest.mark.parametrize("offset", [-1, 5, 1 << 70])
def test_frames_outside_the_buffer(offset):
    with pytest.raises(CorruptFileError):
        modules.split(b"\x0c\x00\x00\x00" + b"", offset, ctr=True)


# The GCM specification's test case 4 (McGrew and Viega), and test case 16 for a key of 256 bits.
GCM_VECTORS = [
    ("feffe9928665731c6d6a8f9467308308",
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
        "5bc94fbc3221a5db94fae95ae7121a47"),
    ("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
        "76fc6ece0f4e1768cddf8853bb2d551b"),
]  # fmt: skip
GCM_PLAINTEXT = bytes.fromhex(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
)
GCM_NONCE = bytes.fromhex("cafebabefacedbaddecaf888")
GCM_AAD = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")


@pytest.mark.parametrize(("key", "ciphertext", "tag"), GCM_VECTORS, ids=["128", "256"])
def test_gcm_vectors(key, ciphertext, tag):
    key = Key(bytes.fromhex(key))
    encrypted = bytes.fromhex(ciphertext + tag)
    module = (12 + len(encrypted)).to_bytes(4, "little") + GCM_NONCE + encrypted
    frame = modules.split(module, ctr=False)
    assert modules.encrypt_gcm(key, GCM_PLAINTEXT, GCM_AAD, lambda: GCM_NONCE) == module
    assert modules.decrypt_gcm(key, module, frame, GCM_AAD) == GCM_PLAINTEXT
    assert modules.sign(key, GCM_PLAINTEXT, GCM_AAD, lambda: GCM_NONCE) == GCM_NONCE + bytes.fromhex(tag)
    assert modules.unverified_gcm(key, module, frame) == GCM_PLAINTEXT
    assert modules.unverified_gcm(key, module, frame, 7) == GCM_PLAINTEXT[:7]


def test_ctr_vector():
    """RFC 3686, test vector 1: its counter block is a nonce of 12 bytes and a counter that starts at 1."""
    key = Key(bytes.fromhex("AE6852F8121067CC4BF7A5765577F39E"))
    nonce = bytes.fromhex("000000300000000000000000")
    module = b"\x1c\x00\x00\x00" + nonce + bytes.fromhex("E4095D4FB7A7B3792D6175A3261311B8")
    assert modules.encrypt_ctr(key, b"Single block msg", lambda: nonce) == module
    frame = modules.split(module, ctr=True)
    assert modules.decrypt_ctr(key, module, frame) == b"Single block msg"


@pytest.mark.parametrize("size", [16, 24, 32])
@pytest.mark.parametrize("plaintext", [b"", b"x", bytes(1000)])
def test_every_key_length_and_the_empty_module(size, plaintext):
    key = Key(bytes(range(size)))
    gcm = modules.encrypt_gcm(key, plaintext, b"aad")
    assert len(gcm) == len(plaintext) + modules.GCM_OVERHEAD
    assert modules.decrypt_gcm(key, gcm, modules.split(gcm, ctr=False), b"aad") == plaintext
    ctr = modules.encrypt_ctr(key, plaintext)
    assert len(ctr) == len(plaintext) + modules.CTR_OVERHEAD
    assert modules.decrypt_ctr(key, ctr, modules.split(ctr, ctr=True)) == plaintext


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_buffer(kind):
    module = modules.encrypt_gcm(KEY, kind(b"plain"), b"aad")
    frame = modules.split(kind(module), ctr=False)
    assert modules.decrypt_gcm(KEY, kind(module), frame, b"aad") == b"plain"


def test_random_nonces_differ():
    assert modules.encrypt_gcm(KEY, b"", b"") != modules.encrypt_gcm(KEY, b"", b"")


def test_a_nonce_of_another_length():
    with pytest.raises(UsageError, match="a nonce has 12 bytes, this one 11"):
        modules.encrypt_ctr(KEY, b"", lambda: b"x" * 11)


def test_every_changed_byte_is_noticed():
    module = modules.encrypt_gcm(KEY, b"some plaintext", b"aad", FIXED)
    for position in range(len(module)):
        for bit in (1, 128):
            changed = bytearray(module)
            changed[position] ^= bit
            with pytest.raises(ParquetError) as caught:
                frame = modules.split(changed, ctr=False)
                modules.decrypt_gcm(KEY, changed, frame, b"aad")
            expected = (CorruptFileError, TagMismatchError) if position < 4 else TagMismatchError
            assert isinstance(caught.value, expected)


@settings(max_examples=60, deadline=None)
@given(
    prefix=st.binary(max_size=20),
    unique=st.binary(max_size=20),
    kind=st.sampled_from(ModuleType),
    ordinals=st.tuples(*[st.integers(0, 32767)] * 3),
    plaintext=st.binary(max_size=100),
)
def test_moved_modules_do_not_decrypt(prefix, unique, kind, ordinals, plaintext):
    asked = 0 if kind == ModuleType.FOOTER else 3 if kind in modules.WITH_PAGE_ORDINAL else 2
    place = Module(kind, *ordinals[:asked])
    aad = place.aad(prefix, unique)
    parts = modules.explain_aad(prefix, unique, kind, *ordinals[:asked])
    assert b"".join(part.data for part in parts) == aad
    module = modules.encrypt_gcm(KEY, plaintext, aad)
    frame = modules.split(module, ctr=False)
    assert modules.decrypt_gcm(KEY, module, frame, aad) == plaintext
    with pytest.raises(TagMismatchError):
        modules.decrypt_gcm(KEY, module, frame, aad + b"\x00")
