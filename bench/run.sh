#!/usr/bin/env bash
# Measures, and writes the figures into docs/performance.md and bench/instructions.json.
#
#   bench/run.sh           wall time (criterion) and instruction counts (callgrind), then the document
#   bench/run.sh --accept  the same, and a count that rose by more than a tenth becomes the new figure to hold
#   bench/run.sh --check   instruction counts only: 1 if one rose by more than a tenth of the committed figure
set -euo pipefail
cd "$(dirname "$0")"
runner=0.20.0 # the version of gungraun in Cargo.toml

case ${1:-} in
  '' | --check | --accept) ;;
  *)
    echo "usage: bench/run.sh [--check | --accept]" >&2
    exit 2
    ;;
esac
if ! command -v valgrind >/dev/null; then
  echo "instruction counts need valgrind: apt-get install valgrind" >&2
  exit 2
fi
if [ "$(gungraun-runner --version 2>/dev/null)" != "gungraun-runner $runner" ]; then
  cargo install gungraun-runner --version "$runner" --locked
fi

mkdir -p target
cargo bench --bench instructions -- --output-format=json >target/instructions.jsonl
if [ "${1:-}" = --check ]; then
  exec python3 figures.py check
fi
# What the host gives to others while we measure is time that nothing here can account for.
taken() { awk '/^cpu /{all=0; for (i=2; i<=9; i++) all+=$i; print $9, all}' /proc/stat; }
taken >target/taken
cargo bench --bench wall -- --noplot
cargo bench --bench hostile
cargo bench --bench warrant -- --noplot
cargo bench --bench engine
cargo bench --bench grants
cargo bench --bench log
cargo build --release --package placet --manifest-path ../Cargo.toml --target-dir ../target
PLACET=$(cd .. && pwd)/target/release/placet cargo bench --bench start
cargo bench --bench http
PLACET=$(cd .. && pwd)/target/release/placet cargo bench --bench pages
taken >>target/taken
cp /proc/loadavg target/load
exec python3 figures.py write "$@"
