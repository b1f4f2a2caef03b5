# Daybook's targets. Every one but `deps` runs `deps` first; it does nothing where all is there.

CONFIG ?= release
BIN := .build/$(CONFIG)
PORT ?= 8080
DATA ?= daybook-data
PACKAGES := libsqlite3-dev librdkafka-dev libmicrohttpd-dev libssl-dev
LAYERING := --explicit-target-dependency-import-check error

.PHONY: help deps build demo run test test-checker test-kafka test-compose bench format lint clean

help:
	@echo "make demo          build, walk through the whole job on a free port, exit 0"
	@echo "make run           build and keep Daybook running on port $(PORT), data in $(DATA)"
	@echo "make test          lint, layering, every test suite with its count"
	@echo "make test-kafka    the suites on a real broker: the one of DAYBOOK_TEST_KAFKA, or one that docker starts"
	@echo "make test-checker  plant six faults and see the checker find each"
	@echo "make test-compose  deploy compose.yaml, kill, wipe and secure it (needs docker)"
	@echo "make bench         measure, each figure beside its floor from the same run"
	@echo "make format        format the sources"
	@echo "make deps          install the missing Debian packages"

deps:
	@missing=""; for p in $(PACKAGES); do dpkg -s $$p >/dev/null 2>&1 || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then \
	  sudo=""; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	  echo "installing$$missing"; $$sudo apt-get update -qq && $$sudo apt-get install -y -qq $$missing; \
	fi
	@command -v swift >/dev/null || { echo "Swift 6.2 or newer is not on the PATH; see https://swift.org/install"; exit 1; }

build: deps
	swift build -c $(CONFIG) --product daybook

demo: build
	@Tests/demo $(BIN)/daybook

run: build
	$(BIN)/daybook up --data $(DATA) --port $(PORT)

lint: deps
	swift format lint --strict --parallel --recursive Package.swift Shared Services Tests

test: lint
	swift build --build-tests $(LAYERING)
	Tests/run-suites

test-checker: deps
	swift build --build-tests
	@Tests/run-suites EndToEndTests.CheckerTests

test-kafka: deps
	swift build --build-tests
	@Tests/with-kafka Tests/run-suites KafkaLogTests EndToEndTests.KafkaEndToEndTests

# COMPOSE names another Compose, such as docker-compose.
test-compose:
	@Tests/compose

bench: build
	$(BIN)/daybook bench

format: deps
	swift format format --in-place --parallel --recursive Package.swift Shared Services Tests

clean:
	rm -rf .build
