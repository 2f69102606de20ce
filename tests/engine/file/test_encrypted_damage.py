"""Encrypted files that were changed, mixed up or given wrong keys, and what the check says."""

import itertools

import pyarrow as pa
import pytest
from engine.file.encrypted import (
    ALL_KEYS,
    COLUMN_KEYS,
    FOOTER_KEY,
    ID_KEY,
    NAME_KEY,
    OTHER_KEY,
    OWN_KEYS,
    modules,
    opened,
    table,
    written,
)
from made import rebuilt

import pqexplore
from pqexplore.engine.errors import CorruptFileError, EncryptedFileError, ParquetError
from pqexplore.engine.format.encryption import diagnosis
from pqexplore.engine.span import FILE

# ---- wrong keys, wrong places, wrong bytes


def test_a_wrong_footer_key():
    with pytest.raises(EncryptedFileError, match="the key gives nothing like a footer; another"):
        opened(written(), footer_key=OTHER_KEY)


def test_the_key_of_another_column_is_named_as_such():
    data = written(encryption=OWN_KEYS)
    wrong = {"id": OTHER_KEY, "name": NAME_KEY}
    file = opened(data, footer_key=FOOTER_KEY, column_keys=wrong)
    with pytest.raises(EncryptedFileError, match="the key gives nothing like a column metadata"):
        file.read(["id"])
    swapped = opened(data, footer_key=FOOTER_KEY, column_keys={"id": NAME_KEY, "name": ID_KEY})
    with pytest.raises(EncryptedFileError, match='but with the key of column "name"'):
        swapped.read(["id"])
    assert file.read(["open"]).equals(table().select(["open"]))


def test_exchanged_encrypted_pages_raise():
    data = bytearray(written(table(80), encryption=OWN_KEYS, row_group_rows=80, page_rows=20))
    with opened(bytes(data), **ALL_KEYS) as file:
        pages = [frame for frame in file.row_groups[0].columns["id"].frames.frames if frame.is_data]
    one, other = pages[0], pages[1]
    assert one.end - one.start == other.end - other.start
    data[one.start : one.end], data[other.start : other.end] = (
        data[other.start : other.end],
        data[one.start : one.end],
    )
    with pytest.raises(CorruptFileError, match="is another module, put here") as raised:
        opened(bytes(data), **ALL_KEYS).read()
    assert "data page header, row group 0, column 0, page 1" in str(raised.value)
    assert raised.value.address == "row_groups/0/columns/0/pages/1/header"


def test_a_changed_plaintext_footer_fails_its_signature():
    data = written(encryption={"column_keys": COLUMN_KEYS, "plaintext_footer": True})
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    at = data.index(b"pqexplore version", start)
    forged = data[:at] + b"x" + data[at + 1 :]
    words = "the signature of the plaintext footer does not fit: the footer was changed"
    with pytest.raises(CorruptFileError, match=words) as raised:
        opened(forged, **ALL_KEYS)
    assert raised.value.address == "footer_signature"
    assert "salvage" not in str(raised.value)
    assert opened(forged).footer.signature_ok is None  # without a key this is not known


# A file of one row that has every kind of module, and whose bytes are few enough to change each of them.
SMALL, SMALL_PLAIN_FOOTER = (
    written(pa.table({"a": pa.array([7], pa.int32())}),
        encryption={"column_keys": {"a": ID_KEY}, "plaintext_footer": plaintext}, codec="UNCOMPRESSED",
        bloom_filter_bytes=32, size_statistics=False, created_by=None)
    for plaintext in (False, True)
)  # fmt: skip
SMALL_KEYS = {"footer_key": FOOTER_KEY, "column_keys": {"a": ID_KEY}}


def is_noticed(data):
    """Whether opening, reading or checking the file says that something is wrong."""
    try:
        with opened(data, **SMALL_KEYS) as file:
            file.read()
            return any(finding.severity.level == "error" for finding in file.check())
    except ParquetError:
        return True


def sealed_bytes(data):
    """The bytes of all GCM modules, as the tree has them, those inside of the footer with it."""
    with opened(data, **SMALL_KEYS) as file:
        places = [node.span for node, _ in modules(file)]
        if file.footer.crypto_metadata is None:  # the plaintext footer is signed as a whole
            places.append(file.node("footer").span)
    return {byte for span in places if span.space == FILE for byte in range(span.start, span.end)}


@pytest.mark.parametrize("data", [SMALL, SMALL_PLAIN_FOOTER], ids=["encrypted", "signed"])
def test_every_changed_byte_of_a_module_is_noticed(data, monkeypatch):
    monkeypatch.setattr(diagnosis, "MAX_ATTEMPTS", 1)  # why it does not open is not asked here
    sealed = sealed_bytes(data)
    # what is left: two magics, the footer's length, and the FileCryptoMetaData
    with opened(data, **SMALL_KEYS) as file:
        crypto = file.footer.crypto_metadata
        left = 12 + (file.footer.crypto_end - file.footer.start if crypto is not None else 0)
    assert len(sealed) == len(data) - left
    assert not is_noticed(data)
    missed = [
        at for at in sorted(sealed) if not is_noticed(data[:at] + bytes([data[at] ^ (1 << at % 8)]) + data[at + 1 :])
    ]
    assert missed == []


def test_with_ctr_a_changed_page_goes_unnoticed_and_check_says_so():
    data = written(encryption={"algorithm": "AES_GCM_CTR_V1"}, codec="UNCOMPRESSED", checksum=False)
    with opened(data, footer_key=FOOTER_KEY) as file:
        page = next(page for page in file.row_groups[0].columns["open"].pages if page.is_data)
        at = page.span.end - 1
        assert "pages-without-tag" in [finding.rule for finding in file.check()]
    changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
    assert not opened(changed, footer_key=FOOTER_KEY).read().equals(table())


# ---- check


def test_nonces_are_counted_per_key():
    file = opened(written(encryption=OWN_KEYS), **ALL_KEYS)
    counted = next(f for f in file.check() if f.rule == "nonces-counted")
    assert counted.severity.level == "note"
    count = sum(1 for _ in modules(file))
    assert counted.evidence["repeated"] == 0
    assert sum(counted.evidence["nonces"].values()) == count
    assert set(counted.evidence["nonces"]) == {
        "the footer key", "the key of column `id`", "the key of column `name`",
    }  # fmt: skip


@pytest.mark.parametrize("keys", [ALL_KEYS, {}], ids=["with keys", "without keys"])
def test_a_repeated_nonce_is_an_error(keys):
    def stuck():
        counter = itertools.count(1)
        return lambda: min(next(counter), 6).to_bytes(12, "big")

    data = written(encryption={"column_keys": {"id": ID_KEY}, "plaintext_footer": True, "nonces": stuck})
    found = [f for f in opened(data, **keys).check() if f.rule == "nonce-reused"]
    assert found
    assert found[0].severity.level == "error"
    assert found[0].evidence["first"] != found[0].address
    assert all(f.address.startswith("row_groups/") for f in found[:1])


def test_check_without_any_key_of_an_encrypted_footer():
    [found] = opened(written()).check()
    assert (found.rule, found.severity.level, found.address) == ("locked", "note", "footer")
    assert found.message.startswith("the footer is encrypted, so only the ends of the file were checked")
    everything = opened(written(), **ALL_KEYS).check()
    assert "locked" not in {one.rule for one in everything}


def test_column_metadata_too_short_for_a_nonce_costs_its_column():
    data = written(encryption={"column_keys": COLUMN_KEYS, "plaintext_footer": True})
    with pqexplore.open(data) as file:
        at = next(one.index for one in file.row_groups[0].columns if one.struct.encrypted_column_metadata is not None)
    cut = rebuilt(data, **{f"row_groups__0__columns__{at}__encrypted_column_metadata": b"\x0d\0\0\0x"})
    with pqexplore.open(cut) as file:
        assert "nonces-counted" in {one.rule for one in file.check()}
