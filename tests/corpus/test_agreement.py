"""Overview, `check`, doctor, explorer header, lake report and JSON name the same worst finding of a file, by rule and place."""

import csv
import importlib
import pkgutil
import shutil

import pytest
from engine.check import violations

import pqexplore
from pqexplore import lake
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.writer.samples import SAMPLES, write_sample
from pqexplore.insight.doctor import verdict
from pqexplore.insight.doctor.check_findings import worst_first
from pqexplore.insight.doctor.report_text import report_document
from pqexplore.insight.doctor.rules import ALL as RULES
from pqexplore.insight.lenses import LENSES, answer_of
from pqexplore.insight.steps import finish
from pqexplore.widget.headline import headline

FILES = 300
EVERY = 20
"""One of so many of these files is asked; all of them by `make test-full`."""


def corpus_files(corpus):
    """300 files of the corpus that are not encrypted, evenly spread."""
    with (corpus / "catalog.csv").open(newline="") as catalog:
        paths = [corpus / row["path"] for row in csv.DictReader(catalog)]
    return paths[:: max(1, len(paths) // FILES)][:FILES]


def planted(folder):
    """The samples, and each file of the tables of violations that opens without keys."""
    for name in SAMPLES:
        write_sample(name, folder / f"{name}.parquet")
    for module in pkgutil.iter_modules(violations.__path__):
        rows = importlib.import_module(f"{violations.__name__}.{module.name}").VIOLATIONS
        for number, row in enumerate(rows):
            if row.keys is None:
                (folder / f"{module.name}-{number}.parquet").write_bytes(row.make())
    return sorted(folder.iterdir())


FIELD_BY_FIELD = {name for rule in RULES.values() for name in rule.repeats}
"""Rules of `check()` that find field by field what a rule of the doctor says of all fields at once."""


def place(found):
    """The rule and the place of the first finding above a note; None if there is none."""
    above = verdict.above_notes(found)
    return (above[0].rule, above[0].address) if above else None


def of_check(found):
    """The same among the findings of `check()` that no rule of the doctor says of all fields at once."""
    return place([one for one in found if one.violation and one.rule not in FIELD_BY_FIELD])


def answers(path):
    """What each surface names, by surface; None if the file does not open."""
    try:
        file = pqexplore.open(path)
    except ParquetError:
        return None
    with file:
        report = pqexplore.diagnose(file)
        overview = finish(answer_of(file, file.root, LENSES["overview"]))
        header = finish(headline(file))
        first = next((one for one in report_document(report)["findings"] if one["severity"] != "note"), None)
        cards = overview.picture.cards.problems
        made = {
            "doctor": place(report.findings),
            "JSON": first and (first["rule"], first["address"]),
            "overview": (cards[0].rule, cards[0].address) if cards else None,
        }
        if header.severity:  # else the line is about what kind of file it is
            worst = verdict.above_notes(report.findings)[0]
            made["explorer header"] = place(report.findings) if header.sentence == verdict.headline(worst) else header
        if report.looked.whole:
            made["check of all"] = of_check(report.findings)
            made["check"] = of_check(worst_first(file.check()))
    return made


def differing(paths):
    """The files whose surfaces disagree. A rule of the doctor may stand before the worst of `check()`, which has only its own."""
    wrong = {}
    for path in paths:
        made = answers(path)
        if made is None:
            continue
        checks = {made.pop("check", None), made.pop("check of all", None)}
        if len(set(made.values())) > 1 or len(checks) > 1:
            wrong[path.name] = made, checks
    return wrong


def lake_differing(paths, folder):
    """The files of which the lake's report names another worst finding than the doctor."""
    wrong = {}
    for number, path in enumerate(paths):
        try:
            expected = place(pqexplore.diagnose(path).findings)
        except ParquetError:
            continue
        own = folder / str(number)
        own.mkdir()
        shutil.copy(path, own / "file.parquet")
        with lake.scan(None, str(own), processes=0) as made:
            found = made.diagnose("sample", processes=0).findings
        named = place([one for one in found if one.causes])  # the others are about what engines make of many files
        if named != expected:
            wrong[path.name] = named, expected
    return wrong


def test_the_surfaces_agree_on_files_of_others(corpus):
    assert differing(corpus_files(corpus)[::EVERY]) == {}


@pytest.mark.full
def test_the_surfaces_agree_on_300_files_of_others(corpus):
    assert differing(corpus_files(corpus)) == {}


def test_the_surfaces_agree_on_planted_faults(tmp_path):
    assert differing(planted(tmp_path)[::EVERY]) == {}


@pytest.mark.full
def test_the_surfaces_agree_on_all_planted_faults(tmp_path):
    assert differing(planted(tmp_path)) == {}


def test_a_lake_of_one_file_agrees(corpus, tmp_path):
    assert lake_differing(corpus_files(corpus)[:: 4 * EVERY], tmp_path) == {}


@pytest.mark.full
def test_lakes_of_300_files_agree(corpus, tmp_path):
    assert lake_differing(corpus_files(corpus), tmp_path) == {}
