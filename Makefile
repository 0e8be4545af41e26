# Everything a newcomer needs; each target sets up its own environment in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FEWLABELS_DATA ?= ../shared/data
export FEWLABELS_DATA

.PHONY: demo test test-services check slow docs dist lowest bench gallery leaderboard leaderboard-quick stops reproduction clean

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
	$(BIN)/python -m pytest -m "not slow and not services" -n 2 --dist worksteal --ignore tests/services -p no:schemathesis

test-services: $(VENV)/.installed-dev  ## what needs a database server, a browser or Java; installs what is missing by apt-get
	.ci/services
	FEWLABELS_REQUIRE=$${FEWLABELS_REQUIRE:-services} $(BIN)/python -m pytest -m "services and not slow" || [ $$? -eq 5 ]  # 5: there are none

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
	$(BIN)/python benchmarks/report.py
	$(BIN)/python benchmarks/many_labels.py
	$(BIN)/python benchmarks/many_labellers.py
	$(BIN)/python benchmarks/simulate.py

gallery: $(VENV)/.installed-dev  ## reports of every size in Chromium, looked at by machine; pictures in gallery/
	FEWLABELS_GALLERY=gallery $(BIN)/python -m pytest -m services tests/gallery

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
	$(BIN)/python -m benchmarks.stops foretell
	$(BIN)/python -m benchmarks.stops page

reproduction: $(VENV)/.installed-dev  ## every table and figure of the papers that is not kept yet, an hour on two cores; goes on where it was
	$(BIN)/fewlabels reproduce --all --keep docs/reproduction
	$(BIN)/fewlabels reproduce --document docs/reproduction.md

$(VENV)/.installed-docs: pyproject.toml | $(VENV)/.installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	touch $@

docs: $(VENV)/.installed-docs     ## the site, in site/; a link that leads nowhere fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

dist: $(VENV)/.installed-dev      ## build and check wheel and sdist
	rm -rf dist
	$(BIN)/python -m build --quiet
	$(BIN)/twine check --strict dist/*
	$(BIN)/python tests/try_wheel.py

lowest: dist                      ## a telling part of the suite on that wheel, with the lowest versions it allows
	$(BIN)/python tests/try_lowest.py

clean:
	rm -rf $(VENV) dist build site gallery .mypy_cache .pytest_cache .ruff_cache .import_linter_cache report.html
