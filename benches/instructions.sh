#!/usr/bin/env bash
# Counts instructions per evaluation with callgrind and compares them with budgets; then two ratios:
# policy-condition with every inline cache missing, and for-filter over 100,000 elements.
# usage: benches/instructions.sh [--functions] [workload...]
#   --functions   also list the functions in which the instructions are spent (inclusive)
# PROFILE=release builds faster and counts more: the budgets apply to the bench profile.
# Exits with 1 if a budget is exceeded. Callgrind's files are kept in target/instructions.
set -euo pipefail
cd "$(dirname "$0")/.."

functions=no
if [ "${1:-}" = --functions ]; then functions=yes; shift; fi
workloads=("$@")
if [ $# -eq 0 ]; then workloads=(W1 W2 W2b W3 W4 W5 W6 W7 W8 W8-rules W9 W10 shifting growth); fi

# The budget of a workload, a little above its present count.
budget() {
    case "$1" in
        W1) echo 325 ;; W2) echo 350 ;; W3) echo 27500 ;; W4) echo 26200 ;; W5) echo 2150 ;;
        W6) echo 1420 ;; W7) echo 265 ;; W8) echo 51500 ;; W9) echo 1100000 ;;
        W8-rules) echo 31000 ;; *) echo - ;;
    esac
}

# A multiple of the 64 scopes, so that each counts equally often.
evaluations() {
    case "$1" in W9) echo 8 ;; W3-*) echo 2 ;; W3 | W4 | W8 | W8-rules) echo 64 ;; *) echo 640 ;; esac
}

# The name of a workload in the program.
name() {
    case "$1" in
        W1*) echo "policy-condition${1#W1}" ;; W2) echo arithmetic ;; W2b) echo fractions ;;
        W3*) echo "for-filter${1#W3}" ;; W4) echo object-for ;; W5) echo splat ;; W6) echo template ;;
        W7) echo switch ;; W8-rules) echo rule-set ;; W8*) echo "attribute-body${1#W8}" ;;
        W9) echo compile ;; *) echo "json-decision${1#W10}" ;;
    esac
}

profile=${PROFILE:-bench}
cargo build --quiet --profile "$profile" -p hclvm-workloads --example instructions
program=${CARGO_TARGET_DIR:-target}/release/examples/instructions
out=${CARGO_TARGET_DIR:-target}/instructions
mkdir -p "$out"

# Instructions of a whole run.
count() {
    valgrind --tool=callgrind --callgrind-out-file="$out/$1.$2" "$program" "$(name "$1")" "$2" 2>&1 |
        sed -n 's/.*Collected : //p'
}

# Instructions of one evaluation: both runs contain the preparation, so their difference does not.
each() {
    local times once twice
    times=$(evaluations "$1")
    once=$(count "$1" "$times")
    twice=$(count "$1" $((2 * times)))
    echo $(((twice - once) / times))
}

over=0
# Prints a line with a figure and its budget.
line() {
    local note=
    if [ "$3" != - ] && [ "$2" -gt "$3" ]; then note="over budget"; over=1; fi
    printf '%-28s %12d %10s %s\n' "$1" "$2" "$3" "$note"
}

printf '%-28s %12s %10s\n' "" instructions budget
for workload in "${workloads[@]}"; do
    case "$workload" in
        shifting)
            # Evaluations in which every inline cache misses may cost 2.5 times as much.
            line "hints that miss, % of W1" $((100 * $(each W1-shifting) / $(each W1))) 250
            ;;
        growth)
            # An element of a hundred times more may cost 15 % more.
            few=$(each W3-1000)
            many=$(each W3-100000)
            line "W3: 100,000 / 1,000, %" $((many / few)) 115
            ;;
        *)
            line "$workload" "$(each "$workload")" "$(budget "$workload")"
            if [ "$functions" = yes ]; then
                callgrind_annotate --inclusive=yes "$out/$workload.$((2 * $(evaluations "$workload")))" |
                    grep -E '^ *[0-9,]+ \(' | head -40
            fi
            ;;
    esac
done
exit "$over"
