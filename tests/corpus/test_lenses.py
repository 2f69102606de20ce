"""Every lens on files that we did not write: it answers, or it says with a ParquetError what it cannot show.

One file a writer, and all hostile ones. Of each, the first nodes of every kind are looked at through every lens that
applies to them. For the lens diff, each file is compared with the one before it. Each run does every third look, another
third of the next file; `make test-full` does all.
"""

import contextlib
import csv
import json
import re

import pytest

import pqexplore
from pqexplore.engine.errors import ParquetError
from pqexplore.insight import lenses
from pqexplore.insight.ask.question import Question
from pqexplore.insight.diff.second_file import compared_with
from pqexplore.widget import lens as lens_view
from pqexplore.widget import sheet
from pqexplore.widget.rpc import RESULT_BYTES

EACH = 2
"""Nodes of a kind that are looked at in a file."""

VISITED = 250
"""Nodes of a file that are visited to find them."""

ONE_ARE = re.compile(r"\b1 (of (them|these|those|which)|more) (have|are|were|say|do|need|hold|lie)\b")

BROAD = ("row_groups/0/columns/0", "row_groups/0/columns/1", "row_groups/0/columns/2")


def files(corpus):
    """A file for each writer's name, the one with the most features, and every hostile one."""
    chosen, best = [], {}
    with open(corpus / "catalog.csv", newline="") as lines:
        for row in csv.DictReader(lines):
            if row["klass"].startswith("hostile"):
                chosen.append(row["path"])
            elif row["klass"] in ("valid", "quirk", "encrypted") and int(row["size"] or 0) < 2_000_000:
                writer = row["created_by"].split(" ")[0].lower() or "unnamed"
                key = row["klass"] + writer
                if len(row["features"]) > best.get(key, (0, ""))[0]:
                    best[key] = len(row["features"]), row["path"]
    return [path for _, path in best.values()], chosen


def nodes(file):
    """The first nodes of each kind, found breadth first; what cannot be opened ends there."""
    seen = {}
    queue, visited = [file.root], 0
    for address in BROAD:
        try:
            queue.append(file.node(address))
        except (ParquetError, LookupError, ValueError):
            continue
    while queue and visited < VISITED:
        node = queue.pop(0)
        visited += 1
        known = seen.setdefault(node.kind, {})
        if len(known) < EACH:
            known[node.address] = node
        try:
            below = node.children
            queue += [below[i] for i in range(min(len(below), 12))]
        except ParquetError:
            continue
    return [node for known in seen.values() for node in known.values()]


def look(path, second, first, step):
    """Look at a file through every lens; what was wrong with that, and how many looks there were.

    Of the pairs of node and lens, those are looked at that `first` and `step` give.
    """
    wrong, looks, wheres = [], 0, []

    def asks(lens):
        """No question, and for a lens that answers questions those that it offers itself, read when it is their turn."""
        yield None
        if lens.asked is not None:
            yield from (Question(where) for where in [*dict.fromkeys(wheres)][:2])

    try:
        file = pqexplore.open(path)
    except ParquetError:
        return [], 0
    with contextlib.ExitStack() as stack:
        stack.enter_context(file)
        with contextlib.suppress(ParquetError):
            stack.enter_context(compared_with(stack.enter_context(pqexplore.open(second))))
        pairs = [(node, lens) for node in nodes(file) for lens in lenses.applying(node)]
        for node, lens in pairs[first::step]:
            for question in asks(lens):
                looks += 1
                try:
                    shown = lenses.finish(lens_view.payload(file, node, lens, True, question))
                    length = len(json.dumps(shown, allow_nan=False))
                    said = shown["answer"] or shown["empty"] or lens.name in ("facts", "rows")
                    if question is None and lens.asked is not None:
                        picture = shown["picture"] or {"examples": []}  # None if the footer needs a key
                        wheres += [one["where"] for one in picture["examples"]]
                    if isinstance(said, str) and ONE_ARE.search(said):
                        wrong.append(f"{lens.name} at {node.address}: one thing with a plural verb: {said!r}")
                    if length > RESULT_BYTES or not said:
                        wrong.append(f"{lens.name} at {node.address}: {length} bytes, says {said!r}")
                    answer = lenses.finish(lenses.answer_of(file, node, lens, question))
                    if answer.table is not None:
                        sheet.first(answer.table)
                except ParquetError as error:
                    if not error.message:
                        wrong.append(f"{lens.name} at {node.address}: an error without a message")
                except Exception as error:
                    wrong.append(f"{lens.name} at {node.address}: {type(error).__name__}: {error}")
    return wrong, looks


@pytest.mark.parametrize("step", [12, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("which", [0, 1], ids=["writers", "hostile"])
def test_every_lens_answers_or_says_why_not(corpus, which, step, record_property):
    paths = files(corpus)[which]
    wrong, looks = [], 0
    for i, (path, second) in enumerate(zip(paths, [*paths[-1:], *paths[:-1]], strict=True)):
        found, count = look(corpus / path, corpus / second, i % step, step)
        wrong += [f"{path}: {one}" for one in found]
        looks += count
    record_property("stated", f"lenses: {looks} looks at {len(paths)} files")
    assert wrong == []
    assert len(paths) >= 20
