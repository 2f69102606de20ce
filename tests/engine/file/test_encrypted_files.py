"""Encrypted files from the first byte to the last: read, laid out, taken apart, and tampered with."""

import base64
import copy
import io
import itertools
import json
import logging
import pickle
import traceback

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from needs import needs_pyarrow

import pqexplore
from pqexplore.engine.errors import CorruptFileError, EncryptedFileError, ParquetError
from pqexplore.engine.format.encryption import diagnosis
from pqexplore.engine.format.encryption.encryptor import ColumnEncryptor, counting_nonces
from pqexplore.engine.format.encryption.keys import LocalKms
from pqexplore.engine.format.encryption.modules import ModuleType
from pqexplore.engine.span import FILE
from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.options import Encryption, WriteOptions

pe = pytest.importorskip("pyarrow.parquet.encryption")

FOOTER_KEY, ID_KEY, NAME_KEY, OTHER_KEY = (bytes([n]) * 16 for n in (0xF1, 0xA2, 0xB3, 0xC4))
SECRET = "the secret value"
COLUMN_KEYS = {"id": ID_KEY, "name": NAME_KEY}


def table(rows=60):
    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "name": pa.array([SECRET if n % 3 else None for n in range(rows)]),
            "open": pa.array([n / 2 for n in range(rows)], pa.float64()),
        }
    )


def written(data=None, *, encryption=None, **options):
    """A file as our writer encrypts it; `encryption` are the arguments of `Encryption`."""
    given = {"footer_key": FOOTER_KEY, "nonces": counting_nonces, "file_unique": b"8 bytes!"}
    sink = io.BytesIO()
    chosen = {"bloom_filter": True, "row_group_rows": 40, "page_rows": 15} | options
    write(
        table() if data is None else data,
        sink,
        WriteOptions(encryption=Encryption(**given | (encryption or {})), **chosen),
    )
    return sink.getvalue()


def opened(data, **keys):
    return pqexplore.open(data, decryption=pqexplore.Decryption(**keys) if keys else None)


ALL_KEYS = {"footer_key": FOOTER_KEY, "column_keys": COLUMN_KEYS}
OWN_KEYS = {"column_keys": {**COLUMN_KEYS, "open": None}}


def below(node):
    """The node and all below it; values left out."""
    yield node
    for child in node.children:
        if child.kind not in ("value", "level"):
            yield from below(child)


def modules(file):
    """Every node with a module's parts: (node, its children)."""
    for node in below(file.root):
        parts = [child for child in node.children if child.kind.startswith("module_")]
        if parts:
            yield node, parts


def assert_tiles(file):
    rows = file.layout().to_pylist()
    assert [row["start"] for row in rows] == [0, *(row["end"] for row in rows[:-1])]
    assert rows[-1]["end"] == file.size
    return rows


# ---- what is read


@pytest.mark.parametrize("algorithm", ["AES_GCM_V1", "AES_GCM_CTR_V1"])
@pytest.mark.parametrize("plaintext_footer", [False, True])
@pytest.mark.parametrize("columns", [None, {"name": NAME_KEY}, {**COLUMN_KEYS, "open": None}])
@pytest.mark.parametrize("page_version", [1, 2])
def test_every_way_to_encrypt_a_file_reads_with_keys(
    algorithm, plaintext_footer, columns, page_version
):
    data = written(
        encryption={
            "column_keys": columns,
            "algorithm": algorithm,
            "plaintext_footer": plaintext_footer,
        },
        page_version=page_version,
    )
    file = opened(data, **ALL_KEYS)
    assert file.read().equals(table())
    kinds = {row["kind"] for row in assert_tiles(file)}
    assert {"page_header", "column_index", "offset_index", "bloom_filter_bitset"} <= kinds
    assert "gap" not in kinds
    assert {f.rule for f in file.check() if f.severity == "error"} == set()
    assert file.footer.signature_ok is (True if plaintext_footer else None)


@pytest.mark.parametrize("size", [16, 24, 32])
def test_keys_of_128_192_and_256_bits(size):
    data = written(encryption={"footer_key": bytes(size), "column_keys": {"id": b"k" * size}})
    file = opened(data, footer_key=bytes(size), column_keys={"id": b"k" * size})
    assert file.read().equals(table())


@pytest.mark.parametrize(
    ("stored", "given", "problem"),
    [
        (True, None, None),
        (True, b"orders", None),
        (True, b"others", "not the file's own"),
        (False, b"orders", None),
        (False, None, "does not store its AAD prefix"),
        (False, b"others", "the AAD prefix that was given is not the one"),
    ],
)
def test_the_aad_prefix_stored_supplied_or_missing(stored, given, problem):
    data = written(encryption={"aad_prefix": b"orders", "store_aad_prefix": stored})
    if problem is None:
        assert opened(data, footer_key=FOOTER_KEY, aad_prefix=given).read().equals(table())
        return
    with pytest.raises(EncryptedFileError, match=problem):
        opened(data, footer_key=FOOTER_KEY, aad_prefix=given)


# ---- files by pyarrow


class Kms(pe.KmsClient):
    """pyarrow's side of a key service: keys in base64, XORed with the master key."""

    MASTERS = {"kf": b"0123456789012345", "kc": b"1234567890123450"}

    def __init__(self, _configuration=None):
        super().__init__()

    def wrap_key(self, key, master_key_id):
        return base64.b64encode(self._mixed(key, master_key_id)).decode()

    def unwrap_key(self, wrapped, master_key_id):
        return self._mixed(base64.b64decode(wrapped), master_key_id)

    def _mixed(self, key, master_key_id):
        stream = itertools.cycle(self.MASTERS[master_key_id])
        return bytes(a ^ b for a, b in zip(key, stream, strict=False))


BY_PYARROW = {
    "uniform": {"uniform_encryption": True},
    "per column": {"column_keys": {"kc": ["name"], "kf": ["id"]}},
    "plaintext footer": {"column_keys": {"kc": ["name"]}, "plaintext_footer": True},
    "CTR": {"column_keys": {"kc": ["name", "id"]}, "encryption_algorithm": "AES_GCM_CTR_V1"},
    "wrapped once": {"column_keys": {"kc": ["name"]}, "double_wrapping": False},
    "256 bits": {"column_keys": {"kc": ["name"]}, "data_key_length_bits": 256},
    "external key material": {"column_keys": {"kc": ["name"]}, "internal_key_material": False},
}


def by_pyarrow(folder, **options):
    path = folder / "file.parquet"
    factory = pe.CryptoFactory(Kms)
    external = {"parquet_file_path": str(path)} if "internal_key_material" in options else {}
    properties = factory.file_encryption_properties(
        pe.KmsConnectionConfig(), pe.EncryptionConfiguration(footer_key="kf", **options), **external
    )
    pq.write_table(
        table(),
        path,
        encryption_properties=properties,
        row_group_size=40,
        data_page_size=64,
        write_batch_size=8,
        write_page_index=True,
    )
    return path


NEWER = needs_pyarrow(21, "it encrypts neither uniformly nor with external key material")
HOW = [
    pytest.param(how, marks=NEWER) if how in ("uniform", "external key material") else how
    for how in BY_PYARROW
]


@pytest.mark.parametrize("how", HOW)
def test_encrypted_files_by_pyarrow_read_with_keys(how, tmp_path):
    path = by_pyarrow(tmp_path, **BY_PYARROW[how])
    with opened(path, kms=Kms()) as file:
        assert file.read().equals(table())
        assert_tiles(file)
        assert [f for f in file.check() if f.severity == "error"] == []
        assert all(node.state == "ok" for node in below(file.root))


@pytest.mark.parametrize("how", HOW)
def test_encrypted_files_by_pyarrow_without_keys_raise(how, tmp_path):
    path = by_pyarrow(tmp_path, **BY_PYARROW[how])
    with opened(path) as file:
        assert_tiles(file)
        with pytest.raises(EncryptedFileError) as raised:
            file.read()
        assert raised.value.address or raised.value.offset is not None
        if how == "plaintext footer":
            assert file.read(["id", "open"]).equals(table().select(["id", "open"]))
            assert 'asks for a data key wrapped twice with master key "kc"' in str(raised.value)
        else:
            assert file.metadata is None


# ---- without keys


def test_a_locked_column_says_what_it_is_and_which_key_it_asks_for():
    metadata = {"name": json.dumps({"key": "k1"}).encode(), "id": b"\xff\x01", "": b"footer 7"}
    data = written(
        encryption={
            "column_keys": COLUMN_KEYS,
            "plaintext_footer": True,
            "key_metadata": metadata,
        }
    )
    file = opened(data)
    assert file.read(["open"]).equals(table().select(["open"]))
    for index, asked in ((0, "the key with the metadata 0xff01"), (1, '{\\"key\\": \\"k1\\"}')):
        node = file.node(f"row_groups/0/columns/{index}")
        assert node.state == "locked"
        assert "AES_GCM_V1" in node.reason
        assert asked in node.reason
        facts = {fact.name: fact.value for fact in node.facts}
        assert facts["encryption algorithm"] == "AES_GCM_V1"
        assert facts["encryption key"] == "its own"
        with pytest.raises(EncryptedFileError, match=f"row_groups/0/columns/{index}"):
            _ = file.row_groups[0].columns[index].pages
    rules = [finding.rule for finding in file.check()]
    assert "signature-not-verified" in rules
    assert rules.count("locked") == 4


def test_the_modules_of_a_locked_column_can_be_counted():
    data = written(encryption={"column_keys": COLUMN_KEYS, "plaintext_footer": True})
    with opened(data) as file, opened(data, **ALL_KEYS) as open_file:
        locked = file.node("row_groups/0/columns/1/modules")
        chunk = open_file.row_groups[0].columns[1]
        starts = [place for f in chunk.frames.frames for place in (f.start, f.header_end)]
        assert [node.span.start for node in locked.children] == starts
        assert [node.label for node in locked.children[:2]] == ["page header", "page"]
        assert all(node.state == "locked" for node in locked.children)


def test_a_locked_footer_says_which_key_it_asks_for():
    data = written(encryption={"key_metadata": {"": b"footer 7"}})
    file = opened(data)
    assert (file.metadata, file.root.state) == (None, "locked")
    assert 'asks for the key "footer 7"' in file.node("footer").reason
    names = [child.name for child in file.node("footer/module").children]
    assert names == ["length", "nonce", "ciphertext", "tag"]
    parts = next(row for row in assert_tiles(file) if row["kind"] == "unknown_parts")
    facts = {fact.name: fact.value for fact in file.node(parts["address"]).facts}
    assert "encrypted modules" in facts["looks like"]


# ---- V2 pages as parquet-java encrypts them


@pytest.mark.parametrize("codec", ["UNCOMPRESSED", "SNAPPY"])
def test_v2_pages_whose_levels_are_not_encrypted(codec, monkeypatch):
    data = pa.table({"name": table()["name"]})
    options = {"page_version": 2, "codec": codec, "bloom_filter": False}
    sink = io.BytesIO()
    write(data, sink, WriteOptions(row_group_rows=40, page_rows=15, **options))
    with pqexplore.open(sink.getvalue()) as plain:
        pages = [p for c in plain.chunks() for p in c.pages if p.is_data]
    lengths = [p.header.data_page_header_v2.definition_levels_byte_length for p in pages]
    assert all(lengths)
    seal = ColumnEncryptor.encrypt

    def values_only(self, kind, plaintext, page_ordinal=None):
        clear = lengths.pop(0) if kind == ModuleType.DATA_PAGE else 0
        return bytes(plaintext[:clear]) + seal(self, kind, plaintext[clear:], page_ordinal)

    monkeypatch.setattr(ColumnEncryptor, "encrypt", values_only)
    with opened(written(data, **options), footer_key=FOOTER_KEY) as file:
        assert file.read().equals(data)
        assert_tiles(file)
        page = file.row_groups[0].columns[0].pages[1]
        body = file.node(f"{page.address}/body")
        assert [child.name for child in body.children] == ["levels", "module"]
        assert body.children[0].span.end == body.children[1].span.start
        assert body.children[1].span.end == body.span.end == page.span.end
        rules = [(f.rule, f.address) for f in file.check() if f.severity != "note"]
        assert ("levels-not-encrypted", page.address) in rules
        assert not [f for f in file.findings if f.severity == "error"]


# ---- the tree


@pytest.mark.parametrize("algorithm", ["AES_GCM_V1", "AES_GCM_CTR_V1"])
@pytest.mark.parametrize("plaintext_footer", [False, True])
def test_the_parts_of_every_module_tile_it(algorithm, plaintext_footer):
    data = written(
        encryption={**OWN_KEYS, "algorithm": algorithm, "plaintext_footer": plaintext_footer}
    )
    file = opened(data, **ALL_KEYS)
    found = 0
    for node, parts in modules(file):
        ctr = algorithm == "AES_GCM_CTR_V1" and node.kind == "body"
        names = ["length", "nonce", "ciphertext"] + ([] if ctr else ["tag"])
        if node.kind == "footer_signature":
            names = ["nonce", "tag"]
        assert [part.name for part in parts] == names
        edges = [(part.span.start, part.span.end) for part in parts]
        assert edges[0][0] == node.span.start
        assert edges[-1][1] == node.span.end
        assert [end for _, end in edges[:-1]] == [start for start, _ in edges[1:]]
        assert [len(file.bytes(part.span)) for part in parts if part.name != "ciphertext"] == [
            {"length": 4, "nonce": 12, "tag": 16}[name] for name in names if name != "ciphertext"
        ]
        found += 1
    pages = [len(chunk.frames.frames) for chunk in file.chunks()]
    # two a page, four of indexes and Bloom filter a chunk, and its metadata where it is hidden
    hidden = sum(chunk.struct.encrypted_column_metadata is not None for chunk in file.chunks())
    assert found == 2 * sum(pages) + 4 * len(pages) + hidden + 1
    assert hidden == (6 if plaintext_footer else 4)


WHERE = "row_groups/1/columns/1"


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("footer/module", ["footer"]),
        (f"{WHERE}/metadata/encrypted_column_metadata/module", ["column metadata", 1, 1]),
        (f"{WHERE}/pages/0/header/module", ["dictionary page header", 1, 1]),
        (f"{WHERE}/pages/0/body", ["dictionary page", 1, 1]),
        (f"{WHERE}/pages/2/header/module", ["data page header", 1, 1, 1]),
        (f"{WHERE}/pages/2/body", ["data page", 1, 1, 1]),
        (f"{WHERE}/column_index/module", ["column index", 1, 1]),
        (f"{WHERE}/offset_index/module", ["offset index", 1, 1]),
        (f"{WHERE}/bloom_filter/header/module", ["Bloom filter header", 1, 1]),
        (f"{WHERE}/bloom_filter/bitset", ["Bloom filter bitset", 1, 1]),
    ],
)
def test_the_aad_of_each_module_in_its_parts(address, parts):
    data = written(encryption={**OWN_KEYS, "aad_prefix": b"orders"})
    node = opened(data, **ALL_KEYS).node(address)
    facts = {f.name[5:]: f.value for f in node.facts if f.name.startswith("AAD: ")}
    assert list(facts.values()) == [b"orders".hex(), b"8 bytes!".hex(), *parts]
    names = ["AAD prefix", "file identifier", "module type"]
    names += ["row group ordinal", "column ordinal", "page ordinal"][: len(parts) - 1]
    assert list(facts) == names


def test_a_page_under_ctr_has_no_aad_and_its_header_has_one():
    file = opened(written(encryption={**OWN_KEYS, "algorithm": "AES_GCM_CTR_V1"}), **ALL_KEYS)

    def aad(address):
        return [f.name for f in file.node(f"{WHERE}/pages/1/{address}").facts if "AAD" in f.name]

    assert aad("body") == ["AAD"]
    assert len(aad("header/module")) == 6


@pytest.mark.parametrize(
    "address",
    [
        "footer/num_rows",
        f"{WHERE}/metadata/encrypted_column_metadata/num_values",
        f"{WHERE}/pages/1/header/type",
        f"{WHERE}/column_index/boundary_order",
        f"{WHERE}/offset_index/page_locations",
        f"{WHERE}/bloom_filter/header/numBytes",
    ],
)
def test_decrypted_bytes_of_a_module_have_their_own_space(address):
    file = opened(written(encryption=OWN_KEYS), **ALL_KEYS)
    node = file.node(address)
    above = address.rpartition("/")[0]
    assert node.span.space == f"{above}:decrypted"
    sealed = file.node(f"{above}/module")
    assert file.space_size(node.span.space) == len(sealed.span) - 32
    fields = [c for c in file.node(above).children if c.kind == "field"]
    whole = b"".join(file.bytes(field.span) for field in fields)
    assert len(whole) == file.space_size(node.span.space) - 1  # and the stop byte


def test_the_bitset_and_the_compressed_page_can_be_read_as_bytes():
    file = opened(written(encryption=OWN_KEYS), **ALL_KEYS)
    chunk = file.row_groups[1].columns[1]
    bitset = pqexplore.Span(0, 8, f"{WHERE}/bloom_filter/bitset:decrypted")
    assert file.bytes(bitset) == bytes(chunk.bloom_filter.bitset[:8])
    page = chunk.pages[1]
    body = file.node(f"{page.address}/body")
    assert file.space_size(f"{page.address}:decrypted") == len(body.span) - 32
    assert page.body.section("values").span.space == f"{page.address}:decompressed"


def test_an_unknown_space_is_a_key_error():
    file = opened(written(), footer_key=FOOTER_KEY)
    for name in ("magic:decrypted", f"{WHERE}/pages/99:decrypted", f"{WHERE}/nothing:decrypted"):
        with pytest.raises((KeyError, IndexError)):
            file.space_size(name)


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


def test_a_module_of_another_file_raises():
    first, second = (
        bytearray(written(encryption={**OWN_KEYS, "file_unique": unique}))
        for unique in (b"file one", b"file two")
    )
    with opened(bytes(first), **ALL_KEYS) as file:
        frame = file.row_groups[0].columns["id"].frames.frames[0]
    first[frame.start : frame.end] = second[frame.start : frame.end]
    with pytest.raises(CorruptFileError, match="it comes from another file or place"):
        opened(bytes(first), **ALL_KEYS).read()


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
    assert opened(forged).footer.signature_ok is None  # without a key nothing can be told


# A file of one row that has every kind of module, and whose bytes are few enough to change each of them.
SMALL = written(
    pa.table({"a": pa.array([7], pa.int32())}),
    encryption={"column_keys": {"a": ID_KEY}},
    codec="UNCOMPRESSED",
    bloom_filter_bytes=32,
    size_statistics=False,
    created_by=None,
)
SMALL_PLAIN_FOOTER = written(
    pa.table({"a": pa.array([7], pa.int32())}),
    encryption={"column_keys": {"a": ID_KEY}, "plaintext_footer": True},
    codec="UNCOMPRESSED",
    bloom_filter_bytes=32,
    size_statistics=False,
    created_by=None,
)
SMALL_KEYS = {"footer_key": FOOTER_KEY, "column_keys": {"a": ID_KEY}}


def is_noticed(data):
    """Whether opening, reading or checking the file says that something is wrong."""
    try:
        with opened(data, **SMALL_KEYS) as file:
            file.read()
            return any(finding.severity == "error" for finding in file.check())
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
        at
        for at in sorted(sealed)
        if not is_noticed(data[:at] + bytes([data[at] ^ (1 << at % 8)]) + data[at + 1 :])
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
    assert counted.severity == "note"
    count = sum(1 for _ in modules(file))
    assert counted.evidence["repeated"] == 0
    assert sum(counted.evidence["nonces"].values()) == count
    assert set(counted.evidence["nonces"]) == {
        "the footer key", "the key of column 'id'", "the key of column 'name'",
    }  # fmt: skip


@pytest.mark.parametrize("keys", [ALL_KEYS, {}], ids=["with keys", "without keys"])
def test_a_repeated_nonce_is_an_error(keys):
    def stuck():
        counter = itertools.count(1)
        return lambda: min(next(counter), 6).to_bytes(12, "big")

    data = written(
        encryption={"column_keys": {"id": ID_KEY}, "plaintext_footer": True, "nonces": stuck}
    )
    found = [f for f in opened(data, **keys).check() if f.rule == "repeated-nonce"]
    assert found
    assert found[0].severity == "error"
    assert found[0].evidence["first"] != found[0].address
    assert all(f.address.startswith("row_groups/") for f in found[:1])


def test_check_without_any_key_of_an_encrypted_footer():
    [found] = opened(written()).check()
    assert (found.rule, found.severity, found.address) == ("locked", "note", "footer")
    assert found.message.startswith(
        "the footer is encrypted, so only the ends of the file were checked"
    )
    everything = opened(written(), **ALL_KEYS).check()
    assert "locked" not in {one.rule for one in everything}


# ---- secrets

SECRETS = [FOOTER_KEY, ID_KEY, NAME_KEY]


def forms(secret):
    return [secret.hex(), base64.b64encode(secret).decode(), repr(secret)[2:-1]]


def assert_clean(text):
    for secret in SECRETS:
        for form in forms(secret):
            assert form not in text


@pytest.fixture
def encrypted_file():
    with opened(written(encryption=OWN_KEYS), **ALL_KEYS) as file:
        file.read()
        yield file


def test_keys_are_in_no_repr(encrypted_file):
    chunk = encrypted_file.row_groups[0].columns["name"]
    for thing in (
        encrypted_file,
        encrypted_file.footer.cipher,
        encrypted_file.footer.cipher.keys.decryption,
        chunk,
        chunk.column_cipher,
        chunk.pages[0],
        encrypted_file.footer,
        LocalKms({"k": FOOTER_KEY}),
    ):
        assert_clean(repr(thing) + str(thing))
    assert SECRET not in repr(encrypted_file) + repr(encrypted_file.footer) + repr(chunk.pages[0])


def test_keys_are_in_no_fact_and_no_finding(encrypted_file):
    for node in below(encrypted_file.root):
        assert_clean(f"{node!r} {node.label} {node.reason} {[f.value for f in node.facts]}")
    for finding in encrypted_file.check():
        assert_clean(f"{finding} {finding!r}")
        assert SECRET not in repr(finding)


@pytest.mark.parametrize(
    "keys",
    [
        {"footer_key": OTHER_KEY},
        {"footer_key": FOOTER_KEY, "column_keys": {"id": NAME_KEY, "name": OTHER_KEY}},
        {"footer_key": FOOTER_KEY, "column_keys": {"id": b"short", "name": NAME_KEY}},
    ],
)
def test_keys_are_in_no_error_log_or_traceback(keys, caplog):
    caplog.set_level(logging.DEBUG)
    with pytest.raises((EncryptedFileError, CorruptFileError, ValueError)) as raised:
        opened(written(encryption=OWN_KEYS), **keys).read()
    shown = "".join(
        traceback.TracebackException.from_exception(raised.value, capture_locals=True).format()
    )
    library = [line for line in shown.split("File ") if "pqexplore/engine" in line.split("\n")[0]]
    for secret in (*SECRETS, OTHER_KEY, b"short"):
        for form in [repr(secret)[2:-1], secret.hex()]:
            assert form not in str(raised.value) + caplog.text + "".join(library)


def test_an_open_file_with_keys_is_not_pickled(encrypted_file):
    cipher = encrypted_file.footer.cipher
    with pytest.raises(TypeError, match="holds keys and is not pickled"):
        pickle.dumps(cipher)
    assert copy.copy(cipher) is cipher


def test_without_keys_shows_only_plaintext(encrypted_file):
    bare = encrypted_file.without_keys()
    assert bare.metadata is None
    assert encrypted_file.metadata is not None
    for shown in (encrypted_file._repr_html_(), repr(encrypted_file)):
        assert "60 rows" not in shown
        assert "pqexplore version" not in shown
    sink = io.BytesIO()
    pq.write_table(table(), sink)
    with pqexplore.open(sink.getvalue()) as file:
        assert file.without_keys() is file


@pytest.mark.parametrize("plaintext_footer", [False, True])
def test_saved_notebooks_have_no_keys_and_no_values(plaintext_footer):
    pytest.importorskip("anywidget")
    from pqexplore.widget.explorer import Explorer

    data = written(encryption={**OWN_KEYS, "plaintext_footer": plaintext_footer})
    with opened(data, **ALL_KEYS) as file:
        explorer = Explorer(file, at="row_groups/0/columns/1/pages/0")
        saved = repr(explorer) + repr(explorer.get_state()) + repr(explorer._repr_mimebundle_())
        assert_clean(saved)
        assert SECRET not in saved


@pytest.mark.parametrize("plaintext_footer", [False, True])
def test_a_saved_page_has_no_keys_and_no_values_unless_asked(plaintext_footer):
    pytest.importorskip("anywidget")
    from widget.pages import plain

    from pqexplore.widget.explorer import Explorer

    data = written(encryption={**OWN_KEYS, "plaintext_footer": plaintext_footer})
    with opened(data, **ALL_KEYS) as file:
        explorer = Explorer(file, at="row_groups/0/columns/1/pages/0")
        page = plain(explorer.to_html(budget=500_000))
        assert_clean(page)
        assert SECRET not in page
        asked = plain(explorer.to_html(decrypted=True, budget=500_000))
        assert_clean(asked)
        assert SECRET in asked
        assert "decrypted" in asked.partition("<script")[0]
