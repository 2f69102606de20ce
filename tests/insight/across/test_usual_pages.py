"""Rows about pages in the usual form are made without handles; they are those that the handles give."""

import random

import made
import pyarrow as pa
import pytest
from engine.check.test_sound_chunks import FLAT, rows_of
from engine.hostile import mutations
from needs import CHECKSUMS

import pqexplore
from pqexplore.engine.limits import Limits
from pqexplore.engine.writer.samples import SAMPLES, SICK
from pqexplore.insight import document
from pqexplore.insight.across import usual_pages


def both(monkeypatch, data, **options):
    """The answer and the findings with rows of usual pages and without, and how many chunks had such rows."""
    found, used = [], 0
    cells = usual_pages.UsualPages.cells
    for usual in (True, False):

        def counted(self, group, leaf, usual=usual):
            nonlocal used
            made = cells(self, group, leaf) if usual else None
            used += made is not None
            return made

        monkeypatch.setattr(usual_pages.UsualPages, "cells", counted)
        try:
            with pqexplore.open(data, **options) as file:
                found.append((document.answer_document(file.view("page")), [str(one) for one in file.findings]))
        except pqexplore.ParquetError as error:
            found.append(str(error))
        monkeypatch.undo()
    return found, used


FORMS = {
    "dictionaries": {},
    "plain": {"use_dictionary": False},
    "V2": {"data_page_version": "2.0"},
    "V2, uncompressed": {"data_page_version": "2.0", "compression": "NONE"},
    "small pages": {"data_page_size": 50, "write_batch_size": 8, "compression": "ZSTD"},
    "no statistics": {"write_statistics": False, "compression": "GZIP"},
}


@pytest.mark.parametrize("options", FORMS.values(), ids=FORMS)
def test_usual_chunks(monkeypatch, options):
    (with_rows, without), used = both(monkeypatch, rows_of(FLAT, **options))
    assert used == 10 * len(FLAT.flatten().column_names)
    assert with_rows == without


@CHECKSUMS
def test_checksums(monkeypatch):
    (with_rows, without), used = both(monkeypatch, rows_of(FLAT, **made.CHECKSUMS))
    assert with_rows == without and used
    assert all(row["crc_ok"] for row in with_rows[0]["rows"])


@pytest.mark.parametrize(
    "table", [pa.table({"n": [[1, 2], [], None]}), FLAT.select(["long"])], ids=["lists", "a page index"]
)
def test_other_chunks_are_left_to_the_handles(monkeypatch, table):
    (with_rows, without), used = both(monkeypatch, made.parquet(table, write_page_index=True))
    assert with_rows == without and not used


@pytest.mark.parametrize("name", [*SAMPLES, *SICK])
def test_samples(monkeypatch, name):
    keys = SAMPLES[name].keys if name in SAMPLES else None
    options = {} if keys is None else {"decryption": pqexplore.Decryption(**keys)}
    with_rows, without = both(monkeypatch, made.sample(name), **options)[0]
    assert with_rows == without


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(2, 6))])
@pytest.mark.parametrize("form", ["dictionaries", "V2", "small pages"])
def test_damaged_files(monkeypatch, form, seed):
    data = rows_of(FLAT.select(["int", "double", "text", "struct"]).slice(0, 120), **FORMS[form])
    rng = random.Random(seed)
    for kind in mutations.KINDS:
        damaged = mutations.mutate(kind, data, rng)
        if damaged is not None:
            with_rows, without = both(monkeypatch, damaged)[0]
            assert with_rows == without


def test_limits(monkeypatch):
    data = rows_of(FLAT)
    for limits in (Limits(page_values=10), Limits(page_bytes=20), Limits(chunk_pages=1)):
        with_rows, without = both(monkeypatch, data, limits=limits)[0]
        assert with_rows == without
