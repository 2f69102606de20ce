"""Totals of samples, by ratio: what is measured on some parts, in proportion to a size that is known for all.

Cochran, Sampling Techniques (3rd edition), chapter 6: with n of N parts, measured y and known x, the ratio is
Σy / Σx, and the variance of the total N² (1 − n/N) s² / n, where s² is that of y − ratio · x. Few parts say little of
that variance, so the error is taken from Student's t with n − 1 degrees of freedom.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence


@dataclasses.dataclass(frozen=True, slots=True)
class Estimate:
    """A total, and the variance of its estimate: 0 if everything was measured, None if the sample cannot say.

    The variance of few parts is enlarged, so that twice its root is Student's 95 % interval.
    """

    total: float
    variance: float | None = 0.0

    @property
    def error(self) -> float | None:
        """How far the total may be off in 95 of 100 cases; None if unknown."""
        return None if self.variance is None else 2 * math.sqrt(self.variance)

    @property
    def sampled(self) -> bool:
        """Whether something was not measured."""
        return self.variance != 0


FEWEST = 4
"""How many parts an error needs to be stated. With fewer the spread between them says next to nothing: a file that is sorted in one
half and not in the other has two alike."""

UNLIKE = 1.25
"""How many times more or less a part may have than any measured one in a `profile`, and still be alike."""


def by_ratio(
    known: Sequence[float], measured: Mapping[int, Estimate], profiles: Sequence[Sequence[float]] = ()
) -> Estimate:
    """The total of all parts, of those that are `measured` by their position in `known`.

    Parts that are themselves estimates add their variance. Without any measured part the total is 0, and unknown.
    `profiles` has numbers of each part, measured or not, as bytes per row: if one that is not measured lies outside of
    those that are, the error is unknown.
    """
    parts = [(known[at], each) for at, each in measured.items()]
    return of_parts(len(known), sum(known), parts, alike=alike(profiles, list(measured)))


def of_parts(count: int, known: float, measured: Sequence[tuple[float, Estimate]], *, alike: bool = True) -> Estimate:
    """The total of `count` parts whose known sizes add up to `known`; `measured` has the known size of some, and theirs.

    The error is unknown if the others are not `alike`.
    """
    parts = len(measured)
    if not parts:
        return Estimate(0.0, None if count else 0.0)
    inside = _sum([each.variance for _, each in measured])
    found = sum(each.total for _, each in measured)
    if parts == count:
        return Estimate(found, inside)
    base = sum(size for size, _ in measured)
    ratio = found / base if base else 0.0
    total = ratio * known if base else found / parts * count
    if parts < FEWEST or inside is None or not alike:
        return Estimate(total, None)
    apart = sum((each.total - ratio * size) ** 2 for size, each in measured)
    between = count**2 * (1 - parts / count) * apart / (parts - 1) / parts
    between *= (student(parts - 1) / 2) ** 2
    # A sample whose parts fit perfectly is still a sample: `sampled` must say so.
    return Estimate(total, max(between + inside * (total / found) ** 2 if found else between, 1e-9))


def alike(profiles: Sequence[Sequence[float]], measured: Sequence[int]) -> bool:
    """Whether every part is like one of those that are measured."""
    if not measured:
        return True
    for numbers in zip(*profiles, strict=True):
        inside = [numbers[at] for at in measured]
        low, high = min(inside) / UNLIKE, max(inside) * UNLIKE
        if not all(low <= one <= high for one in numbers):
            return False
    return True


_STUDENT = (3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)


def student(degrees: int) -> float:
    """The two-sided 95 % quantile of Student's t for 3 degrees of freedom or more: a table to 10, above by at most 1 % too much."""
    return _STUDENT[degrees - 3] if degrees < len(_STUDENT) + 3 else 1.96 + 2.7 / degrees


def _sum(variances: Sequence[float | None]) -> float | None:
    total = 0.0
    for one in variances:
        if one is None:
            return None
        total += one
    return total


def spread(count: int) -> list[int]:
    """0 to count − 1 in an order whose beginnings are spread evenly: by the fractions of multiples of the golden ratio."""
    return sorted(range(count), key=lambda at: at * 0.6180339887498949 % 1.0)
