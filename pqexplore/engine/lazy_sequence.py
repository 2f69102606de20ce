"""What is made on access: the items of a sequence, and attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

from pqexplore.engine.handle import Handle, listing

T = TypeVar("T")


class LazySequence(Handle, Sequence[T]):
    """A sequence of known length whose items are made on each access, and not kept. `noun` names an item."""

    def __init__(self, length: int, make: Callable[[int], T], noun: str = "item") -> None:
        self._length = length
        self._make = make
        self._noun = noun

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self._make(i) for i in range(*index.indices(self._length))]
        if not -self._length <= index < self._length:
            raise IndexError(index)
        return self._make(index % self._length)

    def __iter__(self) -> Iterator[T]:
        return (self._make(i) for i in range(self._length))

    def __repr__(self) -> str:
        return listing(self, self._noun)


class once(Generic[T]):
    """`functools.cached_property`, without the lock that Python 3.11 has for it, one for all objects of a class."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, obj: Any, owner: type | None = None) -> T:
        made: T = self._make(obj)
        obj.__dict__[self._name] = made
        return made
