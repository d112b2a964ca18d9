#!/usr/bin/env bash
# Runs one target, or all of them one after the other, for the given seconds each.
# usage: fuzz/run.sh parse|evaluate|json|update|format|load|lsp|all SECONDS [libFuzzer options]
set -euo pipefail
cd "$(dirname "$0")"
which=$1
seconds=$2
shift 2
[ "$which" = all ] && targets="parse evaluate json update format load lsp" || targets=$which
# AddressSanitizer's frames are several times larger, so a thousand levels of nesting need a larger stack.
ulimit -s 65536 2>/dev/null || true
for target in $targets; do
    mkdir -p "corpus/$target" "artifacts/$target"
    case $target in
        evaluate) longest=600 ;;
        *) longest=4096 ;;
    esac
    ASAN_OPTIONS=detect_leaks=0 "target/x86_64-unknown-linux-gnu/release/$target" "corpus/$target" \
        -dict=hcl.dict -artifact_prefix="artifacts/$target/" -max_len=$longest -timeout=20 \
        -rss_limit_mb=2048 -max_total_time="$seconds" -print_final_stats=1 "$@"
done
