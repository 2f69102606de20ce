"""The modules of encrypted files: where they lie, what their AAD is made of, which key opens which; and no key, ever."""

import json

import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.insight import encryption, modules
from pqexplore.widget.lenses import finish

ENCRYPTED = [
    name for name, sample in SAMPLES.items() if sample.keys and "footer_key" in sample.keys
]


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """Samples by name, opened with their keys or without."""
    folder = tmp_path_factory.mktemp("encrypted")

    def opened(name, keys=True, **more):
        path = folder / f"{name}.parquet"
        if not path.exists():
            SAMPLES[name].write(path)
        decryption = pqexplore.Decryption(**SAMPLES[name].keys | more) if keys else None
        return pqexplore.open(path, decryption=decryption)

    return opened


@pytest.mark.parametrize("keys", [True, False], ids=["with keys", "without"])
@pytest.mark.parametrize("name", ENCRYPTED)
def test_every_module_is_the_node_that_shows_it(samples, name, keys):
    with samples(name, keys) as file:
        found = list(modules.of_file(file))
        assert found
        assert sum(len(m.span) for m in found if m.span.space == "file") < file.size
        for one in found:
            assert sum(size for _, size in one.parts) == len(one.span)
            assert bool(one.reason) is not keys
            if one.address:
                node = file.node(one.address)
                assert node.span == one.span
                assert [len(child.span) for child in node.children] == [n for _, n in one.parts]


def test_the_modules_of_a_file_that_is_encrypted_whole_fill_it(samples):
    with samples("encrypted") as file:
        found = sorted((m.span.start, m.span.end) for m in modules.of_file(file))
        assert found[0][0] == 4
        gaps = [b - a for (_, a), (b, _) in zip(found, found[1:], strict=False)]
        # between the last index and the footer's module lies the FileCryptoMetaData
        assert [gap for gap in gaps if gap] == [file.footer.crypto_end - file.footer.start]


def test_a_locked_file_is_told_by_the_lengths_alone(samples):
    with samples("encrypted") as file:
        known = sorted(m.span.start for m in modules.of_file(file))
    with samples("encrypted", keys=False) as file:
        told = sorted(m.span.start for m in modules.of_file(file))
        said = finish(encryption.of_file(file)).sentence
    assert told == known
    assert "not at hand" in said and "cannot be told which module is what" in said


def test_a_locked_column_has_the_same_modules_as_an_open_one(samples):
    """Under a plaintext footer a locked column's pages can be named; its Bloom filter cannot be found."""

    def named(file):
        found = modules.of_chunk(file.row_groups[1].columns[1])
        return [(m.name, m.span, m.place) for m in found if "Bloom" not in m.name]

    with samples("ctr-plaintext-footer") as file:
        known = named(file)
    with samples("ctr-plaintext-footer", keys=False) as file:
        assert named(file) == known


def test_the_file_in_a_sentence(samples):
    with samples("encrypted-columns") as file:
        said = finish(encryption.of_file(file)).sentence
    assert said == (
        "AES_GCM_V1: 27 modules, 3,299 of the file's 7,048 bytes (864 of them lengths, nonces and tags). "
        "The footer key seals 13 modules. The key of column 'secret' seals 14 modules. "
        "No nonce is used twice under one key. Not encrypted: column 'open'."
    )


def test_without_a_key_it_says_which_key_is_asked_for(samples):
    with samples("ctr-plaintext-footer", keys=False) as file:
        made = finish(encryption.of_chunk(file.row_groups[0].columns[1]))
    assert 'the file asks for the key "the key of column secret"' in made.sentence
    assert not made.picture["keys"][0]["at_hand"]
    assert set(made.table.column("open")) == {False}


def test_the_parts_of_an_aad_joined_are_the_aad(samples):
    with samples("ctr-plaintext-footer") as file:
        algorithm = file.footer.cipher.algorithm
        for one in modules.of_file(file):
            parts = encryption.aad_parts(file.footer.cipher, one.place)
            joined = bytes.fromhex("".join(part["hex"] for part in parts))
            assert joined == one.place.aad(algorithm.stored_prefix, algorithm.file_unique)
    assert [part["name"] for part in parts] == [
        "AAD prefix",
        "file identifier",
        "module type",
        "row group ordinal",
        "column ordinal",
    ]
    assert parts[0]["value"] == "pqexplore samples"


def test_a_prefix_that_was_supplied_is_told_by_its_length(samples):
    with samples("supplied-aad-prefix") as file:
        made = finish(encryption.of_file(file))
        prefix = file.footer.cipher.aad_prefix
    part = made.picture["modules"][0]["aad"][0]
    assert (part["hex"], part["bytes"], part["value"]) == (
        None,
        len(prefix),
        "supplied by the reader",
    )
    assert prefix.hex(" ") not in json.dumps(made.picture)
    with samples("supplied-aad-prefix", keys=False) as file:
        part = finish(encryption.of_file(file)).picture["modules"][0]["aad"][0]
    assert (part["hex"], part["value"]) == (None, "must be supplied by the reader")


def test_pages_under_ctr_have_neither_tag_nor_aad(samples):
    with samples("ctr-plaintext-footer") as file:
        made = finish(encryption.of_chunk(file.row_groups[0].columns[1]))
    pages = [m for m in made.picture["modules"] if m["name"] in ("data page", "dictionary page")]
    assert pages and all(
        [p[0] for p in m["parts"]] == ["length", "nonce", "ciphertext"] for m in pages
    )
    assert all(m["aad"][0]["name"] == "no AAD" for m in pages)


@pytest.mark.parametrize("name", ENCRYPTED)
def test_no_answer_has_a_key_in_it(samples, name):
    keys = [
        SAMPLES[name].keys["footer_key"],
        *(SAMPLES[name].keys.get("column_keys") or {}).values(),
    ]
    with samples(name) as file:
        made = finish(encryption.of_file(file))
        told = json.dumps(made.picture) + made.sentence + repr(made.table.rows)
    for key in keys:
        assert key.hex() not in told and key.hex(" ") not in told
        assert key.decode("latin-1") not in told


def test_a_nonce_that_is_used_twice_is_said(tmp_path):
    path = tmp_path / "same.parquet"
    same = pqexplore.Encryption(footer_key=b"0123456789012345", nonces=lambda: lambda: b"\x07" * 12)
    options = pqexplore.WriteOptions(encryption=same)
    pqexplore.write(pa.table({"x": [1, 2, 3]}), path, options)
    decryption = pqexplore.Decryption(footer_key=b"0123456789012345")
    with pqexplore.open(path, decryption=decryption) as file:
        made = finish(encryption.of_file(file))
    assert "used twice under one key" in made.sentence
    assert any(m["repeated"] for m in made.picture["modules"])
    assert made.table.column("repeated").count(True) == len(made.table.rows)


def test_a_plaintext_file_and_a_plaintext_column_say_so(samples, tmp_path):
    path = tmp_path / "plain.parquet"
    pqexplore.write(pa.table({"x": [1]}), path)
    with pqexplore.open(path) as file:
        assert finish(encryption.of_file(file)).empty.startswith(
            "Nothing in this file is encrypted"
        )
    with samples("encrypted-columns") as file:
        made = finish(encryption.of_chunk(file.row_groups[0].columns[0]))
    assert made.empty.startswith("Column 'open' is not encrypted")


def test_the_signature_of_a_plaintext_footer(samples):
    for keys, verdict in ((True, "was verified"), (False, "cannot be verified without the key")):
        with samples("plaintext-footer-bloom", keys) as file:
            made = encryption.of_footer(file)
        assert verdict in made.sentence
        assert made.picture["modules"][0]["parts"] == [["nonce", 12], ["tag", 16]]
