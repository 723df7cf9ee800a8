"""What a report says of GOOAAAAAL! besides what it says of every game: best play, how much is luck, depth of skill."""

from bolzplatz.simulate.report_solved import sections

__all__ = ["sections"]
