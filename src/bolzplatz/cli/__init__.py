"""The command `bolzplatz`: one module for each of its commands, `main` puts them together."""
