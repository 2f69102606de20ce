"""Every annotation on every physical type: what does not fit is a finding, and its values are as stored.

One file for each physical type and width, with a column for each annotation, and everything that can be asked of it.
"""

import datetime
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import rebuilt
from quick import quick

import pqexplore
from pqexplore.cli import FOUND, main
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.logical import annotation, physical_name
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, Type
from pqexplore.insight import lenses
from pqexplore.widget import lens as lens_view

ROWS = 40


def _units(struct, **fields):
    kinds = [structs.MilliSeconds, structs.MicroSeconds, structs.NanoSeconds]
    names = ["MILLIS", "MICROS", "NANOS"]
    known = [structs.TimeUnit(**{name: kind()}) for name, kind in zip(names, kinds)]
    return [struct(isAdjustedToUTC=True, unit=unit) for unit in (*known, structs.TimeUnit())]


def _logical() -> dict[str, structs.LogicalType]:
    found = {
        "string": {"STRING": structs.StringType()},
        "enum": {"ENUM": structs.EnumType()},
        "json": {"JSON": structs.JsonType()},
        "bson": {"BSON": structs.BsonType()},
        "uuid": {"UUID": structs.UUIDType()},
        "float16": {"FLOAT16": structs.Float16Type()},
        "date": {"DATE": structs.DateType()},
        "unknown": {"UNKNOWN": structs.NullType()},
        "list": {"LIST": structs.ListType()},
        "map": {"MAP": structs.MapType()},
        "variant": {"VARIANT": structs.VariantType()},
        "geometry": {"GEOMETRY": structs.GeometryType()},
        "geography": {"GEOGRAPHY": structs.GeographyType(crs="x" * 50, algorithm=9)},
    }
    for name, struct in (("time", structs.TimeType), ("timestamp", structs.TimestampType)):
        for unit, made in zip(("ms", "us", "ns", "unit"), _units(struct)):
            found[f"{name}_{unit}"] = {name.upper(): made}
        found[f"{name}_bare"] = {name.upper(): struct()}
    for width in (8, 16, 32, 64, 0, 7, -8, 127):
        for signed in (True, False):
            name = f"int_{width}_{'signed' if signed else 'unsigned'}"
            found[name] = {"INTEGER": structs.IntType(bitWidth=width, isSigned=signed)}
    for precision, scale in ((1, 0), (9, 2), (18, 18), (38, 5), (200, 100), (0, 0), (5, 6), (5, -1)):
        made = structs.DecimalType(precision=precision, scale=scale)
        found[f"decimal_{precision}_{scale}"] = {"DECIMAL": made}
    found["decimal_bare"] = {"DECIMAL": structs.DecimalType()}
    return {name: structs.LogicalType(**one) for name, one in found.items()}


LOGICAL = _logical()
CONVERTED = [*map(int, ConvertedType), 24, 99]

_FIXED = (1, 2, 3, 8, 12, 16, 17)
BYTES = [bytes((n * k) % 251 for k in range(1, 42)) for n in range(ROWS)]
STORED = {
    "BOOLEAN": pa.array([n % 3 == 0 for n in range(ROWS)]),
    "INT32": pa.array([(n - 5) * 54_321_987 % 2**31 for n in range(ROWS)], pa.int32()),
    "INT64": pa.array([(n - 5) * 2**57 for n in range(ROWS)], pa.int64()),
    "INT96": pa.array([datetime.datetime(2026, 1, 1 + n // 2) for n in range(ROWS)]),
    "FLOAT": pa.array(np.linspace(-3, 1e9, ROWS, dtype=np.float32)),
    "DOUBLE": pa.array([n / 7 for n in range(ROWS - 1)] + [float("nan")]),
    "BYTE_ARRAY": pa.array([one[: n % 9] for n, one in enumerate(BYTES)], pa.binary()),
} | {f"FIXED_LEN_BYTE_ARRAY({width})": pa.array([one[:width] for one in BYTES], pa.binary(width)) for width in _FIXED}


def _annotated(stored: str) -> bytes:
    """A file with a column for each annotation; every third is required, every other has a dictionary."""
    names = [*LOGICAL, *(f"converted_{number}" for number in CONVERTED)]
    values = STORED[stored]
    nullable = pa.array([None if n % 10 == 4 else one for n, one in enumerate(values.to_pylist())])
    nullable = nullable.cast(values.type)
    fields = [pa.field(name, values.type, nullable=n % 3 > 0) for n, name in enumerate(names)]
    table = pa.table([nullable if field.nullable else values for field in fields], schema=pa.schema(fields))
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        use_dictionary=names[::2] if stored != "BOOLEAN" else False,
        write_page_index=True,
        use_deprecated_int96_timestamps=stored == "INT96",
        store_schema=False,
        write_statistics=True,
        data_page_size=200,
    )

    def annotate(elements):
        for element, name in zip(elements[1:], names, strict=True):
            element.converted_type = element.precision = element.scale = None
            element.logicalType = LOGICAL.get(name)
            if name.startswith("converted_"):
                element.converted_type = int(name.rpartition("_")[2])
                if element.converted_type == ConvertedType.DECIMAL:
                    element.precision, element.scale = 12, 2
        return elements

    def order(orders):
        total = structs.ColumnOrder(IEEE_754_TOTAL_ORDER=structs.IEEE754TotalOrder())
        return [total if n % 4 == 1 else one for n, one in enumerate(orders)]

    return rebuilt(sink.getvalue().to_pybytes(), schema=annotate, column_orders=order)


@pytest.fixture(params=quick(STORED, "INT64", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY(16)"), scope="module")
def opened(request):
    with pqexplore.open(_annotated(request.param)) as file:
        yield file


def _plain_type(leaf) -> pa.DataType:
    """The Arrow type of a column without annotation."""
    if leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY:
        return pa.binary(leaf.type_length)
    return {
        Type.BOOLEAN: pa.bool_(),
        Type.INT32: pa.int32(),
        Type.INT64: pa.int64(),
        Type.INT96: pa.timestamp("ns"),
        Type.FLOAT: pa.float32(),
        Type.DOUBLE: pa.float64(),
        Type.BYTE_ARRAY: pa.binary(),
    }[leaf.physical_type]


def _unfit(file):
    return [leaf for leaf in file.schema.leaves if annotation(leaf).problem is not None]


def test_most_annotations_fit_few_types(opened):
    """So that the tests below are about something."""
    leaves = opened.schema.leaves
    assert len(leaves) == len(LOGICAL) + len(CONVERTED)
    assert 30 < len(_unfit(opened)) < len(leaves)


def test_what_does_not_fit_is_a_finding(opened):
    told = {finding.address for finding in opened.check() if finding.rule in ("annotation", "unsupported")}
    assert {f"schema/{leaf.index}" for leaf in _unfit(opened)} <= told


def test_what_does_not_fit_has_its_values_as_stored(opened):
    for leaf in _unfit(opened):
        pages = opened.row_groups[0].columns[leaf.leaf_index].pages
        for page in pages:
            assert page.values.type == _plain_type(leaf), leaf.name
            assert len(page.values) == len(page.physical)


def test_a_table_of_what_does_not_fit_is_refused(opened):
    for leaf in opened.schema.leaves:
        problem = annotation(leaf).problem
        try:
            assert opened.read([leaf.path]).num_rows == ROWS
        except ParquetError as error:
            if problem is not None:
                assert (type(error), error.address) == (type(problem), f"schema/{leaf.index}")
                assert "page.values has its values as stored" in error.message
        else:
            assert problem is None


PLACES = ("", "/column_index", "/pages/0", "/pages/0/values/0", "/pages/1")
WHOLE = ("layout", "compare")
"""Lenses that show the same for each column."""


def _places(file, leaf):
    """The nodes of a column that are there, outermost first."""
    for place in PLACES:
        try:
            yield file.node(f"row_groups/0/columns/{leaf.leaf_index}{place}")
        except (ParquetError, KeyError):
            assert place not in ("", "/pages/0")


def _asked(file, node):
    """Everything to ask of a node, by name."""
    yield "facts", lambda: [repr(fact) for fact in node.facts]
    yield "children", lambda: list(node.children[:5])
    for lens in [one for one in lenses.applying(node) if one.name not in WHOLE]:

        def look(lens=lens):
            shown = lenses.finish(lens_view.payload(file, node, lens, sure=True))
            json.dumps(shown, allow_nan=False)

        yield lens.name, look


def test_every_node_and_every_lens_answers(opened):
    """Of every fourth column, and of others on the next type, because this takes long."""
    wrong = []
    first = list(STORED).index(physical_name(opened.schema.leaves[0])) % 4
    for leaf in opened.schema.leaves[first::4]:
        for node in _places(opened, leaf):
            for what, ask in _asked(opened, node):
                try:
                    ask()
                except ParquetError:
                    pass
                except Exception as error:
                    said = f"{type(error).__name__}: {error}"
                    wrong.append(f"{leaf.name}, {what} at {node.address}: {said}")
    assert wrong == []


def test_the_command_line(opened, tmp_path, capsys):
    path = tmp_path / "x.parquet"
    path.write_bytes(opened.source.read(0, opened.size))
    assert main([str(path), "--check"]) == FOUND
    for leaf in opened.schema.leaves[::4]:  # each annotation is in several of the files
        chunk = f"row_groups/0/columns/{leaf.leaf_index}"
        assert main([str(path), "--at", chunk, "--json"]) == 0
        assert main([str(path), "--at", chunk, "--view", "statistics"]) == 0
    assert main([str(path)]) == 0
    assert capsys.readouterr().err == ""
