"""An explorer of a file begins where the last one was left, in IPython, and unless it is given a place."""

import os
import pathlib

import pytest

import pqexplore
from pqexplore.widget import explorer as places
from pqexplore.widget.explorer import Place, recall, remember

CHUNK = "row_groups/0/columns/1"


@pytest.fixture
def path(tmp_path, orders_bytes):
    found = pathlib.Path(tmp_path) / "orders.parquet"
    found.write_bytes(orders_bytes)
    return found


@pytest.fixture
def interactive(monkeypatch):
    monkeypatch.setattr("pqexplore.widget.explorer._interactive", lambda: object())


def leave(source, selection=CHUNK, view="statistics"):
    explorer = pqexplore.explore(source)
    explorer.selection, explorer.view = selection, view
    return explorer


def begun(source, **given):
    explorer = pqexplore.explore(source, **given)
    return explorer.selection, explorer.view, explorer.resumed


def test_the_next_explorer_begins_where_the_last_was_left(path, interactive):
    assert begun(path) == ("", "", "")
    leave(path)
    assert begun(str(path)) == (CHUNK, "statistics", "yes")
    assert begun(os.path.relpath(path)) == (CHUNK, "statistics", "yes")


@pytest.mark.parametrize("given, begins", [
    ({"at": ""}, ("", "")),
    ({"at": "footer"}, ("footer", "")),
    ({"view": "rows"}, ("", "rows")),
    ({"where": "id > 5"}, ("", "query")),
])  # fmt: skip
def test_what_is_given_goes_first(path, interactive, given, begins):
    leave(path)
    assert begun(path, **given) == (*begins, "")


def test_a_script_begins_at_the_file(path, monkeypatch):
    monkeypatch.setattr("pqexplore.widget.explorer._interactive", lambda: None)
    leave(path)
    assert begun(path) == ("", "", "")


def test_the_top_of_the_file_is_no_place_to_come_back_to(path, interactive):
    leave(path)
    leave(path, "", "")
    assert begun(path) == ("", "", "")


def test_another_file_of_the_same_name_begins_at_its_top(path, interactive):
    leave(path)
    os.utime(path, ns=(1, 1))
    assert begun(path) == ("", "", "")


def test_bytes_are_not_told_apart_and_so_not_remembered(orders_bytes, interactive):
    leave(orders_bytes)
    assert begun(orders_bytes) == ("", "", "")


def test_a_lens_that_needs_a_second_file_does_not_come_back_without_it(path, interactive):
    first = pqexplore.explore(path, against=path)
    first.selection = CHUNK
    assert first.view == "diff"
    assert begun(path) == ("", "", "")
    assert begun(path, at=CHUNK) == (CHUNK, "", "")


def test_a_place_that_is_not_there_is_forgotten(path, interactive):
    with pqexplore.open(path) as file:
        remember(file, Place("row_groups/99", ""))
    assert begun(path) == ("", "", "")


def test_the_oldest_places_are_forgotten(path, tmp_path, monkeypatch):
    monkeypatch.setattr(places, "KEPT", 2)
    others = [tmp_path / f"{i}.parquet" for i in range(3)]
    for one in others:
        one.write_bytes(path.read_bytes())
        with pqexplore.open(one) as file:
            remember(file, Place(CHUNK, ""))
    kept = []
    for one in others:
        with pqexplore.open(one) as file:
            kept.append(recall(file) is not None)
    assert kept == [False, True, True]
