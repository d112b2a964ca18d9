#!/usr/bin/env bash
# Instructions per evaluation against their budgets, counted by callgrind.
# usage: benches/instructions.sh [--functions] [workload...]
#   --functions   also lists the functions in which the instructions are spent (inclusive)
# PROFILE=release builds faster and counts more: the budgets are for the bench profile.
# Ends with 1 if a budget is exceeded. Files stay in target/instructions.
set -euo pipefail
cd "$(dirname "$0")/.."

functions=no
if [ "${1:-}" = --functions ]; then functions=yes; shift; fi
workloads=("$@")
if [ $# -eq 0 ]; then workloads=(W1 W2 W2b W3 W4 W5 W6 W7 W8 W9 W10); fi

budget() {
    case "$1" in
        W1) echo 450 ;; W2) echo 420 ;; W3) echo 30000 ;; W4) echo 40000 ;; W5) echo 3400 ;;
        W6) echo 2100 ;; W7) echo 600 ;; W8) echo 52000 ;; *) echo - ;;
    esac
}

# A multiple of the 64 scopes, so that each counts equally often.
evaluations() {
    case "$1" in W9) echo 8 ;; W3 | W4 | W8) echo 64 ;; *) echo 640 ;; esac
}

cargo build --quiet --profile "${PROFILE:-bench}" -p hclvm-workloads --example instructions
program=target/release/examples/instructions
out=target/instructions
mkdir -p "$out"

# Instructions of a whole run.
count() {
    valgrind --tool=callgrind --callgrind-out-file="$out/$1.$2" "$program" "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : //p'
}

over=0
printf '%-5s %12s %10s\n' "" instructions budget
for workload in "${workloads[@]}"; do
    times=$(evaluations "$workload")
    once=$(count "$workload" "$times")
    twice=$(count "$workload" $((2 * times)))
    each=$(((twice - once) / times))
    limit=$(budget "$workload")
    note=
    if [ "$limit" != - ] && [ "$each" -gt "$limit" ]; then note="over budget"; over=1; fi
    printf '%-5s %12d %10s %s\n' "$workload" "$each" "$limit" "$note"
    if [ "$functions" = yes ]; then
        callgrind_annotate --inclusive=yes "$out/$workload.$((2 * times))" | grep -E '^ *[0-9,]+ \(' | head -40
    fi
done
exit "$over"
