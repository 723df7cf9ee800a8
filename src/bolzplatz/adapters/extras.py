"""What an adapter says when the library that it adapts to is not installed."""


def missing(library: str, extra: str) -> ImportError:
    """Return the error for a missing extra: one line that says what to install.

    >>> print(missing("PettingZoo", "rl"))
    PettingZoo is not installed: pip install 'bolzplatz[rl]'
    """
    return ImportError(f"{library} is not installed: pip install 'bolzplatz[{extra}]'")
