# Townline. `make help` prints what each target is for.

GO      ?= go
MODULES := ./services/... ./pkg/... ./proto/...
TOOL    := GOWORK=off $(GO) tool -C scripts/tools
# gin can answer in MessagePack, which nothing here does, and its encoder takes longer to compile than anything else.
export GOFLAGS ?= -tags=nomsgpack
BINARIES := council-ingest council-api gtfs-import rt-poller transit-api townline
# Packages whose goroutines share memory. What they call runs with the detector, too; what is not here works in one goroutine, or starts
# another process.
RACED   := $(addprefix ./pkg/,events fetch pg rest run) $(addprefix ./services/,council-api council-ingest council-ingest/internal/classify \
	gtfs-import rt-poller townline/internal/reviewsite transit-api transit-api/internal/edition)
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

.DEFAULT_GOAL := help
.PHONY: help run test race test-everything check generate pictures bench build rules tidy image deploy-check deploy-prove deploy-measure consumers prove prove-upgrade prove-cluster

help: ## Print this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: bin/townline ## Build and run everything with a demo town, in the foreground
	@exec bin/townline up $(ARGS)

# What takes longest begins first. Tests wait for servers and browsers, so that three packages at a time keep two cores busy.
test: rules ## Format, vet and house rules, then every test once, and what was left out; needs nothing but Go
	@$(GO) run ./pkg/embed/chromium/find
	GOWORK=off $(GO) test -C scripts/prove -vet=off $(LIGHT) $(TESTFLAGS)
	@$(GO) run scripts/testrun/main.go -p 3 -vet=off $(LIGHT) $(TESTFLAGS) ./services/townline $(MODULES)

race: ## The tests of packages that use goroutines, with the race detector; needs a C compiler
	$(GO) test -race -vet=off $(LIGHT) $(TESTFLAGS) $(RACED)

# Test binaries without debugging information and symbols are linked in two thirds of the time; stacks of panics and races stay whole.
test race: LIGHT := -ldflags=-s

# Compilers and tests spend a fifth of their time on garbage; with more memory each, less. Tests of memory limits set what is shipped.
test race: export GOGC ?= 400

# The race detector keeps every test binary, and every child of one, waiting for a second at its end.
race: export GORACE ?= atexit_sleep_ms=20

test-everything: ## Every test with the real data at hand, larger feeds and long series too (half an hour)
	TOWNLINE_EVERYTHING=1 $(GO) test -timeout 120m $(TESTFLAGS) $(MODULES)

rules:
	@unformatted=$$(gofmt -l services pkg proto scripts); if [ -n "$$unformatted" ]; then echo "gofmt these files:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet $(MODULES)
	GOWORK=off $(GO) vet -C scripts/prove
	$(GO) test scripts/house/house_test.go
	$(GO) test scripts/testrun/main.go scripts/testrun/main_test.go

check: rules deploy-check ## All of the above but the tests, plus linters, tidy modules, fresh generated files, a generated client and linted API descriptions
	GOWORK=off $(GO) build -C scripts/tools -o $(CURDIR)/.cache/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	.cache/golangci-lint run $(MODULES)
	cd scripts/prove && GOWORK=off ../../.cache/golangci-lint run
	@for m in proto pkg services scripts/prove; do (cd $$m && GOWORK=off $(GO) mod tidy -diff >/dev/null) || { echo "$$m/go.mod is not tidy: run make tidy"; exit 1; }; done
	GOWORK=off $(GO) test -C scripts/tools -count=1 ./browsers # the scripts of pages: old browsers can read them, and they are small
	scripts/fresh.sh
	scripts/lint-descriptions.sh
	TOWNLINE_CLIENTS=1 $(GO) test -count=1 -run GeneratedClient ./services/council-api

generate: ## Make generated files anew (protobuf messages, API descriptions, names of migration Jobs, files of others for pages)
	GOWORK=off $(GO) run -C scripts/tools ./protogen $(CURDIR)/proto
	$(GO) generate $(MODULES)
	scripts/deploy-versions.sh
	scripts/web.sh

pictures: ## Make the pictures of README.md anew, from the demo town in a real browser
	@mkdir -p .github/pictures
	TOWNLINE_BROWSER=$${TOWNLINE_BROWSER:-must} TOWNLINE_PICTURES=$(CURDIR)/.github/pictures $(GO) test -vet=off -count=1 -run '^TestPictures$$' ./services/townline/browser

bench: ## Measure imports and reads against the machine's own limits in one table; FEED=some.zip for a feed of yours
	scripts/bench.sh

build: $(BINARIES:%=bin/%) ## Build the five services and the townline command into bin/

# Go knows best what is up to date.
.PHONY: $(BINARIES:%=bin/%)
$(BINARIES:%=bin/%): bin/%:
	@CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-X github.com/townline/townline/pkg/run.Version=$(VERSION)" -o bin/ ./services/$*/cmd/$*

deploy-check: ## Render every overlay, hold it against strict schemas and our rules; compose.yaml, too
	GOWORK=off $(GO) test -C scripts/tools -count=1 ./deploy ./imageroot

deploy-prove: ## Apply every overlay to a real API server, built from source (minutes at first, then one)
	scripts/deploy-prove.sh

image: ## Build every service's image without a Docker daemon (needs buildah), run each, and see that it is reproducible
	scripts/deploy-image.sh $(SERVICES)

deploy-measure: ## Run what make image built, with a role each: size, cold start, memory at rest (FEED=a GTFS zip)
	scripts/deploy-measure.sh $(FEED)

consumers: ## Read the exported zip and realtime with programs that nobody here wrote, and compare counts (needs npm; FEED=a GTFS zip)
	scripts/consumers.sh $(FEED)

prove: ## Two of each service on one machine, under load: restarts, kills, a lost NATS node, a lost Postgres, backup and restore (3 minutes)
	scripts/prove.sh

prove-upgrade: ## An earlier version and this one side by side, over a migration; FROM=revision to choose it
	scripts/prove.sh upgrade $(FROM)

prove-cluster: ## The overlays on a Kubernetes of two nodes on this machine, under load: root and Debian (10 minutes, and 20 to build it once); ARGS=-hold only starts the nodes
	scripts/prove-cluster.sh $(ARGS)

tidy: ## Tidy the modules and bring go.work.sum up to date
	$(GO) work sync
	@for m in proto pkg services scripts/prove; do (cd $$m && GOWORK=off $(GO) mod tidy); done
