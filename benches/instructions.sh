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
if [ $# -eq 0 ]; then
    workloads=(policy-condition arithmetic fractions for-filter object-for splat template switch
        attribute-body rule-set compile json-decision shifting growth)
fi

# The budget of a workload, a little above its present count.
budget() {
    case "$1" in
        policy-condition) echo 325 ;; arithmetic) echo 350 ;; for-filter) echo 27500 ;;
        object-for) echo 26200 ;; splat) echo 2150 ;; template) echo 1420 ;; switch) echo 265 ;;
        attribute-body) echo 51500 ;; rule-set) echo 31000 ;; compile) echo 1100000 ;; *) echo - ;;
    esac
}

# A multiple of the 64 scopes, so that each counts equally often.
evaluations() {
    case "$1" in
        compile) echo 8 ;; for-filter-*) echo 2 ;;
        for-filter | object-for | attribute-body | rule-set) echo 64 ;; *) echo 640 ;;
    esac
}

profile=${PROFILE:-bench}
cargo build --quiet --profile "$profile" -p hclvm-workloads --example instructions
program=${CARGO_TARGET_DIR:-target}/release/examples/instructions
out=${CARGO_TARGET_DIR:-target}/instructions
mkdir -p "$out"

# Instructions of a whole run.
count() {
    valgrind --tool=callgrind --callgrind-out-file="$out/$1.$2" "$program" "$1" "$2" 2>&1 |
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
            line "inline cache misses, %" $((100 * $(each policy-condition-shifting) / $(each policy-condition))) 250
            ;;
        growth)
            # An element of a hundred times more may cost 15 % more.
            few=$(each for-filter-1000)
            many=$(each for-filter-100000)
            line "for-filter: 100000 / 1000, %" $((many / few)) 115
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
