"""The ConvertedType that corresponds to a LogicalType; `field.logical_type` is the other direction.

Specification: https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#compatibility
"""

from __future__ import annotations

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType

_SIMPLE = {
    "STRING": ConvertedType.UTF8,
    "MAP": ConvertedType.MAP,
    "LIST": ConvertedType.LIST,
    "ENUM": ConvertedType.ENUM,
    "DECIMAL": ConvertedType.DECIMAL,
    "DATE": ConvertedType.DATE,
    "JSON": ConvertedType.JSON,
    "BSON": ConvertedType.BSON,
}
_WIDTHS = (8, 16, 32, 64)


def converted_type(logical: structs.LogicalType | None) -> int | None:
    """The ConvertedType that writers must write beside a logical type; None if there is none.

    Local times have that of times in UTC ("Deprecated timestamp ConvertedType").
    """
    chosen = structs.union_field(logical)
    if chosen is None:
        return None
    name, value = chosen
    if name == "INTEGER":
        if value.bitWidth not in _WIDTHS:
            return None
        return int(ConvertedType[f"{'INT' if value.isSigned else 'UINT'}_{value.bitWidth}"])
    if name in ("TIME", "TIMESTAMP"):
        unit = structs.union_field(value.unit)
        if unit is None or unit[0] == "NANOS":
            return None
        return int(ConvertedType[f"{name}_{unit[0]}"])
    return None if name not in _SIMPLE else int(_SIMPLE[name])
