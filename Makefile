# make run     the app, in its own virtual environment
# make test    what the app is held to: format, lint, types, tests, and the stages on transformers 5
# make bench   the measured table of the README
# make picture the picture in the README, made by the app itself

SHELL := /bin/bash
export PIP_DISABLE_PIP_VERSION_CHECK := 1

NAMES := python3 python3.14 python3.13 python3.12 python3.11 python
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for name in $(NAMES); do \
	$$name -c '$(NEW_ENOUGH)' 2>/dev/null && echo $$name && break; done)

.PHONY: run test test-keras test-v5 bench picture

run: .venv/.run
	@.venv/bin/python app.py

test: .venv/.test .venv-v5/.test
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/pyright
	.venv/bin/python -m pytest
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target --keep-going test-keras test-v5

test-keras: .venv/.test
	TF_USE_LEGACY_KERAS=1 .venv/bin/python -m pytest tests/keras_pipeline

test-v5: .venv-v5/.test
	.venv-v5/bin/python -m pytest tests/stages tests/pipelines

bench: .venv/.test
	@.venv/bin/python -m tests.bench

picture: .venv/.test
	@.venv/bin/python -m tests.browser.picture

.venv/.run: requirements.txt
.venv/.test: requirements-dev.txt .venv/.run
.venv-v5/.test: requirements-v5.txt

# pip byte-compiles what it installs. The .pth file puts this folder on the environment's path, so that
# `python scenarios/pytorch/wrong_collator/script.py` finds the assets.
.venv/.run .venv/.test .venv-v5/.test:
	@'$(PYTHON)' -c '$(NEW_ENOUGH)' 2>/dev/null || { \
		echo "Training Clinic needs Python 3.11 or newer. Install it, or name it: make PYTHON=/path/to/python3.11" >&2; \
		exit 1; }
	@'$(PYTHON)' -m venv '$(@D)' || { \
		echo "This Python cannot make a virtual environment. On Debian and Ubuntu: apt install python3-venv" >&2; \
		exit 1; }
	'$(@D)/bin/python' -m pip install --quiet -r '$<'
	@for packages in '$(@D)'/lib/python*/site-packages; do \
		echo ../../../.. > "$$packages/training-clinic.pth"; done
	@touch '$@'
