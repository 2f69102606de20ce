"""What a check says of typical wrong answers, where the question needs no file."""

import ast
import base64
import contextlib
import datetime as dt
import io
import json
import struct

import pytest
from course.harness import NOTEBOOKS, SOLUTIONS, cells

from pqexplore.course.attempt import wrote
from pqexplore.course.exercise import CHAPTERS, find

NOON = 43_200_000_000_000
REASONS = [
    ("12.2", 10, "fewer bytes are enough, too"),
    ("12.2", 8, "does not fit"),
    ("12.2", 9, True),
    ("12.2", 40, False),
    ("12.3", dt.datetime(2026, 7, 1, 9), "the number that is stored"),
    ("12.3", 1_782_903_600_000, "That is 11:00 in UTC"),
    ("12.3", 1_782_896_400_000, "That is 09:00 in UTC"),
    ("12.3", 1_782_889_200, "the unit is not"),
    ("12.3", 1_782_889_200_000, True),
    ("12.3", 1_782_892_800_000, False),
    ("12.4", struct.pack("<qi", NOON, 10_957), "does not count its days from 1970-01-01"),
    ("12.4", struct.pack("<qi", NOON, 2_451_545).hex(), "Answer with bytes"),
    ("12.4", struct.pack("<qi", NOON, 2_451_545), True),
    ("12.4", struct.pack("<qi", 0, 2_451_545), False),
    ("13.6", 305, "does not fit into seven bits"),
    ("13.6", 307, "The stop byte was there before"),
    ("13.6", 306, True),
    ("13.6", 308, False),
]


@pytest.mark.parametrize("number, answer, says", REASONS, ids=str)
def test_reasons(number, answer, says):
    said = find(number).judge(answer)
    assert says in said if isinstance(says, str) else said is says


# What is said of a function that is to write a file.


def writes(source, target):
    with open(target, "w") as file:
        file.write(source)


def raises(source, target):
    raise ValueError("no\x1b[31m way")


@pytest.mark.parametrize("function, says", [
    (writes, None),
    (raises, "The function raised ValueError: no"),
    (lambda source, target: None, "The function wrote no file target"),
    (lambda source: None, "The function raised TypeError"),
    ("target", "The answer is a function"),
    (None, "The answer is a function"),
])  # fmt: skip
def test_what_it_says(function, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "target").write_text("of an earlier answer")
    found = wrote(function, "source", "target")
    assert found is None if says is None else found.startswith(says)
    assert found is None or "\x1b" not in found
    assert (tmp_path / "target").exists() is (says is None)


# No cell of the chapter about encryption shows a key: outputs are saved with a notebook.


CHAPTER = CHAPTERS["06"].file


def run(sources, names):
    """Run cells, and return what they show: what they print, and the repr of each last expression."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        for source in sources:
            tree = ast.parse(source)
            if isinstance(tree.body[-1], ast.Expr):
                tree.body[-1].value = ast.parse(f"print(repr({ast.unparse(tree.body[-1].value)}))", mode="eval").body
            exec(compile(ast.fix_missing_locations(tree), "cell", "exec"), names)
    return shown.getvalue()  # fmt: skip


@pytest.fixture(scope="module")
def chapter(tmp_path_factory):
    """What the chapter and its solutions show, and the names that they leave."""
    names = {}
    first, *solutions = cells(SOLUTIONS / CHAPTER, "code")
    assert first == f"%run ../{CHAPTER}"
    folder = tmp_path_factory.mktemp("encryption")
    with pytest.MonkeyPatch.context() as patch, contextlib.chdir(folder):
        patch.setenv("PQEXPLORE_COURSE", str(folder / "course.json"))
        return run([*cells(NOTEBOOKS / CHAPTER, "code"), *solutions], names), names


def keys(names):
    """Every key that the chapter meets: master keys, KEKs, data keys."""
    service = names["service"]
    found = [names["column_key"], names["kek"], names["dek"], *service._master_keys.values()]
    for column in ("salary", "bonus", "iban"):
        material = names["key_material"](names["staff_file"], column)
        kek = service.unwrap_key(material["wrappedKEK"], material["masterKeyID"])
        wrapped = base64.b64decode(material["wrappedDEK"])
        identifier = base64.b64decode(material["keyEncryptionKeyID"])
        found += [kek, names["AESGCM"](kek).decrypt(wrapped[:12], wrapped[12:], identifier)]
    return found


def is_shown(key, text):
    forms = (key.hex(), key.hex(" "), base64.b64encode(key).decode(), repr(key), json.dumps([*key]))
    return any(form in text for form in forms)


def test_no_key_is_shown(chapter):
    shown, names = chapter
    assert "wrappedDEK" in shown
    assert len(keys(names)) >= 12
    assert not [key for key in keys(names) if is_shown(key, shown)]


@pytest.mark.parametrize(
    "cell", ["column_key", "print(dek.hex())", "base64.b64encode(kek)", "service._master_keys", "[*dek]"]
)
def test_a_key_that_is_shown_is_found(chapter, cell):
    _, names = chapter
    shown = run([cell], names)
    assert [key for key in keys(names) if is_shown(key, shown)]
