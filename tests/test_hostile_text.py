"""Names, values and key-values of a file are only text: nothing that is shown of them is obeyed by what shows it.

Random texts of controls, bidirectional overrides, invisible characters and HTML go through every repr, label, message
and line of the command line.
"""

import contextlib
import html.parser
import io
import json
import os
import pathlib
import re
import tempfile

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quick import quick

import pqexplore
from pqexplore import cli
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.format.variant.encode import encode
from pqexplore.engine.format.variant.json_text import to_json
from pqexplore.insight import lenses
from pqexplore.widget.picture import picture

PIECES = [
    "\x1b]0;owned\x07", "\x1b[2J\x1b[31m", "\x9b31m", "\r\n\x00\x08\x7f", "\u202eevil\u202c", "\u2066isolated\u2069",
    "\u200e\u200f\u061c", "zero\u200b\u200d\ufeffwidth", "\u2028\u2029", "\U000e0041",
    "<a href='https://evil.example/'>link</a>", "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>",
    "%{label}$x$&lt;", 'quote"s\\', "plain",
]  # fmt: skip
RAW = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Characters that no output may have; lines end in a line feed."""

TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join)
ATTACK = pathlib.Path(__file__).parents[2] / "shared" / "attack"


def sample(names, values, notes, writer) -> bytes:
    """A file of nested and flat columns, two row groups, a page index, and notes."""
    texts = pa.array(values)
    columns = {
        names[0]: texts,
        names[1] + " ": pa.array([{names[2]: [one]} for one in values]),
        names[2] + "  ": pa.array([one.encode() for one in values]),
    }
    options = pqexplore.WriteOptions(
        created_by=writer,
        root_name=names[0],
        key_value_metadata=dict(zip(notes, reversed(notes), strict=True)),
        row_group_rows=max(1, len(values) // 2),
        arrow_schema=True,
    )
    out = io.BytesIO()
    pqexplore.write(pa.table(columns), out, options)
    return out.getvalue()


def damaged(data: bytes) -> bytes:
    """The same with bytes of the first pages changed."""
    made = bytearray(data)
    made[8:40] = bytes(byte ^ 0x55 for byte in made[8:40])
    return bytes(made)


def of_nodes(file):
    """What the tree shows: labels, reprs, facts and errors."""
    todo, seen = [file.node("")], 0
    while todo and seen < 1_500:
        node = todo.pop()
        seen += 1
        yield from (repr(node), node.label, node.reason, node.address)
        try:
            for fact in node.facts:
                yield from (repr(fact), fact.name, fact.meaning)
            todo.extend(node.children[:20])
        except ParquetError as error:
            yield str(error)


def of_lenses(file):
    """What every lens says of the file, of a field and of a chunk."""
    for address in ("", "schema/1", "row_groups/0", "row_groups/0/columns/0"):
        node = file.node(address)
        for lens in lenses.LENSES:
            try:
                answer = lenses.finish(lenses.answer_of(file, node, lenses.require(lens, node)))
            except (ParquetError, UsageError) as error:
                yield str(error)
                continue
            yield from (answer.sentence, answer.empty, answer.code, repr(answer))
            yield from (answer._repr_html_(), answer._repr_markdown_())
            assert Tags(answer._repr_html_()).tags <= PLAIN
            assert not Tags(answer._repr_markdown_()).tags
            if answer.table is not None:
                yield answer.table.caption
                yield from (column.title for column in answer.table.columns)


def of_handles(file):
    """Reprs and messages of the handles, and of everything that the check finds."""
    yield from (repr(file), repr(file.schema), *map(repr, file.schema.fields))
    yield from (repr(file.metadata), *map(repr, file.metadata.key_value_metadata or ()))
    yield from map(repr, file.metadata.schema)
    for group in file.row_groups:
        yield repr(group)
        for chunk in group.columns:
            yield from (repr(chunk), repr(chunk.leaf), repr(chunk.metadata))
            with contextlib.suppress(ParquetError):
                yield from map(repr, chunk.pages)
    for finding in file.check():
        yield from (str(finding), repr(finding), finding.message)
    for path in (file.schema.leaves[0].path[0] + "?", ".".join(file.schema.leaves[0].path) + "."):
        with pytest.raises(KeyError) as caught:
            file.schema.leaf(path)
        yield str(caught.value)
    explorer = pqexplore.explore(file)
    yield repr(explorer)


def of_terminal(path):
    """Everything that the command line prints, JSON included."""
    for words in (
        [],
        ["--check"],
        ["--at", "schema"],
        ["--at", "row_groups/0/columns/0"],
        ["--view", "overview"],
        ["--view", "statistics"],
        ["--view", "rows"],
        ["--json"],
        ["--at", "schema/1", "--json"],
        ["--check", "--json"],
    ):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            cli.main([path, *words])
        yield from (out.getvalue(), err.getvalue())


PLAIN = {"p", "b", "table", "thead", "tbody", "tr", "th", "td"}
"""The tags of what notebooks show."""


class Tags(html.parser.HTMLParser):
    """The tags of a piece of HTML, and its attributes."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = set(), set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(attrs)


def check(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "hostile.parquet")
        pathlib.Path(path).write_bytes(data)
        with pqexplore.open(path) as file:
            for text in (*of_handles(file), *of_nodes(file), *of_lenses(file), *of_terminal(path)):
                assert not RAW.search(text), text
            image = {"img", "font"}, {"src", "width", "alt", "color"}
            for shown, (tags, attributes) in (
                (file._repr_html_(), (set(), set())),
                (picture(file, "schema", "schema"), image),
            ):
                assert not RAW.search(shown)
                found = Tags(shown)
                assert found.tags <= PLAIN | tags
                assert {name for name, _ in found.attributes} <= attributes


@pytest.mark.parametrize("examples", [3, pytest.param(20, marks=pytest.mark.full)])
def test_random_text_shows_nothing_that_is_obeyed(examples):
    @settings(max_examples=examples, deadline=None)
    @given(
        st.lists(TEXTS, min_size=3, max_size=3),
        st.lists(TEXTS, min_size=2, max_size=6),
        st.lists(TEXTS, min_size=1, max_size=3, unique=True),
        TEXTS,
    )
    def shown(names, values, notes, writer):
        data = sample(names, values, notes, writer)
        check(data)
        check(damaged(data))

    shown()


def test_all_hostile_pieces_at_once():
    everything = "".join(PIECES)
    data = sample([everything] * 3, PIECES, PIECES, everything)
    check(data)
    check(damaged(data))


def test_names_and_values_themselves_are_unchanged():
    everything = "".join(PIECES)
    with pqexplore.open(sample([everything] * 3, PIECES, PIECES, everything)) as file:
        assert file.schema.leaves[0].path == (everything,)
        assert file.metadata.created_by == everything
        assert file.read().column(0).to_pylist() == PIECES
        assert {pair.key: pair.value for pair in file.metadata.key_value_metadata}[PIECES[0]] == PIECES[-1]


@pytest.mark.parametrize("name", quick(["few", "inj"], "few"))
def test_the_files_of_attackers(name):
    path = ATTACK / f"{name}.parquet"
    if not path.exists():
        pytest.skip("the attack files are not beside the project")
    check(path.read_bytes())


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS)
def test_variants_as_json_are_printable_and_mean_the_same(key, value):
    metadata, encoded = encode({key: [value]})
    made = to_json(metadata, encoded)
    assert made.isprintable()
    assert json.loads(made) == {key: [value]}


def test_a_plan_shows_printable_names():
    everything = "".join(PIECES)
    plan = pqexplore.plan(pa.table({everything: [1]}))
    assert all(line.isprintable() for line in str(plan).splitlines())
    assert not RAW.search(str(plan))
