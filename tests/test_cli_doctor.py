"""`pqexplore doctor`: what it prints, and with which exit status."""

import dataclasses
import io
import json
import os
import pathlib
import re
import sys

import golden
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore.engine.check.ends
from pqexplore.cli import main, progress
from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.insight.doctor.readers.file_readers import Readers

BY = "parquet-cpp-arrow version 23.0.0"


@pytest.fixture
def files(tmp_path):
    """`good`: no problems; `slow`: 100 row groups of 100 rows; `broken`: a wrong checksum; `no`: not Parquet."""
    table, options = pa.table({"n": range(10_000)}), WriteOptions(codec="UNCOMPRESSED", encoding="PLAIN", created_by=BY)
    write(table, tmp_path / "good.parquet", options)
    slow = dataclasses.replace(options, row_group_rows=100)
    write(pa.table({"n": range(20_000, 30_000)}), tmp_path / "slow.parquet", slow)
    write(pa.table({"n": range(40_000, 50_000)}), tmp_path / "broken.parquet", options)
    data = bytearray((tmp_path / "broken.parquet").read_bytes())
    data[500] ^= 1
    (tmp_path / "broken.parquet").write_bytes(data)
    (tmp_path / "no.parquet").write_text("no Parquet at all")
    for path in tmp_path.iterdir():
        os.utime(path, (1_600_000_000, 1_600_000_000))
    return tmp_path


COMMANDS = [
    *("slow", "slow --fail-on=slow", "slow --fail-on=wrong", "slow --strict", "good", "no", "good no"),
    *("broken --level footer", "broken --level data", "broken --level data --sarif"),
    *("slow good --json", ".", ". --each", ". --json", ". --sarif"),
]


def test_what_it_prints_is_its_golden_text(files, capsys, monkeypatch):
    """Output, errors and exit status; a line of JSON has a line for each of its fields."""
    monkeypatch.chdir(files)
    monkeypatch.setenv("COLUMNS", "120")
    said = ""
    for command in COMMANDS:
        words = [f"{word}.parquet" if word in ("good", "slow", "broken", "no") else word for word in command.split()]
        status = main(["doctor", *words])
        out, err = capsys.readouterr()
        if "--json" in command or "--sarif" in command:
            out = "".join(f"{golden.plain(json.loads(line))}\n" for line in out.splitlines())
        said += f"$ pqexplore doctor {command}\n{out}{err}exit status {status}\n\n"
    golden.same(pathlib.Path(__file__).parent / "golden" / "doctor.txt", said.replace(str(files), "TMP"))


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
    pq.write_table(pa.table({"n": range(10_000)}), files / "good.parquet")
    data = (files / "good.parquet").read_bytes()
    stored = f"parquet-cpp-arrow version {pa.__version__}".encode()
    (files / "unnamed.parquet").write_bytes(data.replace(stored, b" " * len(stored)))
    main(["doctor", str(files / "unnamed.parquet"), str(files / "good.parquet")])
    assert capsys.readouterr().out.count("Probably written by Arrow C++ ") == 1
    main(["doctor", "--json", str(files / "unnamed.parquet")])
    assert json.loads(capsys.readouterr().out)["writer"]["name"] == "arrow-cpp"


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

    def interrupted(*_):
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
