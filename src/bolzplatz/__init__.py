"""Bolzplatz: table-top games as real software."""

__version__ = "0.1.0"
