"""The keys of encrypted files: from files and variables, never from the command line itself.

In a notebook they are in its variables, too (`notebook_variables`).
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from pqexplore.cli import notebook_variables

if TYPE_CHECKING:
    from pqexplore.engine.format.encryption.keys import Decryption


LITERALS = (16, 24, 32, 44, 48, 64)
"""Characters of an AES key: as text, in base64, in hexadecimal digits."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name keys."""
    notebook = notebook_variables.VARIABLES.get() is not None
    keys = parser.add_argument_group(
        "encrypted files",
        "KEY is a file with an AES key, or env:NAME for an environment variable"
        f"{', or NAME or var:NAME for a variable of the notebook' if notebook else ''}: the key's 16, 24 or 32 bytes, or "
        "their hexadecimal digits.",
    )
    keys.add_argument("--footer-key-file", metavar="KEY", help="the footer key of an encrypted file")
    keys.add_argument(
        "--column-key",
        action="append",
        default=[],
        metavar="COLUMN=KEY",
        help="the key of a column, by its dotted path",
    )
    keys.add_argument("--aad-prefix", metavar="TEXT", help="the AAD prefix, where the file does not store it")
    if notebook:
        keys.add_argument("--decryption", metavar="NAME", help="the variable that holds a pqexplore.Decryption")
        keys.add_argument(
            "--kms", metavar="NAME", help="the variable that holds a key management service: an object with unwrap_key"
        )
    else:
        keys.set_defaults(decryption=None, kms=None)


def decryption(asked: argparse.Namespace) -> Decryption | None:
    """The keys that the options name; None if there are none. UsageError, which never has a part of a key."""
    given = (asked.footer_key_file, asked.column_key or None, asked.decryption, asked.kms)
    if given == (None,) * 4:
        return None
    from pqexplore.engine.errors import UsageError
    from pqexplore.engine.format.encryption.keys import Decryption

    if asked.decryption is not None:
        if asked.footer_key_file or asked.column_key or asked.aad_prefix or asked.kms:
            raise UsageError("--decryption has all the keys; no other option of keys goes with it")
        held = notebook_variables.variable(asked.decryption)
        if not isinstance(held, Decryption):
            raise UsageError("--decryption is the name of a variable with a pqexplore.Decryption")
        return held
    kms: Any = None
    if asked.kms is not None:
        kms = notebook_variables.variable(asked.kms)
        if not hasattr(kms, "unwrap_key"):
            raise UsageError("--kms is the name of a variable with an object that has unwrap_key")
    keys = {}
    for one in asked.column_key:
        column, equals, where = one.rpartition("=")
        if not equals or not column or not where:
            raise UsageError("--column-key is COLUMN=KEY, where KEY is a file or env:NAME")
        keys[column] = read_key(where)
    footer_key = None if asked.footer_key_file is None else read_key(asked.footer_key_file)
    return Decryption(footer_key=footer_key, column_keys=keys, aad_prefix=asked.aad_prefix, kms=kms)


def key_files(asked: argparse.Namespace) -> list[str]:
    """The files that the options of keys may name."""
    columns = (one.rpartition("=")[2] for one in asked.column_key)
    return [*filter(None, [asked.footer_key_file]), *columns]


def words(asked: argparse.Namespace) -> list[str]:
    """The options that name keys, as words of a command line."""
    given = (("--footer-key-file", asked.footer_key_file), ("--aad-prefix", asked.aad_prefix))
    return [
        *(f"{name}={value}" for name, value in given if value is not None),
        *(f"--column-key={one}" for one in asked.column_key),
    ]


def read_key(where: str) -> bytes:
    """A key from a file or a variable: its bytes, or their hexadecimal digits.

    What may be a key itself is in no error.
    """
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.engine.file.local_file import read_small

    name = where.removeprefix("var:").removeprefix("env:")
    # In a notebook, `$NAME` stands for a value: any text may have a key in it.
    secret = len(name) in LITERALS or notebook_variables.VARIABLES.get() is not None
    shown = "of that name" if secret else name
    held = notebook_variables.variable(where.removeprefix("var:"))
    if held is not notebook_variables.MISSING:
        data = os.fsencode(held) if isinstance(held, str) else held
        if not isinstance(data, bytes | bytearray | memoryview):
            raise UsageError(f"the variable {where} holds no key, but a {type(held).__name__}")
        data = bytes(data)
    elif where.startswith("var:"):
        raise UsageError(f"there is no variable {shown}")
    elif where.startswith("env:"):
        text = os.environ.get(where[4:])
        if text is None:
            raise UsageError(f"the environment has no variable {shown}")
        data = os.fsencode(text)
    else:
        try:
            data = read_small(where, 4096)
        except (ParquetError, OSError) as error:
            if secret:
                raise UsageError(
                    "there is no file with the name that is given for a key. A key itself is never given: lines are kept in "
                    "a history"
                ) from None
            why = getattr(error, "strerror", None) or getattr(error, "message", None) or error
            raise UsageError(f"the key file {where}: {why}") from None
    digits = data.strip()
    if len(digits) in (32, 48, 64):
        try:
            return bytes.fromhex(digits.decode("ascii"))
        except ValueError:
            pass
    for found in (data, data.rstrip(b"\r\n")):
        if len(found) in (16, 24, 32):
            return found
    raise UsageError(f"{where} has {len(data)} bytes; a key has 16, 24 or 32, or twice as many hexadecimal digits")
