import io
import re
import types

import numpy as np
import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.source import Cache
from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import Severity
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import lenses
from pqexplore.insight.doctor import findings_by_place
from pqexplore.widget import bytemap, headline


class Tiled:
    """A file of which only the layout is known."""

    def __init__(self, addresses, kinds, findings=()):
        starts = list(range(0, 10 * len(addresses), 10))
        self.table = pa.table({"start": starts, "end": [s + 10 for s in starts], "kind": kinds, "address": addresses})
        self.size = 10 * len(addresses)
        self.cache = Cache()
        self.findings = list(findings)
        self.finding_count = len(self.findings)
        self.footer = types.SimpleNamespace(magic=b"PAR1")
        self.metadata = types.SimpleNamespace(encryption_algorithm=None)
        self.row_groups = []
        self.schema = types.SimpleNamespace(leaves=[])

    def layout(self, level):
        return self.table


@pytest.fixture
def no_rules(monkeypatch):
    """Files that the doctor's rules are not asked about."""
    monkeypatch.setattr(findings_by_place, "_is_small", lambda file: False)


def unpack(result, buffers):
    return {
        name: np.frombuffer(buffer, np.dtype(dtype))
        for (name, dtype), buffer in zip(result["columns"], buffers, strict=True)
    }


def addresses(result, columns):
    """What js/src/layout.ts makes of templates and numbers."""
    found = []
    for i, t in enumerate(columns["template"]):
        numbers = iter(int(columns[f"n{k}"][i]) for k in range(9) if f"n{k}" in columns)
        found.append(re.sub("#", lambda _: str(next(numbers)), result["templates"][t]))
    return found


def test_templates_and_numbers_give_every_address_back(file):
    result, buffers = lenses.finish(bytemap.layout(file, "pages"))
    columns = unpack(result, buffers)
    table = file.layout("pages")
    assert addresses(result, columns) == table["address"].to_pylist()
    assert columns["start"].tolist() == table["start"].to_pylist()
    assert [result["kinds"][k] for k in columns["kind"]] == table["kind"].to_pylist()
    assert result["size"] == file.size
    assert len(result["templates"]) < 12


@pytest.mark.parametrize("names", [
    ["magic", "footer"],
    ["gaps/9007199254740991", "row_groups/70000/columns/300/pages/2/header"],
    ["a", "v2/1", "x1y22"],
])  # fmt: skip
@pytest.mark.usefixtures("no_rules")
def test_odd_addresses_survive(names):
    result, buffers = lenses.finish(bytemap.layout(Tiled(names, ["gap"] * len(names)), "chunks"))
    assert addresses(result, unpack(result, buffers)) == names


PAGES = ["row_groups/0/columns/0/pages/1", "row_groups/0/columns/0/pages/1/header", "row_groups/0/columns/0/pages/10"]
MARKED = {
    # severity and address of a finding, then the tiles that are corrupt, and those with its flag
    "a page": (Severity.DAMAGE, PAGES[0], [1, 1, 0], [1, 1, 0]),
    "a value of a page": (Severity.DAMAGE, f"{PAGES[0]}/values/3", [0, 0, 0], [1, 0, 0]),
    "a warning": (Severity.PORTABILITY, PAGES[2], [0, 0, 0], [0, 0, 1]),
    "a note": (Severity.NOTE, PAGES[0], [0, 0, 0], [0, 0, 0]),
    "a struct of the footer": (Severity.DAMAGE, "footer/row_groups/0/columns/0", [0, 0, 0], [1, 1, 1]),
}


@pytest.mark.usefixtures("no_rules")
@pytest.mark.parametrize(("severity", "address", "corrupt", "flagged"), MARKED.values(), ids=MARKED)
def test_findings_of_the_checks_mark_their_tiles(severity, address, corrupt, flagged):
    tiled = Tiled(PAGES, ["data_page"] * 3, [Finding("r", address, "torn", severity=severity)])
    result, buffers = lenses.finish(bytemap.layout(tiled, "pages"))
    columns = unpack(result, buffers)
    assert (columns["state"] == bytemap.CORRUPT).tolist() == list(map(bool, corrupt))
    assert columns["flag"].tolist() == flagged
    assert len(result["flags"]) == max(flagged)


@pytest.mark.usefixtures("no_rules")
@pytest.mark.parametrize("count", [headline.MOST, 1_200])
def test_every_finding_is_marked_however_many_there_are(count):
    """Those after the first hundred have one mark together, which says for how many it stands."""
    names = [f"row_groups/{i // 100}/columns/{i % 100}/pages/{i % 3}" for i in range(count)]
    found = [Finding("r", name, "torn", severity=Severity.DAMAGE) for name in names]
    tiled = Tiled([*names, "footer"], ["data_page"] * (count + 1), found)
    result, buffers = lenses.finish(bytemap.layout(tiled, "pages"))
    columns = unpack(result, buffers)
    assert (columns["state"] == bytemap.CORRUPT).tolist() == [True] * count + [False]
    assert columns["flag"].astype(bool).tolist() == [True] * count + [False]
    assert sum(one["stands_for"] for one in result["flags"]) == count
    more = [one["sentence"] for one in result["flags"] if one["stands_for"] > 1]
    assert [one[:28] for one in more] == ([] if count == 100 else ["one of 1,100 more findings, "])


def test_findings_of_the_rules_mark_the_tiles_of_their_place():
    out = io.BytesIO()
    write_sample("slow-no-statistics", out)
    with pqexplore.open(out.getvalue()) as file:
        result, buffers = lenses.finish(bytemap.layout(file, "pages"))
        columns = unpack(result, buffers)
        marked = {
            address.split("/")[0]
            for address, flag in zip(addresses(result, columns), columns["flag"], strict=True)
            if flag
        }
    assert [(one["severity"], one["more"]) for one in result["flags"]] == [("slow", 0)] * 2
    assert marked == {"row_groups"}
    assert set(columns["severities"].tolist()) == {0, 1 << Severity.SLOW.rank}


@pytest.mark.usefixtures("no_rules")
def test_a_hundred_thousand_tiles_take_less_than_the_limit_of_a_message():
    names = [f"row_groups/{i // 1000}/columns/{i % 1000 // 10}/pages/{i % 10}" for i in range(100_000)]
    _, buffers = lenses.finish(bytemap.layout(Tiled(names, ["data_page"] * len(names)), "pages"))
    assert sum(map(len, buffers)) < 2_000_000


def test_there_are_two_levels(file):
    with pytest.raises(UsageError):
        lenses.finish(bytemap.layout(file, "bits"))


def test_chunks_without_their_key_are_marked_as_locked(corpus):
    path = corpus / "apache__parquet-testing/data/encrypt_columns_plaintext_footer.parquet.encrypted"
    with pqexplore.open(path) as file:
        result, buffers = lenses.finish(bytemap.layout(file, "pages"))
        columns = unpack(result, buffers)
        locked = {
            address
            for address, state in zip(addresses(result, columns), columns["state"], strict=True)
            if state == bytemap.LOCKED
        }
    assert {"row_groups/0/columns/4", "row_groups/0/columns/5"} <= locked
    assert "row_groups/0/columns/0" not in locked


def test_bytes_whose_owner_needs_a_key_are_not_marked_as_encrypted():
    """Some of them are not: one column of the sample is in the open, and its text can be read."""
    sink = io.BytesIO()
    write_sample("encrypted-columns", sink)
    with pqexplore.open(sink.getvalue()) as file:
        result, buffers = lenses.finish(bytemap.layout(file, "pages"))
        columns = unpack(result, buffers)
        states = dict(zip(addresses(result, columns), columns["state"].tolist(), strict=True))
    assert states["unknown_parts/4"] == 0
    assert states["footer"] == bytemap.LOCKED


def test_the_walk_over_all_pages_says_how_far_it_is(file, monkeypatch):
    monkeypatch.setattr(bytemap, "STEP", 0)
    steps = bytemap.layout(file, "pages")
    done = []
    with pytest.raises(StopIteration):
        while True:
            done.append(next(steps))
    assert done == sorted(done)
    assert done[0] == 0
    assert len(done) == 2 * 5  # a step for each column chunk


@pytest.mark.parametrize("texts", [
    [],
    ["", "magic", ""],
    ["row_groups/0", "1", "23/row_groups/45/pages/678", "x"],
    ["gaps/123456789012345", "columns/07"],
])  # fmt: skip
def test_addresses_come_back_from_templates_and_numbers(texts):
    templates, numbers = bytemap._addresses(pa.array([*texts, "cut off"], pa.string())[:-1])
    back = []
    for i, template in enumerate(templates.to_pylist()):
        text = template
        for column in numbers:
            text = text.replace("#", str(int(column[i])), 1)
        back.append(text)
    assert back == [re.sub(r"\b0+(?=\d)", "", text) for text in texts]
