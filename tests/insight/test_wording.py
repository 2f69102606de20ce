"""Numbers and names in sentences."""

from pqexplore.engine import text
from pqexplore.insight import wording


def test_a_long_name_is_shortened_in_its_middle():
    names = [f"{'a_long_name_' * 6}{end}" for end in ("width", "height")]
    shown = [wording.name(name) for name in names]
    assert [len(one) for one in shown] == [text.NAME + 2] * 2
    assert [one[-10:] for one in shown] == ["ame_width`", "me_height`"]
    assert wording.name(("a", "b")) == "`a.b`"
    assert wording.middle("abcdef", 6) == "abcdef"
    assert wording.middle("abcdefg", 6) == "abc…fg"
