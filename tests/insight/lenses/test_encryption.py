"""The module map: where modules lie, what their AADs are built from, which key opens which; and no key, ever."""

import json

import pyarrow as pa
import pytest
from made import open_sample, ours

import pqexplore
from pqexplore.engine.span import Span
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.insight import report, wire
from pqexplore.insight.answer import Answer
from pqexplore.insight.lenses import LENSES, answer_of, encryption, finish
from pqexplore.insight.lenses.encryption import module_list as modules
from pqexplore.insight.lenses.encryption.module_list import aad_parts

ENCRYPTED = [name for name, sample in SAMPLES.items() if sample.keys and "footer_key" in sample.keys]


@pytest.mark.parametrize("keys", [True, False], ids=["with keys", "without"])
@pytest.mark.parametrize("name", ENCRYPTED)
def test_every_module_has_the_span_of_its_node(name, keys):
    with open_sample(name, keys) as file:
        found = list(modules.of_file(file))
        assert found
        assert sum(len(m.span) for m in found if m.span.space == "file") < file.size
        for one in found:
            assert sum(part.bytes for part in one.parts) == len(one.span)
            assert bool(one.reason) is not keys
            if one.address:
                node = file.node(one.address)
                assert node.span == one.span
                assert [len(child.span) for child in node.children] == [part.bytes for part in one.parts]


def opens(file):
    """Of each module of columns in the view: its place in the file, whose it is, and whether it says that it opens."""
    table = finish(encryption.of_file(file)).table
    return {row[2]: (row[1], row[8]) for row in table.rows if row[1] != "footer"}


@pytest.mark.parametrize("name", [name for name, one in SAMPLES.items() if (one.keys or {}).get("column_keys")])
def test_a_wrong_key_opens_no_module_and_the_right_one_all(name):
    right = SAMPLES[name].keys["column_keys"]
    with open_sample(name) as file:
        known = opens(file)
        assert all(said for _, said in known.values())
        keyed = {f", {path}" for path in right}
    with open_sample(name, column_keys={path: b"another key, 16 "[: len(key)] for path, key in right.items()}) as file:
        found = opens(file)
        answer = finish(encryption.of_file(file))
    assert found.keys() == known.keys()
    for start, (whose, _) in known.items():
        assert found[start][1] is not any(whose.endswith(path) for path in keyed), start
    assert "the key that was given does not open" in answer.sentence
    assert [use.at_hand for use in answer.picture.keys if use.name.startswith("key of column")] == [False] * len(right)


def test_a_module_that_was_changed_does_not_open_and_the_others_of_its_key_do():
    with open_sample("encrypted-columns") as file:
        chunk = file.row_groups[0].columns["secret"]
        page = next(page for page in chunk.pages if page.is_data)
        data, at = bytearray(file.bytes(Span(0, file.size))), page.span.end - 20
        keys = pqexplore.Decryption(**SAMPLES["encrypted-columns"].keys)
        known = opens(file)
    data[at] ^= 1
    with pqexplore.open(bytes(data), decryption=keys) as file:
        found = opens(file)
        closed = [start for start, (_, said) in found.items() if not said]
        body = next(one for one in modules.of_file(file) if one.span.start == closed[0])
    assert found.keys() == known.keys() and len(closed) == 1
    assert body.span.start < at < body.span.end and "it was changed or moved" in body.reason


def test_bytes_of_a_column_whose_key_is_wrong_are_not_nobody_s():
    """They are pages of a column that needs its key, as without any key."""
    with open_sample("encrypted-columns", column_keys={"secret": b"another key, 16 "}) as file:
        kinds = set(file.layout()["kind"].to_pylist())
        said = file.view("layout").sentence
    assert "unknown_parts" in kinds and "gap" not in kinds
    assert "nobody" not in said and "not known without the column keys" in said


def test_modules_fill_a_file_with_an_encrypted_footer():
    with open_sample("encrypted") as file:
        found = sorted((m.span.start, m.span.end) for m in modules.of_file(file))
        assert found[0][0] == 4
        gaps = [b - a for (_, a), (b, _) in zip(found, found[1:], strict=False)]
        # between the last index and the footer's module lies the FileCryptoMetaData
        assert [gap for gap in gaps if gap] == [file.footer.crypto_end - file.footer.start]


def test_without_keys_modules_are_found_by_their_lengths():
    with open_sample("encrypted") as file:
        known = sorted(m.span.start for m in modules.of_file(file))
    with open_sample("encrypted", keys=False) as file:
        without = sorted(m.span.start for m in modules.of_file(file))
        said = finish(encryption.of_file(file)).sentence
    assert without == known
    assert "not at hand" in said and "it is not known which module is what" in said


def test_nothing_is_offered_to_salvage_where_all_is_encrypted_or_known():
    for name, keys in (("encrypted", False), ("encrypted-columns", True)):
        with open_sample(name, keys=keys) as file:
            assert "salvage" not in finish(encryption.of_file(file)).sentence


@pytest.mark.parametrize(("keys", "words"), [
    (True, "nonces are used twice under one key"),
    (False, "among those whose keys are not known occur twice: if one key encrypts both modules"),
])  # fmt: skip
def test_a_nonce_that_is_used_twice_with_keys_and_without(keys, words):
    made = pqexplore.Encryption(footer_key=b"k" * 16, nonces=lambda: lambda: bytes(12))
    table = pa.table({"a": [1, 2, 3]})
    given = pqexplore.Decryption(footer_key=b"k" * 16) if keys else None
    with pqexplore.open(ours(table, encryption=made), decryption=given) as file:
        found = finish(encryption.of_file(file))
    assert words in found.sentence and "No nonce" not in found.sentence
    assert any(found.table.column("repeated"))


def test_under_ctr_it_is_not_known_which_modules_have_a_tag():
    made = pqexplore.Encryption(footer_key=b"k" * 16, algorithm="AES_GCM_CTR_V1")
    with pqexplore.open(ours(pa.table({"a": [1, 2, 3]}), encryption=made)) as file:
        sentence = finish(encryption.of_file(file)).sentence
        said = finish(encryption.answer(file, file.node("unknown_parts/4/0/0"))).sentence
    assert "(at least " in sentence and "This module hides up to " in said


def test_a_locked_column_has_the_same_modules_as_an_open_one():
    """Under a plaintext footer a locked column's pages can be named, and its Bloom filter."""

    def named(file):
        found = modules.of_chunk(file.row_groups[1].columns[1])
        return [(m.name, m.span, m.module) for m in found]

    with open_sample("ctr-plaintext-footer") as file:
        known = named(file)
    with open_sample("ctr-plaintext-footer", keys=False) as file:
        assert named(file) == known


def blooms(file):
    """Each module of a Bloom filter: its address, what it is, and whose."""
    found = list(modules.of_file(file))
    return [(m.address, m.name, m.group, m.span) for m in found if "loom" in m.name], found


@pytest.mark.parametrize("name", ["ctr-plaintext-footer", "plaintext-footer-bloom"])
def test_a_footer_in_the_clear_says_whose_bloom_filter_lies_where(name):
    with open_sample(name) as file:
        opened, _ = blooms(file)
    with open_sample(name, keys=False) as file:
        locked, found = blooms(file)
        assert not any(module.key_unknown for module in found)
        assert "is not known" not in finish(answer_of(file, file.root, LENSES["encryption"])).sentence
    assert locked == opened and len(opened) == 8


def test_a_bloom_filter_whose_modules_do_not_fill_its_length_is_not_known():
    with open_sample("plaintext-footer-bloom", keys=False) as file:
        file.row_groups[0].columns[1].struct.meta_data.bloom_filter_length += 1
        locked, found = blooms(file)
        assert len(locked) == 6
        assert sum(module.key_unknown for module in found) == 2


def test_the_parts_of_an_aad_joined_are_the_aad():
    with open_sample("ctr-plaintext-footer") as file:
        algorithm = file.footer.cipher.algorithm
        for one in modules.of_file(file):
            parts = aad_parts(file.footer.cipher.aad(one.module))
            joined = bytes.fromhex("".join(part.hex for part in parts))
            assert joined == one.module.aad(algorithm.stored_prefix, algorithm.file_unique)
    assert [part.name for part in parts] == [
        "AAD prefix",
        "file identifier",
        "module type",
        "row group ordinal",
        "column ordinal",
    ]
    assert parts[0].value == "pqexplore samples"


def test_of_a_supplied_prefix_only_the_length_is_shown():
    with open_sample("supplied-aad-prefix") as file:
        found = finish(encryption.of_file(file))
        prefix = file.footer.cipher.aad_prefix
    part = found.picture.modules[0].aad[0]
    assert (part.hex, part.bytes, part.value) == (None, len(prefix), "supplied by the reader")
    assert prefix.hex(" ") not in json.dumps(wire.encode(found.picture))
    with open_sample("supplied-aad-prefix", keys=False) as file:
        part = finish(encryption.of_file(file)).picture.modules[0].aad[0]
    assert (part.hex, part.value) == (None, "must be supplied by the reader")


@pytest.mark.parametrize("name", ENCRYPTED)
def test_no_answer_contains_a_key(name):
    keys = [SAMPLES[name].keys["footer_key"], *(SAMPLES[name].keys.get("column_keys") or {}).values()]
    with open_sample(name) as file:
        found = finish(encryption.of_file(file))
        text = json.dumps(wire.encode(found.picture)) + found.sentence + repr(found.table.rows)
    for key in keys:
        assert key.hex() not in text and key.hex(" ") not in text
        assert key.decode("latin-1") not in text


def picture_at(file, address):
    node = file.node(address)
    return finish(answer_of(file, node, encryption.LENS)).picture


def test_many_modules_are_drawn_in_part_and_listed_in_full(tmp_path):
    key = b"0123456789012345"
    options = pqexplore.WriteOptions(encryption=pqexplore.Encryption(footer_key=key), page_rows=4)
    path = tmp_path / "many.parquet"
    pqexplore.write(pa.table({"x": range(1000)}), path, options)
    with pqexplore.open(path, decryption=pqexplore.Decryption(footer_key=key)) as file:
        last = file.row_groups[0].columns[0].pages[200].address
        picture = picture_at(file, f"{last}/body")
        table = finish(encryption.of_file(file)).table
    assert len(picture.modules) < picture.total == table.total - 1
    assert picture.modules[picture.selected].address == f"{last}/body"
    assert len(json.dumps(wire.encode(picture))) < 512_000


def shown(name, file, node):
    answer = LENSES[name].answer(file, node)
    return answer if isinstance(answer, Answer) else finish(answer)


@pytest.mark.parametrize(("name", "words"), [
    ("encrypted", "pages and indexes, not known without the footer key: 36 encrypted modules."),
    ("encrypted-columns", "4 pages that are not encrypted, 24 encrypted modules and 4 indexes and Bloom filters"),
])  # fmt: skip
def test_no_view_says_that_nobody_owns_the_pages_of_a_locked_file(name, words):
    with open_sample(name, keys=False) as file:
        for at in ("", "unknown_parts", "unknown_parts/4", "unknown_parts/4/0", "unknown_parts/4/0/0"):
            node = file.node(at)
            for lens in LENSES.values():
                if lens.applies(node) and lens.name != "rows":
                    answer = shown(lens.name, file, node)
                    text = f"{answer.sentence} {answer.empty}"
                    assert "nobody" not in text and "gap" not in text, lens.name
        assert words in shown("layout", file, file.root).sentence
        overview = shown("overview", file, file.root).sentence
        assert "% of 7" in overview and "pages and indexes whose offsets only the footer has" in overview
        text = "\n".join(report.file_report(file, 100))
        assert "unknown parts" in text and "gap" not in text
