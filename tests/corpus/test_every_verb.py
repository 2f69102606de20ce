"""Every verb on every sample and on files that we did not write: bounded lists, JSON by the schema, the same numbers in both.

A number in the text that is not in the JSON is one that a program has to compute again. Numbers of sizes and shares may be
rounded in the text; lengths of texts and lists are in the JSON as these.
"""

import json
import re

import pytest
from json_schema import misfits, named

import pqexplore
from pqexplore.cli import main
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.writer.samples import SAMPLES, SICK, write_sample

LISTED = 200
"""Lines after which a list ends, unless --all is there."""

TITLES = 5
"""Lines of a list that are none of its items: its title, head, totals, and how many more there are."""

VERBS = """
FILE
FILE --view encryption
doctor FILE
doctor FILE --notes
doctor FILE --readers
check FILE
schema FILE
head FILE
stats FILE
stats FILE --true
pages FILE
dictionary FILE
levels FILE
bloom FILE
variant FILE
diff FILE OTHER
what-if FILE
ask FILE QUESTION
salvage FILE
"""

NUMBER = re.compile(r"(?<![\w.\-])-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")
HEX = re.compile(r"(?<![.\w])[0-9a-f]{2}(?: [0-9a-f]{2})+(?![.\w])")
UNITS = {"kB": 1e3, "MB": 1e6, "GB": 1e9}
LEFT = re.compile(r"… and [\d,]+ more|and [\d,]+ more|[\d,]+ (findings?|notes?)\b")
"""How many of a list are not shown, or are: the JSON has the list."""


@pytest.fixture(scope="module", params=[pytest.param(part, marks=pytest.mark.full) for part in range(8)])
def files(request, corpus, tmp_path_factory):
    """An eighth of the samples and of a hundred files by others, drawn at random with a seed."""
    import random

    folder = tmp_path_factory.mktemp("samples")
    made = [folder / f"{name}.parquet" for name in (*SAMPLES, *SICK)]
    others = sorted(path for path in corpus.rglob("*.parquet") if path.is_file() and path.stat().st_size < 5_000_000)
    chosen = [*made, *random.Random(32).sample(others, 100)][request.param :: 8]
    for path in chosen:
        if path.parent == folder:
            write_sample(path.stem, path)
    write_sample("events", folder / "other.parquet")
    return chosen, folder / "other.parquet"


@pytest.mark.parametrize(
    "line", [pytest.param(one, id=one.replace("FILE", "").strip() or "bare") for one in VERBS.split("\n") if one]
)
def test_a_verb(files, line, capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)  # the output goes into a pipe: tables are whole
    wrong = []
    for path in files[0]:
        meant = {"FILE": str(path), "OTHER": str(files[1]), "QUESTION": question(path)}
        words = [meant.get(word, word) for word in line.split()]
        status = main(words)
        text = capsys.readouterr().out
        assert main([*words, "--json"]) == status
        made = [json.loads(one) for one in capsys.readouterr().out.splitlines()]
        for document in made:
            wrong += [(path.name, one) for one in misfits({"$ref": f"#/$defs/{named(document['kind'])}"}, document)]
        wrong += [(path.name, f"{len(part)} lines") for part in lists(text) if len(part) > LISTED + TITLES]
        wrong += [(path.name, one) for one in missing(text, made)]
    assert not wrong, wrong[:20]


def question(path):
    """A condition about the first column of a file."""
    try:
        with pqexplore.open(path) as file:
            name = ".".join(f'"{part}"' for part in file.schema.leaves[0].path)
    except (ParquetError, IndexError):
        return "a IS NULL"
    return f"{name} IS NOT NULL"


def lists(text):
    """The lines between empty ones; a finding or difference begins with one, so those count together."""
    parts = [[]]
    for line in text.split("\n"):
        if line and not line.startswith("    ") or not parts[-1]:
            parts[-1].append(line)
        elif not line:
            parts.append([])
    return parts


def missing(text, made):
    """The numbers of a text that its JSON does not have, with their lines."""
    written = json.dumps(made, ensure_ascii=False)
    exact = {float(one.group().replace(",", "")) for one in NUMBER.finditer(written)} | set(lengths(made))
    values = sorted({abs(one) for one in exact})
    for line in re.sub(r"\n +(?=%|[kMG]B)", " ", text).split("\n"):
        plain = LEFT.sub("", HEX.sub("", line))
        for one in NUMBER.finditer(plain):
            shown = one.group().replace(",", "")
            value, digits = float(shown), len(shown.partition(".")[2])
            unit = plain[one.end() :].lstrip().partition(" ")[0].rstrip(".,;:)")
            scale = UNITS.get(unit, 1.0)
            near = 0.5001 * 10.0**-digits * scale
            if value in exact or abs(value) < 10 or unit.startswith("%") or inside_a_value(plain, one.start()):
                continue
            if (scale > 1 or digits) and any(abs(other - abs(value) * scale) <= near for other in values):
                continue
            yield f"{shown} in {line.strip()[:100]}"


def inside_a_value(line, at):
    """Whether a number is part of a list or an object of a file's values, which the text writes without blanks."""
    return line[:at].endswith(("[", ",", ":", '"'))


def lengths(made):
    """The lengths of the texts and lists of a document."""
    if isinstance(made, dict):
        for one in made.values():
            yield from lengths(one)
    elif isinstance(made, list | str):
        yield float(len(made))
        if isinstance(made, list):
            for one in made:
                yield from lengths(one)
