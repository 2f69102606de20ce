"""The keys of encrypted files: from files and environment variables, never from the command line itself."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pqexplore.engine.format.encryption.keys import Decryption


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name keys."""
    keys = parser.add_argument_group(
        "encrypted files",
        "KEY is a file with an AES key, or env:NAME for an environment variable: the key's 16, 24 or 32 bytes, or "
        "their hexadecimal digits.",
    )
    keys.add_argument(
        "--footer-key-file", metavar="KEY", help="the footer key of an encrypted file"
    )
    keys.add_argument(
        "--column-key",
        action="append",
        default=[],
        metavar="COLUMN=KEY",
        help="the key of a column, by its dotted path",
    )
    keys.add_argument(
        "--aad-prefix", metavar="TEXT", help="the AAD prefix, where the file does not store it"
    )


def decryption(asked: argparse.Namespace) -> Decryption | None:
    """The keys that the options name; None if there are none. UsageError, which never has a part of a key."""
    if asked.footer_key_file is None and not asked.column_key:
        return None
    from pqexplore.engine.errors import UsageError
    from pqexplore.engine.format.encryption.keys import Decryption

    keys = {}
    for given in asked.column_key:
        column, equals, where = given.rpartition("=")
        if not equals or not column or not where:
            raise UsageError("--column-key is COLUMN=KEY, where KEY is a file or env:NAME")
        keys[column] = read_key(where)
    footer_key = None if asked.footer_key_file is None else read_key(asked.footer_key_file)
    return Decryption(footer_key=footer_key, column_keys=keys, aad_prefix=asked.aad_prefix)


def read_key(where: str) -> bytes:
    """A key from a file or an environment variable: its bytes, or their hexadecimal digits."""
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.engine.file.local_file import read_small

    if where.startswith("env:"):
        text = os.environ.get(where[4:])
        if text is None:
            raise UsageError(f"the environment has no variable {where[4:]}")
        data = os.fsencode(text)
    else:
        try:
            data = read_small(where, 4096)
        except (ParquetError, OSError) as error:
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
    raise UsageError(
        f"{where} has {len(data)} bytes; a key has 16, 24 or 32, or twice as many hexadecimal digits"
    )
