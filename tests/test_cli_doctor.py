"""`pqexplore doctor`: what it prints, and with which exit status."""

import io
import json
import re
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore.engine.check.ends
from pqexplore.cli import main, progress
from pqexplore.insight.doctor.readers.readers import Readers


@pytest.fixture
def files(tmp_path):
    """`good`: no problems; `slow`: 100 row groups of 100 rows; `broken`: a wrong checksum; `no`: not Parquet."""
    table = pa.table({"n": list(range(10_000))})
    pq.write_table(table, tmp_path / "good.parquet")
    pq.write_table(table, tmp_path / "slow.parquet", row_group_size=100)
    pq.write_table(
        table, tmp_path / "broken.parquet", write_page_checksum=True, compression="none", use_dictionary=False
    )
    data = bytearray((tmp_path / "broken.parquet").read_bytes())
    data[500] ^= 1
    (tmp_path / "broken.parquet").write_bytes(data)
    (tmp_path / "no.parquet").write_text("no Parquet at all")
    return tmp_path


STATUS = [
    # arguments, exit status
    (["good"], 0),
    (["slow"], 0),
    (["slow", "--fail-on=slow"], 1),
    (["slow", "--fail-on=wrong"], 0),
    (["slow", "--strict"], 1),
    (["broken", "--level", "footer"], 0),
    (["broken", "--level", "data"], 1),
    (["no"], 3),
    (["good", "no"], 3),
]


@pytest.mark.parametrize("words, status", STATUS, ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_exit_status(files, capsys, words, status):
    given = [str(files / f"{word}.parquet") if word in ("good", "slow", "broken", "no") else word for word in words]
    assert main(["doctor", *given]) == status


READERS = [
    # words around the file, whether readers are run
    ("--readers FILE", False),
    ("FILE --readers", False),
    ("--readers predict FILE", False),
    ("FILE --readers predict", False),
    ("--readers=predict FILE", False),
    ("--readers run FILE", True),
    ("FILE --readers run", True),
    ("--readers=run FILE", True),
]


@pytest.mark.parametrize("words, run", READERS, ids=str)
def test_readers_takes_its_value_as_the_help_has_it(files, monkeypatch, words, run):
    asked = []
    monkeypatch.setattr(Readers, "__call__", lambda self, run: asked.append(run) or self)
    file = str(files / "good.parquet")
    assert main(["doctor", *words.replace("FILE", file).split()]) == 0
    assert asked == [run]


def test_it_prints_who_probably_wrote_a_file_without_created_by(files, capsys):
    data = (files / "good.parquet").read_bytes()
    stored = f"parquet-cpp-arrow version {pa.__version__}".encode()
    (files / "unnamed.parquet").write_bytes(data.replace(stored, b" " * len(stored)))
    main(["doctor", str(files / "unnamed.parquet"), str(files / "good.parquet")])
    assert capsys.readouterr().out.count("Probably written by Arrow C++ ") == 1
    main(["doctor", "--json", str(files / "unnamed.parquet")])
    assert json.loads(capsys.readouterr().out)["writer"]["name"] == "arrow-cpp"


def test_what_it_prints(files, capsys):
    main(["doctor", str(files / "slow.parquet")])
    out = capsys.readouterr().out
    assert "100 row groups hold 100 rows" in out
    assert "slow: " in out and "to do: " in out and "see: " in out and "pyarrow: " in out


def test_a_good_file_has_nothing_to_mend(files, capsys):
    main(["doctor", str(files / "good.parquet")])
    out = capsys.readouterr().out
    assert "No problems found" in out and "to do" not in out


def test_json_has_a_line_for_each_file(files, capsys):
    main(["doctor", "--json", str(files / "slow.parquet"), str(files / "good.parquet")])
    slow, good = map(json.loads, capsys.readouterr().out.splitlines())
    assert slow["findings"][0]["severity"] == "slow"
    assert slow["findings"][0]["evidence"]["row_groups"] == 100
    assert good["findings"] == []


def test_sarif(files, capsys):
    main(["doctor", "--sarif", "--level", "data", str(files / "broken.parquet")])
    [run] = json.loads(capsys.readouterr().out)["runs"]
    [result] = [one for one in run["results"] if one["ruleId"] == "crc-mismatch"]
    assert result["level"] == "error"
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("broken.parquet")
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {one["ruleId"] for one in run["results"]}


def test_each_says_it_of_each_file_after_the_folder(files, capsys):
    assert main(["doctor", "--each", str(files)]) == 3
    captured = capsys.readouterr()
    assert captured.out.startswith(f"{files}\n")
    for name in ("good", "slow", "broken"):
        assert f"\n\n{files / name}.parquet\n" in captured.out
    assert captured.err.count("\n") == 1


FOLDERS = [
    # files that are removed, arguments, exit status
    pytest.param(["no"], [], 0, marks=pytest.mark.full),
    (["no"], ["--fail-on=slow"], 1),
    (["no", "slow"], ["--fail-on=slow"], 0),
    pytest.param(["no"], ["--level", "data"], 1, marks=pytest.mark.full),
    ([], [], 3),
    (["good", "slow", "broken", "no"], [], 2),  # no file
]


@pytest.mark.parametrize(("gone", "words", "status"), FOLDERS)
def test_the_exit_status_of_a_folder(files, capsys, gone, words, status):
    for name in gone:
        (files / f"{name}.parquet").unlink()
    assert main(["doctor", *words, str(files)]) == status


def test_json_of_a_folder_is_one_line(files, capsys):
    main(["doctor", "--json", str(files)])
    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert line["num_files"] == 4 and line["findings"][0]["rule"] == "file-unreadable"
    assert line["findings"][0]["severity"] == "damage"
    slow = next(one for one in line["findings"] if one["rule"] == "small-row-groups")
    assert slow["causes"][0]["of"] == 3 and slow["cost"]["requests"] == 99


def test_sarif_of_a_folder_has_its_files(files, capsys):
    assert main(["doctor", "--sarif", str(files)]) == 3
    [run] = json.loads(capsys.readouterr().out)["runs"]
    assert {one["ruleId"] for one in run["results"]} >= {"small-row-groups"}


def test_the_report_of_a_file_begins_with_its_diagnosis(files, capsys):
    main([str(files / "slow.parquet")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("  100 row groups hold 100 rows")


URI = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]*\Z")


def test_sarif_has_what_its_schema_requires(files, capsys):
    """Section 3 of the standard: required properties, levels, URIs, and indexes into the rules."""
    odd = files / "odd name \x1b[2J.parquet"
    (files / "slow.parquet").rename(odd)
    main(["doctor", "--sarif", "--level", "data", str(odd), str(files / "broken.parquet")])
    out = capsys.readouterr().out
    assert "\x1b" not in out
    document = json.loads(out)
    assert document["version"] == "2.1.0" and URI.match(document["$schema"])
    [run] = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["tool"]["driver"]["name"] == "pqexplore" and len(rules) >= 2
    for rule in rules:
        assert rule["shortDescription"]["text"] and URI.match(rule.get("helpUri", ""))
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
    for one in run["results"]:
        assert rules[one["ruleIndex"]]["id"] == one["ruleId"]
        assert one["message"]["text"] and one["level"] in ("error", "warning", "note")
        [place] = one["locations"]
        assert URI.match(place["physicalLocation"]["artifactLocation"]["uri"])


@pytest.mark.parametrize("words", [[], ["--json"], ["--sarif"], ["--readers"]], ids=str)
def test_text_of_a_file_sends_nothing_to_the_terminal(tmp_path, capsys, words):
    hostile = "a\x1b]0;owned\x07\u202eb"
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], [hostile, hostile])
    path = tmp_path / "x.parquet"
    pq.write_table(table.replace_schema_metadata({"k": "\x1b[2J" * 100_000}), path)
    main(["doctor", *words, str(path)])
    out = capsys.readouterr().out
    assert "owned" in out
    assert not set(out) & set("\x1b\x07\u202e")


def test_one_fault_in_many_row_groups_is_said_once(tmp_path, capsys):
    out = io.BytesIO()
    options = {"write_page_checksum": True, "compression": "none", "use_dictionary": False}
    pq.write_table(pa.table({"n": range(1_000)}), out, row_group_size=100, **options)
    data = bytearray(out.getvalue())
    with pqexplore.open(bytes(data)) as file:
        for group in file.row_groups:
            data[group.columns[0].pages[0].span.end - 1] ^= 1
    path = tmp_path / "x.parquet"
    path.write_bytes(data)
    assert main(["doctor", "--level", "data", str(path)]) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert text.count("[crc-mismatch]") == 1
    assert "The same fault is in row groups 1, 2, 3 and 6 more." in text
    assert "; also at row_groups/1/columns/0/pages/0, row_groups/2/columns/0/pages/0 and 7 more" in text


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("patience", "seen"), [(0.0, True), (60.0, False)])
def test_progress_is_shown_after_a_second_and_cleared(files, capsys, monkeypatch, patience, seen):
    monkeypatch.setattr(progress, "PATIENCE", patience)
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    assert main(["doctor", "--level", "data", str(files / "good.parquet")]) == 0
    text = stream.getvalue()
    assert ("%" in text) == seen
    assert text == "" or text.endswith("\r\x1b[K")


def test_without_a_terminal_there_is_no_progress(files, capsys, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    main(["doctor", "--level", "data", str(files / "good.parquet")])
    assert capsys.readouterr().err == ""


def test_an_interrupt_ends_it_with_the_status_of_one(files, capsys, monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)

    def interrupted(file):
        raise KeyboardInterrupt

    monkeypatch.setattr(pqexplore.engine.check.ends, "layout_findings", interrupted)
    assert main(["doctor", "--level", "data", str(files / "slow.parquet")]) == 130
    assert stream.getvalue().endswith("\r\x1b[K") and "Traceback" not in stream.getvalue()


@pytest.mark.parametrize("words", [[], ["--level", "every", "x"]], ids=str)
def test_wrong_usage_has_a_status_of_its_own(capsys, words):
    with pytest.raises(SystemExit) as raised:
        main(["doctor", *words])
    assert raised.value.code == 2
    assert "usage: pqexplore doctor" in capsys.readouterr().err
