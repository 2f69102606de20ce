"""Two files in one explorer: how it is opened, what is saved of it, and what never is."""

import json
import os

import pyarrow as pa
import pytest
from widget.pages import plain, replies_of

import pqexplore
from pqexplore.cli import main
from pqexplore.engine.errors import UsageError
from pqexplore.widget import export

TABLE = pa.table({"id": list(range(100)), "city": ["Oslo", "Bergen"] * 50})
SECRET = "Longyearbyen"
KEYS = pqexplore.Decryption(footer_key=b"0" * 16)


@pytest.fixture
def paths(tmp_path):
    """Two files; the second lacks `city`. And an encrypted one."""
    made = {name: tmp_path / f"{name}.parquet" for name in ("a", "b", "locked")}
    pqexplore.write(TABLE, made["a"])
    pqexplore.write(TABLE.drop(["city"]), made["b"])
    encryption = pqexplore.Encryption(footer_key=KEYS.footer_key)
    secret = pa.table({"id": list(range(100)), "city": [SECRET] * 100})
    pqexplore.write(secret, made["locked"], pqexplore.WriteOptions(encryption=encryption))
    return made


def ask(explorer, op, **args):
    """What the view gets for a request."""
    sent = []
    explorer.send = lambda message, buffers=None: sent.append(message)
    explorer.receive(None, {"kind": "request", "id": 1, "op": op, "args": args}, [])
    while sent[-1]["kind"] == "progress":
        explorer.receive(None, {"kind": "continue", "id": 1}, [])
    assert sent[-1]["ok"], sent[-1]
    return sent[-1]["result"]


@pytest.mark.parametrize("how", ["path", "text", "bytes", "file"])
def test_a_second_file_opens_the_lens(paths, how):
    other = {
        "path": lambda: paths["b"],
        "text": lambda: str(paths["b"]),
        "bytes": lambda: paths["b"].read_bytes(),
        "file": lambda: pqexplore.open(paths["b"]),
    }[how]()
    explorer = pqexplore.explore(paths["a"], against=other)
    assert explorer.view == "diff"
    detail = ask(explorer, "node", address="", view="diff")
    assert detail["lens"] == "diff" and "has `city` (STRING)" in detail["payload"]["answer"]
    assert "diff" in [tab["name"] for tab in detail["lenses"]]
    assert list(explorer.to_frame()["what"]) == ["column-removed"]


def test_without_a_second_file_the_lens_is_not_listed(paths):
    explorer = pqexplore.explore(paths["a"])
    assert "diff" not in [tab["name"] for tab in ask(explorer, "node", address="")["lenses"]]
    with pytest.raises(UsageError, match="needs a second file"):
        explorer.view = "diff"
    with pytest.raises(UsageError, match="needs a second file"):
        explorer.to_frame("diff")


def test_two_explorers_of_one_file_have_their_own_second_file(paths):
    with pqexplore.open(paths["a"]) as file:
        one = pqexplore.explore(file, against=paths["b"])
        two = pqexplore.explore(file, against=paths["a"])
        for explorer, what in ((one, ["column-removed"]), (two, []), (one, ["column-removed"])):
            assert list(explorer.to_frame()["what"]) == what


def test_the_code_names_both_files(paths):
    explorer = pqexplore.explore(paths["a"], against=paths["b"])
    assert explorer.code == f"pqexplore.explore({str(paths['a'])!r}, against={str(paths['b'])!r}, view='diff')"
    explorer = pqexplore.explore(paths["a"].read_bytes(), against=paths["b"].read_bytes())
    assert explorer.code == "pqexplore.explore(f, against=g, view='diff')"


def test_a_second_file_that_cannot_be_opened_closes_the_first(paths, tmp_path):
    (tmp_path / "no.parquet").write_bytes(b"nothing")
    fds = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    with pytest.raises(pqexplore.NotParquetError):
        pqexplore.explore(paths["a"], against=tmp_path / "no.parquet")
    assert not fds or len(os.listdir("/proc/self/fd")) == fds


def test_the_values_are_compared_in_the_explorer(paths):
    explorer = pqexplore.explore(paths["a"], against=paths["b"])
    assert ask(explorer, "diff_values")["differences"] == 1
    detail = ask(explorer, "node", address="schema/1", view="diff")
    assert detail["payload"]["picture"]["level"] == "data"


def test_a_saved_page_has_the_answer_and_its_picture(paths):
    page = pqexplore.explore(paths["a"], against=paths["b"], at="schema/2").to_html(budget=1 << 20)
    for address in ("", "schema/2"):
        saved = replies_of(page)[export.key("lens", {"address": address, "lens": "diff"})]["result"]
        assert saved["picture"]["map"]["lines"][2]["state"] == "gone"


@pytest.mark.parametrize("first", ["a", "locked"])
def test_decrypted_values_of_the_second_file_are_saved_only_when_asked(paths, first):
    keys = KEYS if first == "locked" else None
    explorer = pqexplore.explore(
        paths[first], decryption=keys, against=paths["locked"], against_decryption=KEYS, at="row_groups/0/columns/1"
    )
    shown = json.dumps(ask(explorer, "node", address="row_groups/0/columns/1", view="diff"))
    assert SECRET in shown
    ask(explorer, "diff_values")
    assert SECRET not in str(explorer.get_state()) and SECRET not in str(explorer._repr_mimebundle_())  # fmt: skip
    assert SECRET not in plain(explorer.to_html(budget=1 << 20))
    page = plain(explorer.to_html(decrypted=True, budget=1 << 20))
    assert SECRET in page and export.DECRYPTED in page


def test_a_second_file_without_its_keys_says_so(paths):
    explorer = pqexplore.explore(paths["a"], against=paths["locked"])
    trouble = ask(explorer, "node", address="", view="diff")["trouble"]
    assert "key" in trouble["message"]


# The terminal.


def test_the_terminal_says_how_to_give_a_second_file(paths, capsys):
    assert main([str(paths["a"]), "--view", "diff"]) == 2
    assert "pqexplore diff A B" in capsys.readouterr().err


@pytest.mark.parametrize(("other", "status", "level"), [("b", 1, "footer"), ("a", 0, "data")])
def test_diff_writes_a_page(paths, tmp_path, capsys, other, status, level):
    out = tmp_path / "page.html"
    words = ["diff", str(paths["a"]), str(paths[other]), "--html", str(out), "--level", level]
    assert main(words) == status
    assert capsys.readouterr().out.startswith(f"wrote {out}, ")
    saved = replies_of(out.read_text("utf-8"))[export.key("lens", {"address": "", "lens": "diff"})]
    assert saved["result"]["picture"]["level"] == level


@pytest.mark.parametrize("words", [["a", "b", "c"], ["a", "b", "--json"], ["a", "b", "--columns", "x"]])
def test_what_a_page_is_not_written_of(words):
    with pytest.raises(SystemExit) as stopped:
        main(["diff", "--html", "x.html", *words])
    assert stopped.value.code == 2


def test_a_page_cannot_be_written_of_a_missing_file(paths, tmp_path, capsys):
    assert main(["diff", str(paths["a"]), str(tmp_path / "no"), "--html", "-"]) == 3
    assert "no" in capsys.readouterr().err


def test_a_page_that_cannot_be_written_is_named(paths, tmp_path, capsys):
    out = tmp_path / "no folder" / "page.html"
    assert main(["diff", str(paths["a"]), str(paths["b"]), "--html", str(out)]) == 3
    assert f"{out}: No such file" in capsys.readouterr().err
