"""Leaves of other types and annotations, over chunks with other statistics: what the writer never combines."""

from pqexplore.engine.format.thrift import struct_spans, structs
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.format.thrift.structs import Type

ANNOTATIONS = list(structs.LogicalType.FIELDS)
BOUNDS = ("min", "max", "min_value", "max_value")
COUNTS = ("null_count", "distinct_count", "nan_count")


def schema_and_statistics(parts, rng):
    """A leaf gets another type or annotation, or its chunks other statistics, indexes or orders: any of these together."""
    metadata = struct_spans.to_object(struct_spans.read(structs.FileMetaData, parts.raw))
    elements = metadata.schema or []
    leaves = [element for element in elements if element.type is not None]
    if not leaves:
        return None
    position = rng.randrange(len(leaves))
    for _ in range(rng.choice((1, 2, 3))):
        rng.choice((_retype, _annotate, _annotate, _measure))(leaves[position], rng)
    for group in metadata.row_groups or ():
        chunk = group.columns[position] if position < len(group.columns or ()) else None
        if chunk is not None and chunk.meta_data is not None and rng.random() < 0.8:
            if rng.random() < 0.5:
                chunk.meta_data.type = leaves[position].type
            if rng.random() < 0.7:
                chunk.meta_data.statistics = _statistics(chunk.meta_data.statistics, rng)
    if rng.random() < 0.3:
        orders = list(structs.ColumnOrder.FIELDS)
        order = structs.union_of(structs.ColumnOrder, (field := rng.choice(orders)).name, field.struct())
        metadata.column_orders = [order] * rng.choice((len(leaves), len(leaves), 1, 0))
    return parts.together(footer=lambda raw: encode(metadata))


def _retype(element, rng):
    element.type = rng.choice(list(Type))
    element.type_length = rng.choice((None, element.type_length, 0, 1, 2, 12, 16, 17, 1 << 20, -1))
    if rng.random() < 0.2:
        element.repetition_type = rng.choice((None, 0, 1, 2, 3))


def _annotate(element, rng):
    element.converted_type = rng.choice((None, None, rng.randrange(-1, 24)))
    field = rng.choice(ANNOTATIONS)
    made = field.struct()
    for inner in made.FIELDS:
        if inner.struct is None:
            choices = {"bool": (True, False), "string": ("", "OGC:CRS84", "x" * 300)}
            number = rng.choice((0, 1, 8, 16, 38, 39, 64, 77, 1000, -1))
            numbers = (rng.randrange(-1, 5),) if inner.base not in ("i32", "i8") else (number,)
            if inner.base == "i8":
                numbers = (max(-128, min(127, number)),)
            setattr(made, inner.name, rng.choice(choices.get(inner.base, numbers)))
        elif inner.struct.FIELDS:
            unit = rng.choice(inner.struct.FIELDS)
            if unit.struct is not None:
                setattr(made, inner.name, inner.struct(**{unit.name: unit.struct()}))
    element.logicalType = structs.LogicalType(**{field.name: made})


def _measure(element, rng):
    element.scale = rng.choice((None, 0, 2, 38, -3, (1 << 31) - 1))
    element.precision = rng.choice((None, 0, 9, 18, 38, 76, 77, 1000, -1, (1 << 31) - 1))


def _statistics(old, rng):
    made = structs.Statistics() if old is None or rng.random() < 0.3 else old
    for name in rng.sample(BOUNDS, rng.choice((1, 2, 4))):
        size = rng.choice((0, 1, 2, 4, 8, 12, 16, 40))
        bound = rng.choice((rng.randbytes(size), bytes(size), b"\xff" * size, b"\x7f" * size, None))
        setattr(made, name, bound)
    for name in rng.sample(COUNTS, rng.randrange(3)):
        setattr(made, name, rng.choice((None, 0, 1, -1, 1 << 40, (1 << 63) - 1)))
    if rng.random() < 0.3:
        made.is_min_value_exact, made.is_max_value_exact = rng.choice((True, False, None)), False
    return made
