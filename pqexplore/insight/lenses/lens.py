"""What a lens is: one record, which its module gives as `LENS`.

The registry (`pqexplore.insight.lenses`) lists the records; the explorer, the command line and the saved page read
them. js/src/lenses/NAME.ts draws the picture of the lens NAME.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.tree.at import chunk_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer, Bars, Table, Theme
from pqexplore.insight.answer_cache import Kept
from pqexplore.insight.findings_at import findings_about, noted_claims, with_findings
from pqexplore.insight.questions import QUESTIONS
from pqexplore.insight.steps import finish as finish

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from pqexplore.insight.ask.question import Question

Steps = Generator[float, None, Answer]
"""Work that takes long: it yields how much is done, from 0 to 1, many times a second, and returns the Answer."""

Operation = Callable[..., Any]
"""What a picture asks for later: takes the open file and the request's arguments. It returns JSON values and
`Columns`, or a pair of these and buffers."""

Request = tuple[str, dict[str, Any]]


def _everywhere(node: Node) -> bool:
    return True


@dataclasses.dataclass(frozen=True, slots=True)
class Lens:
    """One way to look at a node.

    - `name`, the same in Python, TypeScript, CSS, tests and docs; `title`, the text of its tab;
    - `answer(file, node)`, the Answer, or the steps to it;
    - `asked(file, node, question)`, the same for a question that was typed, if the lens answers one;
    - `kinds`, the kinds of nodes that it may apply to (None: all), and `where(node)`, which of these. `where` reads no
      more of the file than the node did;
    - `first`, the kinds of nodes that it is the first view of;
    - `lacking(file, node)`, why there is nothing to show of the node, "" if there may be something. It reads nothing
      more than the footer;
    - `cost(file, node)`, the bytes that the answer decodes: the view asks before it decodes much;
    - `seconds(file, node)`, the most that the answer takes, 0 if it is quick or known: the view asks before it begins;
    - `picture`, the dataclass of its pictures (see `pqexplore.insight.wire`);
    - `frame(file, node)`, the table for `Explorer.to_frame` if it differs from the answer's;
    - `operations`, what its picture asks for later, by name;
    - `whole_column`: the answer at a column chunk is about all chunks of its column;
    - `saved(picture)`, the requests whose replies a saved page keeps beside the picture;
    - `lacks()`, what the lens needs and is not given, as the message of a UsageError; "" if nothing;
    - `misled_by`, the faults that make its answer wrong: of `defect.BOUNDS`, `VALUES` and `SPLITS`. A defect of the writer
      is quoted in its sentence only then, or at the defect's own place;
    - `depends(file)`, what an answer depends on beside the node and the question;
    - `figure`, the chart for notebooks: bars over the answer's table (of several, the first whose `name` is a column of
      it), or the name of a function of `insight.figures.lens_charts`; without one, `no_figure` says why;
    - `across`, the table over many column chunks: the module of `insight.across` that makes it; "chunks" or "columns" if
      the answers of all column chunks or columns are joined; "" for none;
    - `value_free`, the columns of the table that have no value of the file, and `value_free_sentence`, whether the
      sentence has none: a saved notebook may keep these.
    """

    name: str
    title: str
    answer: Callable[[ParquetFile, Node], Answer | Steps]
    kinds: frozenset[str] | None = None
    where: Callable[[Node], bool] = _everywhere
    first: frozenset[str] = frozenset()
    lacking: Callable[[ParquetFile, Node], str] | None = None
    cost: Callable[[ParquetFile, Node], int] | None = None
    seconds: Callable[[ParquetFile, Node], float] | None = None
    picture: type[Any] | None = None
    frame: Callable[[ParquetFile, Node], Table] | None = None
    operations: Mapping[str, Operation] = dataclasses.field(default_factory=dict)
    whole_column: bool = False
    saved: Callable[[dict[str, Any]], Iterator[Request]] | None = None
    asked: Callable[[ParquetFile, Node, Question], Answer | Steps] | None = None
    lacks: Callable[[], str] = str
    misled_by: frozenset[str] = frozenset()
    depends: Callable[[ParquetFile], Hashable] | None = None
    figure: str | tuple[Bars, ...] = ()
    no_figure: str = ""
    across: str = ""
    value_free: tuple[str, ...] = ()
    value_free_sentence: bool = False

    @property
    def question(self) -> str:
        """The question that the lens answers, as help and completion list it."""
        return QUESTIONS[self.name]

    def applies(self, node: Node) -> bool:
        """Whether the lens has something to show of a node."""
        if self.lacks():
            return False
        return (self.kinds is None or node.kind in self.kinds) and self.where(node)


INDEXES = frozenset({"column_index", "offset_index"})
"""The kinds of nodes whose claims are compared with each other for every answer."""

_kept: Kept[ParquetFile] = Kept()


@dataclasses.dataclass(frozen=True, slots=True)
class _Chart:
    """Draws the answers of a lens. What draws them is imported when one is drawn."""

    lens: Lens

    def draw(self, made: Answer, theme: Theme) -> go.Figure:
        """The chart of an answer. UsageError if the lens has none, if nothing is known, or for an unknown theme."""
        if not self.lens.figure:
            raise UsageError(f"the lens {self.lens.name} has no chart: {self.lens.no_figure}")
        from pqexplore.insight.figures import draw

        return draw(made, self.lens.figure, theme)


def answer_of(file: ParquetFile, node: Node, lens: Lens, question: Question | None = None) -> Steps:
    """The Answer of a lens at a node, with the findings about the node; the latest ones of a file are kept.

    It is made anew after there are other findings. A lens that answers no questions ignores `question`.
    """
    question = question if lens.asked is not None else None

    def key() -> Hashable:
        about = findings_about(file, node, lens.whole_column)
        found = hash(tuple((one.rule, one.address, one.message, len(one.alike)) for one in about))
        depends = lens.depends(file) if lens.depends is not None else None
        return node.address, lens.name, question, found, depends

    known = _kept.get(file, key())
    if known is not None:
        return known
    work = _within_budget(file, node, lens, question)
    made = yield from file.budget.steps(f"the lens {lens.name}", work, node.address)
    made = with_findings(file, node, made, lens.whole_column, lens.misled_by)
    made = dataclasses.replace(made, lens=lens.name, charts=_Chart(lens))
    _kept.put(file, key(), made)
    return made


def _within_budget(file: ParquetFile, node: Node, lens: Lens, question: Question | None) -> Steps:
    """The Answer, which says so if the budget ended it."""
    if node.kind in INDEXES:
        with suppress(ParquetError):
            noted_claims(chunk_at(file, node.address))
    if question is not None and lens.asked is not None:
        outcome = lens.asked(file, node, question)
    else:
        outcome = lens.answer(file, node)
    made = outcome if isinstance(outcome, Answer) else (yield from outcome)
    if file.budget.exhausted:
        made.sentence += f" Not everything was looked at: {file.budget.exhausted}."
    return made
