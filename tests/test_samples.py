"""Each sample by the command line: written, described, checked, and exported as a page."""

import pytest
from quick import quick

import pqexplore
from pqexplore.cli import main
from pqexplore.engine.writer.samples import SAMPLES, write_sample

FOUND_ERRORS = {"no-metadata"}
"""Samples in which `--check` finds errors, as it should."""


def key_options(sample, tmp_path):
    """The options that give a sample's keys."""
    options = []
    keys = sample.keys
    for column, key in {None: keys.get("footer_key"), **keys.get("column_keys", {})}.items():
        if key is None:
            continue
        path = tmp_path / f"{column}.key"
        path.write_bytes(key)
        options += ["--footer-key-file", str(path)] if column is None else ["--column-key", f"{column}={path}"]
    if "aad_prefix" in keys:
        options += ["--aad-prefix", bytes(keys["aad_prefix"]).decode()]
    return options


@pytest.mark.parametrize("name", quick(SAMPLES, "events", "encrypted", "nested", "geometry", *FOUND_ERRORS))
def test_a_sample_by_the_command_line(name, tmp_path, capsys):
    path = str(tmp_path / f"{name}.parquet")
    assert main(["sample", name, path]) == 0
    keys = key_options(SAMPLES[name], tmp_path)
    assert main([path, *keys]) == 0
    assert main([path, *keys, "--json"]) == 0
    assert main([path, *keys, "--check"]) == (name in FOUND_ERRORS)
    assert capsys.readouterr().err == ""


EXPORTED = ("everything", "encrypted", "geometry")


@pytest.mark.parametrize(
    "name", [*EXPORTED, *(pytest.param(one, marks=pytest.mark.full) for one in SAMPLES if one not in EXPORTED)]
)
def test_the_page_of_a_sample(name, tmp_path, capsys, monkeypatch):
    path, page = str(tmp_path / f"{name}.parquet"), tmp_path / "page.html"
    write_sample(name, path)
    if name != "events":  # the others' pages end earlier, which costs a tenth
        monkeypatch.setitem(pqexplore.Explorer.to_html.__kwdefaults__, "budget", 300_000)
    assert main([path, *key_options(SAMPLES[name], tmp_path), "--html", str(page)]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!")
    assert capsys.readouterr().err == ""
