#!/usr/bin/env bash
# Fuzzes every target for FUZZ_SECONDS each (60 unless told), or those named as arguments. `shells` is one of them: it runs real shells.
# Ends with 1 if anything was found (the input that shows it lies in fuzz/artifacts/TARGET/) or a target did not finish.
set -uo pipefail
cd "$(dirname "$0")"
seconds=${FUZZ_SECONDS:-60}
# The toolchain with the sanitizers; any nightly does.
toolchain=${FUZZ_TOOLCHAIN:-nightly}

if ! cargo "+$toolchain" --version >/dev/null 2>&1; then
  echo "fuzzing needs the \`$toolchain\` toolchain: rustup toolchain install $toolchain" >&2
  exit 2
fi
if ! cargo fuzz --version >/dev/null 2>&1; then
  cargo install cargo-fuzz --version 0.13.2 --locked || exit 2
fi

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  mapfile -t targets < <(cargo "+$toolchain" fuzz list)
  targets+=(shells)
fi

# Longer inputs find what is slow, shorter ones find what is wrong.
max_len() {
  case $1 in
    json_read | canonical | tool_call | tool_definition) echo 2048 ;;
    warrant) echo 4096 ;;
    path) echo 256 ;;
    *) echo 1024 ;;
  esac
}

if [ "${targets[*]}" != shells ]; then
  cargo "+$toolchain" fuzz build || exit 2
fi
summary=()
found=0
for target in "${targets[@]}"; do
  if [ "$target" = shells ]; then
    # No fuzzer of bytes: what is let pass is run by real shells, each for so long. SHELL_SEED repeats a run.
    log=$(mktemp)
    if (cd shells && cargo run --quiet --release -- --seconds "$seconds" --seed "${SHELL_SEED:-$(date +%s)}") | tee "$log"; then
      rm -f "$log"
      summary+=("shells         no hole")
    else
      summary+=("shells         FOUND (log: $log)")
      found=1
    fi
    continue
  fi
  mkdir -p "corpus/$target"
  # Checks make everything some fifty times slower than a release build; what takes a second is shown, 30 is a finding.
  options=("-max_total_time=$seconds" "-max_len=$(max_len "$target")" -report_slow_units=1 -timeout=30
    -rss_limit_mb=2048 -print_final_stats=1)
  case $target in
    shell | decide_shell | tool_call | unknown_tool) options+=(-dict=dictionaries/shell.dict) ;;
  esac
  log=$(mktemp)
  printf '%-14s ' "$target"
  if cargo "+$toolchain" fuzz run "$target" "corpus/$target" "seeds/$target" -- "${options[@]}" >"$log" 2>&1; then
    result=ok
    rm_log=yes
  else
    # Only an input that was kept is a finding; a fuzzer that was killed or never ran says nothing about the code.
    artifact=$(grep -oE 'artifacts/[^ ]*/(crash|leak|oom|slow-unit|timeout)-[^ ]+' "$log" | tail -n 1)
    if [ -n "$artifact" ]; then
      result="FOUND $artifact (log: $log)"
    else
      result="DID NOT FINISH: $(grep -m 1 '^Error:' "$log") (log: $log)"
    fi
    rm_log=no
    found=1
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
  slowest=$(sed -n 's/^stat::slowest_unit_time_sec: *//p' "$log" | tail -n 1)
  case $slowest in 0) slowest="under 1 s" ;; *) slowest="${slowest:-?} s" ;; esac
  features=$(grep -o 'ft: [0-9]*' "$log" | tail -n 1)
  line="${runs:-?} runs, ${features:-ft: ?}, slowest $slowest, $result"
  echo "$line"
  summary+=("$(printf '%-14s %s' "$target" "$line")")
  [ "$rm_log" = yes ] && rm -f "$log"
done

echo
echo "fuzzed ${#targets[@]} targets for $seconds s each:"
printf '  %s\n' "${summary[@]}"
exit "$found"
