"""The encodings of values and levels, one module each.

    scan        bytes → structure: runs, blocks, miniblocks, prefixes, vectors, as arrays
    decode      bytes → values, vectorised, from the structure if there is no faster way
    encode      values → bytes
    reference   bytes → values, one at a time, as the specification describes: the oracle of the tests
    ENCODING    the record that the rest of the program reads

A structure (`encoding.Structure`) has the steps of a section, decodes them, and explains each: its bytes, groups of
bits, the arithmetic, and the values it yields. Traces of pages and the Encoding lens use only the structure.

All functions take the decrypted and decompressed bytes of a section of a page. The caller passes what the bytes do not
contain: the number of values, the physical type. Levels use `rle` and `bit_packed`;
dictionary ids use `dictionary`. Shared machinery: `bits`, `packed_rows`, `run_scan`, `run_expansion`, `run_joining`, `byte_array_scan`,
`delta_stream`, `alp_vectors`.
"""

from __future__ import annotations

from pqexplore.engine.errors import UndefinedNumberError
from pqexplore.engine.format.encodings import (
    alp,
    bit_packed,
    byte_stream_split,
    delta_binary_packed,
    delta_byte_array,
    delta_length_byte_array,
    dictionary,
    plain,
    rle_boolean,
)
from pqexplore.engine.format.encodings.encoding import SectionEncoding, ValueEncoding

_RECORDS: tuple[SectionEncoding, ...] = (
    plain.ENCODING,
    *dictionary.ENCODINGS,
    rle_boolean.ENCODING,
    bit_packed.ENCODING,
    delta_binary_packed.ENCODING,
    delta_length_byte_array.ENCODING,
    delta_byte_array.ENCODING,
    byte_stream_split.ENCODING,
    alp.ENCODING,
)

REGISTRY: dict[int | None, SectionEncoding] = {int(one.number): one for one in _RECORDS}
"""Every encoding that is known, by its number."""


def value_encoding(number: int) -> ValueEncoding:
    """The encoding of that number, if it is one of values that stands by itself.

    Raises `UnsupportedFeatureError` for other numbers. Dictionary encodings (2 and 8) are among them here, because
    they need the dictionary too: see `dictionary`.
    """
    found = REGISTRY.get(number)
    if not isinstance(found, ValueEncoding):
        known = [one for one in REGISTRY.values() if isinstance(one, ValueEncoding)]
        raise UndefinedNumberError(
            f"values of the encoding number {int(number)} cannot be read; "
            f"known are {', '.join(f'{int(one.number)} ({one.name})' for one in known)}, 2 and 8 (dictionary)"
        )
    return found
