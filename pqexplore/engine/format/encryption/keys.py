"""AES keys, and how they are kept secret.

A caller's key becomes a `Key` at once; after that no repr, log, error, traceback or pickle shows its bytes. Keys come
from the caller (`Decryption`) or, wrapped in the file's key metadata, from a key management service: any object with
`unwrap_key(wrapped, master_key_id)`. `LocalKms` is a service that holds its master keys itself.
"""

from __future__ import annotations

import base64
import binascii
import functools
import json
import os
import threading
from collections.abc import Callable, Mapping
from typing import NoReturn, ParamSpec, Protocol, Self, TypeVar

from pqexplore.engine.errors import EncryptedFileError, UsageError
from pqexplore.engine.text import clip

Buffer = bytes | bytearray | memoryview
Path = tuple[str, ...]

KEY_LENGTHS = (16, 24, 32)
"""Bytes of an AES key: 128, 192 or 256 bits (specification, "Encryption Algorithms and Keys")."""


P = ParamSpec("P")
T = TypeVar("T")


def discreet(function: Callable[P, T]) -> Callable[P, T]:
    """Decorator of a function that takes keys as bytes: removes the frames, which hold the keys, from its errors."""

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            raised = error
        del args, kwargs
        raise raised.with_traceback(None)

    return wrapper


class KeyHolder:
    """An object that holds keys. Not picklable; `copy()` and `deepcopy()` return the same object."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(f"{type(self).__name__} holds keys and is not pickled; make it where it is used")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


class Key(KeyHolder):
    """An AES key whose repr does not show it; equal to a key of the same bytes."""

    __slots__ = ("_aes", "gcm")

    @discreet
    def __init__(self, secret: Buffer) -> None:
        """Make a key of 16, 24 or 32 bytes. Raises UsageError for anything else, with type and length only."""
        problem = key_problem(secret)
        if problem:
            raise UsageError(f"an AES key {problem}")
        from cryptography.hazmat.primitives.ciphers import algorithms
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._aes = algorithms.AES(bytes(secret))
        self.gcm = AESGCM(self._aes.key)

    def ctr(self, iv: bytes, data: Buffer) -> bytes:
        """`data` encrypted, or decrypted, by AES CTR from the 16-byte counter block `iv`."""
        from cryptography.hazmat.primitives.ciphers import Cipher, modes

        stream = Cipher(self._aes, modes.CTR(iv)).encryptor()
        return stream.update(data) + stream.finalize()

    def encrypt_key(self, key: Key, aad: bytes, nonce: bytes | None = None) -> str:
        """`key` encrypted by AES-GCM under this one: base64 of nonce, ciphertext and tag, without a length.

        As KeyToolkit.encryptKeyLocally of parquet-java does; a `nonce` of 12 bytes makes the output repeatable.
        """
        fresh = os.urandom(12) if nonce is None else nonce
        return base64.b64encode(fresh + self.gcm.encrypt(fresh, key._aes.key, aad)).decode()

    def decrypt_key(self, wrapped: str, aad: bytes) -> Key:
        """The reverse of `encrypt_key`. Raises EncryptedFileError if this is not the right key."""
        return key_from(lambda: _decrypt_key_locally(wrapped, self, aad), "what was unwrapped")

    def wrapped_by(self, kms: WrappingKms, master_key_id: str) -> str:
        """The key, wrapped by a key management service."""
        return kms.wrap_key(bytes(self._aes.key), master_key_id)

    @property
    def size(self) -> int:
        """Bytes of the key."""
        return len(self._aes.key)

    def __eq__(self, other: object) -> bool:
        import hmac

        return isinstance(other, Key) and hmac.compare_digest(self._aes.key, other._aes.key)

    def __hash__(self) -> int:
        return hash(self._aes.key)

    def __repr__(self) -> str:
        return f"<AES-{8 * self.size} key>"


def key_problem(secret: object) -> str | None:
    """Why `secret` is not an AES key, as the end of a sentence that does not show it; None if it is one."""
    if isinstance(secret, Key):
        return None
    if not isinstance(secret, bytes | bytearray | memoryview):
        return f"is bytes, not {type(secret).__name__}"
    length = memoryview(secret).nbytes
    if length not in KEY_LENGTHS:
        return f"has 16, 24 or 32 bytes, this one has {length}"
    return None


class Kms(Protocol):
    """A key management service for readers (parquet-java's KmsClient, pyarrow's KmsClient)."""

    def unwrap_key(self, wrapped: str, master_key_id: str) -> bytes:
        """The key in `wrapped`, a string from the key metadata, usually base64."""


class WrappingKms(Protocol):
    """A key management service that wraps keys, for writers."""

    def wrap_key(self, key: bytes, master_key_id: str) -> str:
        """`key` wrapped with a master key, as a string for the key material."""


class Decryption(KeyHolder):
    """Keys for an encrypted file: given as bytes, or unwrapped by a key management service.

    `footer_key` decrypts the footer and the columns that share its key. `column_keys` has a key by dotted leaf path, or
    by tuple if a dotted path is ambiguous. `aad_prefix` (bytes or text) is the file's identity if the file does not
    store it; if it does, the two are compared. `kms` is any object with `unwrap_key(wrapped, master_key_id)`, which
    takes the string in the key metadata and returns the key's bytes. Keys given here take precedence over keys that the
    file holds wrapped. Keys that `kms` unwraps are kept in this object: use one for many files. Raises UsageError for an
    invalid key; the message has lengths only.
    """

    __slots__ = ("_columns", "_lock", "_unwrapped", "aad_prefix", "footer_key", "kms")

    footer_key: Key | None
    aad_prefix: bytes | None
    kms: Kms | None

    @discreet
    def __init__(
        self,
        footer_key: Buffer | None = None,
        column_keys: Mapping[str | Path, Buffer] | None = None,
        aad_prefix: bytes | str | None = None,
        kms: Kms | None = None,
    ) -> None:
        problem = _problem(footer_key, column_keys, aad_prefix, kms)
        if problem:
            raise UsageError(problem)
        self.footer_key = None if footer_key is None else as_key(footer_key)
        self._columns = {
            path if isinstance(path, str) else tuple(path): as_key(secret)
            for path, secret in (column_keys or {}).items()
        }
        self.aad_prefix = as_prefix(aad_prefix)
        self.kms = kms
        self._unwrapped: dict[tuple[str, str], Key | str] = {}
        self._lock = threading.RLock()

    def column_key(self, path: Path) -> Key | None:
        """The key given for the leaf at `path`: by its tuple, or by its dotted path."""
        return self._columns.get(tuple(path)) or self._columns.get(".".join(path))

    def given(self) -> dict[str, Key]:
        """All keys given, by a name for people: `the footer key`, `the key of column "a"`."""
        keys = {} if self.footer_key is None else {"the footer key": self.footer_key}
        for path, key in self._columns.items():
            keys[f'the key of column "{_dotted(path)}"'] = key
        return keys

    def unwrap(self, wrapped: str, master_key_id: str) -> Key:
        """The key that `kms` unwraps; it is called once, and a refusal is remembered.

        Raises EncryptedFileError if there is no `kms`, or it gives no key. Its own error is the cause.
        """
        with self._lock:
            known = self._unwrapped.get((wrapped, master_key_id))
            if known is None:
                return self._ask(wrapped, master_key_id)
        if isinstance(known, str):
            raise EncryptedFileError(known)
        return known

    def _ask(self, wrapped: str, master_key_id: str) -> Key:
        if self.kms is None:
            raise EncryptedFileError(f"no kms is given that unwraps keys of master key {quote(master_key_id)}")
        kms, cause = self.kms, None
        try:
            key = key_from(
                lambda: kms.unwrap_key(wrapped, master_key_id),
                f"what the kms unwrapped with master key {quote(master_key_id)}",
            )
        except EncryptedFileError as error:
            refusal = error.message
        except Exception as error:
            # Its text can contain anything, even a token or a key; only its type is shown.
            cause = error
            refusal = f"the kms did not unwrap a key with master key {quote(master_key_id)}: {type(error).__name__}"
        else:
            self._unwrapped[wrapped, master_key_id] = key
            return key
        self._unwrapped[wrapped, master_key_id] = refusal
        raise EncryptedFileError(refusal) from cause

    def __repr__(self) -> str:
        columns = {_dotted(path): key for path, key in self._columns.items()}
        prefix = None if self.aad_prefix is None else f"<{len(self.aad_prefix)} bytes>"
        kms = None if self.kms is None else type(self.kms).__name__
        return f"Decryption(footer_key={self.footer_key}, column_keys={columns}, aad_prefix={prefix}, kms={kms})"


@discreet
def as_key(secret: Buffer | Key) -> Key:
    """`secret` as a key. Raises UsageError as `Key` does."""
    return secret if isinstance(secret, Key) else Key(secret)


def key_from(source: Callable[[], Buffer | Key], what: str) -> Key:
    """The key that `source` returns. Raises EncryptedFileError, which begins with `what`, if it is not a key."""
    secret = source()
    problem = key_problem(secret)
    if problem:
        del secret
        raise EncryptedFileError(f"{what} is no key: an AES key {problem}")
    return as_key(secret)


def _dotted(path: str | Path) -> str:
    return path if isinstance(path, str) else ".".join(path)


def as_prefix(aad_prefix: bytes | str | None) -> bytes | None:
    """An AAD prefix as bytes; text becomes UTF-8."""
    return aad_prefix.encode() if isinstance(aad_prefix, str) else aad_prefix


def _problem(footer_key: object, column_keys: object, aad_prefix: object, kms: object) -> str | None:
    """The first problem in the arguments of `Decryption`, as a sentence without secrets; None if there is none."""
    if problem := given_problem(footer_key, column_keys, aad_prefix):
        return problem
    if kms is not None and not callable(getattr(kms, "unwrap_key", None)):
        return "kms is an object with a method unwrap_key(wrapped, master_key_id)"
    return None


def given_problem(footer_key: object, column_keys: object, aad_prefix: object) -> str | None:
    """The first problem in keys and prefix, as a sentence without secrets; None if there is none."""
    if footer_key is not None and (problem := key_problem(footer_key)):
        return f"footer_key {problem}"
    if column_keys is not None and not isinstance(column_keys, Mapping):
        return f"column_keys is a mapping of leaf paths to keys, not {type(column_keys).__name__}"
    for path, secret in (column_keys or {}).items():
        named = isinstance(path, str) or (isinstance(path, tuple) and all(isinstance(part, str) for part in path))
        if not named:
            return "a path in column_keys is a dotted string or a tuple of strings"
        if problem := key_problem(secret):
            return f'the key of column "{_dotted(path)}" {problem}'
    if aad_prefix is not None and not isinstance(aad_prefix, bytes | str):
        return f"aad_prefix is bytes or text, not {type(aad_prefix).__name__}"
    return None


def quote(text: str, limit: int = 80) -> str:
    """Text from a file, quoted for a message: control characters escaped, clipped to `limit` characters."""
    return json.dumps(clip(text, limit), ensure_ascii=False)


class LocalKms(KeyHolder):
    """A key service that holds its master keys, and wraps as parquet-java's key tools do.

    A wrapped key is base64 of nonce, ciphertext and tag of AES-GCM under the master key, with the master key's
    identifier (UTF-8) as AAD (KeyToolkit.encryptKeyLocally). The JSON object of LocalWrapKmsClient, with
    `masterKeyVersion` and `encryptedKey`, is accepted too.
    """

    __slots__ = ("_master_keys",)

    @discreet
    def __init__(self, master_keys: Mapping[str, Buffer]) -> None:
        for name, secret in master_keys.items():
            if problem := key_problem(secret):
                raise UsageError(f"master key {quote(str(name))} {problem}")
        self._master_keys = {str(name): as_key(secret) for name, secret in master_keys.items()}

    @discreet
    def wrap_key(self, key: Buffer | Key, master_key_id: str, *, nonce: bytes | None = None) -> str:
        """`key` wrapped with a master key, as base64; a `nonce` of 12 bytes makes the output repeatable."""
        key = as_key(key)
        return self._master(master_key_id).encrypt_key(key, master_key_id.encode(), nonce)

    def unwrap_key(self, wrapped: str, master_key_id: str) -> bytes:
        """The key in `wrapped`. Raises EncryptedFileError if the master key is missing or wrong."""
        master = self._master(master_key_id)
        if wrapped.lstrip().startswith("{"):
            wrapped = _local_key_wrap(wrapped)
        return _decrypt_key_locally(wrapped, master, master_key_id.encode())

    def _master(self, master_key_id: str) -> Key:
        key = self._master_keys.get(master_key_id)
        if key is None:
            raise EncryptedFileError(f"this LocalKms has no master key {quote(master_key_id)}")
        return key

    def __repr__(self) -> str:
        return f"LocalKms({self._master_keys})"


def _local_key_wrap(text: str) -> str:
    """The base64 string inside LocalWrapKmsClient's JSON."""
    try:
        wrap = json.loads(text)
    except (ValueError, RecursionError):
        wrap = None
    if not isinstance(wrap, dict) or not isinstance(wrap.get("encryptedKey"), str):
        raise EncryptedFileError("a locally wrapped key is JSON with a string encryptedKey")
    if wrap.get("masterKeyVersion") != "NO_VERSION":
        raise EncryptedFileError("a locally wrapped key has masterKeyVersion NO_VERSION")
    return str(wrap["encryptedKey"])


def _decrypt_key_locally(wrapped: str, master: Key, aad: bytes) -> bytes:
    from cryptography.exceptions import InvalidTag

    try:
        encrypted = base64.b64decode(wrapped, validate=True)
    except (binascii.Error, ValueError):
        encrypted = b""
    if len(encrypted) >= 28:
        try:
            return master.gcm.decrypt(encrypted[:12], encrypted[12:], aad)
        except InvalidTag:
            pass
        raise EncryptedFileError(
            "the wrapping key does not open the wrapped key: it is the wrong key, or the bytes were changed"
        )
    raise EncryptedFileError("a wrapped key is base64 of nonce, ciphertext and tag, at least 28 bytes")
