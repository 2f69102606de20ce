"""The module map for the view: JSON, where it applies, and what it never has in it."""

import json

import pytest

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.widget import lenses
from pqexplore.widget.lenses import encryption

SECRET = "row_groups/0/columns/1"


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encrypted")

    def make(name, keys=True):
        path = folder / f"{name}.parquet"
        if not path.exists():
            SAMPLES[name].write(path)
        return pqexplore.open(
            path, decryption=pqexplore.Decryption(**SAMPLES[name].keys) if keys else None
        )

    return make


def payload(file, address):
    made = lenses.finish(lenses.payload(file, file.node(address), "encryption"))
    json.dumps(made, allow_nan=False)
    return made


@pytest.mark.parametrize(
    ("address", "applies"),
    [
        ("", True),
        ("footer/module", True),
        ("footer/module/nonce", True),
        ("crypto_metadata", True),
        (SECRET, True),
        (f"{SECRET}/column_index", True),
        (f"{SECRET}/pages/0/header", True),
        (f"{SECRET}/pages/0/body", True),
        (f"{SECRET}/pages/0/body/tag", True),
        (f"{SECRET}/pages/0/values", False),
        ("row_groups/0/columns/0", False),
        ("row_groups/0/columns/0/column_index", False),
        ("row_groups/0/columns/0/pages/0/header", False),
        ("footer", False),
        ("schema", False),
    ],
)
def test_where_it_applies(opened, address, applies):
    with opened("encrypted-columns") as file:
        assert encryption.applies(file.node(address)) is applies


def test_it_does_not_apply_to_a_plain_file(file):
    assert not encryption.applies(file.node(""))
    assert not encryption.applies(file.node("row_groups/0/columns/1"))


@pytest.mark.parametrize(
    ("address", "selected"),
    [
        (f"{SECRET}/column_index", "column index"),
        (f"{SECRET}/pages/1/header/module/nonce", "data page header"),
        (f"{SECRET}/pages/1/body", "data page"),
        (f"{SECRET}/metadata/encrypted_column_metadata/module", "column metadata"),
    ],
)
def test_a_part_leads_to_its_module(opened, address, selected):
    with opened("encrypted-columns") as file:
        picture = payload(file, address)["picture"]
    assert picture["modules"][picture["selected"]]["name"] == selected


def test_a_locked_module_is_shown_all_the_same(opened):
    with opened("ctr-plaintext-footer", keys=False) as file:
        made = payload(file, f"{SECRET}/modules/3/ciphertext")
    assert made["answer"].endswith('pass Decryption(column_keys={"secret": …}).')
    module = made["picture"]["modules"][made["picture"]["selected"]]
    assert module["locked"] and module["name"] == "data page"


def test_many_modules_are_drawn_in_part_and_listed_in_full(tmp_path):
    import pyarrow as pa

    options = pqexplore.WriteOptions(
        encryption=pqexplore.Encryption(footer_key=b"0123456789012345"), page_rows=4
    )
    path = tmp_path / "many.parquet"
    pqexplore.write(pa.table({"x": range(1000)}), path, options)
    decryption = pqexplore.Decryption(footer_key=b"0123456789012345")
    with pqexplore.open(path, decryption=decryption) as file:
        last = file.row_groups[0].columns[0].pages[200].address
        picture = payload(file, f"{last}/body")["picture"]
        table = payload(file, "")["table"]
    assert len(picture["modules"]) < picture["total"] == table["total"] - 1
    assert picture["modules"][picture["selected"]]["address"] == f"{last}/body"
    assert len(json.dumps(picture)) < 512_000
