"""The net: an unexpected exception costs one file or one lens, is said in a line to report, and the exit status fails."""

import json
import re

import pytest
from engine.hostile.broken import one_column

import pqexplore
from pqexplore import cli
from pqexplore.cli import explore
from pqexplore.insight.doctor import diagnose
from pqexplore.insight.trouble import faults
from pqexplore.widget import export, rpc
from pqexplore.widget.operations import OPERATIONS

LINE = r"unexpected ZeroDivisionError.*line \d+: this is a fault of pqexplore; please report it"


def broken(*_, **__):
    raise ZeroDivisionError("a secret value")


def broken_operation(file):
    broken()


@pytest.fixture
def paths(tmp_path):
    made = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path in made:
        path.write_bytes(one_column())
    return list(map(str, made))


def fails_once(function):
    calls = []

    def called(*args, **kwargs):
        calls.append(1)
        return broken() if len(calls) == 1 else function(*args, **kwargs)

    return called


@pytest.mark.parametrize(
    ("module", "name", "verb"),
    [(explore, "_answer", []), (diagnose, "diagnose", ["doctor"])],
    ids=["explore", "doctor"],
)
def test_a_fault_costs_one_file_of_several(module, name, verb, paths, monkeypatch, capsys):
    monkeypatch.setattr(module, name, fails_once(getattr(module, name)))
    assert cli.main([*verb, *paths]) == cli.UNREADABLE
    said = capsys.readouterr()
    assert re.search(f"a.parquet: {LINE}", said.err) and "secret" not in said.err
    assert "b.parquet" in said.out and "b.parquet" not in said.err


def test_a_fault_of_a_verb_of_one_file_is_a_line(paths, monkeypatch, capsys):
    monkeypatch.setattr("pqexplore.engine.salvage.salvage", broken)
    assert cli.main(["salvage", paths[0]]) == cli.UNREADABLE
    said = capsys.readouterr().err
    assert re.search(LINE, said) and "secret" not in said


def test_a_fault_costs_one_lens_of_a_saved_page(paths, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(OPERATIONS, "headline", broken_operation)
    page = tmp_path / "page.html"
    assert cli.main(["--html", str(page), paths[0]]) == cli.UNREADABLE
    said = capsys.readouterr().err
    assert re.search(LINE, said) and "secret" not in said
    with pqexplore.open(paths[0]) as f:
        state = {"selection": "", "view": "", "where": "", "engine": "format"}
        replies = dict(export.replies(f, [], state))
    failed = [json.loads(reply) for reply in replies.values() if "ZeroDivision" in reply]
    assert len(failed) == 1 < len(replies)
    assert re.search(LINE, failed[0]["error"]["message"])
    assert page.exists()


def test_a_fault_costs_one_message_and_is_collected():
    with faults() as found:
        request = {"kind": "request", "id": 1, "op": "op"}
        [(reply, _)] = rpc.answer({"op": broken_operation}, None, request)
    assert not reply["ok"]
    assert [type(one.cause) for one in found] == [ZeroDivisionError]
