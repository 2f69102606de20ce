# The commands of this project. Each makes what it needs: a virtual environment in .venv, Node and Chromium where the
# machine has none. Needed beforehand: Python 3.11 or newer with venv, make and git.

PYTHON ?= python3
BIN := .venv/bin
NPM := tools/npm
WORKERS ?= 2
PYTEST = PQEXPLORE_CHROMIUM="$$(tools/chromium)" $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup
PYTHON_CODE := pqexplore tests benchmarks tools docs
STATIC := pqexplore/widget/static

# One group of checks: its name, and the command.
define group
@echo "==> $(1)"
@$(2) || { echo "make $@: stopped, '$(1)' failed"; exit 1; }
endef

.PHONY: help demo test test-full lint build bench clean spark groups-python groups-javascript
.NOTPARALLEL:

help:
	@echo "make demo         JupyterLab with the first notebook; ARGS=--no-serve does all but serve"
	@echo "make test         every check that a change must pass"
	@echo "make test-full    these, and the slow ones"
	@echo "make lint         formatters and linters only; they change nothing"
	@echo "make build        the front end's bundle, from js/ to $(STATIC)/"
	@echo "make bench        what we claim about speed, beside its peers"
	@echo "make clean        remove what these commands made"

demo: .venv/.demo
	@$(BIN)/python tools/demo.py $(ARGS)

test: groups-python groups-javascript spark .venv/.browser
	$(call group,pytest,$(PYTEST) -m "not full and not spark" $(ARGS))

test-full: groups-python groups-javascript spark .venv/.browser
	$(call group,pytest,$(PYTEST) -m "not spark" $(ARGS))

# Spark wants an older pandas than notebooks have, so it gets an environment of its own.
spark: .venv/.spark
	$(call group,Spark,PQEXPLORE_REQUIRE_SPARK=1 .venv/spark/bin/python -m pytest -q -m spark tests/spark)

lint: groups-python js/node_modules/.package-lock.json
	$(call group,biome,$(NPM) run --silent lint)

groups-python: .venv/.dev
	$(call group,ruff check,$(BIN)/ruff check $(PYTHON_CODE))
	$(call group,ruff format,$(BIN)/ruff format --check $(PYTHON_CODE))
	$(call group,mypy,$(BIN)/mypy)
	$(call group,import-linter,$(BIN)/lint-imports --no-logo --cache-dir .cache/import-linter)

groups-javascript: js/node_modules/.package-lock.json
	$(call group,TypeScript,$(NPM) run --silent check)
	$(call group,biome,$(NPM) run --silent lint)
	$(call group,vitest,$(NPM) run --silent test)
	$(call group,the bundle is what js/ builds,tools/check-bundle)

build: js/node_modules/.package-lock.json
	@$(NPM) run build

bench: .venv/.dev
	@$(BIN)/python -m benchmarks $(ARGS)

clean:
	rm -rf .venv .cache demo dist build js/node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	@echo "==> a virtual environment in .venv"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; make PYTHON=/path/to/python3")'
	@$(PYTHON) -m venv .venv

.venv/.demo .venv/.dev: .venv/.%: pyproject.toml | .venv/bin/python
	@echo "==> pqexplore[$*] into .venv"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[$*]'
	@touch $@

.venv/.spark: pyproject.toml | .venv/bin/python
	@echo "==> pqexplore[spark] into .venv/spark"
	@$(PYTHON) -m venv .venv/spark
	@.venv/spark/bin/python -m pip install -qq --disable-pip-version-check --editable '.[lzo,spark]' hypothesis pytest
	@touch $@

# Python's side of the browser tests is Playwright; the browser is the system's Chromium.
.venv/.browser: .venv/.dev
	@tools/chromium >/dev/null
	@touch $@

js/node_modules/.package-lock.json: js/package.json js/package-lock.json | .venv/bin/python
	@echo "==> npm ci"
	@$(NPM) ci --no-audit --no-fund --loglevel=error
	@touch $@
