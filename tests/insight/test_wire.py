"""What crosses to the front end: dataclasses as JSON, and TypeScript's interfaces that say the same."""

import dataclasses
import enum
import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

from pqexplore.engine.address import Address
from pqexplore.engine.span import Span
from pqexplore.insight import lenses, wire

ROOT = Path(__file__).resolve().parents[2]


class Colour(enum.StrEnum):
    BLUE = "blue"


@dataclasses.dataclass
class Mark:
    label: str
    span: Span | None


@pytest.mark.parametrize(("value", "encoded"), [
    (None, None),
    (True, True),
    (1.5, 1.5),
    ("text", "text"),
    (Address.of("row_groups", 0), "row_groups/0"),
    (Colour.BLUE, "blue"),
    (np.int64(7), 7),
    (np.array([1, 2]), [1, 2]),
    ((1, "a"), [1, "a"]),
    (Mark("a", None), {"label": "a", "span": None}),
    (
        {"marks": [Mark("a", Span(1, 3))]},
        {"marks": [{"label": "a", "span": {"start": 1, "end": 3, "space": "file"}}]},
    ),
])  # fmt: skip
def test_values_as_json(value, encoded):
    assert wire.encode(value) == encoded
    assert type(wire.encode(value)) is type(encoded)


@pytest.mark.parametrize("value", [b"bytes", {1, 2}, object()])
def test_what_json_has_no_form_for_raises(value):
    with pytest.raises(TypeError, match="does not travel"):
        wire.encode(value)


def test_typescript_has_an_interface_of_every_picture():
    spec = importlib.util.spec_from_file_location("wire_types", ROOT / "tools/wire_types.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    texts = tool.written()
    pictures = [lens for lens in lenses.LENSES.values() if lens.picture is not None]
    assert len(pictures) > 20
    for lens in pictures:
        assert re.search(rf"export (interface|type) {lens.picture.__name__} ", texts[f"{lens.name}.ts"]), lens.name


def test_a_shared_list_is_encoded_once_and_an_encoded_object_not_again():
    shared = wire.Shared([Mark("a", None)])
    first, second = wire.encode({"one": shared}), wire.encode([shared])
    assert first == {"one": [{"label": "a", "span": None}]}
    assert first["one"] is second[0]
    done = wire.Encoded(first)
    assert wire.encode(done) is done
    assert wire.encode({"payload": done})["payload"] is done
