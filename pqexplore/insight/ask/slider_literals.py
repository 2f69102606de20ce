"""Literals that a slider can give to a condition, and example conditions, computed from a file's bounds.

A literal in a condition is a number or a text in quotes. A slider replaces it by other literals of the same form: even
steps from the column's min to its max, or, for text, the bounds of the row groups.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.logical import meaning
from pqexplore.insight.answer_cache import Latest
from pqexplore.insight.ask import sql
from pqexplore.insight.ask.binding import bind
from pqexplore.insight.ask.bound import Bound, Test, Undecided, single
from pqexplore.insight.ask.predicate import Compare, Literal, OneOf
from pqexplore.insight.ask.question import Example, Slider, Sliders
from pqexplore.insight.axis import value_of
from pqexplore.insight.skippable import Skippable, group_parts

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

GROUPS = 1_000
"""Row groups whose bounds are looked at."""

STEPS = 120
"""Max steps of a slider."""

SLIDERS = 8
"""Max literals that get a slider."""

TEXT = 60
"""Max characters of a literal."""

EXAMPLES = 3
LOOKED_AT = 24
"""Columns that are tried for examples."""

Value: TypeAlias = int | float | decimal.Decimal | datetime.date | datetime.datetime | str

_PLAIN = re.compile(r"[^'\"\\\x00-\x1f\x7f]*\Z")
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_DAY = datetime.timedelta(days=1)


@dataclasses.dataclass(frozen=True, slots=True)
class Slot:
    """A literal in a condition: characters `start` to `end` of its text, and the column that it is compared with."""

    start: int
    end: int
    leaf: Leaf
    text: str


def sliders(file: ParquetFile, where: str, bound: Bound) -> Sliders:
    """A slider for each literal of a condition that can be moved inside the bounds of its column."""
    made, end = [], 0
    for slot in slots(where, bound, file):
        stops = _stops(file, slot)
        if len(stops) > 2:
            at = stops.index(slot.text)
            column = ".".join(slot.leaf.path)
            made.append(Slider(where[end : slot.start], column, at, stops))
            end = slot.end
    return Sliders(made, where[end:])


def slots(where: str, bound: Bound, file: ParquetFile) -> Iterator[Slot]:
    """The literals of a condition that are compared with a column, the first `SLIDERS`.

    A literal belongs to the clause that changes if the literal does.
    """
    tests = list(_tests(bound))
    found = 0
    for start, end, other in _literals(where):
        if found == SLIDERS:
            return
        try:
            changed = list(_tests(bind(sql.parse(where[:start] + other + where[end:]), file.schema)))
        except (UsageError, ParquetError):
            continue
        if len(changed) != len(tests):
            continue
        differ = [
            one
            for one, new in zip(tests, changed, strict=True)
            if _values(one) != _values(new) and one.leaf is new.leaf
        ]
        if len(differ) == 1:
            found += 1
            yield Slot(start, end, differ[0].leaf, where[start:end])


def _literals(where: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, another literal of the same form) of each number and each quoted text."""
    import sqlglot
    from sqlglot import TokenType
    from sqlglot.errors import SqlglotError

    try:
        tokens = sqlglot.tokenize(where, read="spark")
    except SqlglotError:
        return
    ends = (TokenType.NUMBER, TokenType.VAR, TokenType.R_PAREN, TokenType.IDENTIFIER)
    for i, token in enumerate(tokens):
        start, end = token.start, token.end + 1
        if token.token_type == TokenType.NUMBER:
            signed = i and tokens[i - 1].token_type == TokenType.DASH
            if signed and (i == 1 or tokens[i - 2].token_type not in ends):
                start = tokens[i - 1].start
            yield start, end, "7" if token.text != "7" else "8"
        elif token.token_type == TokenType.STRING and where[start] == "'":
            other = "2001-02-03" if re.match(r"\d{4}-\d\d-\d\d", token.text) else "another"
            rest = token.text[10:] if other != "another" else ""
            yield start, end, f"'{other}{rest}'"


def _tests(bound: Bound) -> Iterator[Test]:
    return (one for one in single(bound) if isinstance(one, Test))


def _values(test: Test) -> list[object]:
    clause = test.clause
    literals: Sequence[Literal] = ()
    if isinstance(clause, Compare):
        literals = (clause.literal,)
    elif isinstance(clause, OneOf):
        literals = clause.literals
    return [one.value for one in literals]


def _stops(file: ParquetFile, slot: Slot) -> list[str]:
    """The literals for a slot in their order, its own among them; only its own if the bounds say nothing."""
    bounds = bounds_of(group_parts(file, slot.leaf, GROUPS), slot.leaf)
    own = slot.text
    texts = [text for value in _steps(bounds, slot.leaf) if (text := _like(own, value)) is not None]
    if own in texts:
        return texts
    try:
        mine = _number(own) if own[0] != "'" else own
        key = [_number(one) if one[0] != "'" else one for one in texts]
        at = next((i for i, one in enumerate(key) if one > mine), len(texts))  # type: ignore[operator]
    except (ValueError, decimal.InvalidOperation):
        at = len(texts)
    return [*texts[:at], own, *texts[at:]]


def _number(text: str) -> decimal.Decimal:
    return decimal.Decimal(re.sub(r"[A-Za-z]+\Z", "", text))


def bounds_of(parts: Iterator[Skippable], leaf: Leaf) -> list[Value]:
    """The distinct bounds of row groups as Python values of one type, sorted."""
    found: set[Value] = set()
    for part in parts:
        for raw in (part.low, part.high):
            value = value_of(leaf, raw)
            if can_stand(value):
                found.add(value)
    try:
        return sorted(found)
    except TypeError:  # some of them are texts of values that Python has no type for
        return []


def can_stand(value: object) -> TypeGuard[Value]:
    """Whether a value can be a literal here: finite, and a short text without quotes."""
    if isinstance(value, bool) or not isinstance(value, Value):
        return False
    if isinstance(value, (float, decimal.Decimal)):
        return math.isfinite(value)
    return not isinstance(value, str) or (len(value) <= TEXT and bool(_PLAIN.match(value)))


def _steps(bounds: Sequence[Value], leaf: Leaf) -> list[Value]:
    """Even steps from the smallest to the largest bound; the bounds themselves if they have no distances."""
    if len(bounds) < 2:
        return list(bounds)
    low, high = bounds[0], bounds[-1]
    if isinstance(low, str):
        step = -(-len(bounds) // STEPS)
        return list(bounds[::step])
    made = [_between(low, high, i / STEPS, meaning(leaf).scale or 0) for i in range(STEPS + 1)]
    return list(dict.fromkeys(made))


def _between(low: Value, high: Value, share: float, scale: int = 0) -> Value:
    """The value at a share of the way from `low` to `high`, in the type of both, rounded to what can be read."""
    if isinstance(low, datetime.datetime) and isinstance(high, datetime.datetime):
        moment = low + (high - low) * share
        return moment.replace(microsecond=0) if high - low > datetime.timedelta(minutes=5) else moment
    if isinstance(low, datetime.date) and isinstance(high, datetime.date):
        return low + _DAY * round((high - low).days * share)
    if isinstance(low, decimal.Decimal) and isinstance(high, decimal.Decimal):
        with decimal.localcontext() as context:  # a decimal of Parquet may have any number of digits
            context.prec = max(28, *(len(one.as_tuple().digits) + scale + 4 for one in (low, high)))
            exact = low + (high - low) * decimal.Decimal(share)
            return exact.quantize(decimal.Decimal(1).scaleb(-scale))
    if isinstance(low, int) and isinstance(high, int):
        return low + round((high - low) * share)
    if isinstance(low, float) and isinstance(high, float):
        digits = 3 - math.floor(math.log10(max(high / 2 - low / 2, 5e-300)))
        value = low * (1 - share) + high * share
        return value if digits > 300 else round(value, digits)
    return low


def _like(own: str, value: Value) -> str | None:
    """A value as a literal of the same form as `own`; None if it has none."""
    if own[0] == "'":
        zone = re.search(r"(Z|[+-]\d\d:\d\d)'\Z", own)
        if isinstance(value, datetime.datetime):
            return f"'{_moment(value, zone is not None)}'"
        if isinstance(value, datetime.date):
            return f"'{value.isoformat()}'"
        return f"'{value}'" if isinstance(value, str) else None
    if isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool):
        suffix = re.search(r"[A-Za-z]+\Z", own)
        return _digits(value) + (suffix[0] if suffix else "")
    return None


def _digits(value: float | decimal.Decimal) -> str:
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    return repr(value)


def _moment(value: datetime.datetime, zone: bool) -> str:
    if value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    return value.isoformat(" ") + ("Z" if zone else "")


_kept: Latest[ParquetFile, list[Example]] = Latest(64)


def examples(file: ParquetFile, only: Leaf | None = None) -> list[Example]:
    """Conditions to begin with: about one column, or about the first columns that have usable bounds.

    They are the same in all row groups, and kept until there are more findings, which bounds depend on. ParquetError if the
    schema cannot be read.
    """
    key = None if only is None else only.leaf_index, file.finding_count
    kept = _kept.get(file, key)
    if kept is None:
        kept = _examples(file, only)
        _kept.put(file, key, kept)
    return kept


def _examples(file: ParquetFile, only: Leaf | None) -> list[Example]:
    made: list[Example] = []
    leaves = [only] if only is not None else file.schema.leaves[:LOOKED_AT]
    for leaf in leaves:
        found = [one for one in _examples_of(file, leaf) if can_ask(file, one.where)]
        made += found if only is not None else found[:1]
        if len(made) >= EXAMPLES:
            break
    return made[:EXAMPLES]


def _examples_of(file: ParquetFile, leaf: Leaf) -> Iterator[Example]:
    name = name_of(leaf)
    if leaf.max_repetition_level or any("." in part or "`" in part for part in leaf.path):
        return
    parts = list(group_parts(file, leaf, GROUPS))
    bounds = bounds_of((part for part in parts if part.bounded), leaf)
    if not bounds:
        return
    low, high = bounds[0], bounds[-1]
    if _has_bloom_filter(file, leaf):
        value = literal(bounds[len(bounds) // 2], leaf)
        yield Example(f"{name} = {value}", "one value; the column has Bloom filters")
    if isinstance(low, str):
        value = literal(bounds[len(bounds) // 2], leaf)
        yield Example(f"{name} = {value}", "one value, the bound of a row group")
    elif low != high:
        scale = meaning(leaf).scale or 0
        some, more = (literal(_between(low, high, at, scale), leaf) for at in (0.45, 0.55))
        yield Example(f"{name} BETWEEN {some} AND {more}", "a range in the middle of min to max")
    if any(part.nulls for part in parts):
        yield Example(f"{name} IS NULL", "rows without a value")


def name_of(leaf: Leaf) -> str:
    """A column as it is written in a condition."""
    return ".".join(part if _BARE.match(part) else f"`{part}`" for part in leaf.path)


def _has_bloom_filter(file: ParquetFile, leaf: Leaf) -> bool:
    try:
        group = file.row_groups[0]
        return group.columns[leaf.leaf_index].metadata.bloom_filter_offset is not None
    except (ParquetError, IndexError):
        return False


def literal(value: Value, leaf: Leaf) -> str:
    """A value as a literal in Spark's SQL."""
    if isinstance(value, datetime.datetime):
        if meaning(leaf).utc:
            return f"TIMESTAMP '{_moment(value, True)}'"
        return f"TIMESTAMP_NTZ '{_moment(value, False)}'"
    if isinstance(value, datetime.date):
        return f"DATE '{value.isoformat()}'"
    return f"'{value}'" if isinstance(value, str) else _digits(value)


def can_ask(file: ParquetFile, where: str) -> bool:
    """Whether a condition can be asked of a file, and its bounds can decide it."""
    try:
        found = list(single(bind(sql.parse(where), file.schema)))
    except (UsageError, ParquetError):
        return False
    return bool(found) and not any(isinstance(one, Undecided) for one in found)
