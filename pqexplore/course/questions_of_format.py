"""Questions of the self-test about the format: chapters 01 to 06. What is right is known from how a file was made."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pyarrow as pa

from pqexplore.course.question import question, write
from pqexplore.engine.format.varint import varint
from pqexplore.engine.writer.options import Encryption, WriteOptions

WORDS = ("amber", "basil", "cedar", "dune", "ember", "fjord", "grove", "heath", "islet", "jade")


@question("01")
def footer_length(draw: random.Random, path: Path) -> tuple[str, object]:
    """The number before the last magic."""
    names = draw.sample(WORDS, draw.randint(3, 8))
    write(pa.table({name: range(draw.randint(10, 20), 40)[:10] for name in names}), path)
    data = path.read_bytes()
    return (
        f"How many bytes does the footer of {path.name} have, without its length and the magic?",
        int.from_bytes(data[-8:-4], "little"),
    )


@question("01")
def last_row_group(draw: random.Random, path: Path) -> tuple[str, object]:
    """Rows are cut into row groups; the last one has what is left."""
    size, whole, rest = draw.randint(50, 90), draw.randint(3, 7), draw.randint(1, 49)
    table = pa.table({"n": pa.array(range(size * whole + rest))})
    write(table, path, WriteOptions(row_group_rows=size))
    return (
        f"How many row groups does {path.name} have, and how many rows has the last one? Answer as a pair.",
        (whole + 1, rest),
    )


@question("02")
def width_of_indexes(draw: random.Random, path: Path) -> tuple[str, object]:
    """As many bits as the largest index needs."""
    distinct = draw.randint(5, 900)
    values = [f"v{i}" for i in range(distinct)]
    values += draw.choices(values, k=200)
    write(pa.table({"word": values}), path)
    return (
        f"The column `word` of {path.name} has {distinct} different values. How many bits does each index into its "
        "dictionary take in a bit-packed run?",
        (distinct - 1).bit_length(),
    )


@question("02")
def number_as_varint(draw: random.Random, path: Path) -> tuple[str, object]:
    """Seven bits in each byte, the lowest first."""
    number = draw.randint(300, 2_000_000)
    return (f"Which bytes are the number {number:,} as a varint (ULEB128)? Answer with a bytes object.", varint(number))


@question("02")
def header_of_a_run(draw: random.Random, path: Path) -> tuple[str, object]:
    """The lowest bit is the kind, the rest a count: of values, or of groups of eight."""
    count, packed = draw.randint(3, 300), draw.random() < 0.5
    header = varint(count << 1 | packed)
    return (
        f"A run of the RLE and bit-packing hybrid begins with the header {header.hex(' ')} (hexadecimal). "
        'Which kind is it, "rle" or "bit-packed", and how many values does it stand for? Answer as a pair.',
        ("bit-packed" if packed else "rle", count * 8 if packed else count),
    )


@question("02")
def smallest_difference(draw: random.Random, path: Path) -> tuple[str, object]:
    """What DELTA_BINARY_PACKED stores for a block."""
    clock = [draw.randint(10_000, 90_000)]
    for _ in range(100):
        clock.append(clock[-1] + draw.randint(-40, 400))
    table = pa.table({"clock": pa.array(clock, pa.int64())})
    write(table, path, WriteOptions(encoding="DELTA_BINARY_PACKED", codec="UNCOMPRESSED"))
    return (
        f"The column `clock` of {path.name} is written as DELTA_BINARY_PACKED, in one block. "
        "Which smallest difference (min delta) does this block store?",
        min(after - before for before, after in itertools.pairwise(clock)),
    )


@question("02")
def shared_prefix(draw: random.Random, path: Path) -> tuple[str, object]:
    """What DELTA_BYTE_ARRAY copies from the value before."""
    names = sorted(f"{draw.choice(WORDS)}-{draw.randint(0, 9_999):04}" for _ in range(60))
    row = draw.randint(1, 59)
    write(pa.table({"name": names}), path, WriteOptions(encoding="DELTA_BYTE_ARRAY"))
    same = [one == other for one, other in zip(names[row - 1], names[row], strict=False)]
    common = [*same, False].index(False)
    return (
        f"The column `name` of {path.name} is written as DELTA_BYTE_ARRAY. How many bytes does value {row} take from the "
        "value before it, and how many does it store itself? Values count from 0. Answer as a pair.",
        (common, len(names[row]) - common),
    )


@question("03")
def largest_levels(draw: random.Random, path: Path) -> tuple[str, object]:
    """Each optional field and each list adds a definition level, each list a repetition level."""
    kind: pa.DataType = pa.int32()
    needed = draw.random() < 0.5
    field = pa.field("x", kind, nullable=not needed)
    definition, repetition = int(not needed), 0
    for _ in range(draw.randint(2, 4)):
        needed = draw.random() < 0.5
        if draw.random() < 0.5:
            field = pa.field("x", pa.list_(field.with_name("element")), nullable=not needed)
            definition, repetition = definition + 1 + (not needed), repetition + 1
        else:
            field = pa.field("x", pa.struct([field.with_name("of")]), nullable=not needed)
            definition += not needed
    write(pa.schema([field]).empty_table(), path)
    return (
        f"What are the largest definition level and the largest repetition level of the only leaf in {path.name}? "
        "Answer as a pair.",
        (definition, repetition),
    )


@question("03")
def level_of_a_row(draw: random.Random, path: Path) -> tuple[str, object]:
    """Null, empty, a null element, a value: levels 0 to 3."""
    kinds: list[list[int | None] | None] = [None, [], [None], [draw.randint(1, 9)]]
    levels = [draw.randrange(4) for _ in range(12)]
    row = draw.randrange(12)
    write(pa.table({"tags": pa.array([kinds[one] for one in levels], pa.list_(pa.int32()))}), path)
    return (
        f"Each row of `tags` in {path.name} is one entry. What is the definition level of that of row {row}? The list and "
        "its elements are optional; rows count from 0.",
        levels[row],
    )


@question("04")
def row_groups_to_read(draw: random.Random, path: Path) -> tuple[str, object]:
    """Those whose bounds hold the value."""
    bounds = [sorted(draw.sample(range(1_000), 2)) for _ in range(6)]
    values = [one for low, high in bounds for one in (low, (low + high) // 2, (low + high) // 2, high)]
    wanted = draw.choice(values)
    write(pa.table({"id": pa.array(values, pa.int32())}), path, WriteOptions(encoding="PLAIN", row_group_rows=4))
    return (
        f"By the statistics of its chunks, which row groups of {path.name} may have rows with `id = {wanted}`? "
        "Answer with a set of their numbers, counted from 0.",
        {group for group, (low, high) in enumerate(bounds) if low <= wanted <= high},
    )


@question("04")
def pages_to_read(draw: random.Random, path: Path) -> tuple[str, object]:
    """The page index says it for sorted values without reading a page."""
    size, pages, step = draw.randint(20, 40), draw.randint(8, 14), draw.randint(2, 9)
    values = [step * row for row in range(size * pages)]
    low = draw.randrange(len(values) - 3 * size)
    high = low + draw.randint(1, 3 * size - 1)
    table = pa.table({"at": pa.array(values, pa.int64())})
    write(table, path, WriteOptions(encoding="PLAIN", page_rows=size))
    return (
        f"By its page index, which data pages of {path.name} may have rows with `at BETWEEN {values[low]} AND {values[high]}`? "
        "Answer with a set of their numbers, counted from 0.",
        set(range(low // size, high // size + 1)),
    )


@question("05")
def variant_value(draw: random.Random, path: Path) -> tuple[str, object]:
    """The basic type in the two lowest bits of the first byte, the rest in six."""
    values: list[int | str] = [draw.randint(-100, 100), draw.choice(WORDS)]
    right = draw.choice(values)
    if isinstance(right, int):
        data = b"\x0c" + right.to_bytes(1, "little", signed=True)
    else:
        data = bytes([len(right) << 2 | 1]) + right.encode()
    return (f"Which value are the bytes {data.hex(' ')} (hexadecimal) in the encoding of a Variant?", right)


@question("06")
def open_columns(draw: random.Random, path: Path) -> tuple[str, object]:
    """A column without a key of its own is not encrypted where column keys are given."""
    names = draw.sample(WORDS, 5)
    locked = draw.sample(names, draw.randint(2, 4))
    source = random.Random(draw.random())
    keys = Encryption(
        source.randbytes(16),
        {name: source.randbytes(16) for name in locked},
        plaintext_footer=True,
        file_unique=source.randbytes(8),
        nonces=lambda: lambda: source.randbytes(12),
    )
    table = pa.table({name: pa.array(range(20), pa.int32()) for name in names})
    write(table, path, WriteOptions(encryption=keys))
    return (
        f"The columns of {path.name} are {', '.join(names)}. Which of them can be read without a key? "
        "Answer with a set of names.",
        set(names) - set(locked),
    )
