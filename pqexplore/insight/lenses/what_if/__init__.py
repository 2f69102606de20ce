"""What if the file were written with other choices: real sizes, by our own writer.

At a column: each encoding under each codec, against the bytes today. At the file: each column today and in its best choice,
other changes, and the layout of the new file with the pages, row groups and order that one chooses. To try a file takes
up to 20 s, so a view asks first.
"""

from __future__ import annotations

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.span import Span
from pqexplore.engine.tree.at import chunk_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer, Bars, Column, Table
from pqexplore.insight.lenses.lens import Lens, Steps
from pqexplore.insight.lenses.what_if.picture import (
    DRAWN,
    Picture,
    Whole,
    by_saving,
    bytes_today,
    change,
    codec_words,
    encoding_words,
    matrix,
    row,
)
from pqexplore.insight.lenses.what_if.trials import (
    BUDGET,
    LATER,
    WHOLE,
    Tried,
    ask_what_if,
    chosen_at_first,
    known,
    predicted,
    target_of,
    tried,
    what_if_so_far,
    why_not,
    write_what_if,
)
from pqexplore.insight.places import is_column, leaf_at
from pqexplore.insight.what_if.choices import unread_by
from pqexplore.insight.what_if.column import ColumnTrial
from pqexplore.insight.what_if.savings import worth
from pqexplore.insight.what_if.sentence import sentence

SECONDS = BUDGET.seconds + 2 * LATER.seconds
"""The most that the trial of a file takes: its columns, its savings, a prediction."""

AT_ONCE = 1 << 20
"""Uncompressed bytes of a column that takes less than a second."""

MANY = 200_000
"""Values of a column from which on it may take longer."""

PAGES = (1_000, 5_000, 20_000, 100_000, 1_000_000)
ROW_GROUPS = (10_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000)
"""Rows of a page and of a row group that can be chosen."""

CHOICES = (
    Column("encoding", "encoding"),
    Column("codec", "codec", meaning="with its level"),
    Column("bytes", "bytes", "bytes", "of all chunks of the column, headers included"),
    Column("ratio", "of today", "share", "the part of the bytes today"),
    Column("sampled", "estimate", "flag", "whether the bytes are an estimate from a sample"),
    Column("error", "error", "bytes", "twice the standard error; absent if it is not known"),
    Column("seconds", "seconds", "number", "to encode and compress what was measured"),
    Column("unread_by", "not read by", meaning="engines that are known not to read it"),
    Column("best", "best", "flag", "the fewest bytes of those that all engines read"),
)

CHANGES = (
    Column("column", "column", meaning="absent for a change of the whole file"),
    Column("change", "change", meaning="what is written in another way"),
    Column("choice", "choice", meaning="the best of those that were tried"),
    Column("without", "without", "bytes", "of a column today; of the file with the best choices"),
    Column("bytes", "with", "bytes", "after the change"),
    Column("ratio", "of that", "share", "the part of the bytes without the change"),
    Column("sampled", "estimate", "flag", "whether the bytes are an estimate from a sample"),
    Column("error", "error", "bytes", "twice the standard error; absent if it is not known"),
    Column("note", "note", meaning="what the change does, or why the column was not tried"),
)


def answer(file: ParquetFile, node: Node) -> Steps:
    """The steps to the sizes of a column's choices, or of all columns of the file."""
    if file.metadata is None:
        locked = file.footer.locked
        why = "it needs a key" if locked is None else locked.message
        return Answer(
            "No other choice can be tried: the footer names the columns, and it is encrypted.",
            empty=f"The footer cannot be read: {why}",
        )
    if node.kind == "file":
        return (yield from _whole(file))
    leaf = _leaf(file, node)
    made = yield from tried(file, leaf.leaf_index)
    one = next(each for each in made.trial.columns if each.leaf.leaf_index == leaf.leaf_index)
    about = sentence([one])
    code = f"pqexplore.what_if(f, columns=[{one.path!r}]).table"
    if one.best is None:
        return Answer(about, empty=f"It was not tried: {one.untried.rstrip('.')}.", code=code)
    return Answer(about, Picture(matrix(one, _span(file, leaf))), _choices(one), code=code)


def _leaf(file: ParquetFile, node: Node) -> Leaf:
    if node.kind == "schema_field":
        return leaf_at(file, node.address)
    return chunk_at(file, node.address).leaf


def _span(file: ParquetFile, leaf: Leaf) -> Span | None:
    """The bytes of a column in a file of one row group."""
    groups = file.row_groups
    return groups[0].columns[leaf.leaf_index].span if len(groups) == 1 else None


def _choices(one: ColumnTrial) -> Table:
    table = Table(CHOICES, f"{one.path} in each choice, the smallest first")
    for choice, found in sorted(one.sizes.items(), key=lambda pair: pair[1].bytes.total):
        error = found.bytes.error
        table.add(
            encoding_words(choice),
            codec_words(choice),
            round(found.bytes.total),
            found.bytes.total / one.today if one.today else None,
            found.bytes.sampled,
            None if error is None else round(error),
            round(found.seconds, 4),
            ", ".join(unread_by(one.leaf, choice)) or None,
            choice == one.best,
            address=f"schema/{one.leaf.index}",
        )
    return table


def _whole(file: ParquetFile) -> Steps:
    made = yield from tried(file)
    code = f"pqexplore.what_if(f, budget=pqexplore.Budget(seconds={BUDGET.seconds:g})).table"
    columns = by_saving(made.trial.columns)
    if not columns or columns[0].best is None:
        why = columns[0].untried if columns else "the file has no columns"
        return Answer(made.trial.sentence, empty=f"Nothing was tried: {why.rstrip('.')}.", code=code)
    first = chosen_at_first(made)
    new = yield from predicted(file, made, first)
    orders = [list(one.sort) for one in made.savings if one.sort]
    groups = {n for n in ROW_GROUPS if n < file.num_rows}
    picture = Whole(
        [row(one) for one in columns[:DRAWN]],
        len(columns),
        [change(one) for one in worth(made.savings, made.trial.size)],
        made.unsearched,
        [".".join(one.leaf.path) for one in made.trial.columns],
        [f"schema/{one.leaf.index}" for one in made.trial.columns],
        bytes_today(file),
        new,
        sorted({*PAGES, first.page_rows}),
        sorted({*groups, first.row_group_rows, max(1, file.num_rows)}),
        orders,
        target_of(file),
        why_not(file),
    )
    return Answer(made.trial.sentence, Picture(whole=picture), _changes(made, columns), code=code)


def _changes(made: Tried, columns: list[ColumnTrial]) -> Table:
    table = Table(CHANGES, "The best choice of each column, and other changes")
    for one in columns:
        found = None if one.best is None else one.sizes[one.best].bytes
        error = None if found is None else found.error
        table.add(
            one.path,
            "encoding and codec",
            row(one).choice if found is not None else None,
            one.today,
            None if found is None else round(found.total),
            None if found is None or not one.today else found.total / one.today,
            None if found is None else found.sampled,
            None if error is None else round(error),
            one.untried or None,
            address=f"schema/{one.leaf.index}",
        )
    for saving in worth(made.savings, made.trial.size):
        table.add(
            saving.column,
            saving.kind.value,
            saving.choice,
            saving.without,
            saving.bytes,
            saving.bytes / saving.without if saving.without else None,
            saving.sampled,
            saving.error if saving.sampled else 0,
            saving.sentence,
        )
    return table


def seconds(file: ParquetFile, node: Node) -> float:
    """How long the answer may take: nothing if it is known, or about a small column."""
    if file.metadata is None:
        return 0.0
    leaf = None if node.kind == "file" else _leaf(file, node).leaf_index
    if known(file, WHOLE if leaf is None else leaf) is not None:
        return 0.0
    if leaf is None:
        return SECONDS
    try:
        every = [group.columns[leaf].metadata for group in file.row_groups]
    except ParquetError:
        return 0.0  # the answer says what cannot be read
    large = sum(one.total_uncompressed_size or 0 for one in every) > AT_ONCE
    return BUDGET.seconds if large or sum(one.num_values or 0 for one in every) > MANY else 0.0


def _applies(node: Node) -> bool:
    return node.kind == "file" or is_column(node)


LENS = Lens(
    "what_if",
    title="What if",
    answer=answer,
    kinds=frozenset({"file", "schema_field", "column_chunk"}),
    where=_applies,
    seconds=seconds,
    whole_column=True,
    picture=Picture,
    operations={"ask_what_if": ask_what_if, "what_if_so_far": what_if_so_far, "write_what_if": write_what_if},
    figure=(
        Bars(
            "column",
            "bytes",
            "bytes in the file",
            "bytes",
            beside=("without", "without the change"),
            label="with it",
            kind="choice",
        ),
        Bars("encoding", "bytes", "bytes of the column's pages", "bytes", kind="codec"),
    ),
    value_free=("column", "change", "choice", "encoding", "codec", "without", "bytes", "ratio"),
    value_free_sentence=True,
)
