"""Pictures on a canvas whose marks can be reached by keys: their places and their texts."""

from typing import Any

from browser.harness import digits, settle


def stage(view: Any, nth: int = 0) -> Any:
    """The picture, after it is drawn."""
    canvas = view.page.locator(".pqx-board-stage[data-drawn]").nth(nth)
    canvas.wait_for()
    settle(view.page)
    return canvas


def marks(view: Any, nth: int = 0) -> int:
    """How many marks the picture has."""
    return int(stage(view, nth).get_attribute("data-marks"))


def says(view: Any, *keys: str, nth: int = 0) -> str:
    """The text of the current mark, after these keys."""
    stage(view, nth).focus()
    for key in keys:
        view.page.keyboard.press(key)
    return stage(view, nth).get_attribute("aria-valuetext")


def answer(view: Any) -> str:
    """The sentence above the picture."""
    settle(view.page)
    return view.page.locator(".pqx-answer > p").inner_text()


def pixel(view: Any, x: float, y: float, nth: int = 0) -> list[int]:
    """The colour at a place of the picture, in CSS pixels from its top left."""
    return (
        stage(view, nth)
        .locator("canvas")
        .first.evaluate(
            "(c, [x, y]) => [...c.getContext('2d').getImageData("
            "x * devicePixelRatio, y * devicePixelRatio, 1, 1).data]",
            [x, y],
        )
    )


def hot(view: Any) -> str:
    """The hex digits that are highlighted because the pointer is on a mark."""
    return "".join(digits(view.page, "hot"))


def selected(view: Any, address: str) -> None:
    """Wait until an address is selected, on the page and in Python."""
    view.shown(address)
    assert view.explorer.selection == address
