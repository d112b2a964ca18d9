# Builds for machines that Rust's own installation here has no standard library for, with the number engine `pure`.
# Sourced in the root of the repository, by tests/targets/run and packaging/build.
#
# The compiler is Debian's rustc-web, with which the standard library is built from source; both are unpacked below target/,
# not installed. Linkers come from Debian; missing packages are installed, which needs root or sudo.

work=$PWD/target/targets
export CARGO_TARGET_DIR=$work
toolchain=$work/rustc-web

say() {
    echo "${0##*/}: $*" >&2
}

# Installs the packages of commands that are missing: command:package.
need() {
    local missing=() each as_root=()
    for each in "$@"; do
        command -v "${each%%:*}" >/dev/null 2>&1 || missing+=("${each#*:}")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    say "installs ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Unpacks the compiler and the sources of its standard library.
fetch_toolchain() {
    [ -x "$toolchain/rustc" ] && return 0
    mkdir -p "$toolchain"
    say "fetches rustc-web"
    (cd "$toolchain" && apt-get download -qq rustc-web rust-web-src libstd-rust-web-dev \
        "$(apt-cache depends libstd-rust-web-dev | awk '/Depends: libstd-rust-web-/ { print $2 }')" 2>/dev/null)
    for package in "$toolchain"/*.deb; do
        dpkg-deb -x "$package" "$toolchain"
    done
    rm "$toolchain"/*.deb
    # Cargo finds the sources and the libraries from what this prints of itself.
    cat >"$toolchain/rustc" <<SCRIPT
#!/bin/sh
export LD_LIBRARY_PATH=$toolchain/usr/lib/x86_64-linux-gnu
exec $toolchain/usr/bin/rustc "\$@"
SCRIPT
    chmod +x "$toolchain/rustc"
}

# Unpacks LLVM's libunwind, which the standard library links for musl: that of gcc needs more of glibc than the one function
# that is added here.
fetch_unwinder() {
    local folder=$work/musl
    [ -f "$folder/libunwind.a" ] && return 0
    mkdir -p "$folder"
    (cd "$folder" && apt-get download -qq libunwind-14-dev 2>/dev/null && dpkg-deb -x libunwind-14-dev*.deb . && rm ./*.deb)
    cat >"$folder/fprintf.c" <<'SOURCE'
#include <stdarg.h>
#include <stdio.h>
int __fprintf_chk(FILE *file, int flag, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = vfprintf(file, format, arguments);
    va_end(arguments);
    return count;
}
SOURCE
    musl-gcc -c "$folder/fprintf.c" -o "$folder/fprintf.o"
    cp "$folder/usr/lib/llvm-14/lib/libunwind.a" "$folder/unfinished.a"
    ar r "$folder/unfinished.a" "$folder/fprintf.o" 2>/dev/null
    mv "$folder/unfinished.a" "$folder/libunwind.a"
}

# Installs and sets what linking for a target needs.
prepare() {
    case $1 in
        wasm32-unknown-unknown)
            need wasm-ld-22:lld-22
            export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-22
            ;;
        wasm32-wasip1)
            need wasm-ld-22:lld-22
            [ -d /usr/lib/wasm32-wasi ] || need wasi-libc-is-missing:wasi-libc
            export CARGO_TARGET_WASM32_WASIP1_LINKER=wasm-ld-22
            export CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS="-Clink-self-contained=no -Lnative=/usr/lib/wasm32-wasi -Clink-arg=/usr/lib/wasm32-wasi/crt1-command.o"
            ;;
        x86_64-unknown-linux-musl)
            need musl-gcc:musl-tools
            fetch_unwinder
            export CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER=musl-gcc
            export CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_RUSTFLAGS="-Ctarget-feature=+crt-static -Crelocation-model=static -Clink-self-contained=no -Lnative=$work/musl"
            ;;
        x86_64-pc-windows-gnu)
            need x86_64-w64-mingw32-gcc:gcc-mingw-w64-x86-64-posix
            export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUSTFLAGS="-Clink-self-contained=no"
            ;;
    esac
}

# Builds for a target: cross_build TARGET CARGO-ARGUMENTS...
cross_build() {
    local target=$1
    shift
    fetch_toolchain
    prepare "$target"
    say "builds for $target"
    RUSTC=$toolchain/rustc RUSTC_BOOTSTRAP=1 cargo build --quiet --release --locked \
        -Zbuild-std=std,panic_abort --target "$target" --no-default-features "$@"
}
