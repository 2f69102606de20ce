"""`check` and `doctor` as linters: which rules count, what fails, and the formats of other tools."""

import json
import re
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.cli import main
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight.doctor.selection import Selection

DONE, FOUND, USAGE, UNREAD = 0, 1, 2, 3


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """`bad`: a wrong checksum (damage); `slow`: 100 row groups of 100 rows; `good`: no problems; `no`: not Parquet."""
    monkeypatch.chdir(tmp_path)
    write_sample("sick-checksum", "bad.parquet")
    table = pa.table({"n": list(range(10_000))})
    pq.write_table(table, "good.parquet")
    pq.write_table(pa.table({"n": list(range(1, 10_001))}), "slow.parquet", row_group_size=100)
    (tmp_path / "no.parquet").write_text("no Parquet at all")
    (tmp_path / "only").mkdir()
    pq.write_table(table, "only/slow.parquet", row_group_size=100)
    return tmp_path


CASES = [
    # the table of pyproject.toml, words, exit status, what is printed, what is not
    ("", "check bad.parquet", FOUND, "crc-mismatch", "not listed"),
    ("", "check bad.parquet --ignore crc-mismatch", DONE, "no other problems found", "Wrong"),
    ("", "check bad.parquet --ignore crc-*", DONE, r"1 finding of crc-mismatch is not listed.*The worst is: damage", "Wrong"),
    ("", "check bad.parquet --select bson-invalid", DONE, "1 finding of crc-mismatch is not listed", "Wrong"),
    ("", "check bad.parquet --select crc-mismatch,bson-invalid", FOUND, "crc-mismatch", "not listed"),
    ("", "check good.parquet --ignore crc-mismatch", DONE, "no problems found", "other|not listed"),
    ("", "check bad.parquet --fail-on bson-invalid", DONE, "crc-mismatch", "not listed"),
    ("", "check bad.parquet --fail-on crc-mismatch", FOUND, "crc-mismatch", "not listed"),
    ("", "doctor bad.parquet", FOUND, "crc-mismatch", "not listed"),
    ("", "doctor bad.parquet --ignore crc-mismatch", DONE, r"No other problems found \(", "No problems"),
    ("", "doctor only --ignore small-row-groups", DONE, r"No other problems found \(.*1 finding of small-row-groups is not listed", "No problems"),
    ("", "doctor only --fail-on slow", FOUND, "small-row-groups", "not listed"),
    ("", "doctor slow.parquet --fail-on small-row-groups", FOUND, "small-row-groups", "not listed"),
    ("", "doctor slow.parquet --fail-on warning", FOUND, "small-row-groups", "not listed"),
    ("", "doctor . --ignore file-unreadable,crc-mismatch", DONE, "of file-unreadable.*are not listed|not listed", "crc-mismatch]"),
    ('ignore = ["crc-mismatch"]', "check bad.parquet", DONE, "not listed", "Wrong"),
    ('ignore = ["crc-mismatch"]', "bad.parquet --check", DONE, "not listed", "Wrong"),
    ('ignore = ["crc-mismatch"]', "check bad.parquet --ignore bson-invalid", FOUND, "crc-mismatch", "not listed"),
    ('fail-on = "slow"', "doctor slow.parquet", FOUND, "small-row-groups", "not listed"),
    ('fail-on = ["damage", "small-row-groups"]', "doctor slow.parquet", FOUND, "small-row-groups", "not listed"),
    ('output-format = "github"', "check bad.parquet", FOUND, "^::error file=bad.parquet,", "<"),
    ('output-format = "github"', "check bad.parquet --output-format text", FOUND, "crc-mismatch", "::"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "words", "status", "said", "not_said"), CASES)
def test_which_rules_count_and_what_fails(folder, capsys, table, words, status, said, not_said):
    if table:
        (folder / "pyproject.toml").write_text(f"[tool.pqexplore]\n{table}\n")
    assert main(words.split()) == status
    out = capsys.readouterr().out
    assert re.search(said, " ".join(out.split()))
    assert not re.search(not_said, out)


WRONG = [
    # the table of pyproject.toml, words, what is wrong
    ("", "check bad.parquet --select crc-mismach", "'crc-mismach' is no rule; did you mean crc-mismatch?"),
    ("", "doctor bad.parquet --ignore xyz*", "'xyz*' is no rule"),
    ("", "doctor bad.parquet --fail-on slw", "'slw' is no severity and no rule; did you mean slow?"),
    ("", "check bad.parquet --json --output-format sarif", "--json and --output-format sarif do not go together"),
    ("", "doctor bad.parquet --sarif --output-format junit", "--sarif and --output-format junit do not go together"),
    ("ignores = []", "check bad.parquet", "has the key 'ignores'; there are select, ignore, fail-on, output-format"),
    ('ignore = "crc-mismatch"', "check bad.parquet", "ignore of [tool.pqexplore] is a list of names"),
    ("select = [1]", "check bad.parquet", "select of [tool.pqexplore] is a list of names"),
    ('output-format = "xml"', "check bad.parquet", "output-format of [tool.pqexplore] is one of text, json, github"),
    ("= ", "check bad.parquet", "pyproject.toml cannot be read"),
    ("", "haed bad.parquet", "there is no file haed; did you mean `pqexplore head`?"),
    ("", "check --explain crc-mismach", "did you mean crc-mismatch?"),
]


@pytest.mark.parametrize(("table", "words", "said"), WRONG)
def test_a_wrong_name_is_a_wrong_use_and_says_which_is_meant(folder, capsys, table, words, said):
    if table:
        (folder / "pyproject.toml").write_text(f"[tool.pqexplore]\n{table}\n")
    try:
        status = main(words.split())
    except SystemExit as end:
        status = end.code
    assert (status, said in capsys.readouterr().err) == (USAGE, True)


def test_an_old_name_of_a_rule_counts_and_is_remarked_on(folder, capsys):
    (folder / "pyproject.toml").write_text('[tool.pqexplore]\nignore = ["type-mended", "crc-mismatch"]\n')
    with pytest.warns(DeprecationWarning):
        assert main(["check", "bad.parquet"]) == DONE
    assert capsys.readouterr().err == "pqexplore: the rule type-mended is called type-corrected since 1.0\n"


def test_the_nearest_table_counts_and_a_file_without_one_does_not(folder, monkeypatch):
    inner = folder / "a" / "b"
    inner.mkdir(parents=True)
    (folder / "pyproject.toml").write_text('[tool.pqexplore]\nignore = ["crc-mismatch"]\n')
    (folder / "a" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    monkeypatch.chdir(inner)
    assert main(["check", str(folder / "bad.parquet")]) == DONE


def test_a_name_that_is_nearly_a_verb_may_be_a_file(folder):
    (folder / "bad.parquet").rename(folder / "haed")
    assert main(["haed"]) == DONE


def test_json_counts_what_is_not_listed(folder, capsys):
    for verb in ("check", "doctor"):
        assert main([verb, "bad.parquet", "--ignore", "crc-mismatch", "--output-format", "json"]) == DONE
        made = json.loads(capsys.readouterr().out)
        assert made["others"] == {"crc-mismatch": 1}
        assert "crc-mismatch" not in {one["rule"] for one in made["findings"]}


@pytest.mark.parametrize("verb", ["check", "doctor"])
def test_github_has_a_line_for_each_finding(folder, capsys, verb):
    odd = folder / "a,b:c%.parquet"
    (folder / "bad.parquet").rename(odd)
    main([verb, odd.name, "--output-format", "github"])
    lines = [one for one in capsys.readouterr().out.splitlines() if "crc-mismatch" in one]
    assert len(lines) == 1
    assert lines[0].startswith("::error file=a%2Cb%3Ac%25.parquet,title=damage [crc-mismatch]::Wrong: the page header")


def test_junit_has_a_suite_for_each_file(folder, capsys):
    names = ["bad.parquet", "slow.parquet", "good.parquet", "no.parquet"]
    assert main(["doctor", *names, "--output-format", "junit"]) == UNREAD
    root = ElementTree.fromstring(capsys.readouterr().out)
    assert root.tag == "testsuites" and [suite.get("name") for suite in root] == names
    bad, slow, good, unread = root
    assert [case.find("failure").get("type") for case in bad if case.find("failure") is not None] == ["damage"]
    assert slow.get("failures") == "0" and slow[0].get("name").startswith("small-row-groups at ")
    assert slow[0].find("system-out").text.startswith("slow: ")
    assert good.get("failures") == good.get("errors") == "0"
    assert unread.get("errors") == "1" and "does not" in unread[0].find("error").get("message")
    for element in (root, *root):
        cases = list(element.iter("testcase"))
        assert int(element.get("tests")) == len(cases)
        assert int(element.get("failures")) == sum(case.find("failure") is not None for case in cases)
        assert int(element.get("errors")) == sum(case.find("error") is not None for case in cases)


def test_sarif_of_check_is_that_of_the_doctor(folder, capsys):
    found = []
    for words in (["check", "--output-format", "sarif"], ["doctor", "--sarif", "--level", "data"]):
        main([*words, "bad.parquet"])
        [run] = json.loads(capsys.readouterr().out)["runs"]
        found.append([one for one in run["results"] if one["ruleId"] == "crc-mismatch"])
        assert [run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] for one in found[-1]] == ["crc-mismatch"]
    assert [one["message"] for one in found[0]] == [one["message"] for one in found[1]]


EXPLAINED = [
    # a rule of check(), one of the doctor, and words of each
    ("crc-mismatch", ["A page whose checksum is wrong", "Severity: damage.", "checksummed"]),
    ("small-row-groups", ["Many row groups of few rows", "Threshold:", "See: "]),
]


@pytest.mark.parametrize(("rule", "said"), EXPLAINED)
def test_a_rule_is_explained_without_a_file(folder, capsys, rule, said):
    with pytest.raises(SystemExit) as end:
        main(["check", "--explain", rule])
    out = capsys.readouterr().out
    assert end.value.code == DONE and out.startswith(f"{rule}: ") and all(one in out for one in said)


def test_control_characters_of_a_file_reach_no_format(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hostile = "a\x1b]0;owned\x07\u202e\nb\x00"
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], [hostile, hostile]), "x.parquet")
    for form in ("github", "junit", "sarif"):
        main(["doctor", "x.parquet", "--output-format", form])
        out = capsys.readouterr().out
        assert "owned" in out and not set(out) & set("\x1b\x07\u202e\x00")
        assert form != "github" or all(line.startswith("::") for line in out.splitlines())
        assert form != "junit" or ElementTree.fromstring(out).tag == "testsuites"


def test_a_selection_in_python(folder):
    report = pqexplore.diagnose("bad.parquet")
    wanted, others = Selection(ignore=["crc-*"]).split(report.findings)
    assert others == {"crc-mismatch": 1} and len(wanted) == len(report.findings) - 1
    assert Selection(fail_on=["note"]).failures(report.findings)[0] == "crc-mismatch"
