# make run     the app, in its own virtual environment
# make test    what the app is held to: format, lint, types, tests, each scenario fails as promised
# make proof   all the rest of what it is held to: every fix, cheat and repair, Keras, transformers 5
# make bake    the answers of the catalogue's common path, before a class: IDS="two_labels nan_loss"
# make bench   the table of docs/SPEED.md
# make score   how right the diagnosis is about strangers' scripts: docs/SCORE.md
# make picture the picture in the README, made by the app itself

SHELL := /bin/bash
export PIP_DISABLE_PIP_VERSION_CHECK := 1

NAMES := python3 python3.14 python3.13 python3.12 python3.11 python
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for name in $(NAMES); do \
	$$name -c '$(NEW_ENOUGH)' 2>/dev/null && echo $$name && break; done)

# The other Pythons that are held, where they are: on the path, or among pyenv's.
MAIN = $(shell '$(PYTHON)' -c 'import sys; print("%d.%d" % sys.version_info[:2])')
python = $(firstword $(shell for name in python$(1) $(HOME)/.pyenv/versions/$(1).*/bin/python3; do \
	$$name -c '' 2>/dev/null && echo $$name; done))
OTHERS = $(foreach version,$(filter-out $(MAIN),3.11 3.12 3.13),$(if $(call python,$(version)),$(version)))

HAS_TRITON := import importlib.util, sys; sys.exit(not importlib.util.find_spec("triton"))

.PHONY: run test test-pages test-rooms test-types proof test-promises test-keras test-v5 test-package test-python test-ordinary test-cluster bake bench score picture

run: .venv/.run
	@.venv/bin/python app.py

test: .venv/.test
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	@$(TOGETHER) test-pages $(addprefix beside-test-,types rooms)

# Pages and workers wait often, and what computes never does: beside each other they take little more
# than one. Types come first: left for the end they would leave a core idle.
TOGETHER := $(MAKE) --no-print-directory --jobs=2 --keep-going
ROOMS := $(addprefix tests/,evidence experiments frameworks pipelines stages)

test-pages: .venv/.test
	.venv/bin/python -m pytest $(addprefix --ignore=,$(ROOMS))

test-types: .venv/.test
	.venv/bin/pyright

test-rooms: .venv/.test
	.venv/bin/python -m pytest $(ROOMS)

# After so long nothing more is begun, and what is left is counted. Another commit begins elsewhere.
PROOF_MINUTES ?= 30

proof: .venv/.test .venv-v5/.test
	@export PROOF_UNTIL=$${PROOF_UNTIL:-$$(($$(date +%s) + 60 * $(PROOF_MINUTES)))}; \
	$(TOGETHER) test-promises $(addprefix beside-test-,keras v5 python)

# Says what it has to say at its end, so that nobody's lines mix.
beside-%:
	@said=$$(mktemp); $(MAKE) --no-print-directory $* > "$$said" 2>&1; status=$$?; \
		cat "$$said"; rm -f "$$said"; exit $$status

test-promises: .venv/.test
	.venv/bin/python -m pytest -m proof

test-keras: .venv/.test
	TF_USE_LEGACY_KERAS=1 .venv/bin/python -m pytest -m 'proof or not proof' tests/frameworks/keras

test-v5: .venv-v5/.test
	.venv-v5/bin/python -m pytest tests/stages tests/frameworks/pytorch

# The wheel in environments that have nothing of this folder. `make proof` runs it among the others.
test-package: .venv/.test .venv-v5/.test
	.venv/bin/python -m pytest -m proof tests/package

# What needs neither torch nor a browser: the catalogue, the judge, the command line, processes.
WITHOUT_TORCH := tests/workers/test_process.py tests/workers/test_endings.py \
	tests/workers/test_sharing.py tests/catalogue/test_catalogue.py tests/test_command_line.py \
	tests/test_judge.py tests/test_run.py tests/test_settings.py tests/test_words.py

test-python: $(OTHERS:%=test-python-%)
	@echo "Tried beside Python $(MAIN): $(or $(OTHERS),no other is here)"

test-python-%: .venv-%/.test
	.venv-$*/bin/python -m pytest -m 'not slow and not gpu and not proof' $(WITHOUT_TORCH)

# PyTorch's build for CUDA, which brings triton, is what PyPI gives an ordinary Linux machine. Where .venv
# has the one for the CPU, Python 3.12 may still get it.
test-ordinary: .venv/.test
	@home=.venv; \
	if ! .venv/bin/python -c '$(HAS_TRITON)'; then \
		home=.venv-ordinary; \
		[ -n '$(call python,3.12)' ] || { echo "test-ordinary is skipped: there is no Python 3.12"; exit 0; }; \
		$(MAKE) --no-print-directory PYTHON='$(call python,3.12)' .venv-ordinary/.test || exit; \
	fi; \
	$$home/bin/python -c '$(HAS_TRITON)' || { \
		echo "test-ordinary is skipped: pip installed a PyTorch without triton"; exit 0; }; \
	$$home/bin/python -m pytest tests/ordinary

# Runs on two nodes of a real Ray cluster, both on this machine.
test-cluster: .venv-cluster/.test
	.venv-cluster/bin/python -m pytest tests/workers/test_cluster.py

bake: .venv/.test
	@.venv/bin/python -m tools.bake $(IDS)

bench: .venv/.test
	@.venv/bin/python -m tools.bench

score: .venv/.test
	@.venv/bin/python -m tools.score

picture: .venv/.test
	@.venv/bin/python -m tools.picture

.PRECIOUS: .venv-3.%/.test
.venv-3.%/.test: pyproject.toml requirements-dev.txt
	@$(call python,3.$*) -m venv '$(@D)'
	'$(@D)/bin/python' -m pip install --quiet --editable . $(shell grep ^pytest requirements-dev.txt)
	@touch '$@'

.venv/.run: requirements.txt pyproject.toml
.venv/.test: requirements-dev.txt .venv/.run
.venv-v5/.test: requirements-v5.txt pyproject.toml
.venv-ordinary/.test: requirements-dev.txt pyproject.toml
.venv-ordinary/.test: COMPILED := --no-compile
.venv-cluster/.test: requirements-cluster.txt requirements-dev.txt requirements.txt pyproject.toml
.venv-cluster/.test: BESIDE := -r requirements-dev.txt

# pip byte-compiles what it installs, where all of it is used. The package is installed as this very folder, so that
# `python scenarios/pytorch/wrong_collator/script.py` finds the assets.
.venv/.run .venv/.test .venv-v5/.test .venv-ordinary/.test .venv-cluster/.test:
	@'$(PYTHON)' -c '$(NEW_ENOUGH)' 2>/dev/null || { \
		echo "Training Clinic needs Python 3.11 or newer. Install it, or name it: make PYTHON=/path/to/python3.11" >&2; \
		exit 1; }
	@'$(PYTHON)' -m venv '$(@D)' || { \
		echo "This Python cannot make a virtual environment. On Debian and Ubuntu: apt install python3-venv" >&2; \
		exit 1; }
	'$(@D)/bin/python' -m pip install --quiet $(COMPILED) -r '$<' $(BESIDE) --editable .
	@touch '$@'
