"""Everything that can be asked of a file, one thing at a time.

`ask` opens a file and asks. `measure` does so in a process of its own that is measured (`engine.hostile.exercise`).
"""

from __future__ import annotations

import bisect
import contextlib
import functools
import io
import itertools
import json
import pathlib
import random
import tempfile
import traceback

import pyarrow as pa
from engine.hostile import exercise
from widget.pages import replies_of

import pqexplore
from pqexplore import cli
from pqexplore import lake as lakes
from pqexplore.cli.out import Ended
from pqexplore.engine import errors
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.insight import lenses, some_rows
from pqexplore.insight.ask import engines, planning
from pqexplore.insight.diff import odd_files as many_diffs
from pqexplore.insight.lenses.what_if import trials
from pqexplore.insight.trouble import error_code, faults
from pqexplore.lake import metadatastore
from pqexplore.lake.footer_rows.inspection import Inspection
from pqexplore.lake.listed_files import Entry, Options
from pqexplore.lake.panels import panels_of
from pqexplore.lake.scanning.settings import changed
from pqexplore.widget import lens as lens_view
from pqexplore.widget import rpc, sheet, structure
from pqexplore.widget.lake import explorer as desk
from pqexplore.widget.operations import OPERATIONS

NODES = 400
"""Nodes of a file that are visited."""
PAGE = 500_000
"""Bytes of the replies in a saved page."""
EACH = 3
"""Nodes of a kind that a lens is asked about."""


class Look:
    """Which nodes of a file are asked about: the first and the last few of each list."""

    def addresses(self, file):
        """Where to begin, after the root."""
        return ["row_groups/0/columns/0", "row_groups/0/columns/0/pages/1"]

    def some(self, children):
        """Some of a node's children."""
        return [*children[:6], *children[max(6, len(children) - 2) :]]


class LookNear(Look):
    """First the page and the chunk of a byte, then nodes at random."""

    def __init__(self, offset, rng):
        self.offset = offset
        self.rng = rng

    def addresses(self, file):
        table = file.layout()
        ends = table["end"].to_pylist()
        place = min(bisect.bisect_right(ends, self.offset), len(ends) - 1)
        steps = table["address"][place].as_py().split("/")
        return ["/".join(steps[:depth]) for depth in range(len(steps), 0, -1)]

    def some(self, children):
        return [children[i] for i in self.rng.sample(range(len(children)), min(8, len(children)))]


def nodes(file, look):
    """Nodes of a file, breadth first, from where `look` begins."""
    waiting, found = [file.root], []
    for address in look.addresses(file):
        try:
            waiting.append(file.node(address))
        except (ParquetError, LookupError):
            continue
    while waiting and len(found) < NODES:
        node = waiting.pop(0)
        found.append(node)
        try:
            waiting += look.some(node.children)
        except ParquetError:
            continue
    return found


def some_of_each(file, look=Look(), most=EACH):
    """The first nodes of each kind."""
    kinds = {}
    for node in nodes(file, look):
        known = kinds.setdefault(node.kind, {})
        if len(known) < most:
            known[node.address] = node
    return [node for known in kinds.values() for node in known.values()]


def _quiet(call):
    try:
        return call()
    except ParquetError as error:
        return error


def ask_open(file, look):
    return file.num_rows


def ask_read(file, look):
    return file.read().num_rows


def ask_pages(file, look):
    """The values and levels of each page, one page at a time."""
    for chunk in itertools.islice(file.chunks(), NODES):
        pages = _quiet(lambda chunk=chunk: list(chunk.pages))
        for page in () if isinstance(pages, ParquetError) else pages:
            for name in ("values", "definition_levels", "repetition_levels", "dictionary_ids"):
                _quiet(lambda name=name, page=page: getattr(page, name))


def ask_layout(file, look):
    exercise.assert_tiles(file.layout(), file.size)


def ask_layout_of_chunks(file, look):
    return file.layout("chunks").num_rows


def ask_check(file, look):
    return len(file.check())


def ask_tree(file, look):
    exercise.walk(file)


def ask_children(file, look):
    """All values of a page as a program walks them that does not know better: a few thousand from a long list."""
    for node in some_of_each(file, look):
        below = _quiet(lambda node=node: node.children)
        if not isinstance(below, ParquetError):
            for child in below[:2000]:
                _quiet(lambda child=child: child.facts)


def ask_structure(file, look):
    """The owners of the bytes of a few windows of the file, and of decoded pages."""
    places = [("file", 0), ("file", file.size - 1)]
    for node in some_of_each(file, look):
        span = _quiet(lambda node=node: node.span)
        places += [] if not span else [(span.space, span.start)]
    for space, offset in places:
        window = max(0, offset) // structure.WINDOW * structure.WINDOW
        _quiet(lambda space=space, window=window: structure.structure(file, window, space))


def ask_repr(file, look):
    for chunk in itertools.islice(file.chunks(), NODES):
        repr(chunk)
        repr(_quiet(lambda chunk=chunk: chunk.pages[:1]))
    return len(repr(file)) + len(file._repr_html_())


def ask_export(file, look):
    """The saved page at one place; a reply in it that is an error must be one that the package means."""
    at = next(filter(None, (_existing(file, one) for one in look.addresses(file))), "")
    with faults() as found:
        page = pqexplore.explore(file, at=at).to_html(decrypted=True, budget=PAGE)
    assert not found, _shown(found)
    for name, reply in replies_of(page).items():
        assert reply["ok"] or hasattr(errors, reply["error"]["type"]), f"{name}: {reply['error']}"
    return len(page)


def _existing(file, address):
    try:
        return file.node(address).address
    except (ParquetError, LookupError):
        return None


def ask_first(file, look):
    """The first lens of the file, as the explorer opens it."""
    shown = lens_view.payload(file, file.root, lenses.LENSES["overview"])
    return lenses.finish(shown)["answer"]


LITERALS = (
    *("1", "'a'", "1.5", "X'00'", "true", "DATE '2020-01-01'", "TIMESTAMP '2020-01-01 00:00:00Z'"),
    *("TIMESTAMP_NTZ '2020-01-01 00:00:00'", "'00000000-0000-0000-0000-000000000001'"),
)
"""One of them suits a column of any type."""

FORMS = ("({0} IN ({1}) OR NOT {0} < {1} AND {0} IS NOT NULL)", "array_contains({0}, {1})")


def where(file, look):
    """A condition on some columns of a file, which can be evaluated: comparisons, `IN` and `IS NULL`, under AND and OR."""
    parts = []
    for leaf in look.some(file.schema.leaves)[:6]:
        names = [".".join(map(_quoted, leaf.path[:end])) for end in (len(leaf.path), -2, -1)]
        names += [f"variant_get({name}, '$.a', 'int')" for name in names[1:] if name]
        every = (form.format(name, one) for one in LITERALS for name in names if name for form in FORMS)
        parts += itertools.islice((one for one in every if _decided(_plan(file, one))), 2)
    return " OR ".join(parts) or "TRUE"


def _quoted(name):
    return "`" + name.replace("`", "``") + "`"


def _decided(plan):
    return not isinstance(plan, UsageError) and not plan.undecided


def _plan(file, condition, engine="format"):
    try:
        return lenses.finish(planning.steps(file, condition, engine=engine))
    except UsageError as error:
        return error


def ask_where(file, look):
    """What each engine reads for a condition, and why; and whether the values agree."""
    condition = where(file, look)
    for engine in engines.ENGINES:
        plan = _plan(file, condition, engine)
        assert not isinstance(plan, UsageError), f"{condition}: {plan}"
        for table in (plan.row_groups, plan.pages, plan.row_ranges, plan.rulings):
            table.slice(0, 1_000).to_pylist()
        assert plan.sentence.isprintable() and all(map(str.isprintable, plan.remarks))
        repr([plan.causes, plan.stages, plan.undecided])
    try:
        made = plan.verify()
    except UsageError:  # a part of a Variant by itself, for example
        return None
    assert made.sentence.isprintable()
    return made.matches.num_rows


def ask_what_if(file, look):
    """What other encodings, codecs, orders of rows, row groups and pages would make of the file."""
    trial = pqexplore.what_if(file, budget=pqexplore.Budget(seconds=0.5))
    json.dumps(trial.table.to_pylist(), allow_nan=False)
    with contextlib.suppress(ParquetError, UsageError):  # as rewrite() raises
        trial.predict()
    with contextlib.suppress(ParquetError, UsageError):
        trial.predict(sort=[".".join(leaf.path) for leaf in file.schema.leaves][:1])
    assert all(one.sentence for one in trial.savings)
    return len(trial.code)


def ask_rewrite(file, look):
    """A file of the same values in other pages and row groups, verified."""
    options = pqexplore.WriteOptions(page_rows=5_000, row_group_rows=1 << 17, page_version=2)
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(UsageError):
        return pqexplore.rewrite(file, pathlib.Path(folder, "new.parquet"), options).size


def ask_diff(file, look):
    """The file beside a sound one: its own values in other pages, or else a sample."""
    with _rewritten(file) as other:
        found = pqexplore.diff(file, other, "data")
    json.dumps(found.table.to_pylist(), default=str)
    return found.sentence


@contextlib.contextmanager
def _rewritten(file):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "other.parquet")
        try:
            pqexplore.rewrite(file, path, verify=False)
        except (ParquetError, UsageError):
            path.write_bytes(SOUND)
        with pqexplore.open(path) as other:
            yield other


def ask_frames(file, look):
    """The rows as data frames, and as records of Python."""
    table = file.read()
    for made in (table.to_pandas, table.to_pylist):
        with contextlib.suppress(pa.ArrowException, ValueError):  # of a table of Arrow, which is not ours anymore
            made()
    return [_quiet(lambda batch=batch: batch.num_rows) for batch in some_rows.batches(file, 0, 2_000)]


def ask_diagnose(file, look, level="data"):
    """What is wrong with the file, by what all its bytes say; who can read it."""
    report = pqexplore.diagnose(file, level=level)
    repr(report.readers())
    return len(report.findings)


def ask_sorted(file, look):
    """A file of the same values in another order of rows."""
    keys = [".".join(leaf.path) for leaf in look.some(file.schema.leaves)][:1]
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(UsageError):
        return pqexplore.rewrite(file, pathlib.Path(folder, "new.parquet"), sort=keys).size


TEXTS = ("", "x", "\0", "row_groups/0/columns/0", "overview", "a < 1", "9" * 30)
NUMBERS = (0, 1, -1, 1 << 20, -(1 << 62), (1 << 63) - 1)
PLAUSIBLE = {
    "str": TEXTS,
    "str | None": (None, *TEXTS),
    "int": NUMBERS,
    "int | None": (None, *NUMBERS),
    "bool": (True, False),
    "list[int]": ([], [0], [*NUMBERS]),
    "list[str]": ([], ["00"], ["x"]),
    "Sequence[str]": ([], ["x"]),
}
"""Values of each type that an argument of an operation has."""


def ask_messages(file, look):
    """Each operation of the explorer with arguments that suit the file, that do not, and of other types."""
    rng = random.Random(file.size)
    addresses = [node.address for node in some_of_each(file, look, 1)]
    with faults() as found:
        for name, op in OPERATIONS.items():
            for _ in range(4):
                args = {one.name: _argument(one, addresses, rng) for one in rpc.parameters(op).values()}
                if name == "write_what_if":
                    args["target"] = "/dev/null/none"
                request = {"kind": "request", "id": 1, "op": name, "args": args}
                list(rpc.answer(OPERATIONS, file, request, rpc.Works()))
                assert not found, f"{name} {args}: {_shown(found)}"


def _argument(parameter, addresses, rng):
    kind = str(parameter.annotation)
    if rng.random() < 0.05:
        return rng.choice([None, 1.5, {}, [], "x", True])
    if parameter.name == "address" and rng.random() < 0.8:
        return rng.choice(addresses)
    if parameter.name in ("lens", "view") and rng.random() < 0.8:
        return rng.choice(list(lenses.LENSES))
    return rng.choice(PLAUSIBLE[kind])


def _shown(found):
    return "".join(traceback.format_exception(found[0].cause))


ENTRIES = {name.removeprefix("ask_"): made for name, made in list(globals().items()) if name[:4] == "ask_"}
"""What is asked of an open file; `Look` says at which nodes, where there are several."""


def ask_lens(file, look, lens):
    """One lens on nodes of each kind; the answer, its first rows and what travels to the view."""
    asked = 0
    for node in some_of_each(file, look):
        if not lenses.LENSES[lens].applies(node):
            continue
        asked += 1
        shown = lens_view.payload(file, node, lenses.LENSES[lens], sure=True)
        shown = _quiet(lambda shown=shown: lenses.finish(shown))
        if isinstance(shown, ParquetError):
            continue
        json.dumps(shown, allow_nan=False)
        answer = _quiet(lambda node=node: lenses.finish(lenses.answer_of(file, node, lenses.LENSES[lens])))
        table = getattr(answer, "table", None)
        if table is not None:
            _quiet(lambda table=table: sheet.first(table))
        if lenses.LENSES[lens].figure and not isinstance(answer, ParquetError):
            with contextlib.suppress(UsageError):  # there is nothing to draw
                answer.figure().to_json()
    return asked


for _lens in lenses.LENSES:
    ENTRIES[f"lens {_lens}"] = functools.partial(ask_lens, lens=_lens)


FOOTER_ENTRIES = ("open", "check", "layout", "layout_of_chunks", "tree", "first")


def salvage(data, limits=None):
    """What can be saved of the bytes, and a read of it."""
    saved = pqexplore.salvage(data, limits=limits)
    repr(saved)
    exercise.assert_tiles(saved.table, len(data))
    with saved.open() as opened:
        return opened.read().num_rows


def data_set(data, limits=None):
    """The bytes as a file of a data set, whose footer is in another file."""
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(UsageError):
        part, whole = pathlib.Path(folder, "part.parquet"), pathlib.Path(folder, "_metadata")
        part.write_bytes(data)
        pqexplore.write_summary([part], whole)
        with pqexplore.open(whole, follow_file_path=True, limits=limits) as file:
            return file.read().num_rows


def export_what_if(data, limits=None):
    """The file that the explorer writes with the best choices."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.chdir(stack.enter_context(_beside(data))))
        file = stack.enter_context(pqexplore.open("file.parquet", limits=limits))
        stack.enter_context(contextlib.suppress(UsageError))
        lenses.finish(trials.tried(file))
        return lenses.finish(trials.write_what_if(file, "new.parquet", 5_000, 1 << 17)).size


@contextlib.contextmanager
def _beside(data):
    """A folder with the bytes as `file.parquet`, a sound `sound.parquet`, and `first` and `second` with one of them each."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "file.parquet").write_bytes(data)
        (folder / "sound.parquet").write_bytes(SOUND)
        for below, held in (("first", data), ("second", SOUND)):
            (folder / below).mkdir()
            (folder / below / "file.parquet").write_bytes(held)
        yield folder


def lake_messages(data, limits=None):
    """What the explorer of many files shows of a folder with the file and a sound one, and its messages."""
    rng = random.Random(len(data))
    with _beside(data) as folder, faults() as found, lakes.scan(None, folder, processes=0) as lake:
        explorer = pqexplore.explore_lake(lake)
        explorer.picture()
        panels = panels_of(lake)
        for name in panels:
            _refused(lambda name=name: explorer.answer(name))
        for name, op in desk.operations(lake).items():
            for _ in range(3):
                args = {one.name: _argument_of_lake(one, panels, rng) for one in rpc.parameters(op).values()}
                request = {"kind": "request", "id": 1, "op": name, "args": args}
                list(rpc.answer(desk.operations(lake), lake, request, rpc.Works()))
                assert not found, f"{name} {args}: {_shown(found)}"
        for level in ("to_text", "to_html", "to_json"):
            getattr(lake.report(processes=0), level)()
    assert not found, _shown(found)


def _argument_of_lake(parameter, panels, rng):
    if parameter.name in ("panel", "lens") and rng.random() < 0.8:
        return rng.choice(list(panels))
    if rng.random() < 0.05:
        return rng.choice([None, 1.5, {}, [], "x", True])
    return rng.choice(PLAUSIBLE[str(parameter.annotation)])


def _refused(call):
    """What a call gives, or the error with which it refuses."""
    try:
        return call()
    except (ParquetError, UsageError) as error:
        return error


def many(data, limits=None):
    """Questions about several files at once."""
    with _beside(data) as folder:
        first, second = folder / "first", folder / "second"
        repr(_refused(lambda: pqexplore.ask(folder, "TRUE")))
        repr(_refused(lambda: pqexplore.diff(first, second)))
        repr(_refused(lambda: many_diffs.compare([str(one) for one in folder.rglob("*.parquet")])))


def index(data, limits=None):
    """Indexes of the file, and what a query skips by them."""
    with _beside(data) as folder, contextlib.suppress(UsageError), pqexplore.open(data, limits=limits) as file:
        columns = [".".join(leaf.path) for leaf in file.schema.leaves][:2]
        wanted = [kind(column) for column in columns for kind in (metadatastore.MinMax, metadatastore.ValueList)]
        store = metadatastore.build(None, folder / "first", wanted, folder / "store")
        return repr(store), len(store.objects)


class _Strict(Inspection):
    """An inspection that an unexpected exception stops, though it would be the error of its file."""

    def _failed(self, row, phase, error):
        if error_code(error) == "internal":
            raise error
        super()._failed(row, phase, error)


def inspect(data, limits=None):
    """The rows that a lake's scan makes of one file."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "file.parquet")
        path.write_bytes(data)
        batches = [*_Strict(Options(level="pages", check=True, limits=changed(limits))).batches([Entry(str(path))])]
    (file,) = (row for name, batch in batches if name == "files" for row in batch.to_pylist())
    return file["status"]


SOUND = SAMPLES["events"].data()

VERBS = (
    *("--check {0}", "--json {0}", "--at row_groups/0/columns/0 {0}", "--view statistics {0}", "--where TRUE {0}"),
    *("head {0}", "head --json {0}", "cat {0}", "cat --json {0}", "cat --csv-safe {0}", "cat --table {0}"),
    *("cat --where TRUE {0}", "schema {0}", "schema --arrow {0}", "schema --spark {0}", "schema --sql {0}"),
    *("stats --true {0}", "stats --true --json {0}", "cat --select count(*),min(row) {0}", "cat --by row_group {0}"),
    *("cat --row-numbers {0}", "doctor --notes {0}"),
    *("stats {0}", "stats --json {0}", "pages {0}", "pages --json {0}", "dictionary {0}", "dictionary --json {0}"),
    *("levels {0}", "levels --json {0}", "variant {0}", "variant --json {0}", "bloom {0}", "bloom {0} --probe 1 a"),
    *("check {0}", "check --json {0}", "doctor --level data {0}", "doctor --json --level pages {0}"),
    *("doctor --sarif {0}", "doctor --readers predict {0}", "diff --level data {0} {2}", "diff {2} {0} {0}"),
    *("diff first second", "diff --html {1} {0} {2}", "ask {0} TRUE", "ask --verify {0} TRUE"),
    *("what-if {0}", "what-if --json --seconds 0.5 {0}", "rewrite {0} {1}", "rewrite --best --seconds 0.5 {0} {1}"),
    *("salvage {0} {1}", "salvage --keep columns {0} {1}", "salvage --schema {0} {2} {1}", "--html {1} {0}"),
    *("lake --processes 0 .", "lake --processes 0 --report --html {1} --level pages .", "lake --processes 0 --json ."),
    *("lake --processes 0 --out {1} .", "index first", "index first --objects", "index first --probe TRUE"),
    *("__complete --at row_groups/0/columns/0/ {0}", "__complete {0} --at row_groups/0/columns/"),
    "__complete stats {0} --column ",
)
"""Calls of the command line in a folder: {0} is the file, {1} a new one, {2} a sound one; `first` and `second` have one each."""


ENOUGH = 4_000_000
"""Characters of an answer that are read: `cat` prints the rows of a file as long as someone reads them."""


class _Reader(io.StringIO):
    """A pipe that is closed when enough was read, as `head` closes it."""

    def write(self, text):
        if self.tell() > ENOUGH:
            raise BrokenPipeError
        return super().write(text)


def command(data, limits=None, *, call):
    """What the command line says of a file, in this process: an exit status, and no fault that the net catches."""
    with _beside(data) as folder, contextlib.chdir(folder), faults() as found:
        out = cli.Out(room=100, answers=_Reader(), troubles=io.StringIO())
        try:
            status = cli.run(call.format("file.parquet", "new", "sound.parquet").split(" "), out)
        except Ended as end:
            status = end.status
    assert not found, _shown(found)
    assert status in (cli.DONE, cli.FOUND, cli.USAGE, cli.UNREADABLE)
    return status


OF_BYTES = {
    "salvage": salvage,
    "data set": data_set,
    "what-if's export": export_what_if,
    "lake": inspect,
    "lake messages": lake_messages,
    "many": many,
    "index": index,
    **{f"cli {call.format('FILE', 'NEW', 'SOUND')}": functools.partial(command, call=call) for call in VERBS},
}
"""What is asked of bytes, whether they open or not."""

ENTRIES |= OF_BYTES


def ask(data, entry, decryption=None, look=Look(), limits=None):
    """Open a file and ask one thing of it. Raises ParquetError, or what should never come out."""
    if entry in OF_BYTES:
        return OF_BYTES[entry](data, limits=limits)
    with pqexplore.open(data, decryption=decryption, limits=limits) as file:
        return ENTRIES[entry](file, look)


def measure(data, entry, **bounds):
    """The outcome of one question in a child process."""
    return exercise.measure(lambda: ask(data, entry), **bounds)
