"""The command line: what it prints, where, and with which exit status."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import golden
import made
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pqexplore.cli import DONE, FOUND, UNREADABLE, USAGE, main
from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.options import WriteOptions

HOSTILE = "a\x1b]0;owned\x07\u202eb"


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Six rows of two columns in two row groups, with a page index and checksums."""
    monkeypatch.setenv("COLUMNS", "100")
    table = pa.table({"id": pa.array(range(6), pa.int32()), "word": ["a", None, "c", "d", None, "f"]})
    options = WriteOptions(row_group_rows=3, created_by="golden version 1.0 (build 0)", codec="UNCOMPRESSED")
    write(table, tmp_path / "six.parquet", options)
    return str(tmp_path / "six.parquet")


@pytest.fixture
def broken(path, tmp_path):
    """The same with a byte changed in the first data page."""
    data = bytearray(pathlib.Path(path).read_bytes())
    data[40] ^= 0xFF
    found = tmp_path / "broken.parquet"
    found.write_bytes(data)
    return str(found)


def run(capsys, *words):
    status = main(words)
    out, err = capsys.readouterr()
    return status, out, err


COMMANDS = [
    "FILE --json",
    "FILE --at row_groups/1/columns/0/pages/1/values/2",
    "FILE --at row_groups/0 --json",
    "FILE --at schema --children 1",
    "FILE --at row_groups/7",
    "FILE --view facts --at row_groups/0",
    "FILE --view facts --at row_groups/0 --json",
    "FILE --view value",
    "FILE --check",
    "BROKEN",
    "BROKEN --check",
    "BROKEN --check --json",
    *("FILE --where id>4", "FILE --where word␣IS␣NULL", "FILE --where id>4 --columns id --engine duckdb"),
    *("FILE --where id>4 --verify", "FILE --where id>4 --verify --json"),
    *("FILE --where nope=1", "FILE --where id=", "FILE --where id=1 --engine nope", "FILE --where id='x'"),
    *("FOLDER --where id>4", "FOLDER --where id>9 --json"),
]


def test_what_commands_print_is_their_golden_text(capsys, path, broken, tmp_path, monkeypatch):
    """Output, errors and exit status; a line of JSON has a line for each of its fields."""
    monkeypatch.chdir(tmp_path)
    pathlib.Path("folder").mkdir()
    shutil.copy(path, "folder")
    places = {"FILE": "six.parquet", "BROKEN": "broken.parquet", "FOLDER": "folder"}
    said = ""
    for command in COMMANDS:
        status, out, err = run(capsys, *(places.get(word, word.replace("␣", " ")) for word in command.split()))
        if "--json" in command:
            out = golden.plain(json.loads(out)) + "\n"
        said += f"$ pqexplore {command}\n{out}{err}exit status {status}\n\n"
    golden.same(pathlib.Path(__file__).parent / "golden" / "commands.txt", said)


def test_bytes_of_all_kinds_add_up(capsys, path):
    _, out, _ = run(capsys, path, "--json")
    pieces = json.loads(out)["bytes"]
    assert sum(one["size"] for one in pieces) == os.path.getsize(path)
    assert sum(one["share"] for one in pieces) == pytest.approx(1)


@pytest.mark.parametrize(
    ("changes", "status", "strict"),
    [({"created_by": None}, DONE, DONE), ({"version": 7}, DONE, FOUND), ({"num_rows": 9}, FOUND, FOUND)],
    ids=["a note", "a warning", "an error"],
)
def test_strict_makes_warnings_count(capsys, tmp_path, changes, status, strict):
    path = tmp_path / "odd.parquet"
    table = pa.table({"a": pa.array([1], pa.int32())})
    path.write_bytes(made.rebuilt(made.parquet(table), **changes))
    assert run(capsys, str(path), "--check")[0] == status
    assert run(capsys, str(path), "--check", "--strict")[0] == strict


@pytest.mark.parametrize(
    "content, told",
    [(b"", "is empty"), (b"no parquet file at all", "not a Parquet file"), (b"PAR1" + b"x" * 8 + b"PAR1", "footer")],
)
def test_an_unreadable_file_is_one_line_on_stderr(capsys, tmp_path, content, told):
    path = tmp_path / "odd.parquet"
    path.write_bytes(content)
    status, out, err = run(capsys, str(path))
    assert (status, out) == (UNREADABLE, "")
    assert len(err.splitlines()) == 1 and err.startswith(f"pqexplore: {path}") and told in err


def test_the_worst_status_counts_and_the_rest_is_done(capsys, path):
    status, out, err = run(capsys, "nowhere.parquet", path)
    assert status == UNREADABLE
    assert "6 rows" in out and err == "pqexplore: nowhere.parquet: No such file or directory\n"


def test_an_error_as_json(capsys):
    status, out, err = run(capsys, "nowhere.parquet", "--json")
    assert (status, json.loads(out)["error"]["type"]) == (UNREADABLE, "FileNotFoundError")
    assert err.startswith("pqexplore: nowhere.parquet")


@pytest.mark.parametrize("words", [
    [],
    ["a", "b", "--html", "x"],
    ["a", "--check", "--at", "footer"],
    ["a", "--check", "--view", "rows"],
    ["a", "--children", "-1"],
    ["a", "--strict"],
    ["a", "--sideways"],
])  # fmt: skip
def test_misuse(words, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == USAGE
    assert capsys.readouterr().err.startswith("usage: pqexplore")


def test_control_characters_of_a_file_do_not_reach_the_terminal(capsys, tmp_path):
    table = pa.table({HOSTILE: [HOSTILE]}).replace_schema_metadata({"key" + HOSTILE: HOSTILE})
    path = tmp_path / "hostile.parquet"
    pq.write_table(table, path)
    texts = [run(capsys, str(path))[1]]
    for address in ("schema/1", "key_value_metadata/0", "row_groups/0/columns/0/pages/1/values/0", "footer/schema/1"):
        texts.append(run(capsys, str(path), "--at", address)[1])
    texts.append(run(capsys, str(path), "--json")[1])
    texts.append(run(capsys, str(path), "--at", "schema/" + HOSTILE)[2])
    for text in texts:
        assert all(c.isprintable() for c in text.replace("\n", "")), text
    assert r"a\x1b]0;owned\x07\u202eb" in texts[0]


@pytest.mark.parametrize("columns", [72, 80, 200])
def test_lines_fit_the_terminal(capsys, monkeypatch, path, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    _, out, _ = run(capsys, path)
    assert max(len(line) for line in out.splitlines()[1:]) <= columns


def test_html(capsys, path, tmp_path):
    page = tmp_path / "six.html"
    status, out, _ = run(capsys, path, "--html", str(page), "--at", "row_groups/0")
    assert status == DONE and out.startswith(f"wrote {page}, ")
    text = page.read_text()
    assert text.startswith("<!doctype html>") and "Content-Security-Policy" in text


def test_html_of_a_view(capsys, path, tmp_path):
    page, at = tmp_path / "value.html", "row_groups/0/columns/0/pages/1/values/0"
    status, _, _ = run(capsys, path, "--html", str(page), "--at", at, "--view", "value")
    assert status == DONE
    first = page.read_text().partition('id="pqx-snapshot">')[2].partition("\n")[0]
    state = json.loads(first)
    assert (state["selection"], state["view"]) == (at, "value")


def test_a_pipe_that_closes_is_no_error(path):
    command = f"{sys.executable} -m pqexplore {path} {path} {path} | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (path + "\n", "")


class TestKeys:
    """Keys come from files and the environment, and are never said."""

    @pytest.mark.parametrize("content, key", [
        (b"0123456789012345", b"0123456789012345"),
        (b"0123456789012345\n", b"0123456789012345"),
        (bytes(range(24)), bytes(range(24))),
        (b"00112233445566778899aabbccddeeff\n", bytes.fromhex("00112233445566778899aabbccddeeff")),
        (bytes(15) + b"\n", bytes(15) + b"\n"),
    ])  # fmt: skip
    def test_a_key_file_has_bytes_or_hexadecimal_digits(self, tmp_path, monkeypatch, content, key):
        from pqexplore.cli.keys import read_key

        path = tmp_path / "key"
        path.write_bytes(content)
        assert read_key(str(path)) == key
        if b"\0" not in content:
            monkeypatch.setenv("A_KEY", content.decode())
            assert read_key("env:A_KEY") == key

    def test_files_of_the_corpus_open_with_their_keys(self, capsys, corpus, tmp_path):
        known = json.loads((corpus / "keys.json").read_text())
        name = "apache__parquet-testing/data/encrypt_columns_and_footer_ctr.parquet.encrypted"
        keys = known[name]
        words = [str(corpus / name)]
        status, out, _ = run(capsys, *words)
        assert status == DONE and "key was not given" in out
        (tmp_path / "footer").write_text(keys["footer_key_hex"])
        words += ["--footer-key-file", str(tmp_path / "footer")]
        for column, digits in keys["column_keys_hex"].items():
            (tmp_path / column).write_text(digits)
            words += ["--column-key", f"{column}={tmp_path / column}"]
        status, out, err = run(capsys, *words, "--check")
        assert (status, err) == (DONE, "")
        assert "not given" not in out

    @pytest.mark.parametrize("words, told", [
        (["--footer-key-file", "nowhere"], "the key file nowhere: No such file"),
        (["--footer-key-file", "env:NO_SUCH_KEY"], "no variable NO_SUCH_KEY"),
        (["--footer-key-file", "secret"], "secret has 11 bytes"),
        (["--column-key", "secret"], "COLUMN=KEY"),
    ])  # fmt: skip
    def test_a_wrong_key_is_told_without_the_key(self, capsys, path, tmp_path, monkeypatch, words, told):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "secret").write_text("do-not-tell")
        status, out, err = run(capsys, path, *words)
        assert (status, out) == (USAGE, "")
        assert told in err and "do-not-tell" not in err and len(err.splitlines()) == 1


def test_the_password_in_a_url_is_not_printed(capsys):
    status, out, err = run(capsys, "http://user:hidden@127.0.0.1:1/x?sig=hidden", "--json")
    assert status == UNREADABLE
    assert "http://***@127.0.0.1:1/x?sig=***: no connection to 127.0.0.1:1" in err
    assert "hidden" not in out + err


@pytest.mark.parametrize("words", [["--engine", "spark"], ["--verify"], ["--where", "id = 1", "--check"]])
def test_options_of_a_question_that_do_not_go_together(capsys, path, words):
    with pytest.raises(SystemExit) as caught:
        main([path, *words])
    assert caught.value.code == USAGE


def test_the_text_of_a_condition_is_printed_as_text(capsys, path):
    _, out, err = run(capsys, path, "--where", f"word = '{HOSTILE}'")
    assert "\x1b" not in out + err and "\u202e" not in out + err
