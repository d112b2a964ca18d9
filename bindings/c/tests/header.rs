//! The header is the one that cbindgen generates.

use std::path::Path;

#[test]
fn the_header_is_generated() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).expect("the configuration is valid");
    let bindings = cbindgen::Builder::new().with_config(config).with_src(folder.join("src/lib.rs"));
    let mut generated = Vec::new();
    bindings.generate().expect("the sources have an interface").write(&mut generated);
    let generated = String::from_utf8(generated).expect("a header is text");
    let path = folder.join("include/hclvm.h");
    if std::env::var_os("REGENERATE").is_some() {
        std::fs::write(&path, &generated).expect("the header is written");
    }
    let committed = std::fs::read_to_string(&path).expect("the header is there");
    assert!(committed == generated, "run `REGENERATE=1 cargo test -p hclvm-c` to renew include/hclvm.h");
}
