"""Columns of a schema by their types, for tests of types and values."""

from pqexplore.engine.format import schema
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import LogicalType, SchemaElement

MILLIS = structs.TimeUnit(MILLIS=structs.MilliSeconds())
MICROS = structs.TimeUnit(MICROS=structs.MicroSeconds())
NANOS = structs.TimeUnit(NANOS=structs.NanoSeconds())


def leaf(physical, logical=None, *, length=None, converted=None, precision=None, scale=None, repetition=0, order=None):
    """A column `c` of a file with just this column; `logical` is e.g. `{"STRING": StringType()}`."""
    element = SchemaElement(type=int(physical), type_length=length, repetition_type=repetition, name="c",
        converted_type=converted, precision=precision, scale=scale,
        logicalType=None if logical is None else LogicalType(**logical))  # fmt: skip
    root = SchemaElement(name="schema", num_children=1)
    return schema.build([root, element], column_orders=None if order is None else [order]).leaves[0]


def integer(bits, signed):
    return {"INTEGER": structs.IntType(bitWidth=bits, isSigned=signed)}


def dec(precision, scale):
    return {"DECIMAL": structs.DecimalType(precision=precision, scale=scale)}


def time(unit, utc=True):
    return {"TIME": structs.TimeType(isAdjustedToUTC=utc, unit=unit)}


def timestamp(unit, utc=True):
    return {"TIMESTAMP": structs.TimestampType(isAdjustedToUTC=utc, unit=unit)}


STRING = {"STRING": structs.StringType()}
UUID = {"UUID": structs.UUIDType()}
FLOAT16 = {"FLOAT16": structs.Float16Type()}
DATE = {"DATE": structs.DateType()}
