# Each target with "##" is one that people type; `make help` lists them.
PYTHON ?= python3
BIN := .venv/bin
COMPILE := $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-header --quiet pyproject.toml

.PHONY: help run test lint format bench soak requirements clean base dev

help: ## list what can be made
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{printf "%-22s%s\n", $$1, $$2}'

run: base ## start everything on this machine, with a demo; Ctrl-C stops it
	@DEMO=$${DEMO:-true} exec $(BIN)/python manage.py up --with-parent

test: dev ## check and test everything; ends with pytest's count
	@exec $(BIN)/python -m tests.suite

lint: dev ## format, lint, types, import contract, migrations and template checks
	@exec $(BIN)/python -m tests.suite --static

format: dev ## put all Python into the common format
	@$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

bench: dev ## measure claim, ingestion and memory, each beside its baseline
	@exec $(BIN)/python -m config.embedded run -- $(BIN)/python -m tests.benchmarks

soak: dev ## the crash suite, long: 200 uploads, every kill point five times
	@SOAK=true exec $(BIN)/python -m config.embedded run -- $(BIN)/python -m pytest tests/crash -q

requirements: dev ## pin anew what pyproject.toml asks for
	@$(COMPILE) --output-file requirements/base.txt $(if $(UPGRADE),--upgrade)
	@$(COMPILE) --group dev --output-file requirements/dev.txt --constraint requirements/base.txt $(if $(UPGRADE),--upgrade)

clean: ## remove .venv, caches and the demo's database and files (Waybill must be stopped)
	@if [ -d var ] && [ -x $(BIN)/python ]; then $(BIN)/python -m config.embedded remove; fi
	@rm -rf .venv var staticfiles .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

base:
	@$(PYTHON) requirements/install.py base

dev:
	@$(PYTHON) requirements/install.py dev
