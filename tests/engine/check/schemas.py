"""Files for the tests of the schema's rules: a tree of fields without rows, and a column whose only value is null."""

from engine.check import forged

from pqexplore.engine.format.field import OPTIONAL, REPEATED, REQUIRED
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import LogicalType, Type
from pqexplore.engine.writer import assembly
from pqexplore.engine.writer.assembly import element

__all__ = ["OPTIONAL", "REPEATED", "REQUIRED"]


def group(name, *fields, repetition=OPTIONAL, **changes):
    """The elements of a group: its own, and those of its fields."""
    kind = changes.pop("type", None)
    own = element(name, kind, repetition, **{"num_children": len(fields)} | changes)
    return [own, *(each for field in fields for each in field)]


def leaf(name, kind=Type.INT32, repetition=OPTIONAL, **changes):
    """The element of a leaf, in a list, as `group` takes it."""
    return [element(name, kind, repetition, **changes)]


def schema(*fields, root=None, file=None):
    """A file without rows; `root` overrides fields of the root, `file` of the FileMetaData."""
    elements = group("schema", *fields, **{"repetition": None} | (root or {}))
    return assembly.file(elements, [], **file or {})


def column(kind=Type.INT32, *, file=None, **changes):
    """A file of one optional column with one null; `changes` override fields of its SchemaElement."""
    levels = assembly.levels_v2(forged.bits([0]), 1)
    page = assembly.page_v2(b"", 1, 1, 1, definition_levels=levels)
    own = element(changes.pop("name", "a"), kind, OPTIONAL, **changes)
    chunk = assembly.chunk([own.name or ""], kind, [page])
    return assembly.file([forged.root(), own], [assembly.row_group([chunk], 1)], **file or {})


def annotated(**fields):
    """A LogicalType: `annotated(DATE=structs.DateType())`."""
    return LogicalType(**fields)


def plain(name):
    """A LogicalType without parameters, by its name."""
    kind = next(field.type for field in LogicalType.FIELDS if field.name == name)
    return structs.union_of(LogicalType, name, getattr(structs, kind)())


def integer(bits, signed=True):
    return LogicalType(INTEGER=structs.IntType(bitWidth=bits, isSigned=signed))


def decimal(precision, scale=0):
    return LogicalType(DECIMAL=structs.DecimalType(precision=precision, scale=scale))


def time(unit="MILLIS", utc=True, kind="TIME"):
    units = {"MILLIS": structs.MilliSeconds, "MICROS": structs.MicroSeconds, "NANOS": structs.NanoSeconds}
    counted = structs.TimeUnit() if unit is None else structs.union_of(structs.TimeUnit, unit, units[unit]())
    struct = structs.TimeType if kind == "TIME" else structs.TimestampType
    return structs.union_of(LogicalType, kind, struct(isAdjustedToUTC=utc, unit=counted))


def timestamp(unit="MICROS", utc=True):
    return time(unit, utc, "TIMESTAMP")
