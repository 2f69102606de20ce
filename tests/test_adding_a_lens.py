"""A lens is its own module and a line in `questions`: then everything knows it. The front end's part is two places more.

A copy of the package gets one at the places of CONTRIBUTING.md; nothing else is touched, so nothing else names the lenses.
"""

import json
import pathlib
import shutil
import subprocess
import sys

import pytest

import pqexplore
from pqexplore.engine.writer.samples import write_sample

ROOT = pathlib.Path(pqexplore.__file__).parents[1]

MODULE = '''
import dataclasses

from pqexplore.insight.answer import Answer, Bars, Column, Table
from pqexplore.insight.lenses.lens import Lens


@dataclasses.dataclass
class Picture:
    """How long the names of the columns are."""

    longest: int


def answer(file, node):
    lengths = {".".join(leaf.path): len(leaf.name) for leaf in file.schema.leaves}
    table = Table([Column("column", "column"), Column("length", "length", "number")], "Names")
    for name, length in lengths.items():
        table.add(name, length)
    return Answer(f"The longest name has {max(lengths.values())} letters.", Picture(max(lengths.values())), table)


LENS = Lens(
    "names", title="Names", answer=answer, kinds=frozenset({"file"}), picture=Picture,
    figure=(Bars("column", "length", "letters", "count"),), value_free=("column",), value_free_sentence=True,
)
'''

ASKED = """
import contextlib, io, json, sys
import pqexplore
from pqexplore import cli
from pqexplore.insight.lenses import LENSES, applying
from pqexplore.widget.picture import sentence_of, table_of

def printed(*words):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        cli.main(words)
    return out.getvalue()

with pqexplore.open(sys.argv[1]) as file:
    made = file.view("names")
    print(json.dumps({
        "question": LENSES["names"].question,
        "tabs": [lens.name for lens in applying(file.root)],
        "sentence": made.sentence,
        "bars": list(made.figure().data[0].x),
        "saved": [sentence_of(made, "names"), [column.name for column in table_of(made, "names").columns]],
        "help": printed("--help"),
        "completed": printed("__complete", "--view", "nam"),
        "view": printed(sys.argv[1], "--view", "names"),
    }))
"""


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """What the package says, with a lens more."""
    copy = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "pqexplore", copy / "pqexplore")
    (copy / "pqexplore/insight/lenses/names.py").write_text(MODULE, "utf-8")
    registry = copy / "pqexplore/insight/questions.py"
    line = '    "facts": "what is known of this node?",\n'
    text = registry.read_text("utf-8")
    assert text.count(line) == 1
    registry.write_text(text.replace(line, f'    "names": "how long are the names?",\n{line}'), "utf-8")
    write_sample("events", copy / "events.parquet")
    run = subprocess.run(
        [sys.executable, "-c", ASKED, "events.parquet"],
        cwd=copy,
        env={"PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("what, said", [
    ("question", "how long are the names?"),
    ("tabs", "names"),
    ("sentence", "The longest name has"),
    ("bars", 2),
    ("saved", ["column"]),
    ("help", "names         how long are the names?"),
    ("completed", "names\thow long are the names?"),
    ("view", "The longest name has"),
])  # fmt: skip
def test_everything_knows_the_lens(asked, what, said):
    assert said in asked[what]
