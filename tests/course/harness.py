"""Runs a chapter through its solutions, and looks at what the checks say.

The solutions begin with `%run ../NN-….ipynb`. `cells_to_run` puts two cells between them: after the chapter one that
asks whether a check was answered and whether the chapter's claims are true, after the solutions one with the wrong
answers. A kernel runs the cells, or for chapter 07 the session of tests/spark; `assert_right` takes what each cell showed.
"""

import json
import re
import runpy
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
SOLUTIONS = NOTEBOOKS / "solutions"
ON_SPARK = ("07",)
CHECKED = re.compile(r"^check\(\"(\d\d\.\d+)\", (.+)\)$", re.M)

AFTER_CHAPTER = """\
import json, runpy, pqexplore.course.record
claims = runpy.run_path({claims!r})
found = [[words, bool(eval(one, globals() | claims))] for words, one in claims.get("CLAIMS", ())]
print(json.dumps([sorted(pqexplore.course.record.all_tried()), found]))"""

AFTER_SOLUTIONS = """\
import json, pqexplore.course
tried = {wrong!r}
print(json.dumps({{number: [(said.right, said.text) for said in [pqexplore.course.check(number, eval(one)) for one in answers]]
                  for number, answers in tried.items()}}))"""


def cells(path, kind):
    """The sources of a notebook's cells of a kind."""
    found = json.loads(path.read_text("utf-8"))["cells"]
    return ["".join(one["source"]) for one in found if one["cell_type"] == kind]


def beside(folder, chapter):
    """The module of a chapter in a folder beside this one: its wrong answers, or its claims."""
    return Path(__file__).parent / folder / f"chapter_{chapter.number}.py"


def wrong(chapter):
    """The wrong answers to each exercise, as Python that is evaluated after the last cell of the solutions."""
    return runpy.run_path(str(beside("wrong", chapter)))["WRONG"]


def reasons(chapter):
    """Words of the reasons that a check gives, by the wrong answer of the table."""
    return runpy.run_path(str(beside("wrong", chapter))).get("REASONS", {})


def claims(chapter):
    """Words of the chapter, and each time an expression that is true after its last cell if they are."""
    path = beside("claims", chapter)
    return runpy.run_path(str(path))["CLAIMS"] if path.exists() else []


def cells_to_run(chapter):
    """The code of the solutions, with what looks at the chapter and at its checks."""
    first, *solutions = cells(SOLUTIONS / chapter.file, "code")
    assert first == f"%run ../{chapter.file}"
    path = beside("claims", chapter)
    look = AFTER_CHAPTER.format(claims=str(path if path.exists() else beside("wrong", chapter)))
    return [first, look, *solutions, AFTER_SOLUTIONS.format(wrong=wrong(chapter))]


def assert_right(chapter, shown):
    """Check what each of `cells_to_run` showed: open checks, true claims, right solutions, wrong answers that are wrong."""
    _, look, *solutions, last = zip(cells_to_run(chapter), shown, strict=True)
    tried, claimed = json.loads(look[1])
    assert not tried, "an answer is in the notebook"
    untrue = [words for words, true in claimed if not true]
    assert not untrue, f"not true of the files: {untrue}"
    for source, text in solutions:
        for number, _ in CHECKED.findall(source):
            assert text.endswith("✔ Right."), f"{number}: {text}"
    table = wrong(chapter)
    for number, said in json.loads(last[1]).items():
        texts = {}
        for one, (right, text) in zip(table[number], said, strict=True):
            assert right is False, f"{number} takes {one}"
            texts[one] = text.splitlines()[0]
        for one, words in reasons(chapter).get(number, {}).items():
            assert words in texts[one], f"{number}, {one}: {texts[one]}"
