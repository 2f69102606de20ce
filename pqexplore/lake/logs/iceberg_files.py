"""Gives pyiceberg the files that it asks for: those below a table's root, and others only if the caller allows it."""

from __future__ import annotations

import io

from pqexplore.lake.allowed_paths import Boundary, named_outside
from pqexplore.lake.logs.names import Names
from pqexplore.lake.logs.table_log import Follow, LogError
from pqexplore.lake.places.place import Place


class Held:
    """The content of a file, as pyiceberg's InputFile."""

    def __init__(self, location: str, data: bytes) -> None:
        self.location = location
        self._data = data

    def __len__(self) -> int:
        return len(self._data)

    def exists(self) -> bool:
        """True: the content is here."""
        return True

    def open(self, seekable: bool = True) -> io.BytesIO:
        """The content as a stream."""
        return io.BytesIO(self._data)


class Below:
    """A FileIO of pyiceberg that reads files below the table's root, and others only through `follow`."""

    def __init__(self, place: Place, root: str, names: Names, follow: Follow | None) -> None:
        self._place, self._root, self._names, self._follow = place, root, names, follow
        self._boundary = Boundary(place, root, follow is not None)

    def find(self, location: str) -> tuple[Place, str]:
        """The place and path of a location. LogError if it is outside of the root and `follow` is None."""
        name = self._names.resolve(location)
        path = None if name is None else self._place.join(self._root, *name.split("/"))
        if path is None and self._follow is not None:
            return self._follow(self._names.absolute(location))
        if path is None:
            raise LogError("outside", named_outside(location, self._root))
        refusal = self._boundary.refusal(path)
        if refusal is not None:
            raise LogError("outside", f"{path}: {refusal}")
        return self._place, path

    def new_input(self, location: str) -> Held:
        """The content of a file. LogError as `find` raises it, OSError if it cannot be read."""
        place, path = self.find(location)
        return Held(location, place.read(path))
