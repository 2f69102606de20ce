"""Totals of samples, by ratio: what is measured on some parts, in proportion to a size that is known for all.

Cochran, Sampling Techniques (3rd edition), chapter 6: with n of N parts, measured y and known x, the ratio is
Σy / Σx, and the variance of the total N² (1 − n/N) s² / n, where s² is that of y − ratio · x.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence


@dataclasses.dataclass(frozen=True, slots=True)
class Estimate:
    """A total, and the variance of its estimate: 0 if everything was measured, None if the sample cannot say."""

    total: float
    variance: float | None = 0.0

    @property
    def error(self) -> float | None:
        """Twice the standard error; None if unknown."""
        return None if self.variance is None else 2 * math.sqrt(self.variance)

    @property
    def sampled(self) -> bool:
        """Whether something was not measured."""
        return self.variance != 0


def by_ratio(known: Sequence[float], measured: Mapping[int, Estimate]) -> Estimate:
    """The total of all parts, of those that are `measured` by their position in `known`.

    Parts that are themselves estimates add their variance. Without any measured part the total is 0, and unknown.
    """
    return of_parts(len(known), sum(known), [(known[at], each) for at, each in measured.items()])


def of_parts(count: int, known: float, measured: Sequence[tuple[float, Estimate]]) -> Estimate:
    """The total of `count` parts whose known sizes add up to `known`; `measured` has the known size of some, and theirs."""
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
    if parts < 2 or inside is None:
        return Estimate(total, None)
    apart = sum((each.total - ratio * size) ** 2 for size, each in measured)
    between = count**2 * (1 - parts / count) * apart / (parts - 1) / parts
    # A sample whose parts fit perfectly is still a sample: `sampled` must say so.
    return Estimate(total, max(between + inside * (total / found) ** 2 if found else between, 1e-9))


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
