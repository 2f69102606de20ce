"""Rules about values that are stored in another type than their own: text that is dates, floats that are whole numbers.

The bounds of a column choose the candidates, which costs nothing; so do the values of a sample. At level `sample` some values
of these are read, at level `data` all.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
import struct
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.address import Address
from pqexplore.engine.arrays import arrow_numbers, arrow_strings
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.rule import DATA, FOOTER, SAMPLE, Cost, Rule, Severity, Source
from pqexplore.engine.text import clip
from pqexplore.insight.doctor.rules import trials
from pqexplore.insight.doctor.rules.values import LEAST_ROWS, all_bounds, texts
from pqexplore.insight.wording import name, plural, size

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
    """What text can look like: one, several, the test, the better type, what text costs, the type to cast to in SQL.

    `types` are those of `retype` that may hold it, in the order in which they are tried.
    """

    one: str
    several: str
    test: Callable[[str], object]
    better: str
    cost: str
    sql: str = ""
    types: tuple[str, ...] = ()


def _pattern(pattern: str) -> Callable[[str], object]:
    """A test whether a text as a whole has a form."""
    return re.compile(pattern, re.ASCII).fullmatch


STAMPS = tuple(f"timestamp[{unit}{zone}]" for unit in ("us", "ns") for zone in ("", ", tz=UTC"))

FORMS = (
    Form(
        "a date", "dates", _pattern(r"\d{4}-\d\d-\d\d"), "DATE",
        "10 bytes a date instead of 4", "DATE", ("date32",),
    ),
    Form(
        "a date", "dates", _pattern(r"\d\d[/.]\d\d[/.]\d{4}"), "DATE",
        "10 bytes a date instead of 4, and the order of the texts is not that of the dates",
    ),
    Form(
        "a timestamp", "timestamps",
        _pattern(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?"), "TIMESTAMP",
        "at least 16 bytes a timestamp instead of 8", types=STAMPS,
    ),
    Form(
        "a UUID", "UUIDs",
        _pattern(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"), "UUID",
        "36 bytes a UUID instead of 16", "UUID", ("uuid",),
    ),
    Form(
        "a number", "numbers", _pattern(r"-?(0|[1-9]\d{0,17})(\.\d{1,9})?"), "INT64, DOUBLE or DECIMAL",
        "text is compared from the left: '10' comes before '9'", types=("int32", "int64"),
    ),
    Form(
        "true or false", "true or false", _pattern(r"[Tt]rue|[Ff]alse|TRUE|FALSE"), "BOOLEAN",
        "4 bytes and more a value instead of a bit", "BOOLEAN",
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
        return (
            f"All {self.count:,} values of {column}"
            if self.whole
            else f"The {self.count:,} values of {column} that were looked at"
        )


def _values(subject: Subject, leaf: Leaf) -> Iterator[pa.Array]:
    """The values of a column, page by page; at level `sample` a part of some. Raises ParquetError if one cannot be read."""
    if subject.level == SAMPLE:
        sample = trials.samples(subject).get(leaf.leaf_index)
        if sample is not None:
            yield from sample.values
            return
    for chunk in islice(subject.chunks(leaf), 1 if subject.level == SAMPLE else None):
        if subject.level == SAMPLE:
            for page in trials.spread(chunk, 1):
                yield page.physical_part(0, min(trials.VALUES, page.num_present))
            continue
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
    return Looked(count, not subject.partial and subject.level == DATA, nans) if count else None


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
    """Text whose values are all dates, timestamps, UUIDs, numbers, JSON, or true and false."""
    known = {leaf.leaf_index: (leaf, form, ends) for leaf, form, ends, _ in _candidates(subject)}
    for leaf, form in _by_sample(subject):
        known.setdefault(leaf.leaf_index, (leaf, form, []))
    for leaf, form, ends in known.values():
        looked = _all(subject, leaf, _have(form))
        if looked is None:
            continue
        shown, evidence = "", {"form": form.one, "values": looked.count}
        if ends:
            low, high = clip(ends[0], 40), clip(ends[-1], 40)
            shown, evidence = f" ({low} … {high})", {**evidence, "min": low, "max": high}
        said = f"{looked.of(name(leaf.path))} are {form.several}{shown}, and the column stores text."
        sample = trials.samples(subject).get(leaf.leaf_index)
        tried = None if sample is None else _takes(sample, form)
        one = _of_another_type("text-values-of-another-type", leaf, form, said, evidence)
        what = f"{looked.of(name(leaf.path))} are {form.several} as text"
        yield one if tried is None else _with_cost(subject, leaf, one, what, *tried)


def _with_cost(subject: Subject, leaf: Leaf, one: Finding, what: str, takes: int, how: str) -> Finding:
    """The diagnosis of a column that could be much smaller in another type, `how`; as it is if it could not."""
    stored = subject.total("total_compressed_size", leaf)
    if trials.severity(subject, stored - takes) is not Severity.WASTEFUL:
        return one
    return dataclasses.replace(
        one,
        message=f"{what}; {how} stores the column in about {size(takes)} instead of {size(stored)}.",
        severity=Severity.WASTEFUL,
        cost=trials.cost(subject, stored - takes),
        evidence={**one.evidence, **trials.smaller({trials.named(leaf): stored - takes}, takes, stored)},
    )


def _by_sample(subject: Subject) -> Iterator[tuple[Leaf, Form]]:
    """Large text columns whose bounds say nothing, and whose sampled values all have one form."""
    if sum(subject.rows) < LEAST_ROWS:
        return
    for leaf in texts(subject):
        sample = trials.samples(subject).get(leaf.leaf_index)
        bounds = None if sample is None else all_bounds(subject, leaf)
        if sample is None or (bounds is not None and not any(map(_cut, bounds))):
            continue
        form = next((one for one in FORMS if all(map(_have(one), sample.values))), None)
        if form is not None:
            yield leaf, form


def _takes(sample: trials.Sample, form: Form) -> tuple[int, str] | None:
    """The bytes of a column of text in the type of a form, and that type; None if it cannot be tried."""
    for target in form.types:
        takes = trials.retyped(sample, target)
        if takes is not None:
            return takes, target.partition("[")[0].removesuffix("32" if target == "date32" else "").upper()
    try:
        if form.better == "BOOLEAN":
            made = [pc.equal(pc.utf8_lower(one.cast(pa.string())), "true") for one in sample.values]
            return sample.column(sample.of_type(made, Type.BOOLEAN)), "BOOLEAN"
        if form.sql == "JSON":
            takes = _as_struct(sample)
            return None if takes is None else (takes, "a struct of its fields")
        if form.one == "a number":
            made = [one.cast(pa.string()).cast(pa.float64()) for one in sample.values]
            return sample.column(sample.of_type(made, Type.DOUBLE)), "DOUBLE"
    except (ParquetError, UsageError, ValueError, RecursionError):  # not all values were looked at
        pass
    return None


JSON_FIELDS = 100
JSON_VALUES = 1_000
"""Fields of a struct, and values of each page, for which it is tried what JSON would take as a struct."""


def _as_struct(sample: trials.Sample) -> int | None:
    """The bytes of JSON objects as a struct of their fields; None if they are no objects of few fields."""
    takes = now = 0.0
    for part in sample.parts:
        rows = [json.loads(one) for one in part.values[:JSON_VALUES].to_pylist()]
        if not all(isinstance(one, dict) for one in rows):
            return None
        fields = dict.fromkeys(key for one in rows for key in one)
        if not 0 < len(fields) <= JSON_FIELDS:
            return None
        for key in fields:
            values, kind = _column([one.get(key) for one in rows])
            takes += len(rows) / 8 + min(
                trials.encoded(part.chunk, values, one) for one in (Encoding.PLAIN, *trials.CANDIDATES.get(kind, ()))
            )
        now += part.takes(int(part.chunk.metadata.codec)) * len(rows) / len(part.values)
    return round(sample.total * takes / now) if now else None


def _column(values: list[Any]) -> tuple[pa.Array, int]:
    """JSON values as an array of one type, without nulls, and its physical type; text of JSON if they have several."""
    present = [one for one in values if one is not None]
    kinds = {type(one) for one in present}
    if kinds == {bool}:
        return arrow_numbers(np.array(present, np.bool_)), Type.BOOLEAN
    if kinds == {int} and all(abs(one) < 1 << 63 for one in present):
        return arrow_numbers(np.array(present, np.int64)), Type.INT64
    if kinds and kinds <= {int, float} and all(abs(one) <= WHOLE for one in present if isinstance(one, int)):
        return arrow_numbers(np.array(present, np.float64)), Type.DOUBLE
    texts_ = [one if isinstance(one, str) else json.dumps(one) for one in present]
    return arrow_strings([one.encode(errors="replace").decode() for one in texts_]).cast(pa.binary()), Type.BYTE_ARRAY


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
            values = pc.unique(page).to_pylist()
            return all(form.test(one.decode() if isinstance(one, bytes) else one) for one in values)
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
        one = Finding(
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
        sample = trials.samples(subject).get(leaf.leaf_index)
        takes = None if sample is None else _as_integers(sample)
        what = f"{looked.of(name(leaf.path))} are whole numbers as {kind}{nans}"
        yield one if takes is None else _with_cost(subject, leaf, one, what, takes, "INT64")


def _as_integers(sample: trials.Sample) -> int | None:
    """The bytes of a column of floats as integers, with nulls for NaN; None if they do not fit."""
    try:
        made = [one.filter(pc.invert(pc.is_nan(one))).cast(pa.int64()) for one in sample.values]
        return sample.column(sample.of_type(made, Type.INT64)) if all(map(len, made)) else None
    except (ParquetError, pa.ArrowInvalid):
        return None


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
        "text-values-of-another-type", Severity.NOTE, SAMPLE,
        "Text whose values are all dates, numbers, UUIDs, JSON, or true and false",
        "Bounds alone can mislead, so the values are read, too.",
        typed_values, LOGICAL_TYPES,
        f"All values, of the first {VALUES:,} at level `data`, in a file of at least {LEAST_ROWS:,} rows. {trials.THRESHOLD}",
        instead_of="text-of-another-type",
    ),
    Rule(
        "whole-numbers-as-floats", Severity.NOTE, SAMPLE,
        "DOUBLE and FLOAT columns of whole numbers",
        "Often they are integers with missing values that a program turned into floats.",
        whole_floats, PANDAS_INTEGERS,
        f"All values, of the first {VALUES:,} at level `data`, in a file of at least {LEAST_ROWS:,} rows. {trials.THRESHOLD}",
    ),
)  # fmt: skip
