# Targets for a fresh machine: Python 3.11 or newer, a C compiler, network to a package index; Java and
# Maven for the Kafka tests.
PYTHON ?= python3
PYTHONS ?= $(PYTHON)
OUT ?= out
CHROMIUM ?= chromium
KAFKA_PORT ?= 9092
CONSOLE_PORT ?= 9190
PICTURES ?= deploy/pictures
COMPILED := setup.py $(shell find templ_core -name '_*.pyx' -o -name '_*.pxd')

TOOLS := $(abspath .cache/deploy-tools)

# The tests start hundreds of Python processes. Where this variable is set, each of them would compile
# all modules again, which takes it longer than all else that it does to start.
unexport PYTHONDONTWRITEBYTECODE
# The test processes share the cores; more threads of each would spend their time waiting for each other.
test: export OMP_NUM_THREADS = 1
test: export OPENBLAS_NUM_THREADS = 1

.PHONY: help setup run pictures figures test check sanitize wheels image-check deploy-check deploy-tools engines kafka schemas clean

help:            ## list the targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/'

setup: .venv/.ready  ## install everything into .venv; quick when nothing changed

.venv/.ready: pyproject.toml constraints.txt $(COMPILED)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "make setup needs Python 3.11 or newer; run: make setup PYTHON=/path/to/python3.11")'
	@echo "1/3: making the environment .venv"
	@$(PYTHON) -m venv .venv
	@echo "2/3: downloading and installing uv, which installs the packages"
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt uv
	@echo "3/3: downloading at most $(shell grep -c == constraints.txt) packages from the package index (0.6 GB once installed), and compiling $(words $(filter %.pyx,$(COMPILED))) modules: some minutes"
	@.venv/bin/uv pip install --python .venv/bin/python --constraint constraints.txt \
		--build-constraint constraints.txt --reinstall-package templ-worker --editable '.[dev]' > .venv/install.log
	@touch $@
	@echo "The command is .venv/bin/templ; \`. .venv/bin/activate\` puts it on the path."

run: setup       ## newspapers, shops and manuals through the whole path, without a broker
	@mkdir -p $(OUT)
	@echo "1/5: 216 pages of 24 made-up sites; nothing is downloaded from here on"
	.venv/bin/templ simulate --readable --sites 24 --pages 216 --seed 7 --out $(OUT)/feed.jsonl
	@echo "2/5: clean them, and learn their sites"
	rm -rf $(OUT)/state
	.venv/bin/templ run $(OUT)/feed.jsonl --out $(OUT)/cleaned.jsonl --force --state $(OUT)/state --records
	@echo "3/5: score the texts against the gold text; $(OUT)/scores.txt has the scores by kind and site"
	.venv/bin/templ evaluate $(OUT)/feed.jsonl $(OUT)/cleaned.jsonl > $(OUT)/scores.txt
	@head -6 $(OUT)/scores.txt
	@echo "4/5: index them, and search"
	.venv/bin/templ index $(OUT)/cleaned.jsonl --index $(OUT)/index.db
	.venv/bin/templ search council bridge --limit 3 --index $(OUT)/index.db
	@echo "5/5: write the tour"
	.venv/bin/templ tour $(OUT)/feed.jsonl $(OUT)/cleaned.jsonl --state $(OUT)/state --out $(OUT)/tour.html
	@echo "look at $(OUT)/tour.html"

SHOT = $(CHROMIUM) --headless --no-sandbox --hide-scrollbars
pictures: run    ## the pictures of README and docs/; a test compares them with what `make run` shows
	mkdir -p $(PICTURES)
	.venv/bin/templ simulate --kind shop --sites 20 --pages 500 --seed 7 --out $(OUT)/shops.jsonl
	rm -rf $(OUT)/shops
	.venv/bin/templ run $(OUT)/shops.jsonl --out $(OUT)/shops-learned.jsonl --force --state $(OUT)/shops
	.venv/bin/templ run $(OUT)/shops.jsonl --out $(OUT)/shops-alone.jsonl --force --page-only
	.venv/bin/templ tour $(OUT)/shops.jsonl $(OUT)/shops-learned.jsonl --state $(OUT)/shops --out $(OUT)/shops.html \
		--page-only $(OUT)/shops-alone.jsonl --curve $(PICTURES)/learning-curve.svg
	$(SHOT) --window-size=1200,1020 --screenshot=$(abspath $(PICTURES)/tour.png) file://$(abspath $(OUT)/tour.html)
	.venv/bin/templ console --state $(OUT)/state --port $(CONSOLE_PORT) & console=$$!; trap "kill $$console" EXIT; \
		until $(SHOT) --dump-dom 'http://127.0.0.1:$(CONSOLE_PORT)/' 2>/dev/null | grep -q '<h1>Sites'; do sleep 1; done; sleep 8; \
		$(SHOT) --window-size=1200,640 --screenshot=$(abspath $(PICTURES)/console.png) 'http://127.0.0.1:$(CONSOLE_PORT)/'

# While the checks use one core, the first run has all modules compiled, which each test process would else do.
test: setup      ## all checks and tests, with a real Kafka broker where Java and Maven are present
	@test -d .pytest_cache || .venv/bin/pytest --collect-only --quiet > /dev/null & $(MAKE) --no-print-directory check
	.venv/bin/pytest --numprocesses 4 --dist loadfile --no-loadscope-reorder

check: setup     ## format, lint, types, import direction
	.venv/bin/ruff format --quiet --check .
	.venv/bin/ruff check --quiet .
	.venv/bin/mypy
	.venv/bin/lint-imports

sanitize: setup  ## mutated stored values and hostile pages under gcc's address sanitizer; some twenty minutes
	.venv/bin/python -m tests.faults.sanitized

wheels: setup    ## a wheel for Linux in dist/ for each of PYTHONS="python3.11 ...", tried in an empty environment; some minutes
	.venv/bin/python -m tests.quality.wheel_check --out dist $(PYTHONS)

image-check: setup  ## the steps of the image without a container engine, and pages through it; as root
	.venv/bin/python -m tests.deploy.image_check

deploy-check: deploy-tools  ## the files of deploy/ by helm, Kubernetes, compose, systemd and Grafana; needs Go
	GOPROXY=$$(go env GOPROXY) .venv/bin/pytest tests/deploy

deploy-tools: setup  ## what deploy-check needs, as far as this machine can get it; says what it leaves out
	@.venv/bin/uv pip install --quiet --python .venv/bin/python --constraint constraints.txt --editable '.[deploy]' \
		|| echo "deploy-check leaves out the schemas of Kubernetes and Grafana: their packages cannot be installed"
	@test -x $(TOOLS)/helm || GOBIN=$(TOOLS) go install helm.sh/helm/v3/cmd/helm@v3.22.0 \
		|| echo "deploy-check leaves out helm: Go is missing, or cannot install it"
	@test -x $(TOOLS)/compose-go || { GOBIN=$(TOOLS)/compose go install github.com/compose-spec/compose-go/v2/cmd@v2.16.2 \
		&& ln -sf compose/cmd $(TOOLS)/compose-go; } \
		|| echo "deploy-check leaves out compose: Go is missing, or cannot install it"

engines: setup   ## the steps for datatrove, Ray Data and PySpark with the real libraries; some minutes
	.venv/bin/uv pip install --quiet --python .venv/bin/python --constraint constraints.txt \
		--editable '.[datatrove,pyspark,ray]'
	.venv/bin/pytest tests/workers/engines

kafka: setup     ## a broker on this machine at KAFKA_PORT=9092 to try things with; stops with Ctrl-C
	.venv/bin/python deploy/kafka/broker.py --port $(KAFKA_PORT) --data $(OUT)/kafka

figures: setup   ## the table of README by that of MEASUREMENTS; with CORPORA=directory, other extractors measured again
	.venv/bin/python -m tests.quality.figures $(if $(CORPORA),--corpora $(CORPORA))

schemas: setup   ## write the JSON Schema files
	.venv/bin/templ schemas

clean:           ## remove the environment, caches and outputs
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache $(OUT)
	find templ_core -name '_*.so' -delete
