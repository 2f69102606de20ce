"""The verbs of the command line: what each prints, with which exit status, and as JSON."""

import json
import re
import shlex
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from json_schema import SCHEMA, branches, misfits, named
from table_files import table_rows

from pqexplore import lake as lakes
from pqexplore.cli import DONE, FOUND, UNREADABLE, USAGE, main
from pqexplore.cli.verbs import VERBS
from pqexplore.engine.errors import (
    CorruptFileError,
    CredentialsError,
    EncryptedFileError,
    LimitExceededError,
    NetworkError,
    NoAnswerError,
    NotParquetError,
    StoreError,
    ThrottledError,
    UnsupportedFeatureError,
    UsageError,
)
from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.samples import SAMPLES, write_sample
from pqexplore.insight.across import joined
from pqexplore.insight.lenses import LENSES
from pqexplore.insight.questions import QUESTIONS
from pqexplore.lake import metadatastore


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """Sample files by their names; `cut` is `events` without its last bytes, `more` a folder with two files."""
    folder = tmp_path_factory.mktemp("samples")
    for name in ("events", "variant", "bloom-filter", "sick-checksum", "page-index"):
        write_sample(name, folder / f"{name}.parquet")
    data = (folder / "page-index.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(data[:-300])
    (folder / "no.parquet").write_bytes(b"PAR1 and nothing more")
    (folder / "more").mkdir()
    for name in ("a", "b"):
        (folder / "more" / f"{name}.parquet").write_bytes(data)
    write_sample("encrypted", folder / "encrypted.parquet")
    (folder / "key").write_bytes(SAMPLES["encrypted"].keys["footer_key"])
    (folder / "ds").mkdir()
    for part in range(4):
        rows = range(10 * part, 10 * part + 10)
        pq.write_table(pa.table({"x": list(rows)}), folder / "ds" / f"{part}.parquet")
    metadatastore.build(None, folder / "ds", [metadatastore.MinMax("x")], folder / "md")
    lakes.scan(None, folder / "ds", out=folder / "store", processes=0)
    for name in ("drift", "mixed"):
        (folder / name).mkdir()
        for part, kind in enumerate((pa.int64(), pa.int32())):
            pq.write_table(pa.table({"x": pa.array([1], kind)}), folder / name / f"{part}.parquet")
    (folder / "mixed" / "bad.parquet").write_bytes(data[:-300])
    return folder


def run(capsys, *words):
    try:
        status = main(list(words))
    except SystemExit as stopped:
        status = stopped.code
    out, err = capsys.readouterr()
    return status, out, err


TABLES = Path(__file__).parent / "tables" / "verbs.txt"
STATUS = {"DONE": DONE, "FOUND": FOUND, "UNREADABLE": UNREADABLE, "USAGE": USAGE}
SAID = table_rows(TABLES, "said")
"""Words, exit status, what is printed (white space does not count)."""
AS_JSON = table_rows(TABLES, "JSON")
"""Words, kind of the document, members that are in it besides those that all of the kind have."""


@pytest.mark.parametrize("row", SAID, ids=[row[0] for row in SAID])
def test_a_verb(samples, capsys, monkeypatch, row):
    words, status, *said = row
    monkeypatch.chdir(samples)
    monkeypatch.delenv("COLUMNS", raising=False)
    found, out, err = run(capsys, *words.split())
    printed = " ".join((out + err).split())
    for text in said:
        assert text in printed
    assert found == STATUS[status]
    if found in (USAGE, UNREADABLE):
        assert err


@pytest.mark.parametrize("row", AS_JSON, ids=[row[0] for row in AS_JSON])
def test_a_verb_as_json(samples, capsys, monkeypatch, tmp_path, row):
    words, kind, *more = row
    monkeypatch.chdir(samples)
    words = [str(tmp_path / "new") if word == "NEW" else word for word in words.split()]
    _, out, _ = run(capsys, *words, "--json")
    document = json.loads(out)
    assert list(misfits({"$ref": f"#/$defs/{named(kind)}"}, document)) == []
    assert branches(document) == [named(kind)]
    required = SCHEMA["$defs"][named(kind)]["required"]
    assert sorted(document) == sorted(required + more)


def test_each_verb_and_each_document_is_in_the_schema_and_the_page(pytestconfig):
    kinds = {one["$ref"].rpartition("/")[2] for one in SCHEMA["oneOf"]}
    assert {named(kind) for _, kind, *_ in AS_JSON} == kinds - {"stores_document"}
    assert {row[0].split()[0] for row in AS_JSON} >= VERBS.keys() - {"completion", "mcp", "view"}
    page = (pytestconfig.rootpath / "docs" / "json.md").read_text("utf-8")
    assert all(f"`{one['properties']['kind']['const']}`" in page for name, one in SCHEMA["$defs"].items() if name in kinds)  # fmt: skip


# what cannot be read | its code
CODES = [
    (NotParquetError("no magic", offset=0), "not-parquet"),
    (CorruptFileError("cut", offset=0), "corrupt"),
    (EncryptedFileError("no key", offset=0), "encrypted"),
    (UnsupportedFeatureError("LZO", offset=0), "unsupported"),
    (LimitExceededError("too large", offset=0), "limit"),
    (FileNotFoundError(2, "No such file"), "missing"),
    (PermissionError(13, "Permission denied"), "forbidden"),
    (CredentialsError("refused"), "credentials"),
    (NetworkError("no connection"), "network"),
    (NoAnswerError("no answer"), "timeout"),
    (ThrottledError("busy"), "throttled"),
    (StoreError("broken"), "unreadable"),
    (UsageError("a folder"), "unreadable"),
]


@pytest.mark.parametrize(("error", "code"), CODES)
def test_an_error_in_json_has_a_code(capsys, monkeypatch, error, code):
    def refuse(*_, **__):
        raise error

    monkeypatch.setattr("pqexplore.cli.files.opened", refuse)
    _, out, _ = run(capsys, "check", "x.parquet", "--json")
    document = json.loads(out)
    assert branches(document) == ["error_document"]
    assert document["error"]["code"] == code


def test_json_is_a_line_for_each_file(samples, capsys, monkeypatch):
    monkeypatch.chdir(samples)
    _, out, _ = run(capsys, "check", "events.parquet", "nowhere.parquet", "more", "--json")
    names = [json.loads(line)["name"] for line in out.splitlines()]
    assert names == ["events.parquet", "nowhere.parquet", "more/a.parquet", "more/b.parquet"]


def test_csv_of_files_with_the_same_columns_has_one_head(samples, capsys):
    _, out, _ = run(capsys, "cat", str(samples / "more" / "*.parquet"), "--rows", "0:1", "--csv")
    assert len(out.splitlines()) == 3


def test_csv_to_a_terminal_cannot_control_it(tmp_path, capsys, monkeypatch):
    path = str(tmp_path / "hostile.parquet")
    pq.write_table(pa.table({"a": ["\x1b[31m"]}), path)
    assert "\x1b[31m" in run(capsys, "cat", path, "--csv")[1]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert run(capsys, "cat", path, "--csv")[1] == "a\n\\x1b[31m\n"


@pytest.mark.parametrize(("value", "cell"), [
    *((f"{one}1", f"'{one}1") for one in "=+-@"),
    (" =1", "' =1"),
    ("\t=1", "'\\t=1"),
    ("\r=1", "'\\r=1"),
    ("\x1b[31m", "\\x1b[31m"),
    ("\0", "\\x00"),
    ("a=1", "a=1"),
    ("", ""),
])  # fmt: skip
def test_csv_safe_has_no_cell_that_a_spreadsheet_computes(tmp_path, capsys, value, cell):
    path = str(tmp_path / "hostile.parquet")
    pq.write_table(pa.table({"text": [value, "end"], "=1+1": [-1, -2]}), path)
    status, out, _ = run(capsys, "cat", path, "--csv-safe")
    assert status == DONE
    assert out.splitlines()[:2] == ["text,'=1+1", f"{cell},-1"]  # a number stays one


@pytest.mark.parametrize("form", ["--json", "--table", "--jsonl"])
def test_csv_safe_is_csv(samples, capsys, form):
    status, _, err = run(capsys, "cat", str(samples / "events.parquet"), "--csv-safe", form)
    assert status == USAGE and "--csv-safe is CSV" in err


def test_a_salvaged_file_can_be_read(samples, capsys, tmp_path):
    new = tmp_path / "new.parquet"
    status, out, _ = run(capsys, "salvage", str(samples / "cut.parquet"), str(new))
    assert status == DONE and f"wrote {new}, {new.stat().st_size:,} bytes" in " ".join(out.split())
    assert run(capsys, "check", str(new))[0] == DONE


ENCRYPTED = [name for name, sample in SAMPLES.items() if sample.keys]


@pytest.mark.parametrize("name", ENCRYPTED)
def test_an_encrypted_sample_says_the_command_that_opens_it(name, capsys, monkeypatch, tmp_path):
    path = tmp_path / "a b.parquet"
    status, out, _ = run(capsys, "sample", name, str(path))
    words = shlex.split(out.splitlines()[-1])
    command = words.index("pqexplore")
    for variable in words[:command]:
        monkeypatch.setenv(*variable.split("="))
    assert status == DONE and command > 0
    status, out, err = run(capsys, "head", *words[command + 1 :], "-n", "1", "--jsonl")
    assert (status, err) == (DONE, "") and json.loads(out)["secret"] == 0


def help_of(capsys, *words):
    status, out, _ = run(capsys, *words, "--help")
    assert status == DONE
    return out


@pytest.mark.parametrize("name", VERBS)
def test_each_verb_has_help(capsys, name):
    assert help_of(capsys, name).startswith(f"usage: pqexplore {name}")


def test_help_lists_verbs_and_views(capsys):
    lines = help_of(capsys).splitlines()
    for verb in VERBS.values():
        assert f"  {verb.name:<10} {verb.summary}" in lines
    for name, question in QUESTIONS.items():
        assert f"  {name:<13} {question}" in lines


def test_each_view_has_the_question_of_its_page(pytestconfig):
    assert list(QUESTIONS) == list(LENSES)
    page = (pytestconfig.rootpath / "docs" / "lenses.md").read_text()
    headings = dict(re.findall(r"^## .*\(`(\w+)`\): (.*)$", page, re.M))
    assert headings == {name: text for name, text in QUESTIONS.items() if name != "facts"}


@pytest.mark.parametrize("rows, said", [(1, ["1 row, 1 row group, 1 column"]), (2, ["2 rows, "])])
def test_a_file_of_one_row_is_said_in_the_singular(tmp_path, capsys, rows, said):
    path = str(tmp_path / "few.parquet")
    pq.write_table(pa.table({"a": list(range(rows))}), path)
    _, out, _ = run(capsys, path)
    assert all(one in out for one in said) and "1 rows" not in out
    assert "note:" not in out


def test_the_notes_of_a_file_follow_its_diagnosis(tmp_path, capsys):
    path = str(tmp_path / "int96.parquet")
    table = pa.table({name: pa.array([0], pa.timestamp("ns")) for name in "abcde"})
    pq.write_table(table, path, use_deprecated_int96_timestamps=True)
    _, out, _ = run(capsys, path)
    whole = " ".join(out.split())  # where lines end depends on the terminal
    assert re.search(
        r"No problems found \(footer, all 10 pages, no checksums\).*\. \d notes?: .*int96.*\. pqexplore doctor says more\.",
        whole,
    )


@pytest.mark.parametrize("words, expected", [
    (["cat"], "{}\n{}\n{}\n"),
    (["head", "-n", "2"], "no-columns.parquet\n  2 rows without columns\n"),
    (["cat", "--rows", "3:"], ""),
])  # fmt: skip
def test_rows_without_columns_are_rows(words, expected, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write(pa.table({"a": [1, 2, 3]}).select([]), "no-columns.parquet")
    assert main([*words, "no-columns.parquet"]) == 0
    assert capsys.readouterr().out == expected


def test_the_history_of_a_store(samples, capsys, monkeypatch):
    monkeypatch.chdir(samples)
    status, out, _ = run(capsys, "lake", "store", "--history")
    assert status == DONE and "One run can be read: 4 files" in out and "growth" in out
    status, _, err = run(capsys, "lake", "ds", "--history")
    assert status == USAGE and "has no complete scan of a lake" in err
    status, _, err = run(capsys, "lake", "store", "--history", "--view", "errors")
    assert status == USAGE and "do not go together" in err


def test_levels_of_more_places_than_are_added_up_say_so(samples, capsys, monkeypatch):
    monkeypatch.chdir(samples)
    monkeypatch.setattr(joined, "PLACES", 1)
    said = "The bytes of levels are added up for at most 1 column chunks"
    for words, expected in (
        (["levels", "events.parquet"], True),
        (["levels", "events.parquet", "--column", "id", "--row-group", "0"], False),
    ):
        assert (said in " ".join(run(capsys, *words)[1].split())) is expected
