"""The record of a lake explorer panel; each panel's module has one, named `PANEL`.

The registry (`pqexplore.lake.panels`) lists the records. js/src/lake/NAME.ts draws the picture of the panel NAME.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from pqexplore.insight.answer import Answer
from pqexplore.lake.panels.filters import Filters

Subject = TypeVar("Subject")
"""A Lake, or a metadatastore.Store."""


@dataclasses.dataclass(frozen=True, slots=True)
class Panel(Generic[Subject]):
    """A question about all files of a lake, or about a Metadatastore.

    - `name`, the same in Python, TypeScript and the tests; `title`, the text of its tab;
    - `answer(subject, filters, typed)`, the Answer for the files that pass the filters; `typed` is the text that the
      user typed or chose in the panel;
    - `picture`, the dataclass of its pictures (see `pqexplore.insight.wire`);
    - `operations`, by name, the functions that the picture calls later, with the subject and the request's arguments.
    """

    name: str
    title: str
    answer: Callable[[Subject, Filters, str], Answer]
    picture: type[Any]
    operations: Mapping[str, Callable[..., object]] = dataclasses.field(default_factory=dict)
