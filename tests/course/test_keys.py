"""No cell of the chapter about encryption shows a key: outputs are saved with a notebook."""

import ast
import base64
import contextlib
import io
import json

import pytest
from course.harness import NOTEBOOKS, SOLUTIONS, cells

from pqexplore.course.exercise import CHAPTERS

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
