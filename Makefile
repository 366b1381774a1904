# Townline. `make help` prints what each target is for.

GO      ?= go
MODULES := ./services/... ./pkg/... ./proto/...
TOOL    := GOWORK=off $(GO) tool -C scripts/tools
# gin's MessagePack encoder is unused, and takes longer to compile than any other package. With the settings of the
# programs, `make test` compiles nothing again that `make run` has compiled, and needs no C compiler.
export GOFLAGS ?= -tags=nomsgpack -trimpath
test: export CGO_ENABLED ?= 0
BINARIES := council-ingest council-api gtfs-import rt-poller transit-api townline
# Packages whose goroutines share memory. The others use one goroutine or start processes.
RACED   := $(addprefix ./pkg/,events fetch pg rest run) $(addprefix ./services/,council-api council-ingest \
	council-ingest/internal/classify gtfs-import rt-poller townline/internal/gate townline/internal/reviewsite transit-api \
	transit-api/internal/edition)
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

.DEFAULT_GOAL := help
.PHONY: help run test race test-everything check generate golden pictures gallery bench build rules tidy image \
	release deploy-check deploy-prove deploy-measure consumers prove prove-upgrade prove-cluster

help: ## Print this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: bin/townline ## Build and run everything with a demo town, in the foreground
	@exec bin/townline up $(ARGS)

# The slowest packages start first. Tests often wait for servers and browsers, so three packages at a time keep two
# cores busy.
test: rules ## Check format and rules, run every test once, and list skipped tests
	GOWORK=off $(GO) test -C scripts/prove -vet=off $(LIGHT) $(TESTFLAGS)
	@$(GO) run scripts/testrun/main.go -p 3 -vet=off -timeout 20m $(LIGHT) $(TESTFLAGS) ./services/townline $(MODULES)

race: ## Run the tests of packages that share memory with the race detector; needs a C compiler
	$(GO) test -race -vet=off -timeout 20m $(LIGHT) $(TESTFLAGS) $(RACED)

# Without symbols a test binary links in two thirds of the time; stack traces stay whole.
test race: LIGHT := -ldflags=-s

# Compilers and tests spend a fifth of their time on garbage collection. Tests of memory limits set their own.
test race check: export GOGC ?= 400

# By default, a process with the race detector waits a second before it exits.
race: export GORACE ?= atexit_sleep_ms=20

test-everything: ## Run every test, also on real data and large feeds (half an hour)
	TOWNLINE_EVERYTHING=1 $(GO) test -timeout 120m $(TESTFLAGS) $(MODULES)

rules:
	@unformatted=$$(gofmt -l services pkg proto scripts); \
	if [ -n "$$unformatted" ]; then echo "gofmt these files:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet $(MODULES)
	GOWORK=off $(GO) vet -C scripts/prove
	$(GO) test scripts/house/house_test.go
	$(GO) test scripts/testrun/main.go scripts/testrun/main_test.go

check: rules deploy-check ## Run the linters; check modules, generated files, manifests and API descriptions
	GOWORK=off $(GO) build -C scripts/tools -o $(CURDIR)/.cache/golangci-lint \
		github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	.cache/golangci-lint run $(MODULES)
	cd scripts/prove && GOWORK=off ../../.cache/golangci-lint run
	@for m in proto pkg services scripts/prove; do \
		(cd $$m && GOWORK=off $(GO) mod tidy -diff >/dev/null) || { echo "$$m/go.mod is not tidy: run make tidy"; exit 1; }; \
	done
	GOWORK=off $(GO) test -C scripts/tools -count=1 ./browsers # old browsers can run the pages' scripts, which are small
	scripts/fresh.sh
	scripts/lint-descriptions.sh
	TOWNLINE_CLIENTS=1 $(GO) test -count=1 -run GeneratedClient ./services/council-api

generate: ## Write generated files: protobuf, the demo's minutes, migration Jobs, third-party files of pages
	GOWORK=off $(GO) run -C scripts/tools ./protogen $(CURDIR)/proto
	GOWORK=off $(GO) run -C scripts/tools ./demominutes $(CURDIR)/services/townline/demo/town
	$(GO) generate $(MODULES)
	scripts/deploy-versions.sh
	scripts/web.sh

golden: ## Write what tests compare with: examples, descriptions and golden answers, tables, versions of parsers
	$(GO) test -vet=off -run 'UpServes|Documented' ./services/townline -update
	$(GO) test -vet=off ./services/council-api ./services/transit-api -update
	$(GO) test -vet=off -run GoldenOutput ./services/council-ingest/internal/publish -update

pictures: ## Take the pictures of README.md, from the demo town in a real browser
	@mkdir -p .github/pictures
	TOWNLINE_BROWSER=$${TOWNLINE_BROWSER:-must} TOWNLINE_PICTURES=$(CURDIR)/.github/pictures \
		$(GO) test -vet=off -count=1 -run '^TestPictures$$' ./services/townline/browser

gallery: ## Take pictures of every page in all sizes, and measure each on a slow line; FOLDER=where to write
	TOWNLINE_BROWSER=$${TOWNLINE_BROWSER:-must} TOWNLINE_GALLERY=$(abspath $(FOLDER)) \
		$(GO) test -vet=off -count=1 -timeout 30m -run '^TestGallery$$' ./services/townline/browser

bench: ## Measure imports and reads against the limits of this machine; FEED=a GTFS zip
	scripts/bench.sh

build: $(BINARIES:%=bin/%) ## Build the five services and townline into bin/

# Go decides what is up to date.
.PHONY: $(BINARIES:%=bin/%)
$(BINARIES:%=bin/%): bin/%:
	@GOGC=400 CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-X github.com/townline/townline/pkg/run.Version=$(VERSION)" \
		-o bin/ ./services/$*/cmd/$*

deploy-check: ## Check every rendered overlay and compose.yaml against strict schemas and our rules
	GOWORK=off $(GO) test -C scripts/tools -count=1 ./deploy ./imageroot

deploy-prove: ## Apply every overlay to a real Kubernetes API server, built from source (a minute; longer at first)
	scripts/deploy-prove.sh

image: ## Build and run every service's image and check that it is reproducible; needs buildah, no Docker
	scripts/deploy-image.sh $(SERVICES)

release: ## Make the files of a release from its tag: images, digests, bills of materials, notes; VERSION=v1.2.3
	scripts/release.sh $(VERSION)

deploy-measure: ## Measure the images of make image: size, cold start, memory at rest; FEED=a GTFS zip
	scripts/deploy-measure.sh $(FEED)

consumers: ## Read the exported GTFS and realtime with third-party programs, compare counts; needs npm; FEED=a GTFS zip
	scripts/consumers.sh $(FEED)

prove: ## Run two of each service under load; restart, kill, lose NATS and Postgres, back up, restore (3 minutes)
	scripts/prove.sh

prove-upgrade: ## Run an earlier version and this one side by side over a migration; FROM=revision
	scripts/prove.sh upgrade $(FROM)

# Needs root and Debian. The first run builds Kubernetes: 20 minutes. ARGS=-hold only starts the nodes.
prove-cluster: ## Run the overlays on a Kubernetes of two nodes on this machine, under load (10 minutes)
	scripts/prove-cluster.sh $(ARGS)

tidy: ## Tidy the modules and update go.work.sum
	$(GO) work sync
	@for m in proto pkg services scripts/prove; do (cd $$m && GOWORK=off $(GO) mod tidy); done
