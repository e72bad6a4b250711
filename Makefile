# Each target makes the virtual environment if it is not there yet.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# A mirror of the benchmark files beside the checkout saves the downloads
LOCAL_MIRROR := $(wildcard ../shared/datasets)
ifneq ($(LOCAL_MIRROR),)
export MLFS_MIRROR ?= $(abspath $(LOCAL_MIRROR))
endif

# Tests start many processes, each of which would compile mlfs again
unexport PYTHONDONTWRITEBYTECODE
PYTEST := python -m pytest -q

.PHONY: help demo test test-slow coverage test-lowest browser lint docs mutants attacks reproduce reproduce-quick readme bench bench-check clean

help:  ## what each target does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev,dask]'
	touch $@

demo: $(READY)  ## the main job on real yeast data, and its table
	$(BIN)/mlfs run configs/gmfs_yeast.yaml
	$(BIN)/mlfs table results/gmfs_yeast --compare

test: $(READY)  ## the fast test suite
	$(BIN)/$(PYTEST)

test-slow: $(READY)  ## the tests that take minutes
	$(BIN)/$(PYTEST) -m slow

coverage: $(READY)  ## the fast test suite, and which lines it runs (coverage.xml)
	$(BIN)/$(PYTEST) --cov=mlfs --cov-report=term:skip-covered --cov-report=xml

browser:  ## Chromium, playwright-core and axe-core, for the tests of the page in a browser
	command -v chromium || (apt-get update -q && apt-get install -y -q --no-install-recommends chromium)
	npm install --prefix tests/browser --no-audit --no-fund --no-package-lock

test-lowest: $(READY)  ## the fast test suite with the oldest dependencies that are allowed
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)/lowest
	$(BIN)/uv pip install --quiet --python $(VENV)/lowest/bin/python --resolution lowest-direct --compile-bytecode \
		--editable '.[dev,dask]'
	$(VENV)/lowest/bin/$(PYTEST)

lint: $(READY)  ## style, types and docstrings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy mlfs
	@$(BIN)/numpydoc lint $(shell find mlfs -name '*.py')

docs: $(VENV)/.docs  ## the documentation as web pages in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

$(VENV)/.docs: $(READY)
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

mutants: $(READY)  ## do the tests notice 600 small changes? hours; stop and go on
	$(BIN)/python -m pip install --quiet --editable '.[mutants]'
	$(BIN)/python tests/mutation/run.py

SEED ?= 0

attacks: $(READY)  ## kills, damaged files, misbehaving methods: hours; make attacks SEED=1 COUNT=20
	$(BIN)/python -m tests.attacks.run --seed $(SEED) $(if $(COUNT),--count $(COUNT))

reproduce: $(READY)  ## every config, cheapest first; stop and start it as you like
	$(BIN)/mlfs run configs/*.yaml --skip-missing
	$(BIN)/mlfs report results -o results/report.html
	$(BIN)/mlfs scorecard results

# a single cell of these takes many minutes
DEAR := configs/gmfs_delicious.yaml

reproduce-quick: $(READY)  ## the first dataset, ratio and repeat of nearly every config, untuned
	$(BIN)/mlfs run $(filter-out $(DEAR),$(wildcard configs/*.yaml)) --quick --skip-missing --results results/quick
	$(BIN)/mlfs report results/quick -o results/quick/report.html
	$(BIN)/mlfs scorecard results/quick

readme: $(READY)  ## the answers, the scorecard and their pictures in README.md, from results/reference
	$(BIN)/python docs/readme.py

bench: $(READY)  ## speed as ratios against named baselines, and growth with the data, in one run
	$(BIN)/python -m benchmarks

bench-check: $(READY)  ## the quick ratios; fails where one is below half of the one that is kept
	$(BIN)/python -m benchmarks --quick --check

clean:  ## remove what the other targets made, but no results
	rm -rf $(VENV) site .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage coverage.xml
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
