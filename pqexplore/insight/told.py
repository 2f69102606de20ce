"""One value in all its forms, as texts that have an end: what it means, as Python's object, as stored, as bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pqexplore.engine.values import explain_value

if TYPE_CHECKING:
    from pqexplore.engine.schema import Leaf

TEXT = 200
"""Characters of a text that are shown."""

BYTES = 32
"""Bytes of a value that are shown."""

WHOLE = 4_096
"""Bytes of a value that are made into texts at most; of a longer one its beginning is."""


def clip(text: str, most: int = TEXT) -> str:
    """A text, or its beginning and how long it is."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def hexadecimal(data: bytes, most: int = BYTES) -> str:
    """Bytes as pairs of hex digits; the beginning and their number where there are many."""
    head = data[:most].hex(" ")
    return head if len(data) <= most else f"{head} … ({len(data):,} bytes)"


def characters(data: bytes, most: int = BYTES) -> str:
    """Bytes as the characters they would be in ASCII, a dot where there is none."""
    return "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in data[:most])


def told(leaf: Leaf, physical: Any, most: int = TEXT) -> dict[str, str]:
    """A value as texts: `logical`, `python`, `physical`, `hex`, `text` (of bytes), `note`, and its `type`.

    `physical` is the stored value, None for null. Texts are clipped and say how long they are; `note` says what is
    odd, and of a timestamp whether it is an instant.
    """
    whole = len(physical) if isinstance(physical, bytes) else 0
    cut = physical[:WHOLE] if whole > WHOLE else physical
    found = explain_value(leaf, cut)
    raw = bytes.fromhex(found["hex"])
    logical, note = clip(found["logical"], most), found["note"]
    if whole > WHOLE:
        logical = f"{found['logical'][:most]}… ({whole:,} bytes)"
        note = f"the first {WHOLE:,} of {whole:,} bytes"
    hexed = hexadecimal(raw)
    if whole > BYTES:
        hexed = f"{raw[:BYTES].hex(' ')} … ({whole:,} bytes)"
    stored = hexed if isinstance(physical, bytes) else str(physical)
    python = found["python"]
    spelt = repr(python[:most] if isinstance(python, (bytes, str)) else python)
    if isinstance(python, (bytes, str)) and len(python) > most:
        spelt += (
            f"… ({whole or len(python):,} {'bytes' if isinstance(python, bytes) else 'characters'})"
        )
    return {
        "type": found["type"],
        "logical": "null" if physical is None else logical,
        "python": clip(spelt, most + 40),
        "physical": clip(stored, most),
        "hex": hexed,
        "text": characters(raw) if isinstance(physical, bytes) else "",
        "note": note,
    }
