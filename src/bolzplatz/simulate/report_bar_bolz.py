"""What a report says of Bar-Bolz-Bande besides what it says of every game: best play, and how much is luck."""

from bolzplatz.simulate.report_solved import sections

__all__ = ["sections"]
