"""The answer of a lens at a node: a sentence, a picture, a table.

The explorer draws the picture, the command line prints the sentence and the table, `Explorer.to_frame` gives the table as
a DataFrame. So a table has Python values, not texts, and each row has the address and the bytes of its node.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from pqexplore.engine.errors import UsageError
from pqexplore.engine.finding import Finding
from pqexplore.engine.span import Span
from pqexplore.engine.text import clip, plural, printable

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    import pyarrow as pa

    from pqexplore.insight.totals import Totals


REPR = 300
"""Max characters of the repr of an answer or a table."""

Theme: TypeAlias = Literal["light", "dark"]
"""The page that a chart is for."""


class Charts(Protocol):
    """Draws the answers of a family of lenses (`pqexplore.insight.figures`)."""

    def draw(self, made: Answer, theme: Theme) -> go.Figure:
        """The chart of an answer."""


@dataclasses.dataclass(frozen=True, slots=True)
class Bars:
    """A chart of horizontal bars, one for each row of a table: `name` and `value` are columns, `title` is the axis's.

    `axis` says what is counted: bytes, count, share or difference. `label` names the bars in the legend, if there is a
    second, pale bar `beside` them: a column and its label. `kind` is a column that tells rows of the same name apart.
    """

    name: str
    value: str
    title: str
    axis: Literal["bytes", "count", "share", "difference"]
    beside: tuple[str, str] | None = None
    label: str = ""
    kind: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its name in a DataFrame, its title, the kind of its values, and their meaning.

    `kind` is one of text, number (thousands are separated), bytes (a size), share (of 1), flag (true, false or
    unknown), code (in a font of fixed width). Title and meaning are printable text.

    `total` says how its values add up (`insight.totals`): "" not at all; sum, which is unknown if one value is; most,
    the same and the largest; some, the sum of those that are there; largest, the same and the largest; least and greatest, of a column's bounds; each, how
    often each text occurs; true and there, how many are; `a/b`, the share of the sum of column a in that of column b.
    """

    name: str
    title: str
    kind: str = "text"
    meaning: str = ""
    total: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", printable(self.title))
        object.__setattr__(self, "meaning", printable(self.meaning))


class Counts(dict[str, int]):
    """How often each text occurs, the most frequent first."""

    @classmethod
    def of(cls, texts: Iterable[str]) -> Counts:
        """The counts of some texts."""
        return cls(collections.Counter(texts).most_common())

    @property
    def each(self) -> str:
        """Each text and how often it occurs."""
        return ", ".join(f"{text} {count:,}" for text, count in self.items())

    def __str__(self) -> str:
        return self.each if len(self) > 1 else "".join(self)


class Table:
    """Rows of values, each with the address and the bytes of its node, None if it has none.

    A table may list only its first rows: `total` counts all.
    """

    def __init__(self, columns: Sequence[Column], caption: str = "", total: int | None = None) -> None:
        self.columns = tuple(columns)
        self.caption = printable(caption)
        self.rows: list[tuple[Any, ...]] = []
        self.addresses: list[str | None] = []
        self.spans: list[Span | None] = []
        self._total = total

    @property
    def total(self) -> int:
        """Rows in all, listed or not."""
        return len(self.rows) if self._total is None else self._total

    def add(self, *values: Any, address: str | None = None, span: Span | None = None) -> None:
        """Append a row: one value for each column, None if absent. ValueError if there are more or fewer."""
        if len(values) != len(self.columns):
            raise ValueError(f"{len(values)} values for {len(self.columns)} columns")
        self.rows.append(values)
        self.addresses.append(address)
        self.spans.append(span)

    def column(self, name: str) -> list[Any]:
        """The values of one column."""
        at = [column.name for column in self.columns].index(name)
        return [row[at] for row in self.rows]

    def _by_name(self) -> dict[str, list[Any]]:
        """The values by column, then the address of each row, and its bytes as `start`, `end` and `space`."""
        made = {column.name: self.column(column.name) for column in self.columns}
        made["address"] = list(self.addresses)
        for name in ("start", "end", "space"):
            made[name] = [None if span is None else getattr(span, name) for span in self.spans]
        return made

    def to_pandas(self) -> pd.DataFrame:
        """The listed rows as a DataFrame, with `address`, `start`, `end` and `space` of each row's bytes."""
        import pandas as pd

        return pd.DataFrame(self._by_name())

    def to_arrow(self) -> pa.Table:
        """The same as an Arrow table; a column whose values have no type in common is text."""
        import pyarrow as pa

        return pa.table({name: _array(values) for name, values in self._by_name().items()})

    def __repr__(self) -> str:
        names = ", ".join(printable(column.name) for column in self.columns)
        rows = (
            f"{len(self.rows):,} of {self.total:,} rows" if len(self.rows) < self.total else plural(self.total, "row")
        )
        return clip(f"<Table {rows}: {names}>", REPR)


def _array(values: list[Any]) -> pa.Array:
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        return pa.array([None if one is None else printable(str(one)) for one in values], pa.string())


@dataclasses.dataclass(slots=True, repr=False)
class Answer:
    """The answer of a lens at a node.

    `sentence` answers the question of the lens. `picture` is an instance of the lens's dataclass (`Lens.picture`), None if
    there is nothing to draw: then `empty` says why, and how a writer can change that. `code` is the Python that gives the
    same from an open file `f`. All three texts are printable. `findings` are those about the node so far, the worst first.
    `totals` are those of its table, if it is about many column chunks.
    `lens` is the name of the lens or panel, `charts` what draws it. Of the overview, `line` is how the sentence begins, in
    one line, and `severity` that of the finding which the line is about, "" if it is about none.
    """

    sentence: str
    picture: object | None = None
    table: Table | None = None
    empty: str = ""
    code: str = ""
    findings: tuple[Finding, ...] = ()
    lens: str = ""
    line: str = ""
    severity: str = ""
    totals: Totals | None = None
    charts: Charts | None = dataclasses.field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.sentence = printable(self.sentence)
        self.empty = printable(self.empty)
        self.code = printable(self.code)
        self.line = printable(self.line)

    def __repr__(self) -> str:
        table = "" if self.table is None else f", {plural(self.table.total, 'row')}"
        return clip(f"<Answer {self.lens or 'about the file'}{table}: {self.sentence or self.empty}>", REPR)

    def _repr_html_(self) -> str:
        from pqexplore.insight.answer_text import answer_html

        return answer_html(self)

    def _repr_markdown_(self) -> str:
        from pqexplore.insight.answer_text import answer_markdown

        return answer_markdown(self)

    def figure(self, theme: Theme = "light") -> go.Figure:
        """The answer as a plotly figure, for a notebook or a dashboard: its numbers are those of the table.

        Raises UsageError if the lens has no chart (the error names those that have one), if there is nothing to draw, or
        for an unknown theme.
        """
        if self.charts is None:
            raise UsageError("this answer has no chart")
        return self.charts.draw(self, theme)


class LazyTable(Table):
    """A table that makes its rows on access."""

    def __init__(
        self,
        columns: Sequence[Column],
        caption: str,
        rows: Sequence[tuple[Any, ...]],
        addresses: Sequence[str | None],
        spans: Sequence[Span | None],
    ) -> None:
        super().__init__(columns, caption)
        self.rows: Any = rows
        self.addresses: Any = addresses
        self.spans: Any = spans
