"""The fast chance driver: a counter-based generator keyed by run seed and match number.

Match 7,123,456 of a run can be drawn alone, and results do not depend on how matches are spread over workers. The
words are SplitMix64's (Steele, Lea, Flood 2014), the key of a match is two more rounds over seed and number. The
functions belong to the compiled subset: they work on signed 64-bit integers, and `wrap_add` and `wrap_mul` alone differ
between the two ways to run them: Python's integers grow, and overflow of a compiled signed integer is undefined (LLVM
draws conclusions from it), so that `core.compiled` puts unsigned arithmetic in their place.
"""

from collections.abc import Sequence
from typing import Any, Final

_GOLDEN: Final = 0x9E3779B97F4A7C15 - 2**64
_MIX_A: Final = 0xBF58476D1CE4E5B9 - 2**64
_MIX_B: Final = 0x94D049BB133111EB - 2**64
_LOW_34: Final = 2**34 - 1
_LOW_37: Final = 2**37 - 1
_LOW_33: Final = 2**33 - 1
_WORD: Final = 2**32

RNG_SIZE: Final = 1
"""Length of the generator's state: the key plus the counter's share, one constant for each word drawn."""


def wrap64(x: int) -> int:
    """Bring an integer into the range of signed 64 bits."""
    return ((x + 2**63) & (2**64 - 1)) - 2**63


def wrap_add(x: int, y: int) -> int:
    """Add modulo 2**64, signed."""
    return wrap64(x + y)


def wrap_mul(x: int, y: int) -> int:
    """Multiply modulo 2**64, signed."""
    return wrap64(x * y)


def mix64(z: int) -> int:
    """Scramble 64 bits; a bijection."""
    z = wrap_mul(z ^ ((z >> 30) & _LOW_34), _MIX_A)
    z = wrap_mul(z ^ ((z >> 27) & _LOW_37), _MIX_B)
    return z ^ ((z >> 31) & _LOW_33)


def start_stream(rng: Any, seed: int, match: int) -> None:
    """Set `rng` (RNG_SIZE integers) to the beginning of the stream of one match."""
    rng[0] = mix64(wrap_add(mix64(wrap_add(seed, _GOLDEN)), match))


def below(rng: Any, n: int) -> int:
    """Draw an integer in 0..n-1, n up to 2**31, all exactly equally likely (Lemire 2019, by rejection)."""
    while True:
        rng[0] = wrap_add(rng[0], _GOLDEN)
        wide = ((mix64(rng[0]) >> 32) & (_WORD - 1)) * n
        rest = wide & (_WORD - 1)
        if rest >= n or rest >= (_WORD - n) % n:
            return wide >> 32


class FastStream:
    """The stream of one match for interpreted callers.

    >>> FastStream(seed=1, match=5).below(6) == FastStream(seed=1, match=5).below(6)
    True
    """

    __slots__ = ("rng",)

    def __init__(self, seed: int, match: int = 0) -> None:
        self.rng = [0] * RNG_SIZE
        start_stream(self.rng, wrap64(seed), match)

    def below(self, n: int) -> int:
        """Draw an integer in 0..n-1."""
        return below(self.rng, n)

    def dice(self, count: int, sides: int) -> list[int]:
        """Throw dice; faces are 0..sides-1."""
        return [below(self.rng, sides) for _ in range(count)]

    def weighted(self, weights: Sequence[int]) -> int:
        """Draw an index with chances in proportion to the weights."""
        rest = below(self.rng, sum(weights))
        for index, weight in enumerate(weights):
            if rest < weight:
                return index
            rest -= weight
        raise ValueError("no weight is positive")
