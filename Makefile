# The project's commands. Only Python 3.11 to 3.13 (with venv) and make are assumed; all else comes from requirements.lock.
SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help demo test up down lint format bench lock clean
.DEFAULT_GOAL := help

help: ## show this list
	@grep -E '^[a-z]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/:[^#]*## /	/' | sort

demo: $(READY) ## 60 made-up nights on a real Airflow and Postgres; the UI stays up until `make down`
	@$(BIN)/python -m trace_pipeline.local demo

up: $(READY) ## Airflow on loopback against your own Postgres (TRACE_RESULTS_URL)
	@$(BIN)/python -m trace_pipeline.local up

down: $(READY) ## stop what demo or up started
	@$(BIN)/python -m trace_pipeline.local down

test: $(READY) ## everything CI runs
	@BIN=$(BIN) sh scripts/test.sh

lint: $(READY) ## format, lint, types, import contracts, SQL
	@BIN=$(BIN) sh scripts/lint.sh

format: $(READY) ## rewrite the sources in the project's format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(READY) ## nights of 10^4 and 10^5 logs through a real Airflow, beside the scorers alone and COPY
	@$(BIN)/python -m benchmarks.load

lock: $(READY) ## resolve pyproject.toml anew into requirements.lock
	@$(BIN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --no-strip-extras --quiet --output-file requirements.lock

clean: down ## remove the virtual environment and all local data
	@rm -rf $(VENV) .local

# The lock is complete, so pip need not resolve: --no-deps is faster and cannot add anything unlocked.
$(READY): requirements.lock pyproject.toml scripts/find_python.sh
	@python=$$(sh scripts/find_python.sh) && { test -x $(BIN)/python || "$$python" -m venv $(VENV); }
	@echo "Installing into $(VENV) (once; about a minute) ..."
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --no-input --no-deps --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --no-input --no-deps --no-build-isolation --editable .
	@touch $(READY)
