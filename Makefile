# Everything starts from a clone with Python 3.11+, git and make. `make help` lists the targets.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup setup-cluster warehouse report explore release test ledger check attack compare ui docs lock golden clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(READY) ## install everything into .venv

# uv compiles bytecode: without it every start takes twice as long.
$(READY): requirements.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is needed"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed, this is $$($(PYTHON) --version)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@grep -A200 '^uv==' requirements.lock | sed -n '1p; 2,/^[^ ]/{/^    /p}' > $(VENV)/uv.lock.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $(VENV)/uv.lock.txt
	@VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/uv pip sync --quiet --require-hashes --compile-bytecode requirements.lock
	@VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/uv pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $(READY)

# The lock file includes Dask: every machine of a cluster needs the same versions.
setup-cluster: setup ## install on each machine of a cluster, and print the commands that start its scheduler and workers
	@echo "on one machine:  $(abspath $(BIN))/dask scheduler"
	@echo "on each:         $(abspath $(BIN))/dask worker tcp://SCHEDULER:8786 --nworkers $$(getconf _NPROCESSORS_ONLN) --nthreads 1"
	@echo "then:            $(BIN)/benchledger build --cluster tcp://SCHEDULER:8786"

warehouse: setup ## install, then build the warehouse from raw/
	@$(BIN)/benchledger build

# Status 3: published with rejects, which the site lists.
report: setup ## install, build, then write the site: warehouse/site/index.html
	@$(BIN)/benchledger build || [ $$? -eq 3 ]
	@$(BIN)/benchledger report

# npm installs the package without running its scripts; the report accepts only the tested bytes.
explore: report ## like `make report`, with a page that runs SQL in the browser; needs npm
	@npm install --silent --ignore-scripts --no-save --no-package-lock --prefix $(VENV)/npm @duckdb/duckdb-wasm@1.32.0
	@$(BIN)/benchledger report --explore

# Data files have the date of the newest stored document. The next release compares its data with the .duckdb file.
DIST ?= dist
release: setup ## wheel, sdist, export, site and checksums in dist/ for VERSION=0.1.0; with PREVIOUS=FILE.duckdb also the changes of the data
	@grep -qx 'version = "$(VERSION)"' pyproject.toml || { echo "pyproject.toml has another version than VERSION=$(VERSION)"; exit 1; }
	@test ! -e $(DIST) || { echo "$(DIST) exists; move the earlier release, or name another folder with DIST="; exit 1; }
	@$(BIN)/benchledger build || [ $$? -eq 3 ]
	@set -e; mkdir -p "$$(dirname "$(DIST)")"; work=$$(mktemp -d "$(DIST).XXXXXX"); trap 'rm -rf "$$work"' EXIT; new=$$work/dist; \
	$(BIN)/uv build --quiet --no-build-isolation --python $(BIN)/python --out-dir "$$new"; \
	day=$$($(BIN)/benchledger sql "select max(retrieved_at)::date from raw.documents" --format csv | tail -n 1); \
	name=benchledger-$(VERSION)-data-$$day; \
	site=$$($(BIN)/python -P -c "import benchledger; print(benchledger.Project().report().start.parent)"); \
	$(BIN)/benchledger export --to "$$work/$$name-export" >/dev/null; \
	cp -R "$$site" "$$work/$$name-site"; \
	for part in export site; do tar -czf "$$new/$$name-$$part.tar.gz" -C "$$work" "$$name-$$part"; done; \
	cp "$$work/$$name-export/benchmarks.duckdb" "$$new/$$name.duckdb"; \
	{ [ -z "$(PREVIOUS)" ] && echo "# The first data" || $(BIN)/benchledger diff "$(PREVIOUS)" --format markdown; } > "$$new/$$name-changes.md"; \
	(cd "$$new" && sha256sum -- * > SHA256SUMS && cat SHA256SUMS); \
	mv "$$new" "$(DIST)"

# Where Python is told to keep no bytecode, every process of a test would compile all code again.
test: setup ## install, then run the tests
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist worksteal

ledger: setup ## install, then build all that is shipped and test what it holds
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist worksteal -m whole

check: setup ## ruff, mypy, import-linter, sqlfluff
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/sqlfluff lint --nocolor -q pipelines/sql pipelines/report/sql warehouse/queries

attack: setup ## reliability tests: kills, full disks, bad documents, hostile servers and queries; not part of `make test`
	@$(BIN)/python benchmarks/attack.py $(OPTIONS)

compare: setup ## compare the rows read with those of BASE=<commit>; options: OPTIONS="--show 20 --document PART"
	@$(BIN)/python benchmarks/compare.py $(if $(BASE),--base $(BASE)) $(OPTIONS)

ui: setup ## Dagster UI with its daemon on http://localhost:3000; PORT=3001 for another port, FETCH=1 to fetch and build by itself
	@$(BIN)/benchledger ui $(if $(PORT),--port $(PORT)) $(if $(FETCH),--fetch)

# In a separate environment, because the packages of the documentation are not needed by the project.
docs: setup ## write the documentation as a site: warehouse/docs/index.html
	@test -x $(VENV)/docs/bin/mkdocs || { $(BIN)/uv venv --quiet $(VENV)/docs && VIRTUAL_ENV=$(abspath $(VENV)/docs) $(BIN)/uv pip sync --quiet --require-hashes docs/requirements.lock; }
	@NO_MKDOCS_2_WARNING=1 $(VENV)/docs/bin/mkdocs build --quiet --strict

lock: ## pin what requirements.in asks for, with hashes and without an index
	@$(BIN)/uv pip compile --universal --generate-hashes --no-strip-extras --python-version 3.11 --quiet requirements.in -o requirements.lock
	@echo mkdocs-material | $(BIN)/uv pip compile --universal --generate-hashes --python-version 3.11 --quiet --no-header - -o docs/requirements.lock

golden: setup ## regenerate data dictionary, references, sources, lineage, verdicts and notebook; read the diff
	@$(BIN)/python docs/generate.py
	@BENCHLEDGER_UPDATE_GOLDEN=1 $(BIN)/python -m pytest -q tests/assets/test_lineage.py tests/sql/test_claim_verdicts.py tests/package/test_python.py
	@BENCHLEDGER_UPDATE_GOLDEN=1 $(BIN)/python -m pytest -q -m whole tests/test_docs.py::test_the_page_of_sources_is_that_of_the_shipped_documents

clean: ## remove caches and run storage, but not raw/ or the published warehouse
	@rm -rf warehouse/cache .dagster .pytest_cache .mypy_cache .ruff_cache
