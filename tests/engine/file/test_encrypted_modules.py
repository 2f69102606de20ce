"""The modules of encrypted files in the tree: their parts, their AADs, their decrypted bytes."""

import pyarrow as pa
import pytest
from engine.file.encrypted import ALL_KEYS, FOOTER_KEY, OWN_KEYS, assert_tiles, modules, opened, table, written
from made import ours

import pqexplore
from pqexplore.engine.format.encryption.encryptor import ColumnEncryptor
from pqexplore.engine.format.encryption.modules import ModuleType
from pqexplore.engine.writer.options import WriteOptions

# ---- V2 pages as parquet-java encrypts them


@pytest.mark.parametrize("codec", ["UNCOMPRESSED", "SNAPPY"])
def test_v2_pages_whose_levels_are_not_encrypted(codec, monkeypatch):
    data = pa.table({"name": table()["name"]})
    options = {"page_version": 2, "codec": codec, "bloom_filter": False}
    with pqexplore.open(ours(data, WriteOptions(row_group_rows=40, page_rows=15, **options))) as plain:
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
        rules = [(f.rule, f.address) for f in file.check() if f.severity.level != "note"]
        assert ("levels-not-encrypted", page.address) in rules
        assert not [f for f in file.findings if f.severity.level == "error"]


# ---- the tree


@pytest.mark.parametrize("algorithm", ["AES_GCM_V1", "AES_GCM_CTR_V1"])
@pytest.mark.parametrize("plaintext_footer", [False, True])
def test_the_parts_of_every_module_tile_it(algorithm, plaintext_footer):
    data = written(encryption={**OWN_KEYS, "algorithm": algorithm, "plaintext_footer": plaintext_footer})
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
