"""The report of a lake: it names each planted trouble with its files, says nothing of sound lakes, and what to do is right."""

import html.parser
import json
import pathlib
import re
import shlex

import duckdb
import golden
import polars
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from json_schema import fits
from lake import planted

from pqexplore.cli import main
from pqexplore.engine.rule import Severity
from pqexplore.insight.html_table import policy
from pqexplore.lake import scan
from pqexplore.lake.report import actions
from pqexplore.lake.report.advice_page import STYLE

GOLDEN = pathlib.Path(__file__).parent / "golden"


def report_of(folder, level="footer"):
    return scan(None, str(folder), out=f"{folder}.store", processes=0).report(level, processes=0)


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    """(reports by level, folder, kind → names of the files) of all kinds of trouble that are found quickly."""
    folder = tmp_path_factory.mktemp("planted") / "lake"
    names = {}
    for one in planted.TROUBLE:
        if not one.full:
            (folder / one.kind).mkdir(parents=True)
            names[one.kind] = one.plant(folder / one.kind)
    scanned = scan(None, folder, out=tmp_path_factory.mktemp("store"), processes=0)
    only = [str(path) for path in (folder / "wrong checksum").iterdir()]
    deep = scan(None, only, out=tmp_path_factory.mktemp("deep"), processes=0)
    reports = {"footer": scanned.report(processes=0), "data": deep.report("data", processes=0)}
    return reports, folder, names


def named(report, rule, folder):
    """The names of the files below a folder that a rule names, and the sentences about them."""
    rows = [row for row in report.files.to_pylist() if row["rule"] == rule]
    own = [row for row in rows if f"{row['path']}/".startswith(f"{folder}/")]
    return sorted(row["path"][len(str(folder)) + 1 :] for row in own), [r["sentence"] for r in own]


@pytest.mark.parametrize("kind", [one.kind for one in planted.TROUBLE if not one.full])
def test_each_planted_trouble_is_named_with_its_files(kind, lake):
    reports, folder, names = lake
    [one] = [one for one in planted.TROUBLE if one.kind == kind]
    paths, sentences = named(reports[one.level], one.rule, folder / kind)
    assert paths == sorted(names[kind])
    assert all(one.words in sentence for sentence in sentences)
    [action] = [
        action for action in reports[one.level].actions if any(finding.rule == one.rule for finding in action.findings)
    ]
    assert action.files >= len(paths)


OF_FILES_TOGETHER = [one.kind for one in planted.TROUBLE if not one.full and one.rule not in planted.OF_ONE_FILE]


@pytest.mark.parametrize("kind", OF_FILES_TOGETHER)
def test_each_planted_trouble_alone_is_named_first_with_its_files_cost_and_fix(kind, lake):
    _, folder, names = lake
    [one] = [one for one in planted.TROUBLE if one.kind == kind]
    with scan(None, folder / kind, processes=0) as alone:
        report = alone.diagnose(one.level, processes=0)
    first = next(found for found in report.findings if found.rule != "unused-bytes")  # the hole of the skewed partition
    assert first.rule == one.rule
    assert (first.cost.text and first.fix) or first.severity is Severity.NOTE
    named = [name for name in names[kind] if name and name in first.sentence]
    assert len(named) >= min(2, len(names[kind])) or first.files == first.of or names[kind] == [""]
    if first.severity is not Severity.NOTE and first is report.findings[0]:
        assert report.sentence.startswith(f"{first.sentence} Cost: {first.cost.text}.")


@pytest.mark.full
@pytest.mark.parametrize("kind", [one.kind for one in planted.TROUBLE if one.full])
def test_each_large_planted_trouble_is_named_with_its_files(kind, tmp_path):
    [one] = [one for one in planted.TROUBLE if one.kind == kind]
    names = one.plant(tmp_path)
    assert named(report_of(tmp_path), one.rule, tmp_path)[0] == sorted(names)


ORDINARY = {"duckdb": ("converted-types-only",)}
"""Notes about what a library writes by default."""


@pytest.mark.parametrize("library", planted.SOUND)
def test_of_a_sound_lake_there_is_nothing_to_do(library, tmp_path):
    pytest.importorskip(library)
    planted.SOUND[library](tmp_path / "lake")
    report = report_of(tmp_path / "lake")
    assert report.failing(["note"]) == ORDINARY.get(library, ())
    assert report.to_do == () == report.failing(["portability"])
    assert re.match(r"Nothing to do: 3 files with \d+ rows in ", report.sentence)


def test_what_a_report_says_is_its_golden_text(lake):
    """What is to do, what makes queries fail first; of each its files, costs and savings, what engines do, and commands."""
    reports, folder, _ = lake
    report, text = reports["footer"], reports["footer"].to_text(9999)
    for one in report.actions:
        text += f"\n== {one.name}: {', '.join(one.rules)}\n" + "".join(
            f"{name} {said}\n" for name, said in one.breaks.items()
        )
    fixed = [one for action in report.actions for one in action.findings]
    assert sorted(map(id, fixed)) == sorted(map(id, report.diagnosis.findings))
    golden.same(GOLDEN / "planted.txt", plain(text, folder))


def plain(text, folder):
    """A text without what differs between two runs or two versions of pyarrow."""
    text = text.replace(str(folder), "FOLDER").replace(pa.__version__, "VERSION")
    text = re.sub(r"(last changed) (?:on|between) [\w ]*\d{4}|(since) \d{4}-\d\d-\d\d", r"\1\2 TODAY", text)
    return re.sub(r"(?:≈ |~)?[\d.,]+ (kB|MB|B|s|ms)\b", r"N \1", text)


def action(report, name):
    [one] = [one for one in report.actions if one.name == name]
    return one


def test_what_is_saved_is_computed_from_what_the_scan_stored(tmp_path):
    (tmp_path / "lake").mkdir()
    names = planted.small(tmp_path / "lake")
    scanned = scan(None, tmp_path / "lake", out=tmp_path / "store", processes=0)
    saves = action(scanned.report(processes=0), "compact").saves
    rows = scanned.tables["files"].to_pylist()
    footers = [row["footer_bytes"] for row in rows]
    assert saves.bytes == sum(footers) - max(footers)
    assert saves.requests == 2 * (len(names) - 1)  # Spark: the length, then the footer
    assert saves.seconds == pytest.approx(sum(row["seconds"] for row in rows) * 49 / 50)
    assert "50 footers become 1" in saves.how
    vacuum = Saved(tmp_path, planted.removed, "vacuum")
    assert vacuum.saves.bytes == (vacuum.folder / "b.parquet").stat().st_size


class Saved:
    """An action of a lake with one kind of trouble."""

    def __init__(self, tmp_path, plant, name):
        self.folder = tmp_path / plant.__name__
        self.folder.mkdir()
        plant(self.folder)
        found = action(report_of(self.folder), name)
        self.saves, self.commands = found.saves, found.commands


COMMANDS = [
    # plant, action, what runs the command, the command ({} is the folder)
    (planted.removed, "vacuum", "Delta SQL", "VACUUM delta.`{}` DRY RUN; -- lists what the next line deletes\nVACUUM delta.`{}`"),
    (planted.deleted, "purge", "Delta SQL", "REORG TABLE delta.`{}` APPLY (PURGE)"),
    (planted.encrypted, "reach", "shell", "pqexplore {}/b.parquet --footer-key-file KEY"),
    (planted.small, "compact", "Spark job", "df = spark.read.option('mergeSchema', True).parquet('{}')\n"),
]  # fmt: skip


@pytest.mark.parametrize("plant, name, runs, command", COMMANDS)
def test_the_commands_are_for_the_table(plant, name, runs, command, tmp_path):
    made = Saved(tmp_path, plant, name)
    assert made.commands[runs].startswith(command.replace("{}", str(made.folder)))


def test_an_iceberg_table_has_its_procedures():
    from pqexplore.lake.report.commands import commands

    said = {kind.name: commands(kind, [], {"/w/t": "iceberg"}, {}).get("Iceberg SQL", "") for kind in actions.KINDS}
    table = "(table => 'DATABASE.TABLE'"
    assert said["compact"] == f"CALL CATALOG.system.rewrite_data_files{table})"
    assert said["vacuum"].startswith(f"CALL CATALOG.system.expire_snapshots{table});\n")
    assert said["cluster"].endswith("strategy => 'sort', sort_order => 'COLUMN')")
    assert said["know"] == said["replace"] == ""


def test_the_commands_for_files_run_and_fix(tmp_path):
    (tmp_path / "lake").mkdir()
    planted.of_one_file("small-row-groups")(tmp_path / "lake")
    [line] = action(report_of(tmp_path / "lake"), "rewrite").commands["shell"].splitlines()
    program, *words = shlex.split(line)
    assert program == "pqexplore" and main(words) == 0
    (tmp_path / "lake" / "a.parquet").unlink()
    assert report_of(tmp_path / "lake").to_do == ()


FIXED = [
    # how a lake is spoiled, the kind of action, what its job has written
    (planted.shuffled, "cluster", lambda folder: f"{folder}.sorted"),
    (planted.large, "divide", lambda folder: folder / "9.parts"),
    (planted.two(planted.typed(pa.int64(), 1), planted.typed(pa.int32(), 2)), "schema", lambda folder: folder / "d.new.parquet"),
]  # fmt: skip


@pytest.mark.parametrize("plant, kind, made", FIXED, ids=[kind for _, kind, _ in FIXED])
def test_the_jobs_fix_what_they_are_for(plant, kind, made, tmp_path):
    folder = tmp_path / "lake"
    folder.mkdir()
    names = plant(folder)
    rows = ds.dataset(sorted(folder.glob("*.parquet")), schema=pq.read_schema(folder / names[0])).count_rows()
    exec(action(report_of(folder), kind).commands["pyarrow job"], {})
    for name in names:
        (folder / name).unlink()
    with scan(None, [folder, made(folder)] if kind == "cluster" else folder, processes=0) as again:
        rules = {one.rule for one in again.diagnose(processes=0).findings}
        assert not rules & {"huge-file", "types-differ", "clustering-decayed"}
        assert sum(row["num_rows"] for row in again.tables["files"].to_pylist()) == rows


def test_a_file_astray_goes_where_it_belongs(tmp_path):
    import subprocess

    (tmp_path / "lake").mkdir()
    planted.another_day(tmp_path / "lake")
    found = report_of(tmp_path / "lake")
    subprocess.run(["sh", "-ec", action(found, "move").commands["shell"]], check=True)
    assert report_of(tmp_path / "lake").diagnosis.findings == ()


def test_the_ways_to_read_differing_columns_read_all_rows(tmp_path):
    planted.two(planted.ROWS, planted.ROWS.drop_columns("word"))(tmp_path)
    made = action(report_of(tmp_path), "schema").commands
    read = {"duckdb": duckdb, "pl": polars, "ds": ds, "pa": pa, "SCHEMA": {"id": polars.Int64, "word": polars.String}}
    assert eval(made["DuckDB"], read).to_arrow_table().num_rows == 700
    assert eval(made["polars"], read).collect().shape == (700, 2)
    assert eval(made["pyarrow"], read).to_table().shape == (700, 2)


class Page(html.parser.HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def test_the_page_runs_nothing_loads_nothing_and_has_it_all(lake):
    report = lake[0]["footer"]
    text = report.to_html()
    page = Page(text)
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "img", "link", "iframe", "form", "a"}
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on") or name == "style"]
    [csp] = [a["content"] for tag, a in page.tags if a.get("http-equiv")]
    assert csp == policy([], [STYLE]) and "script-src" not in csp and "default-src 'none'" in csp
    for one in report.actions:
        assert one.title in page.text
    for row in report.files.to_pylist():
        assert row["path"] in page.text
    assert report._repr_html_() in text


def test_names_from_files_stay_text(tmp_path):
    name = "<script>alert(1)</script>\u202e\x1b[31m"
    planted.put(tmp_path / "lake", "a.parquet", pa.table({"x" + name: [1, 2]}))
    planted.put(tmp_path / "lake", "b.parquet", pa.table({"x" + name: ["a"]}))
    report = report_of(tmp_path / "lake")
    for text in (report.to_html(), report.to_text(), repr(report)):
        assert "\u202e" not in text and "\x1b" not in text
    assert "<script" not in report.to_html()


def test_the_documents_are_described(lake):
    report = lake[0]["footer"]
    made = json.loads(report.to_json())
    assert (made.pop("version"), made.pop("kind")) == (1, "lake-report")
    fits("lake-report", made)
    assert [one["action"] for one in made["actions"]] == [one.name for one in report.actions]
    assert sum(len(one["files"]) for one in made["actions"]) == report.files.num_rows
    table = report.table.to_pylist()
    assert [row["rules"] for row in table] == [list(one.rules) for one in report.actions]
    assert json.loads(table[0]["commands"]) == dict(report.actions[0].commands)
    lines = report.to_text(80).splitlines()
    assert lines[0].startswith(f"  {len(report.to_do)} things to do")


def test_the_command_writes_the_page(tmp_path, capsys):
    planted.two(planted.ROWS, planted.ROWS.select(["word", "id"]))(tmp_path / "lake")
    page = tmp_path / "page.html"
    words = ["lake", str(tmp_path / "lake"), "--processes", "0", "--report", "--html", str(page)]
    assert main(words) == 0 and "Nothing to do: 4 files" in capsys.readouterr().out
    assert "column-order-differs" in Page(page.read_text()).text
