#!/usr/bin/env bash
# Builds the fuzz targets with coverage instrumentation and AddressSanitizer.
# usage: fuzz/build.sh [--no-asan]
set -euo pipefail
cd "$(dirname "$0")"
flags="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Ccodegen-units=16"
[ "${1:-}" = --no-asan ] || flags="$flags -Zsanitizer=address"
# Without a nightly compiler, the stable one is told to accept these flags.
if rustup toolchain list 2>/dev/null | grep -q nightly; then
    cargo="cargo +nightly"
else
    cargo=cargo
    export RUSTC_BOOTSTRAP=1
fi
# An explicit --target keeps the flags away from build scripts.
RUSTFLAGS="$flags" $cargo build --release --target x86_64-unknown-linux-gnu
