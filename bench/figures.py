#!/usr/bin/env python3
"""Turns what the benchmarks measured into the tables of docs/performance.md.

`write` puts them between the markers and keeps the instruction counts in instructions.json, unless one
rose too much and `--accept` does not say that this is meant; `check` compares the counts with those kept there.
"""

import datetime
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENT = HERE.parent / "docs" / "performance.md"
COUNTS = HERE / "instructions.json"
RISE_MAX = 0.10

# What is measured; its goal in microseconds; the peer of the same run; what STACK.md measured for the nearest thing.
ROWS = [
    ("shell parse 200 B", 6.0, "brush-parser 200 B", "11.8 µs brush, 21.9 µs tree-sitter"),
    ("shell parse 50 B", None, "brush-parser 50 B", "4.1 µs brush, 5.5 µs tree-sitter"),
    ("shell interpret 200 B", None, None, ""),
    ("shell interpret 50 B", None, None, ""),
    ("decide shell 200 B", 12.0, None, ""),
    ("decide shell 50 B", None, None, ""),
    ("decide shell 200 B from json", None, None, "22.9 µs prototype, with 1000 rules"),
    ("decide shell 50 B from json", None, None, ""),
    ("decide read_file", None, None, "9.6 µs prototype, with JSON and 1000 rules"),
    ("decide write_file", None, None, ""),
    ("decide apply_patch", None, None, ""),
    ("decide edit 1 KiB", None, None, ""),
    ("decide message 300 B", 5.0, None, ""),
    ("decide money 300 B", 5.0, None, ""),
    ("decide schedule 300 B", 5.0, None, ""),
    ("decide delegation 300 B", 5.0, None, ""),
    ("decide grant 300 B", 5.0, None, ""),
    ("decide device 300 B", 5.0, None, ""),
    ("decide browser 300 B", 5.0, None, ""),
    ("decide process 300 B", 5.0, None, ""),
    ("decide memory 300 B", 5.0, None, ""),
    ("decide web 300 B", 5.0, None, ""),
    ("decide unknown 300 B", 5.0, None, ""),
    ("decide python 300 B", 5.0, None, ""),
    ("decide javascript 300 B", 5.0, None, ""),
    ("redact 1 KiB", 3, None, ""),
    ("crisis words 300 B", 3, None, ""),
    ("crisis words 300 B of Russian", 3, None, ""),
    ("crisis words 300 B of Chinese", 3, None, ""),
    ("crisis words 300 B of Japanese", 3, None, ""),
    ("crisis words 300 B of Korean", 3, None, ""),
    ("crisis words 300 B of Arabic", 3, None, ""),
    ("crisis words 300 B of Hindi", 3, None, ""),
    ("crisis words 300 B of Vietnamese", 3, None, ""),
    ("json read 1 KiB", None, "serde_json read 1 KiB", "3.3 µs into a tree"),
    ("canonical 1 KiB", None, "serde_json_canonicalizer 1 KiB", "1.6 µs own writer, 10.8 µs crate"),
    ("digest 1 KiB", None, None, "0.6 µs for SHA-256 alone"),
    ("classify 8 paths", None, None, ""),
]
MEGABYTE_GOAL_MS = 20.0
# A text of 1 MiB, its secrets masked.
TEXT_GOAL_MS = 10

# Warrants, ours and those of the tenuo crate; the goal in microseconds.
WARRANTS = [
    ("verify_strict alone", None),
    ("sign alone", None),
    ("mint", 20.0),
    ("grant", 20.0),
    ("open 1", 46.0),
    ("open 2", 92.0),
    ("open 5", 230.0),
    ("open 8", 368.0),
    ("cached chain of 3, asked", 1.5),
    ("authorize with proof", 60.0),
    ("refuse unknown tool", None),
    ("refuse bad proof", None),
    ("constraints only", None),
]


# What the engine does, on a disk; the figures and their goals come from the run itself.
AT_LEAST = {"/s", "MB/s"}


def engine_rows():
    runs = [json.loads((HERE / "target" / name).read_text()) for name in ("engine.json", "grants.json", "log.json", "http.json", "pages.json")]
    return [row for run in runs for row in run]


def start_rows():
    return json.loads((HERE / "target" / "start.json").read_text())


def engine_goals():
    """The goals that the start of the program and the engine did not reach, in words."""
    goals = []
    for row in start_rows() + engine_rows():
        if row["goal"] is not None and not engine_reached(row):
            goals.append(f"{row['what']}: {amount(row['value'])} {row['unit']} instead of {amount(row['goal'])}")
    return goals


def engine_reached(row):
    return row["value"] >= row["goal"] if row["unit"] in AT_LEAST else row["value"] <= row["goal"]


def amount(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}".rstrip("0").rstrip(".")


def engine_line(row):
    """A line of the engine's table."""
    goal = "" if row["goal"] is None else f"{'≥' if row['unit'] in AT_LEAST else '≤'} {amount(row['goal'])} {row['unit']}"
    verdict = "" if row["goal"] is None else "reached" if engine_reached(row) else "missed"
    return f"| {row['what']} | {amount(row['value'])} {row['unit']} | {goal} | {verdict} | {row['detail']} |"


def counts_measured():
    """Instructions by benchmark, from gungraun's JSON lines."""
    counts = {}
    for line in (HERE / "target" / "instructions.jsonl").read_text().splitlines():
        if not line.startswith("{"):
            continue
        row = json.loads(line)
        total = row["profiles"][0]["data"]["total"]["metrics"]["Ir"]["values"]["new"]
        counts[f"{row['function_name']} {row['id']}"] = total
    return counts


def check():
    """0 if no count rose by more than RISE_MAX."""
    measured, kept = counts_measured(), json.loads(COUNTS.read_text())
    risen = False
    for name in sorted(set(measured) | set(kept)):
        if name not in measured or name not in kept:
            print(f"{name:32} is only in {'the run' if name in measured else 'instructions.json'}")
            risen = True
            continue
        rise = measured[name] / kept[name] - 1
        print(f"{name:32} {kept[name]:>12,} -> {measured[name]:>12,}  {rise:+7.1%}{'  TOO MUCH' if rise > RISE_MAX else ''}")
        risen |= rise > RISE_MAX
    if risen:
        print(f"\nmore than {RISE_MAX:.0%} over bench/instructions.json")
    return int(risen)


def median_ns(group, name):
    """What criterion measured last, in nanoseconds."""
    folder = re.sub(r'[?"/\\*<>:|^]', "_", name)
    estimates = json.loads((HERE / "target" / "criterion" / group / folder / "new" / "estimates.json").read_text())
    return estimates["median"]["point_estimate"]


def fastest_ns(group, name):
    """The fastest sample of it: what is left when nobody else wants the core."""
    folder = re.sub(r'[?"/\\*<>:|^]', "_", name)
    sample = json.loads((HERE / "target" / "criterion" / group / folder / "new" / "sample.json").read_text())
    return min(time / iters for time, iters in zip(sample["times"], sample["iters"]))


def measured_in_group(group):
    """The names of a group's benchmarks, as the code spells them."""
    return sorted(path.parent.parent.name for path in (HERE / "target" / "criterion" / group).glob("*/new/estimates.json"))


def micros(nanos):
    return f"{nanos / 1000:.1f} µs" if nanos < 1e6 else f"{nanos / 1e6:.1f} ms"


def small(nanos):
    return f"{nanos:.0f} ns" if nanos < 1000 else micros(nanos)


def reached(value, goal):
    return "reached" if value <= goal else f"missed, {value / goal:.1f} ×"


def machine():
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")
    cores = sum(line.startswith("processor") for line in open("/proc/cpuinfo"))
    load = (HERE / "target" / "load").read_text().split()[0]
    (taken, all_before), (taken_after, all_after) = [map(int, line.split()) for line in (HERE / "target" / "taken").read_text().splitlines()]
    share = 100 * (taken_after - taken) / max(1, all_after - all_before)
    rustc = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    today = datetime.date.today().isoformat()
    return f"{cpu}, {cores} cores (load {load} after the timed part; the host gave {share:.0f} % of the processors' time to others meanwhile); {rustc}; {today}; `bench/run.sh`"


def missed():
    """The goals that were not reached, in words."""
    goals = [(name, median_ns("ours", name) / 1000, goal, "µs") for name, goal, _, _ in ROWS if goal]
    goals += [(f"1 MiB, {name}", median_ns("megabyte", name) / 1e6, MEGABYTE_GOAL_MS, "ms") for name in measured_in_group("megabyte")]
    goals += rule_goals()
    goals += [(f"1 MiB, {name}", median_ns("text", name) / 1e6, TEXT_GOAL_MS, "ms") for name in measured_in_group("text")]
    goals += [(f"warrant, {name}", median_ns("warrant ours", name) / 1000, goal, "µs") for name, goal in WARRANTS if goal]
    return [f"{name}: {value:.1f} {unit} instead of {goal:g}" for name, value, goal, unit in goals if value > goal] + engine_goals()


def rule_goals():
    """What was measured with rules, with its goals."""
    rows = {(row["what"], row["rules"]): row for row in json.loads((HERE / "target" / "rules.json").read_text())}
    goals = []
    for what, median, slow in [("a shell call of 1 KiB", 20.0, 60.0), ("a message of 300 B", 8.0, None)]:
        thousand = rows[what, 1000]
        goals.append((f"{what}, 1,000 rules", thousand["p50"] / 1000, median, "µs"))
        if slow:
            goals.append((f"{what}, 1,000 rules, p99", thousand["p99"] / 1000, slow, "µs"))
        goals.append((f"{what}, 10,000 rules over 100", rows[what, 10000]["p50"] / rows[what, 100]["p50"], 1.5, "×"))
    goals.append(("1,000 rules loaded", rows["a shell call of 1 KiB", 1000]["load"] / 1e6, 200.0, "ms"))
    return goals


def row(name, goal, peer, stack):
    """A line of the first table."""
    median, fastest = median_ns("ours", name), fastest_ns("ours", name)
    cells = [name, micros(median), micros(fastest), f"{goal:g} µs" if goal else "", reached(median / 1000, goal) if goal else ""]
    if peer:
        peer_fastest = fastest_ns("peers", peer)
        cells += [f"{peer}: {micros(median_ns('peers', peer))}, {micros(peer_fastest)}", f"{peer_fastest / fastest:.1f} × as fast"]
    else:
        cells += ["", ""]
    return f"| {' | '.join([*cells, stack])} |"


def tables():
    not_reached = missed()
    lines = [f"Machine: {machine()}", "", "| what | median | fastest | goal | by the median | peer, same run (median, fastest) | ours is, by the fastest | STACK.md, other machine |", "|---|---|---|---|---|---|---|---|"]
    for name, goal, peer, stack in ROWS:
        lines.append(row(name, goal, peer, stack))
    lines += [row(f"shell parse {size}", None, f"tree-sitter-bash {size}", "") for size in ["200 B", "50 B"]]
    varied = json.loads((HERE / "target" / "varied.json").read_text())
    lines += ["", "Every one of several thousand different commands, timed by itself:", "", "| what | commands | mean length | p50 | p90 | p99 | slowest |", "|---|---|---|---|---|---|---|"]
    for name, times in varied.items():
        lines.append(f"| {name} | {times['commands']} | {times['bytes']} B | {micros(times['p50'])} | {micros(times['p90'])} | {micros(times['p99'])} | {micros(times['max'])} |")
    rules = json.loads((HERE / "target" / "rules.json").read_text())
    lines += ["", "Decisions with rules of every sort, each timed by itself. Goals: with 1,000 rules 20 µs for the shell call (99 of 100 within 60 µs) and 8 µs for others; 10,000 rules at most 1.5 times what 100 cost; 1,000 loaded in 200 ms:", "", "| what | rules | p50 | p99 | fastest | rules loaded in |", "|---|---|---|---|---|---|"]
    for measured in rules:
        lines.append(f"| {measured['what']} | {measured['rules']:,} | {micros(measured['p50'])} | {micros(measured['p99'])} | {micros(measured['fastest'])} | {micros(measured['load'])} |")
    lines += ["", f"A call with one argument of 1 MiB, decided; the goal is {MEGABYTE_GOAL_MS:g} ms:", "", "| shape | median | fastest | by the median |", "|---|---|---|---|"]
    for name in measured_in_group("megabyte"):
        ours = median_ns("megabyte", name)
        lines.append(f"| {name} | {micros(ours)} | {micros(fastest_ns('megabyte', name))} | {reached(ours / 1e6, MEGABYTE_GOAL_MS)} |")
    lines += ["", f"A text of 1 MiB, masked; the goal is {TEXT_GOAL_MS:g} ms:", "", "| text | median | fastest | by the median |", "|---|---|---|---|"]
    for name in measured_in_group("text"):
        median, fastest = median_ns("text", name), fastest_ns("text", name)
        lines.append(f"| {name} | {median / 1e6:.1f} ms | {fastest / 1e6:.1f} ms | {reached(median / 1e6, TEXT_GOAL_MS)} |")
    lines += ["", "Warrants, beside the `tenuo` crate in the same run. Ours are opened from their bytes, link by link and strictly; the peer's are decoded already and verified in a batch:", "", "| what | median | fastest | goal | by the median | tenuo (median, fastest) | ours is, by the fastest |", "|---|---|---|---|---|---|---|"]
    peers = measured_in_group("warrant tenuo")
    for name, goal in WARRANTS:
        median, fastest = median_ns("warrant ours", name), fastest_ns("warrant ours", name)
        cells = [name, small(median), small(fastest), f"{goal:g} µs" if goal else "", reached(median / 1000, goal) if goal else ""]
        if name in peers:
            peer = fastest_ns("warrant tenuo", name)
            cells += [f"{small(median_ns('warrant tenuo', name))}, {small(peer)}", f"{peer / fastest:.1f} × as fast"]
        else:
            cells += ["", ""]
        lines.append(f"| {' | '.join(cells)} |")
    alone = fastest_ns("warrant ours", "verify_strict alone")
    ratios = [f"{fastest_ns('warrant ours', f'open {links}') / links / alone:.2f}" for links in (1, 2, 5, 8)]
    lines += ["", f"One strict verification alone takes {small(alone)} at its fastest here; a link of a chain of 1, 2, 5 and 8 costs {', '.join(ratios)} times that, with its keys, its bytes and its scope read."]
    lines += ["", f"**Not reached** by the median: {'; '.join(not_reached)}." if not_reached else "Every goal is reached."]
    lines += ["", "Instructions, which `bench/run.sh --check` holds to within a tenth:", "", "| what | instructions |", "|---|---|"]
    lines += [f"| {name} | {count:,} |" for name, count in counts_measured().items()]
    lines += ["", "### The program", "", "From its start to its end, as a hook runs it once for every call, with all rules that come with Placet. The first is what a program costs that decides nothing:", "", "| what | measured | goal | | |", "|---|---|---|---|---|"]
    lines += [engine_line(measured) for measured in start_rows()]
    lines += ["", "### The engine", "", "A decision leaves only when its record is on the disk, so these depend on the disk of the machine above. All rules that come with Placet are loaded:", "", "| what | measured | goal | | |", "|---|---|---|---|---|"]
    lines += [engine_line(measured) for measured in engine_rows()]
    return "\n".join(lines)


def write():
    start, end = "<!-- figures -->", "<!-- end of figures -->"
    before, rest = DOCUMENT.read_text().split(start, 1)
    _, after = rest.split(end, 1)
    DOCUMENT.write_text(f"{before}{start}\n{tables()}\n{end}{after}")
    # A rise is not recorded by the way: somebody has to want it.
    risen = check() if COUNTS.exists() else 0
    if risen and "--accept" not in sys.argv:
        print(f"wrote {DOCUMENT}; kept {COUNTS}, which `bench/run.sh --accept` replaces")
        return 1
    COUNTS.write_text(json.dumps(counts_measured(), indent=2) + "\n")
    print(f"wrote {DOCUMENT} and {COUNTS}")
    return 0


if __name__ == "__main__":
    commands = {"check": check, "write": write}
    if sys.argv[1:2] and sys.argv[1] in commands:
        sys.exit(commands[sys.argv[1]]())
    sys.exit("usage: figures.py check|write")
