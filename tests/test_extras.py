"""Without the package of an extra a command prints one line that says what to install, and fails."""

import os
import sys

import pytest

from pqexplore.cli import UNREADABLE, main
from pqexplore.engine.writer.samples import SAMPLES, write_sample


@pytest.fixture
def hide(monkeypatch):
    """Makes a package impossible to import."""

    def hide(name):
        loaded = [one for one in sys.modules if one.startswith(f"{name}.")]
        for module in (name, *loaded, *HOLDERS.get(name, ())):
            monkeypatch.setitem(sys.modules, module, None)

    return hide


HOLDERS = {"aiohttp": ["fsspec.implementations.http"]}
"""Modules that keep a package once they are imported, as an earlier test may have done."""


NEED_LZO = {"lzo-v2"}
"""Samples that need `pqexplore[lzo]`."""


def run(capsys, *words):
    status = main([str(word) for word in words])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_without_extras_is_written_or_says_what_to_install(name, hide, tmp_path, capsys):
    for package in ("lzallright", "fsspec", "duckdb", "sqlglot"):
        hide(package)
    path = tmp_path / "sample.parquet"
    status, out, err = run(capsys, "sample", name, path)
    if name not in NEED_LZO:
        assert (status, err) == (0, "") and path.exists()
        return
    assert status != 0 and out == ""
    assert len(err.splitlines()) == 1 and "pip install pqexplore[lzo]" in err
    assert not os.path.exists(path)


@pytest.fixture(scope="module")
def lzo(tmp_path_factory):
    pytest.importorskip("lzallright")
    path = tmp_path_factory.mktemp("lzo") / "lzo.parquet"
    write_sample("lzo-v2", path)
    return path


@pytest.mark.parametrize("words", [
    ["--at", "row_groups/0/columns/0/pages/0/values/0"],
    ["--at", "row_groups/0/columns/0/pages/0/values/0", "--json"],
    ["--view", "encoding", "--at", "row_groups/0/columns/0/pages/0"],
], ids=" ".join)  # fmt: skip
def test_values_of_lzo_pages_without_the_extra(words, lzo, hide, capsys):
    hide("lzallright")
    status, out, err = run(capsys, lzo, *words)
    assert "pip install pqexplore[lzo]" in out + err
    assert "Traceback" not in out + err
    assert len(err.splitlines()) <= 1


@pytest.mark.parametrize("words", [[], ["--check"], ["--at", "row_groups/0"]], ids=" ".join)
def test_an_lzo_file_is_described_without_the_extra(words, lzo, hide, capsys):
    hide("lzallright")
    _, out, err = run(capsys, lzo, *words)
    assert out and err == ""
    assert "Traceback" not in out


@pytest.mark.parametrize("url", ["memory://file.parquet", "https://localhost:1/a.parquet"])
@pytest.mark.parametrize("words", [[], ["--check"], ["--json"]], ids=" ".join)
def test_a_url_without_the_extra(url, words, hide, capsys):
    hide("fsspec")
    status, out, err = run(capsys, url, *words)
    assert status in (2, UNREADABLE)
    assert len(err.splitlines()) == 1 and err.startswith("pqexplore: ")
    assert "pip install pqexplore[remote]" in err


@pytest.mark.parametrize("url", ["https://localhost:1/a.parquet", "sftp://localhost:1/a.parquet"])
def test_a_url_whose_driver_is_missing(url, hide, capsys):
    for package in ("aiohttp", "paramiko"):
        hide(package)
    status, _, err = run(capsys, url)
    assert status in (2, UNREADABLE)
    assert len(err.splitlines()) == 1 and err.startswith("pqexplore: ")
