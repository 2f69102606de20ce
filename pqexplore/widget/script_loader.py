"""What both explorers have in common: the notebook keeps a small script and a picture of each, and nothing else.

A notebook that saves the state of its widgets saves `_esm` with each of them. So `_esm` is the loader
(js/src/loader.ts), which asks the kernel for the explorer itself by a message, once a page, and then only whether it is
there: a view without a kernel leaves the picture where it is.

A front end shows the richest form that it knows of an output. Jupyter prefers the widget also where no kernel has it any
more, and then says "model not found". So there are two outputs: the picture, which needs no kernel, and the widget. The
living widget hides the picture; without it, the picture's style sheet hides what Jupyter says in its place.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pathlib
import secrets
from typing import Any

import anywidget
import traitlets

STATIC = pathlib.Path(__file__).parent / "static"

BUNDLE = ("index.js", "index.css")
"""The explorer itself: what the loader gets from the kernel, in this order."""

WIDGET = "application/vnd.jupyter.widget-view+json"

ALONE = """<style>
.jp-OutputArea-child:has([data-pqx-static])
+ .jp-OutputArea-child:has(> .lm-Panel.jp-OutputArea-output):not(:has(> .lm-Panel *))
{ display: none }
</style>"""
"""Hides the widget after a picture as long as Jupyter shows only a text there: that it has no such model."""


@functools.cache
def bundle() -> tuple[str, list[bytes]]:
    """The parts of the explorer itself, and a name that changes with their contents."""
    parts = [(STATIC / name).read_bytes() for name in BUNDLE]
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16], parts


class Loaded(anywidget.AnyWidget):
    """A widget whose script comes from the kernel, and whose output keeps a picture (`picture`)."""

    _esm = STATIC / "loader.js"

    _bundle = traitlets.Unicode().tag(sync=True)
    _picture = traitlets.Unicode().tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(_bundle=bundle()[0], _picture=secrets.token_hex(6), **traits)
        self.on_msg(self._load)

    def _load(self, _widget: Any, content: Any, _buffers: Any) -> None:
        kind = content.get("kind") if isinstance(content, dict) else None
        if kind == "bundle":
            self.send({"kind": "bundle"}, bundle()[1])
        elif kind == "alive":  # a view that has the explorer asks whether its kernel answers
            self.send({"kind": "alive"})

    def picture(self) -> str:
        """HTML without scripts, for where there is no kernel. A notebook keeps it: it holds no values of a file."""
        raise NotImplementedError

    def _ipython_display_(self, **kwargs: Any) -> None:
        """Displays the picture, then the widget.

        Databricks shows each output in a frame of its own, where neither can hide the other: there it is one output.
        """
        from IPython.display import display

        data, metadata = self._repr_mimebundle_(**kwargs)
        if WIDGET not in data or "DATABRICKS_RUNTIME_VERSION" in os.environ:
            display(data, metadata=metadata, raw=True)
            return
        picture = f'<div data-pqx-static="{self._picture}">{data.pop("text/html")}</div>{ALONE}'
        display({"text/html": picture, "text/plain": data.pop("text/plain")}, raw=True)
        display({**data, "text/plain": ""}, metadata=metadata, raw=True)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget, the picture and one line of text as one output, for front ends that display it themselves."""
        bundled = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundled if isinstance(bundled, tuple) else (bundled or {}, {})
        return {**data, "text/plain": repr(self), "text/html": self.picture()}, metadata
