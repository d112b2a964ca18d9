//! Generates `include/hclvm.h` from the sources of the library. A test compares it with the one that is committed.

use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    std::fs::write(path(), generated())
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn path() -> PathBuf {
    folder().join("include/hclvm.h")
}

fn generated() -> Vec<u8> {
    let config =
        cbindgen::Config::from_file(folder().join("cbindgen.toml")).expect("the configuration is valid");
    let builder = cbindgen::Builder::new().with_config(config).with_src(folder().join("src/lib.rs"));
    let mut header = Vec::new();
    builder.generate().expect("the sources have an interface").write(&mut header);
    header
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_header_is_the_generated_one() {
        let committed = std::fs::read(super::path()).expect("the header is there");
        assert!(
            committed == super::generated(),
            "run `cargo run -p hclvm-c-header` to renew include/hclvm.h"
        );
    }
}
