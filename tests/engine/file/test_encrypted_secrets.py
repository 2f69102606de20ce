"""Keys and decrypted values: in no repr, error, log, fact, saved notebook or saved page."""

import base64
import copy
import logging
import pickle
import traceback

import pytest
from engine.file.encrypted import (
    ALL_KEYS,
    FOOTER_KEY,
    ID_KEY,
    NAME_KEY,
    OTHER_KEY,
    OWN_KEYS,
    SECRET,
    below,
    opened,
    table,
    written,
)
from made import parquet

import pqexplore
from pqexplore.engine.errors import CorruptFileError, EncryptedFileError
from pqexplore.engine.format.encryption.keys import LocalKms

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
    shown = "".join(traceback.TracebackException.from_exception(raised.value, capture_locals=True).format())
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
    with pqexplore.open(parquet(table())) as file:
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
