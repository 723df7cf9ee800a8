"""`python -m bolzplatz` is the command `bolzplatz`."""

import sys

from bolzplatz.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
