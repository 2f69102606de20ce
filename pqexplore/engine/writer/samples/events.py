"""The sample to begin with: an event log, as an application may write one.

It has all common features: three row groups, several pages a chunk, dictionaries, deltas, a list, nested structs,
nulls, statistics, a page index, a Bloom filter, checksums, and two codecs.
"""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa

from pqexplore.engine.writer.samples.sample_file import from_table

ROWS = 20_000
COUNTRIES = (
    *("DE", "US", "IN", "BR", "JP", "FR", "GB", "ES", "IT", "PL", "NL", "SE"),
    *("CH", "AT", "CA", "MX", "AR", "ZA", "NG", "KE", "AU", "NZ", "KR", "ID"),
)
SYSTEMS = ("Android", "iOS", "Windows", "macOS", "Linux")
SCREENS = ((390, 844), (412, 915), (1920, 1080), (2560, 1440), (3840, 2160))
TAGS = ("new", "mobile", "promo", "returning", "checkout", "search", "error", "beta")
FIRST = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)


def table() -> pa.Table:
    """20,000 events of a month, in the order of their time."""
    # RandomState, because its numbers are promised never to change; and integers, because they are exact.
    random = np.random.RandomState(20_260_301)

    def below(high: int) -> np.ndarray:
        return random.randint(0, high, ROWS)

    first = int(FIRST.timestamp()) * 1_000_000
    times = first + np.cumsum(random.randint(1, 250_000, ROWS)) * 1_000
    users = below(900) * below(900) // 900  # some are more active than others
    countries = np.minimum(below(24), below(24))
    cents = below(2_000_000) * below(100) // 100
    paid = below(10) < 6
    how_many = np.maximum(below(6) - 2, 0)
    untagged = below(20) == 0
    tags = random.randint(0, len(TAGS), (ROWS, 3))
    systems, screens, scores = below(5), below(5), below(1_000_000)
    no_payload, no_screen = below(25) == 0, below(10) == 0
    amounts = [Decimal(int(c)).scaleb(-2) if p else None for c, p in zip(cents, paid, strict=True)]
    payload = [
        None
        if no_payload[i]
        else {
            "os": SYSTEMS[systems[i]],
            "screen": None if no_screen[i] else dict(zip(("width", "height"), SCREENS[screens[i]], strict=True)),
        }
        for i in range(ROWS)
    ]
    screen = pa.struct([("width", pa.int32()), ("height", pa.int32())])
    return pa.table(
        {
            "id": pa.array(1_000_000 + np.arange(ROWS) * 3),
            "time": pa.array(times, pa.timestamp("us", "UTC")),
            "user": [f"user-{user:04}@example.org" for user in users],
            "country": [COUNTRIES[index] for index in countries],
            "amount": pa.array(amounts, pa.decimal128(10, 2)),
            "tags": pa.array(
                [None if untagged[i] else [TAGS[t] for t in tags[i, : how_many[i]]] for i in range(ROWS)],
                pa.list_(pa.string()),
            ),
            "payload": pa.array(payload, pa.struct([("os", pa.string()), ("screen", screen)])),
            "score": pa.array(scores / 1_000),
        },
        schema=pa.schema(
            [
                pa.field("id", pa.int64(), nullable=False),
                pa.field("time", pa.timestamp("us", "UTC"), nullable=False),
                pa.field("user", pa.string(), nullable=False),
                pa.field("country", pa.string()),
                pa.field("amount", pa.decimal128(10, 2)),
                pa.field("tags", pa.list_(pa.string())),
                pa.field("payload", pa.struct([("os", pa.string()), ("screen", screen)])),
                pa.field("score", pa.float64()),
            ]
        ),
    )


SAMPLE = from_table(
    "events",
    "A month of an application's events: what a Parquet file commonly has.",
    table,
    row_group_rows=8_000,
    page_rows=2_000,
    statistics_bytes=32,
    sorting_columns=[("id", False, False)],
    key_value_metadata={"source": "pqexplore sample events"},
    columns={
        "id": {"encoding": "DELTA_BINARY_PACKED"},
        "time": {"encoding": "DELTA_BINARY_PACKED", "codec": "ZSTD"},
        "user": {"codec": "SNAPPY", "bloom_filter": True},
        "amount": {"encoding": "PLAIN", "codec": "ZSTD"},
        "tags": {"codec": "SNAPPY"},
        "score": {"encoding": "PLAIN"},
    },
)
