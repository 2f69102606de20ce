"""What the text of chapter 12 claims of its files."""

import pqexplore


def line(name, condition, engine):
    """What an engine makes of a condition."""
    return pqexplore.ask(name, condition, engine=engine)


CLAIMS = [
    ("The bytes are equal, the values are not", "len({stored(f, n, 0)[0] for n in range(5)}) == 1 and len({str(stored(f, n, 0)[1]) for n in range(5)}) >= 4"),
    ("like all numbers of Parquet", "[stored(prices, kind, 0)[0][0] for kind in kinds[:2]] == [0xCF, 0xCF]"),
    ("the highest byte comes first", "stored(prices, kinds[2], 0)[0] == bytes([0, 0, 7, 0xCF])"),
    ("−1 needs only one", "stored(prices, kinds[3], 1)[0] == bytes([1, 0, 0, 0, 255])"),
    ("One hour passed, and the clock moved by two", "[second - first for first, second in (column.read().cast(pa.int64()).to_pylist() for column in clocks.columns)] == [3_600_000, 7_200_000]"),
    ("Any other reader, and this one, knows only that it is an instant", "str(clocks.read().schema.field('instant').type) == 'timestamp[ms, tz=UTC]'"),
    ("pyarrow wrote it into its own note", "pq.read_table('clocks.parquet').schema.field('instant').type.tz == 'Europe/Berlin'"),
    ("1970-01-01 is day 2,440,588", "julian(0) == '1969-12-19'"),
    ("have become the same type", "len({str(column.type) for column in old.columns}) == 1"),
    ("changes that for files that name it", "[chunk.statistics.min is not None for chunk in samples.int96_order.row_groups[0].columns] == [True, False]"),
    ("Day −141,428 is the last of that calendar", "julian(-141_428) == '1582-10-04' and epoch + dt.timedelta(-141_427) == dt.date(1582, 10, 15)"),
    ("Spark 4.3 shows its first day as 1492-10-12", "julian(-174_292) == '1492-10-12'"),
    ("only the key and the name of the writer matter", "[one.rule for one in history.diagnose().findings] == ['known-writer-defect-shown']"),
    ("a writer that found nothing else writes no bounds", "sensors.row_groups[0].columns['broken'].statistics.min is None"),
    ("A minimum of zero is always written as −0", "str(sensors.row_groups[0].columns['counts'].statistics.min) == '-0.0' and str(sensors.row_groups[0].columns['counts_ieee'].statistics.min) == '0.0'"),
    ("The bounds end at 4.0", "[sensors.row_groups[0].columns[name].statistics.max for name in ('readings', 'readings_ieee')] == [4.0, 4.0]"),
    ("it believes that nothing is above 1000", "line('sensors.parquet', 'readings > 1000', 'spark').wrong_rows and not line('sensors.parquet', 'readings > 1000', 'duckdb').wrong_rows"),
    ("A UUID is 16 bytes, the first digit first", "stored(pqexplore.open('small-types.parquet'), 'id', 0)[0] == key.bytes"),
    ("FLOAT16 is a number in two bytes", "stored(pqexplore.open('small-types.parquet'), 'half', 0)[0] == bytes([0, 0x3E])"),
]  # fmt: skip
