# Everything a newcomer needs; each target sets up its own environment in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FEWLABELS_DATA ?= ../shared/data
export FEWLABELS_DATA

.PHONY: demo test check slow dist lowest bench leaderboard leaderboard-quick stops clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ $(VENV)/.installed

demo: $(VENV)/.installed          ## the whole loop on the bundled pool; writes report.html
	$(BIN)/fewlabels demo

test: $(VENV)/.installed-dev      ## the test suite, under ten minutes on two cores
	$(BIN)/python -m pytest -m "not slow" -n 2 --dist worksteal

check: $(VENV)/.installed-dev     ## lint, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

slow: $(VENV)/.installed-dev      ## long statistics
	$(BIN)/python -m pytest -m slow -n 2

bench: $(VENV)/.installed-dev     ## ratios and timings, printed
	$(BIN)/python benchmarks/start.py
	$(BIN)/python benchmarks/ask.py
	$(BIN)/python benchmarks/f_score.py
	$(BIN)/python benchmarks/fit.py
	$(BIN)/python benchmarks/many_classes.py
	$(BIN)/python benchmarks/other_question.py
	$(BIN)/python benchmarks/open.py
	$(BIN)/python benchmarks/many_labels.py
	$(BIN)/python benchmarks/many_labellers.py
	$(BIN)/python benchmarks/simulate.py

$(VENV)/.installed-rivals: | $(VENV)/.installed-dev
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check ppi-python  # without it, its formula is used
	touch $@

leaderboard: $(VENV)/.installed-rivals  ## every method on every pool, 200 runs, hours; goes on where it was; docs/leaderboard.md
	$(BIN)/python -m benchmarks.leaderboard run
	$(BIN)/python -m benchmarks.leaderboard page

leaderboard-quick: $(VENV)/.installed-rivals  ## a few pools and runs in about ten minutes, then a table of bars
	$(BIN)/python -m benchmarks.leaderboard run --quick --kept benchmarks/leaderboard/kept-quick --again

stops: $(VENV)/.installed-dev     ## labels to every claim, and how often it is right, 40 runs, hours; goes on where it was; docs/stops.md
	$(BIN)/python -m benchmarks.stops run
	$(BIN)/python -m benchmarks.stops page

dist: $(VENV)/.installed-dev      ## build and check wheel and sdist
	rm -rf dist
	$(BIN)/python -m build --quiet
	$(BIN)/twine check --strict dist/*
	$(BIN)/python tests/try_wheel.py

lowest: dist                      ## a telling part of the suite on that wheel, with the lowest versions it allows
	$(BIN)/python tests/try_lowest.py

clean:
	rm -rf $(VENV) dist build .mypy_cache .pytest_cache .ruff_cache .import_linter_cache report.html
