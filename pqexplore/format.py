"""The parts of the format by themselves: bytes in, meaning out, for a look inside as the notebooks take it.

- `structs` has every struct and enum of the format, `decode_struct` makes one of its bytes.
- `name_levels` says what each definition and repetition level of a leaf means.
- `delta_binary_packed` is one encoding: `scan`, `decode`, `encode` and a short `reference_stream`.
- `encode_variant` and `decode_variant` go from Python values to Variants and back, `encode_variants` makes a column.
- `Module`, `ModuleType` and `explain_aad` are the parts of encryption: what a module's AAD is made of.
"""

from __future__ import annotations

from pqexplore.engine.format.encodings import delta_binary_packed
from pqexplore.engine.format.encryption.modules import Module, ModuleType, explain_aad
from pqexplore.engine.format.nesting.levels import name_levels
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.fast import decode as decode_struct
from pqexplore.engine.format.variant.decode import decode as decode_variant
from pqexplore.engine.format.variant.encode import encode as encode_variant
from pqexplore.engine.format.variant.encode import encode_array as encode_variants

__all__ = [
    "Module",
    "ModuleType",
    "decode_struct",
    "decode_variant",
    "delta_binary_packed",
    "encode_variant",
    "encode_variants",
    "explain_aad",
    "name_levels",
    "structs",
]


def __dir__() -> list[str]:
    return list(__all__)
