"""The exercises of chapter 05."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pqexplore.course.equal_answers import in_order, inside, same, shortened
from pqexplore.course.exercise import exercise
from pqexplore.engine.errors import ParquetError

SHREDDED, READINGS = "variant-shredded.parquet", "readings.parquet"

TYPED = 0.9
"""The share of the readings that a field must fit to be shredded."""


@exercise(
    "05.1",
    "Which values are the Variants 15 68 65 6c 6c 6f and 10 2c 01?",
    "The two lowest bits of a header are the basic type, the six above them its length or its primitive type.",
    "15 is 000101 01: a short string. 10 is 000100 00: a primitive.",
    "Primitive type 4 is an int16: two bytes, the lower one first.",
)
def two_values(answer: object) -> bool | str:
    from pqexplore.format import decode_variant, encode_variant

    empty = encode_variant(None)[0]
    right = [decode_variant(empty, bytes.fromhex(one)) for one in ("1568656c6c6f", "102c01")]
    if same(answer, right[::-1]):
        return "The pair is swapped."
    if isinstance(answer, Sequence) and len(answer) == 2 and same(answer[1], 0x2C01):
        return "The lower byte of a number comes first."
    if isinstance(answer, Sequence) and len(answer) == 2:
        first, second = map(same, answer, right)
        if first is not second:
            return f"The {'first' if first else 'second'} is right, the other is not."
    return same(answer, right)


@exercise(
    "05.2",
    "Which bytes are the array [1, true]?",
    "1 is an int8: its header, and one byte. true is a header alone.",
    "Two elements have three offsets. They count from the first byte of the first value.",
    "The last offset is where the last value ends.",
)
def array_of_two(answer: object) -> bool | str:
    from pqexplore.format import decode_variant, encode_variant

    if not isinstance(answer, bytes | bytearray):
        return "Answer with bytes: bytes.fromhex('03 …')."
    try:
        value = decode_variant(encode_variant(None)[0], bytes(answer))
    except ParquetError as error:
        return f"These bytes are no Variant: {error}."
    return same(value, [1, True]) or f"These bytes are {shortened(value)}."


@exercise(
    "05.3",
    "What is the header of an array of 300 times the number 7?",
    "Each 7 takes two bytes. Where does the last value end, and how many bytes does that number take?",
    "One byte counts to 255.",
    "The basic type of an array is 3. It is in the two lowest bits, the width of the offsets minus one in the next two.",
)
def header_of_an_array(answer: object) -> bool | str:
    from pqexplore.format import encode_variant

    right = encode_variant([7] * 300)[1][0]
    if same(answer, bytes([right])):
        return True
    if same(answer, right | 0b1100) or same(answer, right & ~0b1100 | 0b1000):
        return "The width of the offsets is stored minus one."
    if same(answer, right & 0b1111):
        return "The number of elements is too large for one byte."
    if same(answer, right & ~0b1100):
        return "Offsets of one byte do not reach the end of the last value."
    return same(answer, right)


@exercise(
    "05.4",
    "Where is the column of id null although there is an id, and where because there is none?",
    "In the explorer, go to the rows one after the other: most have an id like their number.",
    "A field of another type is in the column value of its pair. Where there is no field, both columns are null.",
    "A row that is not an object has no fields; and a row can be null.",
)
def rows_without_typed_id(answer: object) -> bool | str:
    right: tuple[list[int], list[int]] = ([], [])
    for row, one in enumerate(_values(SHREDDED)):
        fields = one if isinstance(one, dict) else {}
        if "id" not in fields:
            right[1].append(row)
        elif not isinstance(fields["id"], int):
            right[0].append(row)
    if not isinstance(answer, Sequence) or len(answer) != 2:
        return "Answer with two lists of row numbers."
    given = [in_order(one) for one in answer]
    if same(given, right[::-1]):
        return "The two lists are swapped."
    return same(given, right)


@exercise(
    "05.5",
    "From which place does the value of row 8 come?",
    "Choose row 8 with its number, above the picture. Below are the steps by which the row is put together.",
    "It has one step only. Click it.",
)
def place_of_row_8(answer: object) -> bool | str | None:
    import pqexplore

    if answer == "schema/1":
        return None
    with pqexplore.open(SHREDDED) as file:
        chunk = file.row_groups[0].columns["v.value"]
        page = next(page for page in chunk.pages if page.is_data)
        levels = page.definition_levels
        assert levels is not None
        number = int((levels[:8] == chunk.leaf.max_definition_level).sum())
        if inside(answer, f"{page.address}/values/{number}"):
            return True
        if inside(answer, chunk.address):
            return "The column is right. Click the value of row 8 itself."
        return "That is another column."


@exercise(
    "05.6",
    "By which type should the readings be shredded?",
    "Which fields do all readings have? Count those that have the type you chose.",
    "A field that is missing in many readings, or is often of another type, keeps its place in value.",
    "An integer type must have room for the largest value: 60 * 1,999.",
)
def best_shredding(answer: object) -> bool | str:
    import pyarrow as pa

    if not isinstance(answer, pa.StructType):
        return "Answer with a type: pa.struct([(name, type), …])."
    rows = _values(READINGS)
    counts: Counter[tuple[str, type]] = Counter(
        (name, type(value)) for one in rows if isinstance(one, dict) for name, value in one.items()
    )
    wanted = {name for (name, _), count in counts.items() if count >= TYPED * len(rows)}
    for name, share in _shares(answer).items():
        if share < TYPED:
            return f"The column of {name} would have {share:.0%} of the readings."
    chosen = [field.name for field in answer]
    if wanted > set(chosen):
        return "Another field deserves a column, too."
    return sorted(chosen) == sorted(wanted)


def _values(path: str) -> list[object]:
    """The Variants of column v as Python values; None where a row is null."""
    import pqexplore
    from pqexplore.format import decode_variant

    with pqexplore.open(path) as file:
        rows = file.read()["v"].to_pylist()
    return [one and decode_variant(one["metadata"], one["value"]) for one in rows]


def _shares(shredding: object) -> dict[str, float]:
    """For each typed column of the readings, shredded by a type, the share of readings that it has."""
    import io

    import pqexplore

    sink = io.BytesIO()
    options = pqexplore.WriteOptions(columns={"v": {"logical_type": "VARIANT", "shredding": shredding}})
    with pqexplore.open(READINGS) as file:
        pqexplore.write(file.read(), sink, options)
        count = file.num_rows
    found = {}
    with pqexplore.open(sink.getvalue()) as file:
        for leaf in file.schema.leaves:
            if leaf.path[-1] == "typed_value":
                values = file.row_groups[0].columns[leaf.path].values
                found[".".join(leaf.path[2:-1])] = len(values) / count
    return found
