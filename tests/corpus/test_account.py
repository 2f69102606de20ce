"""One account of each byte: every view says the same of the bytes of a file, for each file of the corpus.

Each run compares every twelfth file, and all with a Bloom filter; `make test-full` all of them.
"""

import csv

import pytest
from insight import accounts

import pqexplore
from pqexplore.engine.errors import ParquetError


def files(corpus):
    with open(corpus / "catalog.csv", newline="") as lines:
        return list(csv.DictReader(lines))


def chosen(rows, step):
    return [row for at, row in enumerate(rows) if at % step == 0 or row["bloom"] not in ("", "0", "False")]


@pytest.mark.parametrize("step", [24, pytest.param(1, marks=pytest.mark.full)])
def test_every_view_gives_the_same_account_of_the_bytes(corpus, step, monkeypatch, record_property):
    wrong, looked = [], 0
    for row in chosen(files(corpus), step):
        try:
            file = pqexplore.open(corpus / row["path"])
        except ParquetError:
            continue
        with file:
            try:
                found = accounts.disagreements(file, monkeypatch)
            except ParquetError as error:  # a schema or row groups that cannot be read: the views raise it, too
                found = [] if row["klass"].startswith(("hostile", "quirk")) else [error.message]
        looked += 1
        wrong += [f"{row['path']}: {one}" for one in found]
    record_property("stated", f"accounts: {looked} files")
    assert wrong == []
    assert looked >= 500 // step
