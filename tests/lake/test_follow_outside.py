"""What leads outside of a folder or a table is opened only with `follow_outside`, and is said otherwise.

One policy (`pqexplore.lake.places.allowed_paths`) for links of a plain folder, and for names and links of Delta and Iceberg logs.
"""

import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import made_tables
from lake.conftest import Store
from lake.logs.made_logs import METADATA, PROTOCOL, add, commit

import pqexplore
from pqexplore.cli import main
from pqexplore.lake import metadatastore, scan
from pqexplore.lake.comparing import diff
from pqexplore.lake.metadatastore import MinMax


def data(folder, *names) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"x": [1, 2]}), path)


@pytest.fixture
def place(tmp_path):
    """`in`, which is read, with one file of its own; `out`, which is not."""
    data(tmp_path, "in/a.parquet", "out/b.parquet", "out/d/c.parquet")
    return tmp_path


def link(place, name, target) -> None:
    (place / "in" / name).parent.mkdir(exist_ok=True)
    (place / "in" / name).symlink_to(target)


def delta(place, *names) -> None:
    commit(place / "in", 0, PROTOCOL, METADATA, *(add(one, 2) for one in ("a.parquet", *names)))


def linked_delta(place) -> None:
    link(place, "link.parquet", place / "out/b.parquet")
    delta(place, "link.parquet")


def linked_folder_of_delta(place) -> None:
    link(place, "day=1", place / "out")
    delta(place, "day=1/b.parquet")


def clone(place) -> None:
    """A shallow clone, as Databricks and Delta 2.3 write it: the log names the files of the source by whole URLs."""
    delta(place, f"file://{place}/out/b.parquet")


OUTSIDE = {
    "link to a file": lambda p: link(p, "b.parquet", p / "out/b.parquet"),
    "relative link": lambda p: link(p, "b.parquet", "../out/b.parquet"),
    "link to a folder": lambda p: link(p, "day=1", p / "out/d"),
    "link to a link": lambda p: (link(p, "b.parquet", p / "out/again"), (p / "out/again").symlink_to("b.parquet")),
    "link inside to a link outside": lambda p: (link(p, "sub/.first", p / "out/b.parquet"),
        link(p, "b.parquet", "sub/.first")),
    "Delta: link to a file": linked_delta,
    "Delta: link to a folder": linked_folder_of_delta,
    "Delta: ..": lambda p: delta(p, "../out/b.parquet"),
    "Delta: path": lambda p: delta(p, f"{p}/out/b.parquet"),
    "Delta: file: URI": lambda p: delta(p, f"file:{p}/out/b.parquet"),
    "Delta: shallow clone": clone,
}  # fmt: skip
"""How a file outside of the folder `in` is named in it."""


def statuses(lake) -> list[tuple[str, str | None]]:
    rows = lake.tables["files"].to_pylist()
    return sorted((row["status"], row["error_code"]) for row in rows if row["status"] != "not-read")


@pytest.mark.parametrize("how", OUTSIDE)
def test_what_leads_outside_is_read_only_if_allowed(place, how):
    OUTSIDE[how](place)
    lake = scan(None, place / "in", processes=0)
    assert statuses(lake) == [("error", "outside"), ("ok", None)]
    [row] = [one for one in lake.tables["files"].to_pylist() if one["status"] == "error"]
    assert "/out" in row["error"] and "--follow-outside" in row["error"]  # where it leads
    assert row["bytes_read"] is None and row["num_rows"] is None
    report = lake.diagnose(processes=0)
    assert [one.rule for one in report.findings] == ["file-outside"]
    assert "follow_outside=True" in report.findings[0].example
    assert statuses(lake.refresh()) == [("error", "outside"), ("ok", None)]
    lake = scan(None, place / "in", processes=0, follow_outside=True)
    assert statuses(lake) == statuses(lake.refresh()) == [("ok", None)] * 2


def test_iceberg_data_behind_a_link_is_read_only_if_allowed(tmp_path):
    (tmp_path / "lake").mkdir()
    here = Store(str(tmp_path / "lake"), {}, {}, {})
    table = made_tables.iceberg(here)
    file = next(iter(table.scan().plan_files())).file.file_path.removeprefix("file://")
    elsewhere = f"{here.url}/elsewhere.parquet"
    os.rename(file, elsewhere)
    os.symlink(elsewhere, file)
    folder = table.location().removeprefix("file://")
    for follow, code in ((False, "outside"), (True, None)):
        rows = scan(None, folder, processes=0, follow_outside=follow).tables["files"].to_pylist()
        assert {row["path"]: row["error_code"] for row in rows}[file] == code


@pytest.mark.parametrize("what", ["log", "commit"])
def test_a_log_that_is_a_link_to_elsewhere_is_read_if_allowed(place, what):
    delta(place)
    log = place / "in/_delta_log"
    part = log if what == "log" else log / f"{0:020}.json"
    part.rename(place / "moved")
    part.symlink_to(place / "moved")
    for follow, expected in ((False, ("error", "outside")), (True, ("ok", None))):
        [row] = scan(None, place / "in", processes=0, follow_outside=follow).tables["tables"].to_pylist()
        assert (row["status"], row["error_code"]) == expected


def test_the_files_of_a_table_whose_log_cannot_be_read_are_not_followed_out(place):
    """All files are read then, and a link outside was among them."""
    commit(place / "in", 0, "{")
    link(place, "b.parquet", place / "out/b.parquet")
    link(place, "day=1", place / "out/d")
    expected = [("error", "outside")] * 2 + [("ok", None)]
    assert statuses(scan(None, place / "in", processes=0)) == expected


INSIDE = {
    "link to a file": ("b.parquet", "a.parquet", 3),
    "link to a folder that is listed": ("z", "sub", 2),
    "link to the folder itself": ("circle", ".", 2),
    "circle of links": ("circle", "circle", 3),
    "link to nothing": ("nothing.parquet", "nowhere.parquet", 3),
}


@pytest.mark.parametrize("how", INSIDE)
def test_links_inside_stay_as_they_are(place, how):
    data(place, "in/sub/c.parquet")
    name, target, count = INSIDE[how]
    link(place, name, target)
    for follow in (False, True):
        rows = scan(None, place / "in", processes=0, follow_outside=follow).tables["files"]
        assert "outside" not in rows["error_code"].to_pylist()
        assert len(rows) == count


def test_what_the_caller_names_is_inside(place):
    """A link that is itself the source, a file that is a link, and a folder below a link."""
    link(place, "b.parquet", place / "out/b.parquet")
    (place / "entry").symlink_to(place / "out")
    for source in (place / "entry", place / "entry/d", place / "in/b.parquet"):
        rows = scan(None, source, processes=0).tables["files"].to_pylist()
        assert {row["status"] for row in rows} == {"ok"}


def test_a_pattern_does_not_lead_out(place):
    link(place, "b.parquet", place / "out/b.parquet")
    pattern = str(place / "in/*.parquet")
    assert statuses(scan(None, pattern, processes=0)) == [("error", "outside"), ("ok", None)]


def test_a_name_that_says_nothing_is_not_opened_outside(place):
    """Such files are opened to see whether they are Parquet."""
    (place / "out/b.parquet").rename(place / "out/b")
    link(place, "b", place / "out/b")
    rows = scan(None, place / "in", processes=0).tables["files"].to_pylist()
    [row] = [one for one in rows if one["path"].endswith("/b")]
    assert row["status"] == "not-read" and "/out/b" in row["state_reason"]


VERBS = {
    "lake": ["lake", "--processes", "0"],
    "doctor": ["doctor"],
    "doctor --each": ["doctor", "--each"],
    "ask": ["ask"],
    "cat": ["cat"],
    "head": ["head"],
    "stats": ["stats"],
    "schema": ["schema"],
    "diff": ["diff"],
    "check": ["check"],
}


CASES = [
    *((verb, "folder") for verb in VERBS if verb != "doctor --each"),
    *((verb, "Delta") for verb in ("lake", "ask", "cat", "diff")),
    *(pytest.param(verb, "Delta", marks=pytest.mark.full) for verb in ("doctor", "head", "stats", "schema", "check")),
    *(pytest.param("doctor --each", kind, marks=pytest.mark.full) for kind in ("folder", "Delta")),
]


@pytest.mark.parametrize("verb, kind", CASES)
def test_every_verb_says_what_it_does_not_follow(place, capsys, verb, kind):
    link(place, "b.parquet", place / "out/b.parquet")
    if kind == "Delta":
        delta(place, "b.parquet")
    given = [str(place / "in"), *(["x = 1"] if verb == "ask" else [])]
    if verb == "diff":
        given.append(str(place / "out"))
    words = [VERBS[verb][0], *given, *VERBS[verb][1:]]
    main(words)
    said = "".join(capsys.readouterr())
    plain = " ".join(said.split())
    assert "b.parquet" in plain and "outside of" in plain
    if not (verb == "diff" and kind == "Delta"):  # its log says all that is compared
        assert "--follow-outside" in plain
    main([*words, "--follow-outside"])
    assert "outside of" not in " ".join("".join(capsys.readouterr()).split())


def test_rows_outside_are_not_printed(place, capsys):
    link(place, "b.parquet", place / "out/b.parquet")
    link(place, "day=1", place / "out/d")
    assert main(["cat", str(place / "in")]) == 3
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert main(["cat", str(place / "in/*.parquet")]) == 3
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert main(["cat", str(place / "in"), "--follow-outside"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 6
    assert main(["cat", str(place / "in/b.parquet")]) == 0  # the caller names it


def test_ask_and_diff_take_the_same_word(place):
    link(place, "b.parquet", place / "out/b.parquet")
    with pqexplore.ask(place / "in", "x = 1") as plan:
        assert "outside of" in json.dumps(plan.remarks)
    with pqexplore.ask(place / "in", "x = 1", follow_outside=True) as plan:
        assert plan.num_files == 2 and not plan.remarks
    assert [name for name, _ in diff(place / "in", place / "out").unread] == ["b.parquet"]
    assert not diff(place / "in", place / "out", follow_outside=True).unread


def test_a_metadatastore_has_no_values_of_files_outside(place):
    """The file stays an object of the dataset, and without a row it is always read."""
    link(place, "b.parquet", place / "out/b.parquet")
    made = metadatastore.build(None, place / "in", [MinMax("x")], place / "store")
    assert made.num_rows == 1 and "outside of" in made.omitted[str(place / "in/b.parquet")]
    assert str(place / "in/b.parquet") in made.files_to_read("x = 99").paths
    refreshed = made.refresh()
    assert not refreshed.added and "outside of" in refreshed.omitted[str(place / "in/b.parquet")]
    assert made.refresh(follow_outside=True).store.num_rows == 2
    made = metadatastore.build(None, place / "in", [MinMax("x")], place / "all", follow_outside=True)
    assert made.num_rows == 2 and not made.omitted
