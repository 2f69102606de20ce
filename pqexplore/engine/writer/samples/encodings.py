"""Samples of encodings of values and levels that other writers rarely choose."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from pqexplore.engine.writer.samples.sample_file import Sample, from_table


def _random(seed: int) -> np.random.RandomState:
    """A generator whose numbers stay the same in every version of numpy, as numpy promises."""
    return np.random.RandomState(seed)


def _prices() -> pa.Table:
    cents = _random(1).randint(0, 100_000, 3_000)
    prices = cents / 100
    prices[[7, 1_500]] = [np.nan, 1 / 3]
    return pa.table({"price": pa.array(prices), "rounded": pa.array((cents // 10 / 10).astype(np.float32))})


ALP = from_table(
    "alp",
    "ALP: prices are integers times a power of ten; NaN and ⅓ are not, and become exceptions.",
    _prices,
    encodings={"price": "ALP", "rounded": "ALP"},
    page_rows=2_000,
)


def _flags() -> pa.Table:
    random = _random(2)
    return pa.table(
        {
            "dictionary": random.randint(0, 2, 1_000).astype(bool),
            "runs": np.repeat(random.randint(0, 2, 20).astype(bool), 50),
            "plain": random.randint(0, 2, 1_000).astype(bool),
        }
    )


BOOLEANS = from_table(
    "booleans",
    "BOOLEAN in a dictionary of two entries, as RLE runs, and as plain bits.",
    _flags,
    encodings={"dictionary": "RLE_DICTIONARY", "runs": "RLE", "plain": "PLAIN"},
)


def _measurements() -> pa.Table:
    random = _random(3)
    count = 1_000
    return pa.table(
        {
            "clock": pa.array(np.cumsum(random.randint(900, 1_100, count)), pa.int64()),
            "counter": pa.array(np.arange(count, dtype=np.int32) * 7),
            "name": [f"sensor-{index // 40:03}/{index % 40:02}" for index in range(count)],
            "text": ["x" * int(n) for n in random.randint(0, 12, count)],
            "key": pa.array([f"{i:08}".encode() for i in range(count)], pa.binary(8)),
            "value": pa.array(random.randint(0, 4_096, count) / 64),
        }
    )


DELTAS = from_table(
    "deltas",
    "The three delta encodings and BYTE_STREAM_SPLIT, each on data that suit it.",
    _measurements,
    encodings={
        "clock": "DELTA_BINARY_PACKED",
        "counter": "DELTA_BINARY_PACKED",
        "name": "DELTA_BYTE_ARRAY",
        "text": "DELTA_LENGTH_BYTE_ARRAY",
        "key": "DELTA_BYTE_ARRAY",
        "value": "BYTE_STREAM_SPLIT",
    },
)


def _words() -> pa.Table:
    numbers = np.concatenate([np.arange(400) % 20, np.arange(1_600)])
    return pa.table({"word": [f"word number {number}" for number in numbers]})


FALLBACK = from_table(
    "dictionary-fallback",
    "Few words at first, then ever new ones: the dictionary grows too large, and later pages do without.",
    _words,
    page_rows=200,
    dictionary_bytes=8_192,
)

SORTED = from_table(
    "sorted-dictionary",
    "A dictionary whose entries ascend and whose header says so (is_sorted).",
    lambda: pa.table({"city": ["Ulm", "Aachen", "Köln", "Bonn", "Köln", "Ulm"] * 20}),
    sort_dictionary=True,
)

LEVELS = from_table(
    "bit-packed-levels",
    "Levels in the deprecated BIT_PACKED: most significant bit first, no runs, no length.",
    lambda: pa.table(
        {
            "n": pa.array([None if i % 3 == 0 else i for i in range(100)], pa.int32()),
            "list": pa.array([[i, None] if i % 4 else [] for i in range(100)], pa.list_(pa.int32())),
        }
    ),
    level_encoding="BIT_PACKED",
)

SAMPLES: tuple[Sample, ...] = (ALP, BOOLEANS, DELTAS, FALLBACK, SORTED, LEVELS)
