"""Questions of the self-test about files in use: chapters 07 to 13. What is right is known from how a file was made."""

from __future__ import annotations

import decimal
import random
from pathlib import Path

import pyarrow as pa

from pqexplore.course.question import question, write
from pqexplore.course.questions_of_format import WORDS
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.output_file import writing
from pqexplore.engine.writer.options import WriteOptions


def _folder(path: Path) -> Path:
    """A folder of the question's name, for several files."""
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    return folder


@question("07")
def another_type(draw: random.Random, path: Path) -> tuple[str, object]:
    """One writer has changed its mind."""
    folder, other, column = _folder(path), draw.randrange(5), draw.choice(WORDS)
    names = sorted({column, *draw.sample(WORDS, 3)})
    for file in range(5):
        kinds = {name: pa.int64() for name in names}
        if file == other:
            kinds[column] = draw.choice([pa.int32(), pa.string(), pa.float64()])
        columns = {name: pa.array([1, 2, 3]).cast(kind) for name, kind in kinds.items()}
        write(pa.table(columns), folder / f"part-{file}.parquet")
    return (
        f"In one file of the folder {folder.name} a column has another type than in the others. Which file, and which "
        'column? Answer as a pair of names, such as ("part-9.parquet", "lake").',
        (f"part-{other}.parquet", column),
    )


@question("08")
def files_by_bounds(draw: random.Random, path: Path) -> tuple[str, object]:
    """An index of minimum and maximum keeps a file that has the value between its bounds, also where it is missing."""
    folder = _folder(path)
    held = [sorted(draw.sample(range(100), 4)) for _ in range(6)]
    wanted = draw.choice([value for values in held for value in values[1:-1]])
    for file, values in enumerate(held):
        table = pa.table({"id": pa.array(values, pa.int32())})
        write(table, folder / f"part-{file}.parquet", WriteOptions(encoding="PLAIN"))
    return (
        f"Which files of the folder {folder.name} must be read for `id = {wanted}`, if a data skipping index holds the "
        "minimum and maximum of each file, and nothing else? Answer with a set of names.",
        {f"part-{file}.parquet" for file, values in enumerate(held) if values[0] <= wanted <= values[-1]},
    )


@question("09")
def column_that_skips(draw: random.Random, path: Path) -> tuple[str, object]:
    """Only where the values are in order do bounds exclude row groups."""
    names = draw.sample(WORDS, 4)
    ordered = draw.choice(names)
    columns = {}
    for name in names:
        values = list(range(1_000))
        if name != ordered:
            draw.shuffle(values)
        columns[name] = pa.array(values, pa.int32())
    write(pa.table(columns), path, WriteOptions(encoding="PLAIN", row_group_rows=100))
    return (
        f"The columns of {path.name} hold the numbers 0 to 999 in some order, in row groups of 100 rows. For which column "
        "does the condition `= 500` skip all row groups but one? Answer with its name.",
        ordered,
    )


@question("10")
def largest_column(draw: random.Random, path: Path) -> tuple[str, object]:
    """Bytes on disk, not values: what repeats is small."""
    names = draw.sample(WORDS, 4)
    columns = {
        names[0]: pa.array([draw.choice(WORDS) * 9 for _ in range(2_000)]),
        names[1]: pa.array([draw.random() for _ in range(2_000)]),
        names[2]: pa.array(range(2_000), pa.int64()),
        names[3]: pa.array([draw.randrange(100) for _ in range(2_000)], pa.int16()),
    }
    order = draw.sample(names, 4)
    encoded: dict[str | tuple[str, ...], dict[str, str]] = {names[2]: {"encoding": "DELTA_BINARY_PACKED"}}
    table = pa.table({name: columns[name] for name in order})
    write(table, path, WriteOptions(codec="ZSTD", columns=encoded))
    return (f"Which column of {path.name} takes the most bytes in the file? Answer with its name.", names[1])


@question("11")
def groups_after_sorting(draw: random.Random, path: Path) -> tuple[str, object]:
    """The order of the rows decides which row groups a query reads."""
    found = draw.sample(range(10_000), 1_000)
    low = draw.randrange(1_000, 7_000)
    high = low + draw.randrange(500, 2_500)
    write(pa.table({"id": pa.array(found, pa.int32())}), path)
    groups = range(10)
    held = sorted(found)
    kept = [at for at in groups if held[100 * at] <= high and held[100 * at + 99] >= low]
    return (
        f"The rows of {path.name} are in no order. If they were sorted by `id`, and written in row groups of 100 rows, which "
        f"row groups would the condition `id BETWEEN {low} AND {high}` not exclude? Answer with a list of numbers. "
        "Row groups count from 0.",
        kept,
    )


@question("12")
def unscaled_decimal(draw: random.Random, path: Path) -> tuple[str, object]:
    """A decimal is an integer and a scale."""
    scale, row = draw.randint(1, 4), draw.randrange(8)
    unscaled = [draw.randint(-(10**8), 10**8) for _ in range(8)]
    values = [decimal.Decimal(one).scaleb(-scale) for one in unscaled]
    write(pa.table({"price": pa.array(values, pa.decimal128(9, scale))}), path)
    return (
        f"Which integer is stored in {path.name} for the decimal in row {row} of `price`? Rows count from 0.",
        unscaled[row],
    )


@question("13")
def damaged_page(draw: random.Random, path: Path) -> tuple[str, object]:
    """A checksum says in which page a byte has changed."""
    names = draw.sample(WORDS, 3)
    columns = {name: [draw.randrange(10**6) for _ in range(400)] for name in names}
    options = WriteOptions(encoding="PLAIN", codec="UNCOMPRESSED", page_rows=100)
    write(pa.table({name: pa.array(values) for name, values in columns.items()}), path, options)
    name, page = draw.choice(names), draw.randrange(4)
    with open_file(path) as file:
        frame = file.row_groups[0].columns[name].pages[page].frame
    data = bytearray(path.read_bytes())
    data[draw.randrange(frame.header_end, frame.end)] ^= 1 << draw.randrange(8)
    with writing(path, overwrite=True) as out:
        out.write(data)
    return (
        f"One bit of {path.name} was flipped after it was written. In which column, and in which of its pages? "
        "Answer as a pair: the name, and the page's number. Pages count from 0.",
        (name, page),
    )
