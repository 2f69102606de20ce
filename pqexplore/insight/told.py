"""Formats one value (logical, Python, physical, hex), truncated."""

from __future__ import annotations

from typing import Any

from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.value_text import explain_value
from pqexplore.insight.text import BYTES, hexadecimal, shorten

TEXT = 200
"""Characters of a text that are shown."""

WHOLE = 4_096
"""Bytes of a value that are formatted. Of a longer value, the first."""


def characters(data: bytes, limit: int = BYTES) -> str:
    """The first bytes as ASCII characters, a dot for each of the others."""
    return "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in data[:limit])


def told(leaf: Leaf, physical: Any, limit: int = TEXT) -> dict[str, str]:
    """A value as texts: `logical`, `python`, `physical`, `hex`, `text` (of bytes), `note`, and its `type`.

    `physical` is the stored value, None for null. Long texts are truncated and end with their length. `note` says what
    is odd, and whether a timestamp is an instant.
    """
    whole = len(physical) if isinstance(physical, bytes) else 0
    cut = physical[:WHOLE] if whole > WHOLE else physical
    value = explain_value(leaf, cut)
    raw = bytes.fromhex(value["hex"])
    logical, note = shorten(value["logical"], limit), value["note"]
    if whole > WHOLE:
        logical = f"{value['logical'][:limit]}… ({whole:,} bytes)"
        note = f"the first {WHOLE:,} of {whole:,} bytes"
    hexed = hexadecimal(raw)
    if whole > BYTES:
        hexed = f"{raw[:BYTES].hex(' ')} … ({whole:,} bytes)"
    stored = hexed if isinstance(physical, bytes) else str(physical)
    python = value["python"]
    spelt = repr(python[:limit] if isinstance(python, (bytes, str)) else python)
    if isinstance(python, (bytes, str)) and len(python) > limit:
        spelt += (
            f"… ({whole or len(python):,} {'bytes' if isinstance(python, bytes) else 'characters'})"
        )
    return {
        "type": value["type"],
        "logical": "null" if physical is None else logical,
        "python": shorten(spelt, limit + 40),
        "physical": shorten(stored, limit),
        "hex": hexed,
        "text": characters(raw) if isinstance(physical, bytes) else "",
        "note": note,
    }
