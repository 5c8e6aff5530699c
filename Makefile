# Everything works on a machine with make and Python 3.11 or newer; `make help` lists the targets.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help install raceday up cluster drill test quick season histories browser promtool screenshots times lighthouse check bench articles lock messages clean \
	audit deploy documents sbom

# Many processes run the same program: none compiles it again, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

# Without a word the program is in production, which refuses what is for one machine.
export PROFILE ?= development

PY := .venv/bin/python
# Servers for commands that only look at a database. Those of the tests may be in memory.
WITH_SERVERS := $(PY) -m core.tools.embedded run --folder var/check --
# Of these that run, are new enough and can make an environment, PYTHON is used, or else the first,
# unless another one is faster by a quarter: one that was built on this machine without Python's own
# optimisations takes half as long again as one of the system.
PYTHONS := $(PYTHON) python3.13 python3.12 python3.11 python3 /usr/bin/python3
# What is installed; on a server, requirements.production.lock, without tests and embedded servers.
LOCK ?= requirements.lock
# Thirty failures have one cause; a run that shows it ends, and does not wait for the rest.
PYTEST_FLAGS ?= -n auto --dist worksteal --maxfail=30
# Modules, and the tests in each, in an order drawn from SEED, which is printed.
SEED := $(or $(SEED),$(shell date +%s))
RANDOM_ORDER := --random-order-bucket=module --random-order-seed=$(SEED)
BENCH ?= full
COMPILE := var/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"
CATALOGUES := $(wildcard core/locale/*/LC_MESSAGES/*.po lototrot/locale/*/LC_MESSAGES/*.po \
	promotrot/locale/*/LC_MESSAGES/*.po)
EXTRA := import sys, tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"][sys.argv[1]], sep="\n")
FITS := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
# The microseconds of processor that a small loop takes: the best of nine tries, as others work too.
SPEED := import time, timeit; \
	loop = "for n in range(20000): sum((lambda x: x)(y) for y in (n, 1))"; \
	print(round(1e6 * min(timeit.repeat(loop, number=1, repeat=9, timer=time.process_time))))

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile

install: .venv/installed var/catalogues ## make the environment .venv from requirements.lock (LOCK=another file)

raceday: install ## play a race day through the public API, print it, stop everything
	@$(PY) manage.py raceday

up: install ## play it, and leave the system running on this machine until Ctrl-C
	@$(PY) manage.py raceday --keep-running

cluster: install ## play it on eight simulated machines until Ctrl-C (KILL=any: kill some of them)
	@$(PY) -m core.tools.cluster --kill "$(KILL)" $(if $(CLUSTER_SEED),--seed $(CLUSTER_SEED))

drill: install ## break machines under load, most of them of a cluster; into var/drill.json (DRILLS=primary,web: these alone)
	@$(PY) -m tests.drills

test: install ## run the tests (ORDER=random: in random order; SEED=n: in that order again)
	@$(PY) -m pytest $(PYTEST_FLAGS) $(if $(filter random,$(ORDER)),$(RANDOM_ORDER))

quick: install ## run the tests that need no database, browser or server: half a minute
	@LOTOTROT_TESTS=quick $(PY) -m pytest $(PYTEST_FLAGS)

season: install ## play a year of 150 meetings of both games against auditors; into var/season.json
	@LOG_LEVEL=WARNING SEASON_MEETINGS=150 $(PY) -m pytest -q -s -o timeout=0 tests/simulation

histories: install ## do acts at once, and compare with a sequential model (HISTORIES=200: so many seeds)
	@LOG_LEVEL=WARNING HISTORIES=$(or $(HISTORIES),200) $(PY) -m pytest -q -s -o timeout=0 tests/histories

browser: ## install what the browser tests need: Chromium by apt, axe-core by npm
	@.ci/browser

promtool: ## install promtool, which tests the alert rules, by apt
	@.ci/promtool

screenshots: install browser ## picture every screen into var/screenshots, and compare with the last run
	@$(PY) -m tests.support.browser.comparing
	@SCREENSHOTS=all LOTOTROT_BROWSER=required $(PY) -m pytest -q -n auto -k tour tests/browser; \
		found=$$?; $(PY) -m tests.support.browser.comparing compare; exit $$found

times: install browser ## write the times to task of docs/screens.md, as the tests count them
	@LOTOTROT_BROWSER=required $(PY) -m pytest -q -k "counter or coupon or paid or touches or decided" \
		tests/browser/test_terminal.py tests/browser/test_coupon_tour.py tests/browser/test_promotrot.py \
		tests/browser/test_desks_tour.py tests/browser/test_prizes.py tests/browser/desks/test_decisions_tour.py
	@$(PY) -m tests.support.browser.tasks

lighthouse: install browser ## judge board, check page and terminal; fail below 95 of 100
	@.ci/lighthouse/install
	@LOG_LEVEL=WARNING $(PY) -m tests.support.browser.lighthouse

check: install audit ## check packages, style, types, imports, migrations, catalogues, docs/deploy, API schema
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	.venv/bin/lint-imports --no-cache
	$(WITH_SERVERS) $(PY) manage.py makemigrations --check --dry-run
	$(PY) manage.py makecatalogues --check
	$(PY) -m core.tools.deploying --check
	$(PY) -m core.tools.deploying --lint
	$(PY) manage.py spectacular --validate --fail-on-warn --file var/openapi.yaml
	diff -u docs/openapi.yaml var/openapi.yaml

audit: install ## ask the index for known faults of the packages that the images install
	@$(PY) -m core.tools.supplies audit

deploy: install ## write units, containers and manifests into docs/deploy from core/tools/deploying
	@$(PY) -m core.tools.deploying

sbom: install ## list what the images install in var/sbom*.json (CycloneDX)
	@$(PY) -m core.tools.supplies sbom

bench: install ## measure this machine; into var/bench.json (BENCH=small or tiny: less data; PARTS="sale play")
	@BENCH=$(BENCH) $(PY) -m tests.bench $(PARTS)

articles: install ## list each article with its reading, its code and its tests
	@$(PY) manage.py articles

messages: install ## bring the message catalogues up to date with the code
	$(PY) manage.py makecatalogues

documents: install ## write what docs/ has from the code: problems, powers, roles, openapi.yaml
	@mkdir -p var/documents
	@for page in problems powers roles; do \
		$(PY) manage.py $$page > var/documents/$$page.md || exit 1; done
	@$(PY) manage.py spectacular --validate --fail-on-warn --file var/documents/openapi.yaml
	@cp var/documents/* docs/
	@git diff --stat -- docs 2>/dev/null || true

lock: install ## write the locks anew from the dependencies in pyproject.toml
	$(PY) -m venv --clear var/lock
	var/lock/bin/python -m pip install --quiet uv
	$(COMPILE) --extra dev --extra traces --output-file requirements.lock pyproject.toml
	$(COMPILE) --constraint requirements.lock --output-file requirements.production.lock pyproject.toml
	printf 'pip-audit\ncyclonedx-bom\ncheck-jsonschema\nkubernetes-validate\n' | $(COMPILE) --constraint requirements.lock \
		--output-file requirements.tools.lock -
	$(PY) -c '$(EXTRA)' cluster | $(COMPILE) --constraint requirements.lock \
		--output-file requirements.cluster.lock -
	$(PY) -c '$(EXTRA)' backup | $(COMPILE) --constraint requirements.lock \
		--output-file requirements.backup.lock -
	$(PY) -c '$(EXTRA)' traces | $(COMPILE) --constraint requirements.lock \
		--output-file requirements.traces.lock -
	rm -rf var/lock

clean: ## remove what was made here: environment, servers and all their data
	@if [ -x $(PY) ]; then for folder in var var/test var/test/migrated var/check; do \
		$(PY) -m core.tools.embedded destroy --folder $$folder || exit 1; done; fi
	rm -rf var .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.venv/installed: $(LOCK)
	@python=; best_us=; seen=; \
	for each in $(PYTHONS); do \
		version=$$($$each -c 'import sys; print(*sys.version_info[:2], sep=".")' 2>/dev/null) \
			|| continue; \
		if ! $$each -c '$(FITS)' 2>/dev/null; then seen="$$seen $$each($$version)"; continue; fi; \
		if [ "$$each" = "$(PYTHON)" ]; then python=$$each; break; fi; \
		took_us=$$($$each -c '$(SPEED)') || continue; \
		if [ -z "$$python" ] || [ $$((4 * took_us)) -lt $$((3 * best_us)) ]; then \
			python=$$each; best_us=$$took_us; fi; \
	done; \
	if [ -z "$$python" ]; then \
		echo "Python 3.11 or newer with venv and ensurepip is needed; found:$${seen:- none}." >&2; \
		echo "On Debian and Ubuntu, install python3-venv (or python3.11-venv); or say which" \
			"Python to use: make install PYTHON=/path/to/python3" >&2; \
		exit 1; \
	fi; \
	echo "Installing into .venv with $$($$python --version)..."; \
	$(PY) -m pip --version >/dev/null 2>&1 || $$python -m venv --clear .venv
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes \
		-r $(LOCK)
	@$(PY) -m compileall -q -j 0 core lototrot promotrot
	@touch $@

var/catalogues: .venv/installed $(CATALOGUES)
	@mkdir -p var
	@$(PY) manage.py compilecatalogues
	@touch $@
