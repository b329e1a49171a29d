# `make` shows what there is to do.
.PHONY: help run tour test lint deny bench fuzz soak score clean

help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## Serve at 127.0.0.1:8080; it says what to try next.
	cargo build --release --package placet
	@target/release/placet serve

tour: ## A short tour of what Placet understands.
	cargo build --release --package placet
	@examples/tour.sh target/release/placet

test: lint ## Everything that must hold before a change lands.
	.ci/browser
	cargo nextest run --workspace --no-fail-fast
	cargo nextest run --package placet-server --features opentelemetry telemetry
	cargo test --doc --workspace --quiet

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- --deny warnings
	cargo clippy --package placet --features opentelemetry -- --deny warnings

deny: ## Which crates, licences and sources may be in the tree (needs cargo-deny).
	cargo deny check bans licenses sources

bench: ## Measure, and compare with the limits in docs/performance.md.
	bench/run.sh

fuzz: ## Fuzz each parser for a minute (FUZZ_SECONDS=600 for longer).
	fuzz/run.sh

soak: ## Kill the engine fifty times under load, then simulate for five minutes (SOAK_ROUNDS=500 SOAK_SECONDS=3600 for longer).
	PLACET_SOAK_ROUNDS=$(or $(SOAK_ROUNDS),50) cargo nextest run --release --package placet-engine --no-capture crash::nothing
	PLACET_SIMULATE_SECONDS=$(or $(SOAK_SECONDS),300) cargo nextest run --release --package placet-engine --no-capture simulation

score: ## Score the judgement on labelled commands from elsewhere (EVAL=DIR with score.py).
	cargo build --release --package placet
	python3 $(EVAL)/score.py --placet target/release/placet commands

clean:
	cargo clean
