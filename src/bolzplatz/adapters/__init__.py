"""The games behind the interfaces that researchers use: PettingZoo, Gymnasium, OpenSpiel, and a line protocol for bots.

Each module needs its own extra (`pip install bolzplatz[rl]`, `bolzplatz[openspiel]`) and says so where it is missing;
`observation`, `vector` and `line` need none.
"""
