"""Answers that are longer than the terminal go through a pager; shorter ones, pipes and `--no-pager` do not."""

import io
import os
import subprocess
import sys

import pytest

from pqexplore.cli import pager, progress
from pqexplore.cli.out import DONE, NO_PAGER, Ended, Out
from pqexplore.cli.pager import PAGER, Paged

SAVES = "import pathlib, sys; pathlib.Path(sys.argv[1]).write_text(sys.stdin.read())"
LEAVES = "import sys; sys.stdin.readline()"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def paged(tmp_path, monkeypatch):
    """A terminal of 10 lines of 40 cells; its pager writes what it gets to a file."""
    monkeypatch.setenv("LINES", "10")
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("PAGER", f"{sys.executable} -c '{SAVES}' {tmp_path / 'paged'}")
    return Paged(Terminal())


def said(paged, tmp_path):
    """What the terminal and the pager got."""
    paged.flush()
    paged.close()
    path = tmp_path / "paged"
    return paged.stream.getvalue(), path.read_text() if path.exists() else None


@pytest.mark.parametrize("lines, pages", [(9, False), (10, True), (500, True)])
def test_what_does_not_fit_is_paged_whole(paged, tmp_path, lines, pages):
    text = "".join(f"{n}\n" for n in range(lines))
    Out(answers=paged).lines(text.splitlines())
    terminal, pager_got = said(paged, tmp_path)
    assert ((pager_got or "").replace("\x1b[1m", "").replace("\x1b[0m", "") == text) == pages
    assert (terminal == "") == pages and (pager_got is None) != pages


def test_a_line_that_wraps_counts_as_several(paged, tmp_path):
    paged.write("x" * 401 + "\n")
    assert said(paged, tmp_path) == ("", "x" * 401 + "\n")


def test_what_went_wrong_is_in_its_place(paged, tmp_path):
    out = Out(answers=paged, troubles=paged)
    out.say("before")
    out.remark("a remark")
    out.lines("after" for _ in range(20))
    _, text = said(paged, tmp_path)
    assert [one for one in text.splitlines() if "after" not in one][1:] == ["pqexplore: a remark"]


@pytest.mark.parametrize("named", ["", "cat", "no-such-program-anywhere"])
def test_without_a_pager_all_is_printed(paged, tmp_path, monkeypatch, named):
    monkeypatch.setenv("PQEXPLORE_PAGER", named)
    paged.write("x\n" * 30)
    paged.write("y\n")
    assert said(paged, tmp_path) == ("x\n" * 30 + "y\n", None)


def test_who_leaves_the_pager_ends_the_command_quietly(paged, monkeypatch):
    monkeypatch.setenv("PAGER", f"{sys.executable} -c '{LEAVES}'")
    out = Out(answers=paged)
    with pytest.raises(Ended) as end:
        for _ in range(200_000):
            out.say("a line of an answer that nobody reads anymore")
    assert end.value.status == DONE
    out.flush()
    paged.close()


def test_progress_is_silent_beside_a_pager(paged, monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE", 0)
    paged.write("x\n" * 30)
    with progress.shown("x") as report:
        report(0.5)
    assert pager.paging() and stream.getvalue() == ""
    paged.close()
    with progress.shown("x") as report:
        report(0.5)
    assert "50%" in stream.getvalue()


@pytest.mark.parametrize("words, pages", [([], True), ([NO_PAGER], False)])
def test_a_process_on_a_terminal(tmp_path, monkeypatch, words, pages):
    pty = pytest.importorskip("pty")
    command = [sys.executable, "-m", "pqexplore", "explain", *words]
    environment = {**os.environ, "PAGER": f"{sys.executable} -c '{SAVES}' {tmp_path / 'paged'}", "TERM": "xterm"}
    environment |= {"LINES": "10", "COLUMNS": "80"}
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as run:
        os.close(theirs)
        got = b""
        try:
            while part := os.read(ours, 4096):
                got += part
        except OSError:  # Linux says so when the last writer has closed the terminal
            pass
    os.close(ours)
    assert run.returncode == DONE
    assert (tmp_path / "paged").exists() == pages and (b"dictionary page" in got) != pages


def test_a_pipe_has_no_pager(capsys):
    assert pager.on_terminal() is None
    assert PAGER.split()[0] == "less"
