"""What is said of a function that is to write a file."""

import pytest

from pqexplore.course.attempt import wrote


def writes(source, target):
    with open(target, "w") as file:
        file.write(source)


def raises(source, target):
    raise ValueError("no\x1b[31m way")


@pytest.mark.parametrize(
    "function, says",
    [
        (writes, None),
        (raises, "The function raised ValueError: no"),
        (lambda source, target: None, "The function wrote no file target"),
        (lambda source: None, "The function raised TypeError"),
        ("target", "The answer is a function"),
        (None, "The answer is a function"),
    ],
)
def test_what_it_says(function, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "target").write_text("of an earlier answer")
    found = wrote(function, "source", "target")
    assert found is None if says is None else found.startswith(says)
    assert found is None or "\x1b" not in found
    assert (tmp_path / "target").exists() is (says is None)
