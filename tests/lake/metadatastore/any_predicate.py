"""Random files and random conditions in Spark's SQL, for the soundness of Metadatastores and the share that they skip.

The mix of conditions is written down here, and is the measure: change it only together with the figures that are stated
for it. A condition is one clause, or (one in three) two clauses under AND, OR or NOT. `CLAUSES` has the kinds of clauses
and their weights. Literals are drawn from the range of all files and a little beyond, so that most conditions match rows
in some files and in others not.
"""

import datetime
import math
from collections.abc import Callable
from decimal import Decimal
from random import Random

import pyarrow as pa

from pqexplore.lake.metadatastore import BloomFilter, MinMax, ValueList

FILES, ROWS = 12, 24
START = datetime.datetime(2020, 1, 1)
WORDS = ("ant", "Bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis", "jay", "kite", "Lynx")
CITIES = ("Aachen", "Berlin", "Celle", "Dresden", "Essen", "Fulda", "Gera", "Halle")

PLAIN = ("id", "n", "d", "s", "city", "day", "ts", "tn", "amount", "flag", "nest.x")
STORES = {
    "UTC": [MinMax(name) for name in PLAIN],
    "Europe/Berlin": [ValueList(name) for name in PLAIN],
    "America/New_York": [*(make(name) for name in PLAIN for make in (MinMax, ValueList)),
        *(BloomFilter(name, ndv=100) for name in ("id", "s", "city"))],
    "Asia/Kolkata": [*(MinMax(name) for name in ("id", "n", "d", "day", "ts", "tn", "amount")),
        *(ValueList(name) for name in ("city", "flag", "s")), *(BloomFilter(name, ndv=100) for name in ("id", "s"))],
}  # fmt: skip
"""The indexes of four stores, by the session's time zone in which their conditions are asked."""


def table(random: Random, number: int) -> pa.Table:
    """The rows of one file: most columns rise with the file's number, with some overlap."""

    def maybe(values: list, share: float) -> list:
        return [None if random.random() < share else value for value in values]

    holes = random.choice([0, 0, 0.1, 1 if number % 5 == 4 else 0.3])
    at = [number * 30 * 24 + random.randrange(36 * 24) for _ in range(ROWS)]
    moments = [START + datetime.timedelta(hours=hour, minutes=random.randrange(60)) for hour in at]
    doubles = [number * 10 + random.randrange(60) / 4 for _ in range(ROWS)]
    if number % 6 == 3:
        doubles[:2] = [math.nan, -0.0]
    word = [WORDS[(number + random.randrange(2)) % len(WORDS)] for _ in range(ROWS)]
    near = [CITIES[(number + random.randrange(3)) % len(CITIES)] for _ in range(ROWS)]
    x = maybe([number * 7 + random.randrange(9) for _ in range(ROWS)], holes)
    return pa.table(
        {
            "id": pa.array([number * 1_000 + random.randrange(1_000) for _ in range(ROWS)], pa.int64()),
            "n": pa.array(maybe([number * 10 - 50 + random.randrange(20) for _ in range(ROWS)], holes), pa.int32()),
            "d": pa.array(maybe(doubles, holes / 2), pa.float64()),
            "s": pa.array(maybe([f"{one}-{random.randrange(40)}" for one in word], holes / 3)),
            "city": pa.array(near),
            "day": pa.array([one.date() for one in moments], pa.date32()),
            "ts": pa.array(maybe(moments, holes / 3), pa.timestamp("us", "UTC")),
            "tn": pa.array(moments, pa.timestamp("us")),
            "amount": pa.array(
                [Decimal(number * 500 + random.randrange(900)) / 100 for _ in range(ROWS)], pa.decimal128(8, 2)
            ),
            "flag": pa.array(maybe([number % 3 > 0 or random.random() < 0.2] * ROWS, holes / 3)),
            "nest": pa.array([{"x": one} for one in x], pa.struct([("x", pa.int64())])),
        }
    )


def _moment(random: Random) -> str:
    at = START + datetime.timedelta(hours=random.randrange(-500, (FILES + 2) * 30 * 24))
    return f"{at:%Y-%m-%d %H:%M:%S}"


def _day(random: Random) -> str:
    return _moment(random)[:10]


def _month(random: Random) -> str:
    return _moment(random)[:7] + "-01"


def _word(random: Random) -> str:
    return random.choice(WORDS)


LITERALS: dict[str, Callable[[Random], str]] = {
    "id": lambda r: str(r.randrange(-500, 13_000)),
    "n": lambda r: r.choice([str(r.randrange(-60, 90)), f"{r.randrange(-60, 90)}.5"]),
    "d": lambda r: r.choice([str(r.randrange(-5, 130)), f"{r.randrange(500) / 4}", "1e2"]),
    "s": lambda r: f"'{_word(r)}-{r.randrange(40)}'",
    "city": lambda r: f"'{r.choice((*CITIES, 'Zeitz'))}'",
    "day": lambda r: r.choice([f"DATE '{_day(r)}'", f"'{_day(r)}'"]),
    "ts": lambda r: f"TIMESTAMP '{_moment(r)}'",
    "tn": lambda r: f"TIMESTAMP_NTZ '{_moment(r)}'",
    "amount": lambda r: f"{r.randrange(7_000) / 100:.2f}",
    "flag": lambda r: r.choice(["true", "false"]),
    "nest.x": lambda r: str(r.randrange(-5, 100)),
}
ORDER = ("<", "<=", ">", ">=")
OPERATORS = (*ORDER, "=", "=", "<>", "<=>")


def compared(random: Random) -> str:
    name = random.choice(PLAIN)
    return f"{name} {random.choice(OPERATORS)} {LITERALS[name](random)}"


def listed(random: Random) -> str:
    name = random.choice(PLAIN)
    values = ", ".join(LITERALS[name](random) for _ in range(random.randrange(1, 6)))
    return f"{name} {random.choice(['IN', 'IN', 'IN', 'NOT IN'])} ({values})"


def between(random: Random) -> str:
    name = random.choice(("id", "n", "d", "s", "day", "ts", "tn", "amount", "nest.x"))
    low, high = LITERALS[name](random), LITERALS[name](random)
    return f"{name} BETWEEN {low} AND {high}"


def null_tests(random: Random) -> str:
    return f"{random.choice(PLAIN)} IS {random.choice(['NULL', 'NOT NULL'])}"


def moments_as_text(random: Random) -> str:
    name = random.choice(("ts", "ts", "tn"))
    text = random.choice([_day, _moment])(random)
    if name == "ts" and random.random() < 0.3:
        text = f"{text[:10]}T00:00:00{random.choice(['Z', '+02:00'])}"
    return f"{name} {random.choice((*ORDER, *ORDER, '='))} '{text}'"


def patterns(random: Random) -> str:
    word, name = _word(random), random.choice(("s", "s", "city"))
    word = word if name == "s" else random.choice(CITIES)
    part = word[: random.randrange(1, len(word) + 1)]
    return random.choice(
        [
            f"{name} LIKE '{part}%'",
            f"startswith({name}, '{part}')",
            f"{name} LIKE '{part}%-1_'",
            f"{name} LIKE '%{part[-2:]}%'",
            f"{name} NOT LIKE '{part}%'",
            f"{name} ILIKE '{part}%'",
        ]
    )


def parts_of_dates(random: Random) -> str:
    name = random.choice(("day", "ts", "tn"))
    operator = random.choice((*ORDER, "="))
    return random.choice(
        [
            f"year({name}) {operator} {random.choice([2019, 2020, 2020, 2021])}",
            f"month({name}) = {random.randrange(1, 13)}",
            f"quarter({name}) {operator} {random.randrange(1, 5)}",
            f"date_trunc('MONTH', {name}) {operator} TIMESTAMP '{_month(random)} 00:00:00'",
            f"date_trunc('DAY', ts) {operator} '{_day(random)}'",
            f"to_date({name}) {operator} DATE '{_day(random)}'",
            f"CAST({name} AS DATE) {operator} '{_day(random)}'",
            f"trunc(day, 'MM') {operator} DATE '{_month(random)}'",
            f"CAST({name} AS STRING) LIKE '{_day(random)[:7]}%'",
        ]
    )


def functions_of_text(random: Random) -> str:
    word, city = _word(random), random.choice(CITIES)
    return random.choice(
        [
            f"lower(s) LIKE '{word.lower()}%'",
            f"upper(city) = '{city.upper()}'",
            f"length(city) {random.choice(OPERATORS)} {random.randrange(3, 9)}",
            f"substr(s, 1, 3) = '{word[:3]}'",
            f"substring(city, 2, 2) = '{city[1:3]}'",
            f"concat('x', city) = 'x{city}'",
            f"trim(city) IN ('{city}', 'Ulm')",
            f"replace(city, 'e', 'E') = '{city.replace('e', 'E')}'",
            f"coalesce(s, 'none') = '{word}-{random.randrange(40)}'",
        ]
    )


def arithmetic(random: Random) -> str:
    number, operator = random.randrange(-60, 130), random.choice((*ORDER, "="))
    return random.choice(
        [
            f"n + {random.randrange(1, 9)} {operator} {number}",
            f"id - 500 {operator} {number * 100}",
            f"n * 2 {operator} {number}",
            f"d / 2 {operator} {number / 4}",
            f"abs(n) {operator} {abs(number)}",
            f"id % 1000 = {number % 1000}",
            f"CAST(id AS DOUBLE) {operator} {number * 100}",
            f"CAST(n AS STRING) = '{number}'",
            f"CAST(d AS INT) {operator} {number}",
            f"floor(amount) {operator} {number // 2}",
            f"n {operator} nest.x",
            f"date_add(day, 7) {operator} DATE '{_day(random)}'",
        ]
    )


def constants(random: Random) -> str:
    operator = random.choice((*ORDER, "="))
    return random.choice(
        [
            f"id {operator} {random.randrange(13)} * 1000 + 5",
            f"n {operator} {random.randrange(60)} - 20",
            f"city = concat('{random.choice(CITIES)}', '')",
            f"day {operator} date_add(DATE '{_day(random)}', 3)",
            "1 = 2",
            "length('abc') = 3",
        ]
    )


CLAUSES: dict[Callable[[Random], str], int] = {
    compared: 32,
    listed: 10,
    between: 8,
    null_tests: 6,
    moments_as_text: 10,
    patterns: 9,
    parts_of_dates: 10,
    functions_of_text: 6,
    arithmetic: 6,
    constants: 3,
}
"""The kinds of clauses of the mix, with their weights (percent)."""


def clause(random: Random) -> str:
    [make] = random.choices(list(CLAUSES), list(CLAUSES.values()))
    return make(random)


def condition(random: Random) -> str:
    """One condition of the mix."""
    form = random.randrange(9)
    if form == 0:
        return f"NOT ({clause(random)})"
    if form == 1:
        return f"({clause(random)}) AND ({clause(random)})"
    if form == 2:
        return f"({clause(random)}) OR ({clause(random)})"
    return clause(random)
