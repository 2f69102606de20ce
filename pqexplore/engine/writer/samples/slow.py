"""Samples of files that a query cannot skip in, each for one cause; `where` is the condition that shows it."""

from __future__ import annotations

import datetime

import numpy as np
import pyarrow as pa

from pqexplore.engine.writer.samples.sample_file import from_table

ROWS = 16_384
GROUP = 2_048
"""Rows of a row group: DuckDB writes no smaller ones, so that its copy of a sample has as many."""

PAGE = 512
FIRST_DAY = 18_262
"""2020-01-01 as days since 1970."""

_LAYOUT = {"row_group_rows": GROUP, "page_rows": PAGE, "encoding": "PLAIN"}


def _random() -> np.random.RandomState:
    """Numbers that are promised never to change."""
    return np.random.RandomState(20_261_122)


def _payload(rows: int = ROWS) -> pa.Array:
    """A column that does not compress, for which the condition does not ask."""
    return pa.array(np.random.RandomState(7).randint(0, 1 << 31, rows), pa.int32())


def subscriptions(never: bool = True) -> pa.Table:
    """Subscriptions in the order of their first day; one of 25 ends "never", on 9999-12-31."""
    random = _random()
    ends = FIRST_DAY + np.arange(ROWS) // 8 + random.randint(1, 31, ROWS)
    endless = random.randint(0, 25, ROWS) == 0
    if never:
        ends[endless] = (datetime.date(9999, 12, 31) - datetime.date(1970, 1, 1)).days
    return pa.table({"valid_to": pa.array(ends, pa.int32()).cast(pa.date32()), "payload": _payload()})  # fmt: skip


def visits() -> pa.Table:
    """Visits of web pages, sorted by the address."""
    urls = [f"https://www.example.org/articles/{i * 7:06}" for i in range(ROWS)]
    return pa.table({"url": urls, "payload": _payload()})


def days(form: str = "%d/%m/%Y") -> pa.Table:
    """Days as text, in the order of time."""
    first = datetime.date(2020, 1, 1)
    texts = [(first + datetime.timedelta(days=i // 8)).strftime(form) for i in range(ROWS)]
    return pa.table({"day": texts, "payload": _payload()})


def transfers() -> pa.Table:
    """Sizes of transfers as text, in the order of the numbers: from 1 digit to 8."""
    sizes = [
        10**group * (1_000 + 9_000 * row // GROUP) // 1_000 for group in range(ROWS // GROUP) for row in range(GROUP)
    ]
    return pa.table({"sent": [str(size) for size in sizes], "payload": _payload()})


def amounts(order: str = "none") -> pa.Table:
    """Random numbers below a million: in no order, sorted in each row group (`group`), or sorted (`all`)."""
    values = _random().randint(0, 1_000_000, ROWS)
    if order == "group":
        values = np.sort(values.reshape(-1, GROUP), axis=1).ravel()
    elif order == "all":
        values = np.sort(values)
    return pa.table({"amount": pa.array(values, pa.int32()), "payload": _payload()})


def orders() -> pa.Table:
    """Ascending numbers of orders."""
    return pa.table({"number": pa.array(np.arange(ROWS) * 3, pa.int64()), "payload": _payload()})


def keys() -> pa.Table:
    """Random keys, each once."""
    random = _random()
    high, low = random.randint(0, 1 << 30, ROWS), random.randint(0, 1 << 30, ROWS)
    values = high.astype(np.int64) << 30 | low
    return pa.table({"key": pa.array(values, pa.int64()), "payload": _payload()})


def sessions() -> pa.Table:
    """Names of sessions in eight row groups: each name is in one row group, several times."""
    random = _random()
    names = random.randint(0, 1 << 30, (8, 200))
    chosen = random.randint(0, 200, (8, 1_024))
    texts = [f"s{names[group, one]:010}" for group in range(8) for one in chosen[group]]
    return pa.table({"session": texts, "payload": _payload(8 * 1_024)})


def measurements() -> pa.Table:
    """Temperatures in ascending order; none is NaN."""
    return pa.table({"temperature": pa.array(np.arange(ROWS) / 64, pa.float64()), "payload": _payload()})


def codes() -> pa.Table:
    """Ascending codes of text."""
    return pa.table({"code": [f"C{i:07}" for i in range(ROWS)], "payload": _payload()})


def moments() -> pa.Table:
    """A moment every minute."""
    first = int(datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC).timestamp()) * 1_000_000
    times = first + np.arange(ROWS) * 60_000_000
    return pa.table({"moment": pa.array(times, pa.timestamp("us")), "payload": _payload()})


SAMPLES = (
    from_table(
        "slow-sentinel",
        "A date far in the future stands for \u201cnever\u201d, so that every row group's range reaches it.",
        subscriptions,
        where="valid_to BETWEEN DATE '2025-07-01' AND DATE '2025-07-10'",
        **_LAYOUT,
    ),
    from_table(
        "slow-truncated",
        "Sorted addresses whose bounds are truncated to 24 bytes, which all of them share.",
        visits,
        where="url BETWEEN 'https://www.example.org/articles/050000' AND 'https://www.example.org/articles/050700'",
        **_LAYOUT,
        columns={"url": {"encoding": "DELTA_BYTE_ARRAY"}},
        statistics_bytes=24,
        index_bytes=24,
    ),
    from_table(
        "slow-text-dates",
        "Days as text, day first: sorted by time, but not by text.",
        days,
        where="day = '15/03/2024'",
        **_LAYOUT,
        columns={"day": {"encoding": "DELTA_BYTE_ARRAY"}},
    ),
    from_table(
        "slow-text-numbers",
        "Numbers as text: 10 is before 9.",
        transfers,
        where="sent BETWEEN '3000000' AND '4000000'",
        **_LAYOUT,
        columns={"sent": {"encoding": "DELTA_BYTE_ARRAY"}},
    ),
    from_table(
        "slow-unsorted",
        "Numbers in no order: every row group has the whole range.",
        amounts,
        where="amount BETWEEN 560000 AND 570000",
        **_LAYOUT,
    ),
    from_table(
        "slow-clustered-within",
        "Numbers that are sorted within each row group; each row group has the whole range.",
        lambda: amounts("group"),
        where="amount BETWEEN 560000 AND 570000",
        **_LAYOUT,
    ),
    from_table(
        "slow-no-statistics",
        "Sorted numbers without statistics.",
        orders,
        where="number BETWEEN 30000 AND 30300",
        **_LAYOUT,
        statistics=(),
        column_index=False,
    ),
    from_table(
        "slow-distrusted",
        "Sorted text with bounds, in a file without column orders, so that the order of the bounds is unknown.",
        codes,
        where="code BETWEEN 'C0010000' AND 'C0010100'",
        **_LAYOUT,
        columns={"code": {"encoding": "DELTA_BYTE_ARRAY"}},
        column_index=False,
        column_order=None,
    ),
    from_table(
        "slow-no-nan-count",
        "Sorted floats without NaN, and without a nan_count that would say so.",
        measurements,
        where="temperature > 250",
        **_LAYOUT,
        statistics_fields=("bounds", "null_count", "exactness"),
        column_index=False,
    ),
    from_table(
        "slow-int96",
        "Timestamps as INT96, whose bounds have no order.",
        moments,
        where="moment BETWEEN TIMESTAMP '2026-01-03 00:00:00Z' AND TIMESTAMP '2026-01-03 06:00:00Z'",
        **_LAYOUT,
        columns={"moment": {"physical_type": "INT96"}},
    ),
    from_table(
        "slow-no-page-index",
        "Two large row groups of sorted numbers in many pages, without a page index.",
        orders,
        where="number BETWEEN 30000 AND 30300",
        **_LAYOUT | {"row_group_rows": 8_192},
        column_index=False,
        offset_index=False,
    ),
    from_table(
        "slow-few-rows-a-page",
        "Pages of 8 rows: the page index is larger than what it lets a query skip.",
        lambda: orders().slice(0, 4_096),
        where="number BETWEEN 3000 AND 3030",
        **_LAYOUT | {"page_rows": 8},
    ),
    from_table(
        "slow-large-row-groups",
        "All rows in one row group, in one page of each column: sorted numbers, and nothing to skip.",
        orders,
        where="number BETWEEN 30000 AND 30300",
        **_LAYOUT | {"row_group_rows": ROWS, "page_rows": ROWS},
    ),
    from_table(
        "slow-no-bloom",
        "Random keys without Bloom filters: every row group may have the one that is looked up.",
        keys,
        where="key = 293933289135320407",
        **_LAYOUT,
    ),
    from_table(
        "slow-dictionary-given-up",
        "Text that repeats, with a dictionary fallback at 2 kB.",
        sessions,
        where="session = 's0441152918'",
        row_group_rows=1_024,
        page_rows=128,
        dictionary_bytes=2_048,
    ),
)
