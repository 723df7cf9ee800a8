"""The errors that a caller may meet; each names the input, the reason and, where one applies, the rule.

They are pickled by their parts, so that a worker process can report them.
"""

from typing import Any, Final

_SHOWN: Final = 80
"""Characters of an input that an error shows."""


def shorten(given: object) -> str:
    """Return an input as an error quotes it: as Python writes it, the middle of a long one left out."""
    try:
        text = repr(given)
    except ValueError:
        return "a number of thousands of digits"  # Python writes none of those
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]}…{text[-_SHOWN // 2 :]} ({len(text)} characters)"


class BolzplatzError(ValueError):
    """Base of all errors that bad input causes. They travel to other processes whatever they are made of."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (type(self), self.args), self.__dict__


def _unpickle(kind: type[BolzplatzError], args: tuple[Any, ...]) -> BolzplatzError:
    """Return an error without what its `__init__` asks for: what that made of it follows as its attributes."""
    return kind.__new__(kind, *args)


class OptionError(BolzplatzError):
    """An unknown game, an unknown option, or a value that the option does not allow.

    Attributes:
        option: the name of the option whose value is refused; empty where it is none in particular.
    """

    def __init__(self, reason: str, option: str = "") -> None:
        super().__init__(reason)
        self.option = option

    def told(self, _language: str) -> str:
        """Return what is wrong in a language of the catalogues, as far as they have words for it; else in English."""
        return str(self)


class IllegalActionError(BolzplatzError):
    """A move that cannot be read or that a rule refuses here.

    Attributes:
        text: the move as it was given.
        reason: why it is refused, one sentence.
        rule: the paragraph that refuses it, such as `5050 §6`, or `notation` where no rule applies.
        code: the key of the reason in the text catalogues, such as `below_threshold`.
    """

    def __init__(self, text: str, reason: str, rule: str = "notation", code: str = "notation") -> None:
        super().__init__(f"{shorten(text)} is refused: {reason} ({rule})")
        self.text, self.reason, self.rule, self.code = text, reason, rule, code


class SeatError(BolzplatzError):
    """A seat that the game does not have, or none where one must be named."""


class StateError(BolzplatzError):
    """A saved state that is broken, belongs to another game, or does not follow from its own history."""


class RecordError(BolzplatzError):
    """A `.bolz` record that cannot be read; `place` says where (a line, or an entry of the proof)."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place, self.reason = place, reason
