"""How values become bytes: one module an encoding, each with `decode`, `trace` and `encode`.

`decode` is fast and gives all values; `trace` gives the same values as a derivation, step by step, with the bytes
of each step; `encode` is the way back. They take the bytes of a page's values section, decrypted and decompressed,
and know nothing of files. What an encoding needs and its bytes do not say (how many values, which physical type)
comes from outside.

Encodings of values share one interface: `decode(buffer, num_values, physical_type, type_length)` gives a null-free
Arrow array of the physical type. Levels use `rle` and `bit_packed`; dictionary ids use `dictionary`.
"""

from __future__ import annotations

import functools
import importlib
from types import ModuleType

from pqexplore.engine.errors import UnsupportedFeatureError

MODULES = {
    0: "plain",
    3: "rle_boolean",
    5: "delta_binary_packed",
    6: "delta_length_byte_array",
    7: "delta_byte_array",
    9: "byte_stream_split",
    10: "alp",
}
"""The modules of the encodings that stand by themselves, by the number of `Encoding`."""


@functools.cache
def value_encoding(encoding: int) -> ModuleType:
    """The module with `decode`, `trace` and `encode` for an encoding of values.

    Raises `UnsupportedFeatureError` for numbers that are no encoding of values. Dictionary encodings (2 and 8) are
    among them here, because they need the dictionary too: see `dictionary`.
    """
    if encoding not in MODULES:
        raise UnsupportedFeatureError(
            f"values of the encoding number {encoding} cannot be read; "
            f"known are {', '.join(f'{n} ({name})' for n, name in MODULES.items())}, 2 and 8 (dictionary)"
        )
    return importlib.import_module(f"{__name__}.{MODULES[encoding]}")
