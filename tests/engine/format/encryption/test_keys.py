"""Keys: what is taken for one, where it is found, and that it never shows."""

import base64
import copy
import json
import pickle
import traceback

import pytest

from pqexplore.engine.errors import EncryptedFileError, ParquetError, UsageError
from pqexplore.engine.format.encryption import key_material
from pqexplore.engine.format.encryption.cipher import FileCipher
from pqexplore.engine.format.encryption.column_cipher import column_cipher
from pqexplore.engine.format.encryption.encryptor import FileEncryptor
from pqexplore.engine.format.encryption.keys import Decryption, Key, LocalKms
from pqexplore.engine.format.encryption.modules import ModuleType

SECRET = b"SECRET-bytes-01!"
OTHER = b"SECRET-bytes-02!"
LONG = b"SECRET-bytes-01!SECRET-bytes-02!x"


def shown(secret: bytes) -> list[str]:
    """The ways in which a key might show itself."""
    return [
        secret.decode(),
        secret.hex(),
        secret.hex().upper(),
        base64.b64encode(secret).decode().rstrip("=")[:-2],
        str(list(secret))[1:-1],
    ]


def assert_no_key(text: str) -> None:
    for secret in (SECRET, OTHER, LONG, LONG[:16], SECRET[:12]):
        for form in shown(secret):
            assert form not in text


def full_traceback(error: BaseException) -> str:
    """The error as the most talkative of tracebacks tells it: with all local variables of the engine's frames."""
    told = traceback.TracebackException.from_exception(error, capture_locals=True)
    texts = []
    pending = [told]
    while pending:
        one = pending.pop()
        pending += [e for e in (one.__cause__, one.__context__) if e is not None]
        texts.append(str(one))
        texts += [f"{f.name} {f.locals}" for f in one.stack if "pqexplore/engine" in f.filename]
    assert any(" {" in text for text in texts)
    return "\n".join(texts)


@pytest.mark.parametrize("secret", [b"x" * 16, bytearray(24), memoryview(bytes(32))])
def test_keys_have_the_three_lengths_of_aes(secret):
    assert Key(secret).size == len(secret)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"footer_key": LONG}, "footer_key has 16, 24 or 32 bytes, this one has 33"),
        ({"footer_key": b""}, "footer_key has 16, 24 or 32 bytes, this one has 0"),
        ({"footer_key": SECRET.decode()}, "footer_key is bytes, not str"),
        ({"column_keys": {"a.b": SECRET, "c": SECRET[:12]}},
            'the key of column "c" has 16, 24 or 32 bytes, this one has 12'),
        ({"column_keys": {("a", "b"): SECRET.hex()}}, 'the key of column "a.b" is bytes, not str'),
        ({"column_keys": {3: SECRET}}, "a path in column_keys is a dotted string or a tuple of strings"),
        ({"column_keys": [SECRET]}, "column_keys is a mapping of leaf paths to keys, not list"),
        ({"footer_key": SECRET, "aad_prefix": 3}, "aad_prefix is bytes or text, not int"),
        ({"footer_key": SECRET, "kms": object()}, "kms is an object with a method unwrap_key"),
    ],
)  # fmt: skip
def test_invalid_keys_raise_without_showing_them(arguments, message):
    with pytest.raises(UsageError) as caught:
        Decryption(**arguments)
    assert str(caught.value).startswith(message)
    assert_no_key(full_traceback(caught.value))


@pytest.mark.parametrize(
    "act",
    [
        lambda: Key(LONG),
        lambda: Key(LONG.decode()),
        lambda: LocalKms({"a": SECRET, "b": LONG}),
        lambda: LocalKms({"a": SECRET}).wrap_key(OTHER, "unknown"),
        lambda: LocalKms({"a": SECRET}).wrap_key(LONG, "a"),
        lambda: key_material.create(OTHER, "unknown", LocalKms({"a": SECRET})),
        lambda: FileEncryptor(SECRET, {"a": OTHER}, algorithm="AES_ECB"),
        lambda: FileEncryptor(LONG),
    ],
)
def test_errors_about_keys_do_not_show_them(act):
    with pytest.raises((UsageError, EncryptedFileError)) as caught:
        act()
    assert_no_key(full_traceback(caught.value))


def test_nothing_that_holds_keys_shows_them():
    decryption = Decryption(SECRET, {"a.b": OTHER, ("c",): SECRET}, "prefix", LocalKms({"m": OTHER}))
    encryptor = FileEncryptor(SECRET, {"a.b": OTHER})
    cipher = FileCipher(encryptor.algorithm, decryption)
    column = column_cipher(cipher, ("a", "b"), encryptor.column_crypto_metadata(("a", "b")), 0, 0)
    holders = [Key(SECRET), decryption, decryption.kms, cipher, column, cipher.keys, encryptor]
    holders.append(encryptor.column(("a", "b"), 0, 0))
    for holder in holders:
        for text in (repr(holder), str(holder), f"{holder}", repr([holder]), repr({"k": holder})):
            assert_no_key(text)
        for name in dir(holder):
            try:
                assert_no_key(repr(getattr(holder, name)))
            except ParquetError as error:
                assert_no_key(str(error))
    assert repr(decryption) == (
        "Decryption(footer_key=<AES-128 key>, column_keys={'a.b': <AES-128 key>, 'c': <AES-128 key>}, "
        "aad_prefix=<6 bytes>, kms=LocalKms)"
    )


def test_nothing_that_holds_keys_is_pickled():
    encryptor = FileEncryptor(SECRET)
    decryption = Decryption(SECRET, kms=LocalKms({"m": OTHER}))
    cipher = FileCipher(encryptor.algorithm, decryption)
    column = column_cipher(cipher, ("a",), encryptor.column_crypto_metadata(("a",)), 0, 0)
    for holder in (Key(SECRET), decryption, decryption.kms, cipher, column, encryptor):
        with pytest.raises(TypeError, match="holds keys and is not pickled") as caught:
            pickle.dumps(holder)
        assert_no_key(str(caught.value))
        assert copy.copy(holder) is holder
        assert copy.deepcopy(holder) is holder
        with pytest.raises(TypeError):
            json.dumps(holder)


def test_failures_to_decrypt_show_no_key_and_no_plaintext():
    encryptor = FileEncryptor(SECRET)
    page = encryptor.column(("a",), 0, 0).encrypt(ModuleType.DATA_PAGE, b"TOP SECRET VALUE", 0)
    cipher = FileCipher(encryptor.algorithm, Decryption(footer_key=SECRET, column_keys={"z": OTHER}))
    column = column_cipher(cipher, ("a",), encryptor.column_crypto_metadata(("a",)), 0, 0)
    assert column.decrypt(ModuleType.DATA_PAGE, page, 0) == b"TOP SECRET VALUE"
    last, inner = (bytes([page[at] ^ 1]) for at in (-1, 20))
    for changed in (page[:-1] + last, page[:20] + inner + page[21:]):
        with pytest.raises(ParquetError) as caught:
            column.decrypt(ModuleType.DATA_PAGE, changed, 0)
        text = full_traceback(caught.value)
        assert_no_key(text)
        assert "TOP SECRET" not in text
        assert_no_key(str(pickle.loads(pickle.dumps(caught.value))))


class Telling:
    """A key service whose own error says too much, or whose answer is no key."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = 0

    def unwrap_key(self, wrapped, master_key_id):
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (RuntimeError(f"denied for {SECRET!r}"), 'the kms did not unwrap a key with master key "m": RuntimeError'),
        (LONG,
            'what the kms unwrapped with master key "m" is no key: an AES key has 16, 24 or 32 bytes, this one has 33'),
        (SECRET.decode(), 'what the kms unwrapped with master key "m" is no key: an AES key is bytes, not str'),
        (None, 'what the kms unwrapped with master key "m" is no key: an AES key is bytes, not NoneType'),
    ],
)  # fmt: skip
def test_invalid_answers_of_a_key_service_are_not_shown(answer, message):
    kms = Telling(answer)
    decryption = Decryption(kms=kms)
    for _ in range(3):
        with pytest.raises(EncryptedFileError) as caught:
            decryption.unwrap("wrapped", "m")
        assert str(caught.value) == message
    assert kms.asked == 1
    if not isinstance(answer, Exception):
        assert_no_key(full_traceback(caught.value))


def test_the_error_of_a_key_service_is_the_cause():
    refusal = PermissionError("no")
    with pytest.raises(EncryptedFileError) as caught:
        Decryption(kms=Telling(refusal)).unwrap("wrapped", "m")
    assert caught.value.__cause__ is refusal


def test_equal_keys():
    assert Key(SECRET) == Key(bytearray(SECRET))
    assert Key(SECRET) != Key(OTHER)
    assert Key(SECRET) != SECRET
    assert len({Key(SECRET), Key(SECRET), Key(OTHER)}) == 2


def test_column_keys_by_dotted_path_and_by_tuple():
    decryption = Decryption(column_keys={"a.b": SECRET, ("a.b", "c"): OTHER})
    assert decryption.column_key(("a", "b")) == Key(SECRET)
    assert decryption.column_key(("a.b",)) == Key(SECRET)
    assert decryption.column_key(("a.b", "c")) == Key(OTHER)
    assert decryption.column_key(("a", "b", "c")) is None
    assert list(decryption.given()) == ['the key of column "a.b"', 'the key of column "a.b.c"']


def test_the_prefix_may_be_text():
    assert Decryption(aad_prefix="tästing").aad_prefix == "tästing".encode()
    assert Decryption(aad_prefix=b"\xff").aad_prefix == b"\xff"


def test_local_kms_wraps_and_unwraps():
    kms = LocalKms({"m": SECRET, "n": OTHER})
    wrapped = kms.wrap_key(b"k" * 16, "m", nonce=bytes(12))
    assert base64.b64decode(wrapped)[:12] == bytes(12)
    assert len(base64.b64decode(wrapped)) == 12 + 16 + 16
    assert kms.unwrap_key(wrapped, "m") == b"k" * 16
    local_wrap = json.dumps({"masterKeyVersion": "NO_VERSION", "encryptedKey": wrapped})
    assert kms.unwrap_key(local_wrap, "m") == b"k" * 16


def test_the_master_key_identifier_is_the_aad():
    kms = LocalKms({"m": SECRET, "n": SECRET})
    with pytest.raises(EncryptedFileError, match="does not open the wrapped key"):
        kms.unwrap_key(kms.wrap_key(OTHER, "m"), "n")


def test_local_kms_unwraps_keys_of_parquet_java():
    """The wrapped KEK of a file that Spark wrote, with the documented test keys."""
    kms = LocalKms({"keyB": bytes([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0])})
    wrapped = "RV8p7dDdLp/qhSfgKd7IGIWjHUwoM57ZIHKXWp3VYeks1QA7/c1D1HHjDDI="
    assert len(kms.unwrap_key(wrapped, "keyB")) == 16


@pytest.mark.parametrize(
    ("wrapped", "message"),
    [
        ("", "at least 28 bytes"),
        ("!!!", "at least 28 bytes"),
        ("é", "at least 28 bytes"),
        ("AAAA", "at least 28 bytes"),
        (base64.b64encode(bytes(44)).decode(), "does not open the wrapped key"),
        ("{", "JSON with a string encryptedKey"),
        ("{" * 100_000, "JSON with a string encryptedKey"),
        ('{"encryptedKey": 3}', "JSON with a string encryptedKey"),
        ('{"encryptedKey": "AAAA", "masterKeyVersion": "2"}', "has masterKeyVersion NO_VERSION"),
    ],
)
def test_damaged_wrapped_keys_raise(wrapped, message):
    with pytest.raises(EncryptedFileError, match=message):
        LocalKms({"m": SECRET}).unwrap_key(wrapped, "m")


def test_an_unknown_master_key_raises():
    with pytest.raises(EncryptedFileError, match='this LocalKms has no master key "x\\\\n"'):
        LocalKms({"m": SECRET}).unwrap_key("AAAA", "x\n")
