"""What a report says of 5050 besides what it says of every game: best play, and how much is luck."""

from bolzplatz.simulate.report_solved import sections

__all__ = ["sections"]
