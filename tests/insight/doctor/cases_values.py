"""Files for the rules about values that get lost or changed: by readers, by joining files, by zones and calendars."""

import datetime

import numpy as np
import pyarrow as pa
from insight.doctor.doctor_cases import NUMBERS, Case, written
from made import sample

OLD = datetime.datetime(1399, 1, 9)
NEW = datetime.datetime(1999, 1, 9)


def int96(*moments, **options):
    """A file of Spark's kind: timestamps in INT96."""
    table = pa.table({"n": np.arange(len(moments)), "t": pa.array(moments, pa.timestamp("us"))})
    return written(table, use_deprecated_int96_timestamps=True, **options)


def joined(*parts):
    """Files one after the other, as `cat` joins them."""
    return b"".join(parts)


THREE = [written(NUMBERS.slice(start, count)) for start, count in ((0, 1_000), (1_000, 500), (1_500, 2_000))]

STAMPS = np.arange(2_000) * 3_600_000_000 + 1_700_000_000_000_000


def stamped(shift, *, odd=0, utc="UTC", rows=2_000):
    """A file of two columns of instants: the second is the first plus so many seconds, but for the last `odd` rows."""
    moved = STAMPS + np.where(np.arange(2_000) < 2_000 - odd, shift * 1_000_000, 0)
    kind = pa.timestamp("us", utc)
    return written(pa.table({"sent": pa.array(STAMPS, kind), "got": pa.array(moved, kind)}).slice(0, rows))


def dated(first, moved):
    """A file of two columns of days, from `first` on; the second is moved by so many days before 1582-10-15."""
    days = np.arange(2_000) + (first - datetime.date(1970, 1, 1)).days
    other = np.where(days < -141_427, days + moved, days)
    return written(
        pa.table(
            {name: pa.array(each, pa.int32()).cast(pa.date32()) for name, each in (("day", days), ("same", other))}
        )
    )


CASES = [
    Case(
        "readers-change-values",
        lambda: int96(NEW, OLD, NEW, store_schema=False),
        lambda: int96(NEW, NEW, store_schema=False),
        "pyarrow 26.0.1 reads 1399-01-09 00:00:00 of `t` as 1983-07-30 23:34:33.709551616 (row 1; 1 of 3 values): INT96 timestamps",
        made="pyarrow writes a timestamp of 1399 as INT96.",
        spared="The timestamp is of 1999.",
    ),
    Case("readers-refuse", lambda: sample("alp"), lambda: written(NUMBERS),
        "pyarrow 26.0.1 refuses `price` and `rounded` (ALP): Unknown encoding type; so do",
        made="pqexplore writes columns in ALP.", spared="pyarrow writes numbers."),
    Case(
        "joined-files",
        lambda: joined(*THREE),
        lambda: THREE[0],
        "The file is 3 Parquet files one after the other, with the same columns: 1,000 rows from byte 0 and 500 rows from byte",
        level="footer",
        made="Three files of pyarrow are joined by their bytes.",
        spared="It is one of them.",
    ),
    Case("shifted-column", lambda: stamped(7_200), lambda: stamped(7_200, odd=1),
        "`got` is `sent` plus 2 h in all 2,000 rows", level="sample",
        made="pyarrow writes instants, and the same ones two hours later.", spared="The last of them is not later."),
]  # fmt: skip
