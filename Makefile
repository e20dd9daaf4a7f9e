# make demo: set up, open the samples. make test: set up, run everything. Both need only Python 3.11+, make and a package registry.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
READY = $(VENV)/ready
# every sample but the broken ones: branchlight open sample_traces/broken shows how a defect is named
SAMPLES = $(filter-out sample_traces/broken sample_traces/record sample_traces/README.md, $(wildcard sample_traces/*))

.PHONY: demo test lint bench browser clean

demo: $(READY)
	$(BIN)/branchlight open $(SAMPLES) --store .branchlight-demo

test: $(READY) browser lint
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY) browser
	$(BIN)/python -m tests.bench

# Debian's Chromium for the browser tests, where we may install it and none is there
browser:
	@command -v chromium chromium-browser google-chrome chrome >/dev/null 2>&1 || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then apt-get update -qq && apt-get install -y -qq chromium; \
	else echo "no Chrome or Chromium found: the browser tests will be skipped"; fi

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "branchlight needs Python 3.11 or newer; try make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $(READY)

clean:
	rm -rf $(VENV) .branchlight-demo .mypy_cache .ruff_cache .pytest_cache .import_linter_cache build dist
