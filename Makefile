# Shortcuts for the CMake presets. `make help` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
JOBS ?= $(shell nproc)
# parallel tests: about half of them wait for clocks and peers
TESTS ?= $(shell echo $$((2 * $(JOBS))))
INSTALL ?= yes
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
RUN := build/bin/vernier

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-13s %s\n", $$1, $$2 }'

packages: ## install what is missing to build (packages.txt); asks nothing
	@if [ "$(INSTALL)" = yes ]; then tools/install_packages; fi

test-packages: ## the same, with what only tests and checks need
	@if [ "$(INSTALL)" = yes ]; then tools/install_packages test; fi

build: packages ## build the program: build/bin/vernier
	@[ -f build/build.ninja ] || cmake --preset release >/dev/null
	@cmake --build build -j $(JOBS) --target vernier

install: packages ## install program, library and manual page into PREFIX (/usr/local)
	@[ -f build/build.ninja ] || cmake --preset release >/dev/null
	@cmake --build build -j $(JOBS) --target installable
	@tools/install build "$(PREFIX)"

uninstall: ## remove from PREFIX what `make install` put there
	@tools/uninstall "$(PREFIX)"

demo: build ## run the main scenario and show its result
	@$(RUN) demo

epos: build ## the EPOS experiment: simulator and robot facility in real time, pictures and table
	@missions/epos/run.py --vernier $(RUN)

robot: build ## the flexible space robot of Attolico and Masarati: figures 1, 2, 4 to 8, table, real time
	@missions/flexible-robot/run.py --vernier $(RUN)

spacefom: build ## Earth, Moon and a vehicle in a federation of simulators, and a late watcher
	@missions/spacefom/run.py --vernier $(RUN)

test: test-packages ## build everything and pass all tests
	@[ -f build/build.ninja ] || cmake --preset release >/dev/null
	@cmake --build build -j $(JOBS)
	@ctest --test-dir build -j $(TESTS) --output-on-failure --timeout 900
	@tools/sanitized $(JOBS)

sanitize: test-packages ## more tests under sanitizers than `make test` runs, which takes longer
	@tools/sanitized more $(JOBS)

quick: test-packages ## the tests of the modules alone, in under two minutes once built
	@[ -f build/build.ninja ] || cmake --preset release >/dev/null
	@cmake --build build -j $(JOBS)
	@ctest --test-dir build -j $(TESTS) --output-on-failure --timeout 900 -LE slow

bench: test-packages ## measure the figures that docs/ quotes
	@[ -f build/build.ninja ] || cmake --preset release >/dev/null
	@cmake --build build -j $(JOBS) --target vernier benchmarks
	@benchmarks/all build

soak: test-packages ## for long: 10000 RSP experiments, 12 simulated hours with mishaps; runs on nodes that are moved and killed, with their composer and registry
	@[ -f build/build.ninja ] || cmake --preset release >/dev/null
	@cmake --build build -j $(JOBS) --target vernier rsp_soak distribution_soak
	@build/bin/distribution_soak
	@tests/distribution/soak.py $(RUN) .
	@build/bin/rsp_soak

check: test-packages ## format, names and likely mistakes (clang-tidy), includes, links in the documents
	@tools/check

fuzz: test-packages ## fuzz every reader and decoder, FUZZ_SECONDS each
	@tools/fuzz $(FUZZ_SECONDS)

pictures: test-packages build ## make the pictures of the desktop again: docs/pictures/desktop, missions/*/picture.webp
	@for part in modules pictures; do tests/web/run $$part "$(CURDIR)" "$(CURDIR)/build"; done

mutations: test-packages ## plant mistakes in the multibody kernel: its tests must find each
	@[ -f build/build.ninja ] || cmake --preset release >/dev/null
	@cmake --build build -j $(JOBS) --target multibody_test
	@tools/mutations.py build

clean: ## remove what was built
	rm -rf build

.PHONY: help packages test-packages build install uninstall demo epos robot spacefom test sanitize quick bench soak check fuzz pictures mutations clean
