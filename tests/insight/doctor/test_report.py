"""The sentence of a report: it says of nothing that it is sound unless it was looked at."""

import json
import re

import pyarrow as pa
import pytest
from engine.check.violations import encryption as forged
from insight.doctor import cases_encryption
from insight.doctor.doctor_cases import NUMBERS, written
from made import ours, rebuilt, sample

import pqexplore
from pqexplore.engine.rule import Severity
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.insight.doctor import subject
from pqexplore.insight.doctor.diagnose import steps
from pqexplore.insight.doctor.report_text import report_document, report_lines
from pqexplore.insight.lenses.lens import finish

TWO = pa.table({"n": list(range(2_000))})
METADATA = "row_groups__1__columns__0__meta_data"


def two_groups():
    return written(TWO, row_group_size=1_000)


def elsewhere():
    one = "row_groups__{}__columns__0__file_path"
    return rebuilt(two_groups(), **{one.format(0): "a.parquet", one.format(1): "b.parquet"})


def reported(data, level="footer"):
    with pqexplore.open(data) as file:
        return finish(steps(file, level))


SENTENCES = [
    # the file, level, how the sentence begins, how it ends
    (two_groups, "footer", "No problems found (footer only): 2,000 rows, 1 column, 2 row groups", "."),
    (two_groups, "pages", "No problems found (footer, page headers and indexes)", ""),
    (two_groups, "data", "No problems found (footer, all 4 pages, no checksums)", ""),
    (lambda: written(TWO, row_group_size=1_000, write_page_checksum=True), "data", "No problems found (footer, all 4 pages):", ""),
    (lambda: written(pa.table({"a": [7] * 2_000})), "footer", "No problems found (footer only)", "There is 1 note."),
    (
        lambda: sample("encrypted"), "data",
        "The footer is encrypted and no key opens it, so only the ends of the file were looked at. It is an encrypted file of",
        "note.",
    ),
    (lambda: sample("plaintext-footer-bloom"), "data",
        "No problems found in what was looked at (footer, 4 pages): 300 rows",
        "2 columns need keys that are not known: what is encrypted was not looked at. There are 4 notes."),
    (lambda: rebuilt(two_groups(), **{METADATA: None}), "footer",
        "`n`, row group 1 cannot be read: the ColumnChunk has no meta_data",
        "1 part of the footer cannot be read, and what it describes was not looked at."),
    (lambda: rebuilt(two_groups(), schema__0__num_children=5), "footer", "Wrong: ",
        "Where: schema/0. The schema cannot be read, so no column was looked at."),
    (lambda: rebuilt(two_groups(), row_groups=[]), "footer", "Wrong: the footer's num_rows is 2,000", ""),
    (lambda: written(pa.table({})), "data", "DuckDB 2.0.0 refuses the file (a schema without columns)", "cannot read the file."),
    (elsewhere, "footer", "No problems found (footer only)", ""),
    (elsewhere, "data", "No problems found in what was looked at (footer only)",
        "The pages lie in 2 other files and were not looked at. There are 2 notes."),
    (elsewhere, "pages", "No problems found in what was looked at (footer, page headers and indexes)",
        "The pages lie in 2 other files and were not looked at."),
]  # fmt: skip


@pytest.mark.parametrize("algorithm, authenticated", [("AES_GCM_V1", True), ("AES_GCM_CTR_V1", False)])
def test_the_tag_of_gcm_is_as_good_as_a_checksum(algorithm, authenticated):
    key = bytes(range(16))
    data = ours(TWO, checksum=False, encryption=pqexplore.Encryption(key, algorithm=algorithm))
    with pqexplore.open(data, decryption=pqexplore.Decryption(footer_key=key)) as file:
        looked = finish(steps(file, "data")).looked
    assert ("no checksums" not in str(looked)) is authenticated


@pytest.mark.parametrize("make, level, begins, ends", SENTENCES)
def test_sentence(make, level, begins, ends):
    sentence = reported(make(), level).sentence
    assert sentence.startswith(begins), sentence
    assert sentence.endswith(ends), sentence


def test_only_the_first_row_groups(monkeypatch):
    monkeypatch.setattr(subject, "CHUNKS", 2)
    report = reported(written(NUMBERS, row_group_size=5_000))
    assert report.partial
    assert "Only the first 2 of 4 row groups were looked at." in report.sentence
    assert json.loads(json.dumps(report_document(report)))["unseen"] == list(report.unseen)
    assert reported(written(NUMBERS, row_group_size=10_000)).unseen == ()


def test_with_all_keys_nothing_is_unseen():
    keys = SAMPLES["plaintext-footer-bloom"].keys
    for decryption, unseen in ((pqexplore.Decryption(**keys), 0), (None, 1)):
        with pqexplore.open(sample("plaintext-footer-bloom"), decryption=decryption) as file:
            assert len(finish(steps(file, "pages")).unseen) == unseen


def test_a_finding_of_the_footer_is_listed_once():
    for level in ("footer", "pages", "data"):
        data = rebuilt(two_groups(), **{METADATA: None})
        rules = [one.rule for one in reported(data, level).findings]
        assert rules.count("unreadable") == 1, rules


def test_what_a_rule_says_a_check_does_not_repeat():
    data = rebuilt(ours(pa.table({"s": ["a"]})), schema__1__logicalType=None)
    for level in ("footer", "data"):
        rules = {one.rule for one in reported(data, level).findings}
        assert "converted-types-only" in rules and "converted-type-only" not in rules


def test_notes_are_a_line_each_after_the_other_findings():
    data = rebuilt(written(pa.table({"a": [7] * 2_000, "A": [[1]] * 2_000})), num_rows=9)
    report = reported(data, "data")
    notes = [one.rule for one in report.findings if one.severity is Severity.NOTE]
    full, short = (list(report_lines(report, 120, whole)) for whole in (True, False))
    assert "constant-column" in notes and full[: len(short) - len(notes) - 2] == short[: -len(notes) - 2]
    assert [re.findall(r"\[(.+)\]$", line) for line in short[-len(notes) :]] == [[rule] for rule in notes]
    assert any("to do: Write it with a dictionary" in line for line in full)
    assert not any("to do: Write it with a dictionary" in line for line in short)
    assert not any("--notes" in line for line in report_lines(reported(two_groups()), 120, False))
    documented = report_document(report)["findings"]
    assert [one["rule"] for one in documented] == [one.rule for one in report.findings]


def test_a_report_never_shows_a_key():
    made = json.loads(cases_encryption.internal())
    secrets = [made["wrappedDEK"], made["wrappedKEK"], forged.FOOTER_KEY.decode()]
    for write in (forged.signed, forged.encrypted):  # the second has a footer that needs a key
        data = write(column_keys=None, key_metadata={"": json.dumps(made).encode()})
        for level in ("footer", "data"):
            report = reported(data, level)
            text = json.dumps(report_document(report)) + report.sentence + repr(report)
            assert "key-material-internal" in text
            assert not [secret for secret in secrets if secret in text]


@pytest.mark.parametrize("level", ["footer", "sample", "pages", "data"])
def test_of_a_footer_that_no_key_opens_only_the_ends_were_looked_at(level):
    assert str(pqexplore.diagnose(sample("encrypted"), level).looked) == "the ends of the file"
    assert str(pqexplore.diagnose(sample("events"), level).looked).startswith("footer")
