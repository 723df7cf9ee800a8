# Every command of the project. `make play` opens the table, `make test` runs what CI runs.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest
# In a test that hangs nothing would be said; none of these takes a minute.
TIMEOUT := --timeout 300

.PHONY: play test lint unit browser test-long bench bench-ladder docs clean

play: $(VENV)/.play
	@$(BIN)/bolzplatz serve $(ARGS)

test: lint unit browser

lint: $(VENV)/.develop
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

unit: $(VENV)/.develop
	@scripts/debian-tools node nodejs
	$(PYTEST) -n 2 -m "not long and not browser" $(TIMEOUT)

browser: $(VENV)/.develop
	@scripts/debian-tools chromium chromium
	@# A whole browser on a busy machine may stumble once: such a test is tried again, and named at the end.
	$(PYTEST) -n 2 -m "browser and not long" $(TIMEOUT) --reruns 1 -rR

test-long: $(VENV)/.develop
	@scripts/debian-tools node nodejs
	@scripts/debian-tools chromium chromium
	$(PYTEST) -m long

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks

bench-ladder: $(VENV)/.develop
	$(BIN)/python -m benchmarks.ladder $(ARGS)

docs: $(VENV)/.develop
	@scripts/debian-tools chromium chromium
	$(BIN)/python scripts/screenshots.py

clean:
	rm -rf $(VENV) build dist

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Bolzplatz needs Python 3.11 or newer: make PYTHON=python3.11 play")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.play: pyproject.toml | $(VENV)/bin/python
	@echo "Setting up: this takes a minute the first time."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.develop: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,lint]'
	@touch $@

$(VENV)/.bench: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@touch $@
