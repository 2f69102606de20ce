"""Why a module does not open: each cause is told from the others, as far as GCM allows."""

import random

import pytest

from pqexplore.engine.errors import CorruptFileError, EncryptedFileError
from pqexplore.engine.format.encryption import diagnosis, modules
from pqexplore.engine.format.encryption.diagnosis import Situation, diagnose, struct_judge
from pqexplore.engine.format.encryption.keys import Key
from pqexplore.engine.format.encryption.modules import Module, ModuleType
from pqexplore.engine.format.thrift import encode, structs

KEY, OTHER = Key(b"k" * 16), Key(b"o" * 16)
UNIQUE = b"8 bytes!"
HERE = Module(ModuleType.DATA_PAGE_HEADER, 2, 3, 4)
HEADER = encode.encode(
    structs.PageHeader(
        type=0,
        uncompressed_page_size=1000,
        compressed_page_size=500,
        data_page_header=structs.DataPageHeader(
            num_values=10, encoding=0, definition_level_encoding=3, repetition_level_encoding=3
        ),
    )
)


def diagnosed(made_for, plaintext=HEADER, *, key=KEY, prefix=b"", unique=UNIQUE, change=None, **known):
    """The diagnosis at `HERE` of a module that was made for `made_for`."""
    encrypted = bytearray(modules.encrypt_gcm(key, plaintext, made_for.aad(prefix, unique), lambda: b"n" * 12))
    if change is not None:
        encrypted[change] ^= 1
    situation = Situation(**({"key": KEY, "module": HERE, "prefix": b"", "file_unique": UNIQUE} | known))
    return diagnose(encrypted, modules.split(encrypted, ctr=False), situation)


SWAPPED = [
    Module(ModuleType.DATA_PAGE_HEADER, 2, 3, 5),
    Module(ModuleType.DATA_PAGE_HEADER, 2, 3, 0),
    Module(ModuleType.DATA_PAGE_HEADER, 2, 0, 4),
    Module(ModuleType.DATA_PAGE_HEADER, 0, 3, 4),
    Module(ModuleType.DATA_PAGE_HEADER, 1, 2, 3),
    Module(ModuleType.DATA_PAGE_HEADER, 2, 40, 4),
    Module(ModuleType.DATA_PAGE_HEADER, 2, 3, 60),
    Module(ModuleType.DATA_PAGE, 2, 3, 4),
    Module(ModuleType.DICTIONARY_PAGE_HEADER, 2, 3),
    Module(ModuleType.DICTIONARY_PAGE_HEADER, 5, 3),
    Module(ModuleType.COLUMN_INDEX, 2, 3),
    Module(ModuleType.COLUMN_METADATA, 2, 3),
]


@pytest.mark.parametrize("module", SWAPPED, ids=str)
def test_a_swapped_module_is_recognised(module):
    found = diagnosed(module)
    assert (found.verdict, found.found, found.corrupt) == ("swapped module", module, True)
    assert str(module) in found.message
    assert isinstance(found.error(7), CorruptFileError)
    assert found.error(7).offset == 7


def test_the_module_itself_is_not_tried_again():
    assert diagnosed(HERE, change=30).found is None


def test_another_prefix():
    prefixes = {"the AAD prefix stored in the file": b"stored", "no AAD prefix": b""}
    found = diagnosed(HERE, prefix=b"stored", prefixes=prefixes)
    assert found.verdict == "wrong prefix"
    assert found.message == (
        "the data page header, row group 2, column 3, page 4 was encrypted with the AAD prefix stored in the file, "
        "not with the one in use"
    )
    assert isinstance(found.error(), EncryptedFileError)


def test_an_unknown_prefix_is_diagnosed():
    found = diagnosed(HERE, prefix=b"secret", prefix_supplied=True)
    assert found.verdict == "prefix or changed"
    assert "the AAD prefix that was given is not the one" in found.message
    assert not found.corrupt


def test_another_key_that_is_at_hand():
    found = diagnosed(HERE, key=OTHER, keys={"the footer key": KEY, 'the key of column "b"': OTHER})
    assert (found.verdict, found.corrupt) == ("other key", False)
    assert found.message.endswith('does not open with its key, but with the key of column "b"')


def test_another_key_that_is_not():
    found = diagnosed(HERE, key=OTHER)
    assert (found.verdict, found.corrupt) == ("wrong key", False)
    assert "the key gives nothing like a data page header; another key is needed" in found.message
    assert f"(tried: {found.attempts:,} other places and keys)" in found.message


def test_no_aad():
    encrypted = modules.encrypt_gcm(KEY, HEADER, b"")
    found = diagnose(encrypted, modules.split(encrypted, ctr=False), Situation(KEY, HERE, b"", UNIQUE))
    assert (found.verdict, found.corrupt) == ("no AAD", True)


def test_another_file():
    found = diagnosed(HERE, unique=b"another!")
    assert (found.verdict, found.corrupt) == ("changed", True)
    assert "the key is right; the bytes were changed, or it comes from another file or place" in found.message


@pytest.mark.parametrize("position", range(16 + 8, 4 + 12 + len(HEADER) + 16))
def test_a_changed_byte_after_the_first_fields_is_diagnosed(position):
    assert diagnosed(HERE, change=position).verdict == "changed"


@pytest.mark.parametrize("position", range(4, 16))
def test_a_changed_nonce_is_diagnosed_as_a_wrong_key(position):
    assert diagnosed(HERE, change=position).verdict == "wrong key"


@pytest.mark.parametrize("position", range(4, 4 + 12 + len(HEADER) + 16))
def test_with_a_proven_key_every_changed_byte_is_the_files_fault(position):
    found = diagnosed(HERE, change=position, proven=True)
    assert (found.verdict, found.corrupt) == ("changed", True)
    assert "the key opens other modules of the file" in found.message


def test_a_page_has_no_shape_to_tell_by():
    page = Module(ModuleType.DATA_PAGE, 0, 0, 0)
    found = diagnosed(page, b"page", module=page, change=20)
    assert (found.verdict, found.corrupt) == ("unknown", False)
    encrypted = bytearray(modules.encrypt_gcm(KEY, b"zipped page", page.aad(b"", UNIQUE)))
    encrypted[-1] ^= 1
    frame = modules.split(encrypted, ctr=False)
    situation = Situation(KEY, page, b"", UNIQUE)
    judged = diagnose(encrypted, frame, situation, plausible=lambda data: data.startswith(b"zipped"))
    assert judged.verdict == "changed"
    judged = diagnose(encrypted, frame, situation, plausible=lambda data: 1 / 0)
    assert judged.verdict == "wrong key"


def test_the_search_is_bounded():
    page = Module(ModuleType.DATA_PAGE, 1000, 1000, 1000)
    small = diagnosed(page, b"", module=page, change=-1)
    assert 500 < small.attempts <= diagnosis.MAX_ATTEMPTS
    large = diagnosed(page, bytes(8 << 20), module=page, change=-1)
    assert large.attempts == 7
    assert large.bytes <= diagnosis.MAX_BYTES


def test_other_modules_are_tried_once():
    for module in (HERE, Module(ModuleType.DATA_PAGE, 0, 0, 0), Module(ModuleType.OFFSET_INDEX, 9, 9)):
        others = list(diagnosis._other_modules(module))
        assert module not in others
        assert len(others) == len(set(others))
    assert list(diagnosis._other_modules(Module(ModuleType.FOOTER))) == []


STRUCTS = [
    (ModuleType.DATA_PAGE_HEADER, HEADER),
    (ModuleType.OFFSET_INDEX, encode.encode(structs.OffsetIndex(page_locations=[]))),
    (ModuleType.COLUMN_INDEX,
        encode.encode(structs.ColumnIndex(null_pages=[False], min_values=[b"a"], max_values=[b"b"], boundary_order=0))),
    (
        ModuleType.FOOTER,
        encode.encode(
            structs.FileMetaData(
                version=2,
                schema=[structs.SchemaElement(name="x" * 100) for _ in range(1000)],
                num_rows=0,
                row_groups=[],
            )
        ),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "data"), STRUCTS, ids=[str(kind.label) for kind, _ in STRUCTS])
def test_structs_are_recognised_by_how_they_begin(kind, data):
    judge = struct_judge(kind)
    assert judge(data)
    assert not judge(b"")
    assert not judge(bytes(100))


def test_random_bytes_are_seldom_taken_for_a_struct():
    source = random.Random(4)
    for kind, _ in STRUCTS:
        judge = struct_judge(kind)
        assert sum(judge(source.randbytes(64)) for _ in range(2000)) <= 2


def test_pages_and_bitsets_have_no_judge():
    assert struct_judge(ModuleType.DATA_PAGE) is None
    assert struct_judge(ModuleType.BLOOM_FILTER_BITSET) is None
