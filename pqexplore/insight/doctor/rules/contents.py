"""Rules about values that are stored in another type than their own: text that is dates, floats that are whole numbers.

The bounds of a column choose the candidates, which costs nothing. At level `data` the values of these are read.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
import struct
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.rule import DATA, FOOTER, Cost, Rule, Severity, Source
from pqexplore.engine.text import clip
from pqexplore.insight.doctor.rules.values import LEAST_ROWS, all_bounds, texts
from pqexplore.insight.wording import name, plural

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.statistics import Bounds
    from pqexplore.insight.doctor.subject import Subject

LOGICAL_TYPES = Source("Parquet, logical types", "https://github.com/apache/parquet-format/blob/master/LogicalTypes.md")
PANDAS_INTEGERS = Source(
    "pandas, nullable integer data type", "https://pandas.pydata.org/docs/user_guide/integer_na.html"
)

VALUES = 1_000_000
TEXT_BYTES = 64 << 20
"""Values of a column that are read, and their bytes: no page is begun after either."""

JSON_BYTES = 1 << 20
"""Bytes of a JSON text above which it is not parsed."""

WHOLE = 2.0**53
"""Up to here a double holds every whole number."""


def _is_json(text: str) -> bool:
    """Whether a text is a JSON object or list."""
    if text[:1] not in ("{", "[") or len(text) > JSON_BYTES:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


@dataclasses.dataclass(frozen=True, slots=True)
class Form:
    """What text can look like: one, several, the test, the better type, what text costs, and the type to cast to in SQL."""

    one: str
    several: str
    test: Callable[[str], object]
    better: str
    cost: str
    sql: str = ""


def _pattern(pattern: str) -> Callable[[str], object]:
    """A test whether a text as a whole has a form."""
    return re.compile(pattern, re.ASCII).fullmatch


FORMS = (
    Form(
        "a date", "dates", _pattern(r"\d{4}-\d\d-\d\d"), "DATE",
        "10 bytes a date instead of 4", "DATE",
    ),
    Form(
        "a date", "dates", _pattern(r"\d\d[/.]\d\d[/.]\d{4}"), "DATE",
        "10 bytes a date instead of 4, and the order of the texts is not that of the dates",
    ),
    Form(
        "a timestamp", "timestamps",
        _pattern(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?"), "TIMESTAMP",
        "at least 16 bytes a timestamp instead of 8",
    ),
    Form(
        "a UUID", "UUIDs",
        _pattern(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"), "UUID",
        "36 bytes a UUID instead of 16", "UUID",
    ),
    Form(
        "a number", "numbers", _pattern(r"-?(0|[1-9]\d{0,17})(\.\d{1,9})?"), "INT64, DOUBLE or DECIMAL",
        "text is compared from the left: '10' comes before '9'",
    ),
    Form(
        "JSON", "JSON objects or lists", _is_json, "JSON, VARIANT or a struct",
        "a reader parses each text to find a field in it", "JSON",
    ),
)  # fmt: skip


def _cast(leaf: Leaf, form: Form) -> dict[str, str]:
    """The code that casts a column at the top of the schema; empty for others, and without a type to cast to."""
    if not form.sql or len(leaf.path) > 1:
        return {}
    column = '"' + leaf.path[0].replace('"', '""') + '"'
    return {
        "DuckDB": f"COPY (SELECT * REPLACE (CAST({column} AS {form.sql}) AS {column}) FROM 'path') TO 'new' (FORMAT parquet)"
    }


@dataclasses.dataclass(frozen=True, slots=True)
class Looked:
    """The values of a column that were read: how many, whether these are all, and how many are not a number."""

    count: int
    whole: bool
    nans: int = 0

    def of(self, column: str) -> str:
        """The beginning of a sentence about them."""
        first = f"All {self.count:,} values" if self.whole else f"The first {self.count:,} values"
        return f"{first} of {column}"


def _values(subject: Subject, leaf: Leaf) -> Iterator[pa.Array]:
    """The values of a column, page by page. Raises ParquetError if one cannot be read."""
    for chunk in subject.chunks(leaf):
        for page in chunk.pages:
            if page.is_data:
                yield page.values


def _all(subject: Subject, leaf: Leaf, holds: Callable[[pa.Array], bool]) -> Looked | None:
    """The values of a column that were read; None if a page does not hold what it should, or cannot be read."""
    count = nans = read = 0
    try:
        for values in _values(subject, leaf):
            if count >= VALUES or read >= TEXT_BYTES:
                return Looked(count, False, nans)
            if not holds(values):
                return None
            count += len(values)
            read += values.nbytes
            if pa.types.is_floating(values.type):
                nans += pc.sum(pc.is_nan(values)).as_py() or 0
    except ParquetError:
        return None
    return Looked(count, not subject.partial, nans)


def _candidates(subject: Subject) -> Iterator[tuple[Leaf, Form, list[str], int]]:
    """Text columns whose bounds all have one form: the form, the bounds in order, and how many row groups have them."""
    if sum(subject.rows) < LEAST_ROWS:
        return
    for leaf in texts(subject):
        found = all_bounds(subject, leaf)
        if found is None or any(_cut(b) for b in found):
            continue
        try:
            ends = {raw.decode() for b in found for raw in (b.min_raw, b.max_raw) if raw}
        except UnicodeDecodeError:  # no form has bytes that are not UTF-8; the checks report them
            continue
        form = next((one for one in FORMS if all(map(one.test, ends))), None)
        if form is not None and len(ends) > 1:
            yield leaf, form, sorted(ends), len(found)


def typed_text(subject: Subject) -> Iterator[Finding]:
    """Text whose bounds are all dates, timestamps, UUIDs, numbers or JSON."""
    for leaf, form, ends, groups in _candidates(subject):
        low, high = clip(ends[0], 40), clip(ends[-1], 40)
        yield _of_another_type(
            "text-of-another-type",
            leaf,
            form,
            f"The bounds of {name(leaf.path)} look like {form.one} in {plural(groups, 'row group')} ({low} … {high}), "
            "and the column stores text; the values between them may be others.",
            {"form": form.one, "min": low, "max": high, "row_groups": groups},
        )


def typed_values(subject: Subject) -> Iterator[Finding]:
    """Text whose values are all dates, timestamps, UUIDs, numbers or JSON."""
    for leaf, form, ends, _ in _candidates(subject):
        looked = _all(subject, leaf, _have(form))
        if looked is None:
            continue
        low, high = clip(ends[0], 40), clip(ends[-1], 40)
        yield _of_another_type(
            "text-values-of-another-type",
            leaf,
            form,
            f"{looked.of(name(leaf.path))} are {form.several} ({low} … {high}), and the column stores text.",
            {"form": form.one, "min": low, "max": high, "values": looked.count},
        )


def _of_another_type(rule: str, leaf: Leaf, form: Form, sentence: str, evidence: dict[str, object]) -> Finding:
    """The diagnosis about a text column with a form."""
    return Finding(
        rule,
        Address.of("schema", leaf.index),
        sentence,
        evidence,
        severity=Severity.NOTE,
        column=".".join(leaf.path),
        cost=Cost(form.cost),
        fix=f"If all values are like that, and later ones will be, store {form.better}.",
        code=_cast(leaf, form),
        source=LOGICAL_TYPES,
    )


def _cut(one: Bounds) -> bool:
    """Whether a bound is known to be truncated, so that it is no value."""
    return one.min_exact is False or one.max_exact is False


def _have(form: Form) -> Callable[[pa.Array], bool]:
    """A function that says whether all values of a page have a form; bytes that are not UTF-8 have none."""

    def all_have(page: pa.Array) -> bool:
        try:
            return all(map(form.test, pc.unique(page).to_pylist()))
        except UnicodeDecodeError:
            return False

    return all_have


def whole_floats(subject: Subject) -> Iterator[Finding]:
    """Columns of DOUBLE or FLOAT that hold only whole numbers."""
    if sum(subject.rows) < LEAST_ROWS:
        return
    for leaf in subject.leaves:
        if leaf.physical_type not in (Type.DOUBLE, Type.FLOAT) or meaning(leaf).name:
            continue
        found = all_bounds(subject, leaf)
        if found is None or not all(_whole(leaf, raw) for b in found for raw in (b.min_raw, b.max_raw)):
            continue
        looked = _all(subject, leaf, _whole_page)
        if looked is None or looked.nans == looked.count:
            continue
        kind, bits = ("DOUBLE", 53) if leaf.physical_type == Type.DOUBLE else ("FLOAT", 24)
        nans = f", but for {looked.nans:,} NaN" if looked.nans else ""
        column = ".".join(leaf.path)
        yield Finding(
            "whole-numbers-as-floats",
            Address.of("schema", leaf.index),
            f"{looked.of(name(leaf.path))} are whole numbers{nans}, and the column stores {kind}.",
            {"values": looked.count, "nans": looked.nans, "all": looked.whole},
            column=column,
            cost=Cost(f"{kind} holds whole numbers exactly only up to 2^{bits}"),
            fix="If it counts or identifies, store INT32 or INT64, with nulls in place of NaN. pandas turns integers with "
            "missing values into DOUBLE.",
            code={"pandas": f"frame[{column!r}] = frame[{column!r}].astype('Int64')"},
        )


def _whole(leaf: Leaf, raw: bytes | None) -> bool:
    """Whether a bound is a whole number."""
    form = "<d" if leaf.physical_type == Type.DOUBLE else "<f"
    value: float = struct.unpack(form, raw)[0] if raw else math.nan
    return math.isfinite(value) and value.is_integer() and abs(value) <= WHOLE


def _whole_page(page: pa.Array) -> bool:
    """Whether the values of a page are whole numbers or NaN."""
    numbers = page.filter(pc.invert(pc.is_nan(page)))
    return bool(pc.all(pc.equal(pc.floor(numbers), numbers), min_count=0).as_py())


RULES = (
    Rule(
        "text-of-another-type", Severity.NOTE, FOOTER,
        "Text that is dates, numbers, UUIDs or JSON",
        "A column of the right type is smaller, compares as its values do, and lets queries skip.",
        typed_text, LOGICAL_TYPES, f"All bounds have the form, in a file of at least {LEAST_ROWS:,} rows.",
    ),
    Rule(
        "text-values-of-another-type", Severity.NOTE, DATA,
        "Text whose values are all dates, numbers, UUIDs or JSON",
        "Bounds alone can mislead, so the values are read, too.",
        typed_values, LOGICAL_TYPES,
        f"All values, of the first {VALUES:,}, in a file of at least {LEAST_ROWS:,} rows.",
        instead_of="text-of-another-type",
    ),
    Rule(
        "whole-numbers-as-floats", Severity.NOTE, DATA,
        "DOUBLE and FLOAT columns of whole numbers",
        "Often they are integers with missing values that a program turned into floats.",
        whole_floats, PANDAS_INTEGERS,
        f"All values, of the first {VALUES:,}, in a file of at least {LEAST_ROWS:,} rows.",
    ),
)  # fmt: skip
