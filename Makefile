# Everything starts from a bare checkout: each target sets up what it needs, in .venv.

PYTHON ?= python3
BIN := .venv/bin
HEARTS := $(BIN)/hearts
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt
STAMP := .venv/.installed
SITE := .venv/.site
GRADER := .venv/.grader
# A checkout that was moved or copied sets itself up again: its programs would run in the old place.
ifneq ($(shell cat $(GRADER) 2>/dev/null),$(CURDIR))
.PHONY: $(GRADER)
endif
# The installed course is found by a path without letters: in the locale C, Python 3.11 and 3.12 do
# not start if a folder's name has an umlaut.
RELATIVE := for file in .venv/lib/python*/site-packages/*hearts_course.pth; do \
  if [ -f "$$file" ]; then echo ../../../../autograder > "$$file"; fi; done
# Runs a command, and says what was done and how many seconds it took.
TIMED := sh -c 'what=$$1; shift; start=$$(date +%s); "$$@" && echo "$$what in $$(($$(date +%s) - start)) s"' timed
# Each submission starts the tool afresh, which takes a third longer where Python may keep nothing.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo test test-nbgrader test-slow test-term test-pyodide test-browser test-site test-proofs test-all site lint verify verify-stages bench bench-scale build clean

help: ## List what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

setup: $(STAMP) ## Make .venv and install the course into it

$(GRADER): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "make: Python 3.11 or newer is needed; try make PYTHON=python3.12" >&2; exit 2; }
	@echo "Setting up .venv with what grading needs (once)"
	@$(TIMED) "set up" sh -c "$(PYTHON) -m venv --clear .venv && $(INSTALL) -e '.[grade]'"
	@$(RELATIVE)
	@pwd -P > $@

$(STAMP): $(GRADER)
	@echo "Adding what the tests need (once; about a minute)"
	@$(INSTALL) -e '.[dev]'
	@$(RELATIVE)
	@touch $@

$(SITE): $(GRADER)
	@echo "Adding what the site needs (once)"
	@$(INSTALL) -e '.[site]'
	@$(RELATIVE)
	@touch $@

demo: $(GRADER) ## Grade a sample class end to end and say where its report lies
	@rm -rf .demo
	@$(HEARTS) demo .demo $(if $(SANDBOX),--sandbox $(SANDBOX))

test: $(STAMP) ## Run the tests of the tool
	@$(BIN)/python -m pytest -n auto --dist worksteal -m "not alone and not proof and not exhaustive"
	@$(BIN)/python -m pytest -m alone $$(grep -rl "pytest.mark.alone" --include="test_*.py" autograder/tests)

test-nbgrader: $(STAMP) ## Prove the course in nbgrader: a class in three stages, and PostgreSQL (takes minutes)
	@HEARTS_POSTGRES=1 $(BIN)/python -m pytest -n auto --dist worksteal -m "not exhaustive" -k "(postgresql or term_proof) and not (every_command or quickstart)" \
	  $(addprefix autograder/tests/nbgrader/, term_proof.py test_autograde.py test_gradebook.py)

test-term: $(STAMP) ## Replay a term on every platform, and in an nbgrader course of one's own (takes half an hour)
	@$(BIN)/python -m pytest -n auto --dist worksteal autograder/tests/term \
	  autograder/tests/nbgrader/term_proof.py -k "everybody_s_grades or every_command or quickstart"

test-pyodide: $(STAMP) ## Check programs of every stage in the browser's Python, under node
	@$(BIN)/python -m pytest -rs autograder/tests/browser/test_under_node.py

site: $(SITE) ## Write the course as a static web site into .site, with a table to play at
	@$(HEARTS) site .site --play

test-browser: $(STAMP) ## Play at the card table and read the report in a headless Chromium; the pictures are in .browser
	@$(BIN)/python -m pytest -rs autograder/tests/browser/test_card_table.py \
	  autograder/tests/browser/test_notebook_table.py autograder/tests/browser/test_report.py \
	  autograder/tests/browser/test_check_report.py

test-site: test-browser ## Show the course in a headless Chromium; the pictures are in .browser
	@$(BIN)/python -m pytest -rs autograder/tests/browser/test_site.py autograder/tests/browser/test_hub.py
	@$(BIN)/python autograder/tests/nbgrader/browser_formgrader.py

lint: $(STAMP) ## Check style, types, the layers of the tool, and the names that its tests use
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/mypy --config-file autograder/tests/mypy.ini
	@$(BIN)/lint-imports --no-logo --no-cache
	@$(BIN)/python -m pytest -rs autograder/tests/test_tracked_files.py
	@$(BIN)/python autograder/tests/support/prose.py autograder/hearts_course autograder/hearts_grader solutions

verify: verify-stages test-proofs ## Prove every stage, and the tool by its slow tests

verify-stages: $(STAMP) ## Prove every stage; the mutants of its reference where the stage has changed
	@$(HEARTS) verify

test-proofs: $(STAMP) ## Run the tests that take too long for make test
	@$(BIN)/python -m pytest -n auto --dist worksteal -m "proof and not exhaustive" $(TESTS)

test-slow: test-proofs test-nbgrader ## Run what .ci/run leaves out; the workflow does so each week

test-all: $(STAMP) ## Try every case of which make verify tries some, and every mutant (takes an hour)
	@$(HEARTS) verify --mutants all
	@$(BIN)/python -m pytest -n auto --dist worksteal -m exhaustive
	@$(BIN)/python -m pytest -m exhaustive autograder/tests/nbgrader/term_proof.py

bench: $(STAMP) ## Measure the grader beside its peers (takes a while)
	@$(BIN)/python autograder/tests/bench/bench.py
	@$(BIN)/python autograder/tests/bench/bench_parts.py
	@$(BIN)/python autograder/tests/bench/bench_uva181.py

bench-scale: $(STAMP) ## Measure how grading grows with the class, up to 2,000 students (takes a quarter of an hour)
	@$(BIN)/python autograder/tests/bench/bench_scale.py

build: $(STAMP) ## Generate starters, notebooks and the README's table
	@$(HEARTS) build

clean: ## Remove everything that make has made
	rm -rf .venv .parts .site .demo .bench .browser .hearts-verify .pytest_cache .mypy_cache .ruff_cache
