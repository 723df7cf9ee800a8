"""What is said about counts: shares with their intervals, and distributions of whole numbers. No NumPy needed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, Final

Z_99: Final = 2.5758293035489
"""Half of a normal distribution's middle 99 %, in standard deviations."""
QUANTILES: Final = (1, 5, 25, 50, 75, 95, 99)
"""Percentages at which a distribution is reported."""


@dataclass(frozen=True, slots=True)
class Share:
    """How often something happened: `count` times out of `of`."""

    count: int
    of: int

    @property
    def share(self) -> float:
        """Return the share, 0 where nothing was tried."""
        return self.count / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 99 % interval of the chance behind the share (Wilson 1927); (0, 1) where nothing was tried.

        >>> [round(end, 4) for end in Share(81, 263).interval]
        [0.2401, 0.3853]
        """
        if not self.of:
            return 0.0, 1.0
        shrink = 1 + Z_99**2 / self.of
        middle = (self.share + Z_99**2 / (2 * self.of)) / shrink
        reach = Z_99 / shrink * math.sqrt(self.share * (1 - self.share) / self.of + Z_99**2 / (4 * self.of**2))
        return max(0.0, middle - reach), min(1.0, middle + reach)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict."""
        low, high = self.interval
        return {"count": self.count, "of": self.of, "share": self.share, "low": low, "high": high}


@dataclass(frozen=True)
class Distribution:
    """Whole numbers, each with how often it was seen; exact, so that adding up in any order gives the same."""

    counts: Mapping[int, int]

    @cached_property
    def total(self) -> int:
        """How many numbers were seen."""
        return sum(self.counts.values())

    @cached_property
    def _sum(self) -> int:
        return sum(value * count for value, count in self.counts.items())

    @property
    def mean(self) -> float:
        """Return the mean, 0 where nothing was seen."""
        return self._sum / self.total if self.total else 0.0

    @property
    def sd(self) -> float:
        """Return the standard deviation as estimated from a sample, 0 for fewer than two numbers."""
        if self.total < 2:
            return 0.0
        squares = sum(value * value * count for value, count in self.counts.items())
        return math.sqrt((self.total * squares - self._sum**2) / (self.total * (self.total - 1)))

    def quantile(self, percent: int) -> int:
        """Return the smallest number that at least `percent` % of all do not exceed; 0 where nothing was seen.

        >>> Distribution({1: 50, 2: 49, 9: 1}).quantile(50), Distribution({1: 50, 2: 49, 9: 1}).quantile(51)
        (1, 2)
        """
        values = sorted(self.counts)
        reached = accumulate(self.counts[value] for value in values)
        return next((v for v, seen in zip(values, reached, strict=True) if 100 * seen >= percent * self.total), 0)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict."""
        return {
            "mean": self.mean,
            "sd": self.sd,
            "min": min(self.counts, default=0),
            "max": max(self.counts, default=0),
            "quantiles": {str(percent): self.quantile(percent) for percent in QUANTILES},
            "counts": [[value, self.counts[value]] for value in sorted(self.counts)],
        }
