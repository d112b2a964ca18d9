//! The function tables of applications and the capabilities they need. The common functions are in
//! functions.rs; the names of the tables and examples of their documentation are compared in tests/harness.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use hclvm::functions::capability::{FixedClock, Secrets};
use hclvm::functions::{Capabilities, FunctionTable, nomad, opentofu, packer};
use hclvm::value::View;
use hclvm::{Engine, Layout, Limits};
use tempfile::TempDir;

/// Evaluates an expression: a string as it is, any other value as `{:?}` shows it, or the detail of its
/// first error.
fn outcome(engine: &Engine, text: &str) -> String {
    let layout = Arc::new(Layout::default());
    let program = match engine.compile(text, &layout) {
        Ok(program) => program,
        Err(error) => return error.to_string(),
    };
    let scope = engine.scope(&layout);
    let mut session = engine.session();
    match session.run(&program, &scope) {
        Ok(value) => match value.view() {
            View::String(text) => text.to_owned(),
            _ => format!("{value:?}"),
        },
        Err(error) => match error.diagnostics().and_then(|found| found.iter().next()) {
            Some(first) => first.detail.to_string(),
            None => error.to_string(),
        },
    }
}

fn engine(table: FunctionTable) -> Engine {
    Engine::builder().functions(table).build()
}

/// A clock fixed at 2026-11-20T09:08:07.5Z.
fn granted(directory: &Path) -> Capabilities {
    let variables = BTreeMap::from([("HOME", "/home/ann"), ("COLOR", "blue")]);
    let variables: BTreeMap<String, String> =
        variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Capabilities::none()
        .directory(directory)
        .environment(variables)
        .clock(FixedClock(UNIX_EPOCH + Duration::from_millis(1_795_165_687_500)))
        .random(|bytes: &mut [u8]| bytes.fill(0xA5))
        .secrets(Notes)
}

/// A store of secrets that returns a description of each request.
struct Notes;

impl Secrets for Notes {
    fn aws(&self, name: &str, key: Option<&str>) -> Result<String, String> {
        Ok(format!("aws {name} {key:?}"))
    }

    fn aws_raw(&self, name: &str) -> Result<String, String> {
        Ok(format!("raw {name}"))
    }

    fn consul(&self, key: &str) -> Result<String, String> {
        Err(format!("there is no key {key:?}"))
    }

    fn vault(&self, path: &str, key: &str) -> Result<String, String> {
        Ok(format!("vault {path} {key}"))
    }
}

/// Creates a directory with these files, which is removed with the value.
fn directory(files: &[(&str, &str)]) -> TempDir {
    let directory = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("the directory can be made");
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("made");
        fs::write(path, text).expect("written");
    }
    directory
}

#[track_caller]
fn expect(engine: &Engine, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(outcome(engine, text), *expected, "{text}");
    }
}

/// Creates an engine with every capability. Its directory has no files that a test knows.
fn host() -> Engine {
    engine(packer(&granted(Path::new(env!("CARGO_TARGET_TMPDIR")))))
}

#[test]
fn equal_names_may_be_different_functions() {
    let (packer, nomad) = (host(), engine(nomad(&Capabilities::none())));
    expect(
        &packer,
        &[
            (r#"coalesce("", "b")"#, "b"),
            (r#"index(["a", "b"], "b")"#, "1"),
            (r#"length("hello")"#, "5"),
            (r"reverse([1, 2])[0]", "2"),
        ],
    );
    expect(
        &nomad,
        &[
            (r#"coalesce("", "b")"#, ""),
            (r#"index(["a", "b"], 1)"#, "b"),
            (r"length([1, 2])", "2"),
            (r#"reverse("abc")"#, "cba"),
        ],
    );
    for refused in [r#"length("hello")"#, r"reverse([1, 2])", r"length({a = 1})"] {
        let detail = outcome(&nomad, refused);
        assert!(detail.starts_with("The "), "{refused}: {detail}");
    }
}

#[test]
fn missing_capabilities_are_named_in_the_error() {
    let engine = engine(packer(&Capabilities::none()));
    for (text, capability) in [
        (r#"file("x")"#, "files"),
        (r#"fileset(".", "*")"#, "files"),
        (r#"abspath("x")"#, "files"),
        (r#"templatefile("x", {})"#, "files"),
        (r#"env("HOME")"#, "environment"),
        (r#"pathexpand("~/x")"#, "environment"),
        ("timestamp()", "clock"),
        ("legacy_isotime()", "clock"),
        ("uuidv4()", "random"),
        (r#"vault("a", "b")"#, "secrets"),
        (r#"consul_key("a")"#, "secrets"),
    ] {
        let detail = outcome(&engine, text);
        assert!(detail.contains(&format!("capability \"{capability}\"")), "{text}: {detail}");
    }
    expect(
        &engine,
        &[
            (r#"basename("a/b.txt")"#, "b.txt"),
            (r#"dirname("a/b.txt")"#, "a"),
            (r#"pathexpand("a/b")"#, "a/b"),
        ],
    );
}

#[test]
fn files_outside_of_the_directory_are_rejected() {
    let root = directory(&[("inner/a.txt", "héllo"), ("inner/sub/b.txt", "b"), ("secret.txt", "no")]);
    fs::write(root.path().join("inner/raw.bin"), [0xFF, 0xFE]).expect("written");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret.txt", root.path().join("inner/link.txt")).expect("linked");
    let engine = engine(packer(&granted(&root.path().join("inner"))));
    expect(
        &engine,
        &[
            (r#"file("a.txt")"#, "héllo"),
            (r#"file("./sub/../a.txt")"#, "héllo"),
            (r#"fileexists("a.txt")"#, "true"),
            (r#"fileexists("nothing.txt")"#, "false"),
            (r#"jsonencode(fileset(".", "**/*.txt"))"#, r#"["a.txt","sub/b.txt"]"#),
            (r#"jsonencode(fileset(".", "{a,sub/?}.t[a-z]t"))"#, r#"["a.txt","sub/b.txt"]"#),
            (r#"jsonencode(fileset("sub", "*"))"#, r#"["b.txt"]"#),
        ],
    );
    #[cfg(unix)]
    std::os::unix::fs::symlink("sub/b.txt", root.path().join("inner/b.link")).expect("linked");
    #[cfg(unix)]
    std::os::unix::fs::symlink("sub", root.path().join("inner/sub.link")).expect("linked");
    #[cfg(unix)]
    expect(&engine, &[(r#"jsonencode(fileset(".", "*.link"))"#, r#"["b.link"]"#)]);
    for refused in [
        r#"file("../secret.txt")"#,
        r#"file("link.txt")"#,
        r#"file("/etc/passwd")"#,
        r#"fileexists("../secret.txt")"#,
        r#"fileexists("../nothing.txt")"#,
        r#"fileset("..", "*")"#,
    ] {
        let detail = outcome(&engine, refused);
        #[cfg(not(unix))]
        if refused.contains("link") {
            continue;
        }
        assert!(detail.contains("outside of the directory"), "{refused}: {detail}");
    }
    assert!(outcome(&engine, r#"file("raw.bin")"#).contains("UTF-8"));
    assert!(outcome(&engine, r#"fileexists("sub")"#).contains("is a directory"));
    assert!(outcome(&engine, r#"file("nothing.txt")"#).contains("no file"));
}

#[test]
fn template_files_see_only_their_own_variables() {
    let root = directory(&[
        ("hello.tpl", "Hello, ${upper(name)}!\n%{ for n in list ~}\n- ${n}\n%{ endfor ~}\n"),
        ("nested.tpl", "${templatefile(\"hello.tpl\", {})}"),
        ("number.tpl", "${n + 1}"),
        ("broken.tpl", "a\n${"),
        ("heavy.tpl", "%{ for a in n }%{ for b in n }%{ for c in n }x%{ endfor }%{ endfor }%{ endfor }"),
    ]);
    let engine = engine(packer(&granted(root.path())));
    expect(
        &engine,
        &[
            (r#"templatefile("hello.tpl", {name = "ann", list = [1, 2]})"#, "Hello, ANN!\n- 1\n- 2\n"),
            (r#"templatefile("number.tpl", {n = 1})"#, "2"),
        ],
    );
    assert!(outcome(&engine, r#"templatefile("hello.tpl", {name = "x"})"#).contains("hello.tpl:2:"));
    assert!(outcome(&engine, r#"templatefile("nested.tpl", {})"#).contains("cannot render another"));
    assert!(outcome(&engine, r#"templatefile("broken.tpl", {})"#).contains("broken.tpl:2:"));
    assert!(outcome(&engine, r#"templatefile("hello.tpl", {"a b" = 1})"#).contains("\"a b\" cannot be"));
    let small = Limits { fuel: 100_000, ..Limits::default() };
    let limited = Engine::builder().functions(packer(&granted(root.path()))).limits(small).build();
    let result = outcome(&limited, r#"templatefile("heavy.tpl", {n = range(100)})"#);
    assert!(result.contains("more work than its limits allow"), "{result}");
}

#[test]
fn host_functions_use_what_the_host_provides() {
    expect(
        &host(),
        &[
            (r#"env("COLOR")"#, "blue"),
            (r#"env("nothing")"#, ""),
            (r#"pathexpand("~/x")"#, "/home/ann/x"),
            ("timestamp()", "2026-11-20T09:08:07Z"),
            ("uuidv4()", "a5a5a5a5-a5a5-45a5-a5a5-a5a5a5a5a5a5"),
            (r#"vault("secret/a", "b")"#, "vault secret/a b"),
            (r#"aws_secretsmanager("a", null)"#, "aws a None"),
            (r#"aws_secretsmanager("a", "k")"#, "aws a Some(\"k\")"),
            (r#"aws_secretsmanager_raw("a")"#, "raw a"),
        ],
    );
    assert!(outcome(&host(), r#"consul_key("x")"#).contains("there is no key \"x\""));
}

#[test]
fn times_are_formatted_and_parsed() {
    expect(
        &host(),
        &[
            ("legacy_isotime()", "2026-11-20T09:08:07Z"),
            (r#"legacy_isotime("Mon, 02 Jan 2006 15:04:05.000 MST")"#, "Fri, 20 Nov 2026 09:08:07.500 UTC"),
            (
                r#"legacy_isotime("20060102030405 PM -07:00 Z07:00 _2 002")"#,
                "20261120090807 AM +00:00 Z 20 324",
            ),
            (
                r#"legacy_strftime("%Y-%m-%d %H:%M:%S %j %a %B %% %q")"#,
                "2026-11-20 09:08:07 324 Fri November % %q",
            ),
            (
                r#"jsonencode(rfc3339_parse("2024-12-30T23:59:58+01:00"))"#,
                concat!(
                    r#"{"day":30,"hour":23,"iso_week":1,"iso_year":2025,"minute":59,"month":12,"#,
                    r#""month_name":"December","second":58,"unix":1735599598,"weekday":1,"#,
                    r#""weekday_name":"Monday","year":2024,"year_day":365}"#
                ),
            ),
            (r"unix_timestamp_parse(0).rfc3339", "1970-01-01T00:00:00Z"),
            (r#"timeadd("0000-01-01T00:00:00Z", "-1h")"#, "-0001-12-31T23:00:00Z"),
            (r#"timeadd("2024-02-28T00:00:00Z", "24h1m1.5s")"#, "2024-02-29T00:01:01Z"),
            (
                r#"formatdate("EEE D/M/YY H aa 'o''clock' ZZZZ", "2024-02-29T00:30:00-09:30")"#,
                "Thu 29/2/24 12 am o'clock -0930",
            ),
        ],
    );
}

#[test]
fn address_ranges_are_divided() {
    expect(
        &host(),
        &[
            (r#"cidrhost("10.0.0.0/8", -1)"#, "10.255.255.255"),
            (r#"cidrhost("fd00::/64", 18446744073709551615)"#, "fd00::ffff:ffff:ffff:ffff"),
            (r#"cidrnetmask("10.0.0.0/0")"#, "0.0.0.0"),
            (r#"cidrsubnet("10.0.0.0/8", 24, 5)"#, "10.0.0.5/32"),
            (
                r#"jsonencode(cidrsubnets("10.0.0.0/30", 1, 2, 2))"#,
                r#"["10.0.0.0/31","10.0.0.2/32","10.0.0.3/32"]"#,
            ),
            (r#"jsonencode(cidrsubnets("10.0.0.0/30", 2, 1))"#, r#"["10.0.0.0/32","10.0.0.2/31"]"#),
            (r#"jsonencode(cidrsubnets("10.0.0.0/30"))"#, "[]"),
        ],
    );
    let engine = host();
    for (refused, why) in [
        (r#"cidrhost("10.0.0.0/30", 4)"#, "no address numbered 4"),
        (r#"cidrhost("10.0.0.0/30", -5)"#, "no address numbered -5"),
        (r#"cidrhost("10.0.0.0/33", 1)"#, "not a range of addresses"),
        (r#"cidrhost("10.0.0.0/30", 0.5)"#, "whole number"),
        (r#"cidrsubnet("10.0.0.0/30", 3, 0)"#, "0 to 2 bits, not by 3"),
        (r#"cidrsubnet("10.0.0.0/30", 1, 2)"#, "number no range 2"),
        (r#"cidrsubnets("10.0.0.0/30", 1, 1, 1)"#, "no room left"),
        (r#"cidrsubnets("255.255.255.254/31", 1, 1, 1)"#, "no room left"),
        (r#"cidrsubnets("10.0.0.0/30", 0)"#, "by at least one bit"),
    ] {
        let detail = outcome(&engine, refused);
        assert!(detail.contains(why), "{refused}: {detail}");
    }
}

#[cfg(all(feature = "digest", feature = "encoding"))]
#[test]
fn strings_are_encoded_and_hashed() {
    expect(
        &host(),
        &[
            (r#"md5("hello world")"#, "5eb63bbbe01eeed093cb22bb8f5acdc3"),
            (r#"sha1("hello world")"#, "2aae6c35c94fcfb415dbe95f408b9ce91ee846ed"),
            (r#"sha256("")"#, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (r#"substr(sha512("hello world"), 0, 16)"#, "309ecc489c12d6eb"),
            (r#"uuidv5("oid", "1.3.6.1.4")"#, "af9d40a5-7a36-5c07-b23a-851cd99fbfa5"),
            (
                r#"uuidv5("743ac3c0-3bf7-4a5b-9e6c-59360447c757", "LIBS:diskfont.library")"#,
                "ede1a974-df7e-5f17-84b9-76208818b2c8",
            ),
            (r#"base64encode("héllo")"#, "aMOpbGxv"),
            (r#"base64decode("aMOp\nbGxv")"#, "héllo"),
            (r#"urlencode("a b/ü~.")"#, "a+b%2F%C3%BC~."),
        ],
    );
    let engine = host();
    for refused in [r#"base64decode("a")"#, r#"base64decode("aMOp bGxv")"#, r#"base64decode("/w==")"#] {
        assert!(outcome(&engine, refused).starts_with("The "), "{refused}");
    }
}

#[cfg(feature = "yaml")]
#[test]
fn yaml_is_read_and_written() {
    expect(
        &host(),
        &[
            (
                r#"jsonencode(yamldecode("{a: &foo [1, 2.5, 0x1F, 0o17], b: *foo}"))"#,
                r#"{"a":[1,2.5,31,15],"b":[1,2.5,31,15]}"#,
            ),
            (
                r#"jsonencode(yamldecode("a: yes\nb: ~\nc: 'yes'\nd: !!str 12\ne: 2006-1-2\n1: x\n"))"#,
                r#"{"1":"x","a":true,"b":null,"c":"yes","d":"12","e":"2006-01-02T00:00:00Z"}"#,
            ),
            (
                r#"jsonencode(yamldecode("x: &x {a: 1, b: 2}\nz: {b: 3, <<: *x}\n"))"#,
                r#"{"x":{"a":1,"b":2},"z":{"a":1,"b":3}}"#,
            ),
            (r#"jsonencode(yamldecode(""))"#, "null"),
            (r#"yamldecode("|\n  a\n  b\n")"#, "a\nb\n"),
            (
                r"yamlencode({foo = [1, {a = 1, b = null}, [2, []], {}], bar = true})",
                "\"bar\": true\n\"foo\":\n- 1\n- \"a\": 1\n  \"b\": null\n- - 2\n  - []\n- {}\n",
            ),
            (
                r#"yamlencode({a = "x\ny", b = {c = " x\n\ny\n"}})"#,
                "\"a\": |-\n  x\n  y\n\"b\":\n  \"c\": |2\n     x\n\n    y\n",
            ),
            (r"yamlencode(1)", "1\n...\n"),
            (r#"yamlencode("a\tb\"")"#, "\"a\\tb\\\"\"\n"),
            (r"yamlencode([])", "[]\n"),
            (
                r#"yamlencode({a = join(" ", [for n in range(30) : "word"])})"#,
                "\"a\": \"word word word word word word word word word word word word word word word word\n  word word word word word word word word word word word word word word\"\n",
            ),
        ],
    );
    let engine = host();
    for (refused, why) in [
        (r#"yamldecode("{a: &foo [1, *foo, 3]}")"#, "inside its own definition"),
        (r#"yamldecode("a\n---\nb\n")"#, "only one document"),
        (r#"yamldecode(".nan")"#, "not a number"),
        (r#"yamldecode("[1, 2")"#, "line"),
        (r#"yamldecode("!!nope x")"#, "not supported"),
        (r#"yamldecode("? [a]\n: b")"#, "must be a text"),
    ] {
        let detail = outcome(&engine, refused);
        assert!(detail.contains(why), "{refused}: {detail}");
    }
    // A text with recursive aliases takes little memory.
    let laughs: String = (1..30)
        .fold("a0: &a0 [x, x]\n".to_owned(), |text, n| format!("{text}a{n}: &a{n} [*a{0}, *a{0}]\n", n - 1));
    let quoted = laughs.replace('\n', "\\n");
    assert_eq!(outcome(&engine, &format!("length(keys(yamldecode(\"{quoted}\")))")), "30");
}

#[cfg(all(feature = "bcrypt", feature = "charset", feature = "compression"))]
#[test]
fn expensive_functions_are_charged() {
    let engine = host();
    assert!(outcome(&engine, r#"bcrypt("secret", 4)"#).starts_with("$2a$04$"));
    assert!(outcome(&engine, r#"bcrypt("secret", 31)"#).contains("more work"));
    assert!(outcome(&engine, r#"base64gzip("hello")"#).starts_with("H4sIAAAAAAAA/"));
    expect(
        &engine,
        &[
            (r#"textencodebase64("hi", "UTF-16LE")"#, "aABpAA=="),
            (r#"textdecodebase64("aABpAA==", "UTF-16LE")"#, "hi"),
            (r#"textdecodebase64(textencodebase64("Grüße", "iso-8859-1"), "ISO-8859-1")"#, "Grüße"),
        ],
    );
}

#[test]
fn opentofu_has_functions_of_its_own() {
    expect(
        &engine(opentofu()),
        &[
            (r#"timecmp("2017-11-22T00:00:00Z", "2017-11-21T23:00:00-01:00")"#, "0"),
            (r#"timecmp("2017-11-22T00:00:00.1Z", "2017-11-22T00:00:00.2Z")"#, "-1"),
            (r#"urldecode("a+b%2F%C3%BC")"#, "a b/ü"),
            (r#"cidrcontains("192.168.2.0/20", "192.168.2.1")"#, "true"),
            (r#"cidrcontains("192.168.2.0/24", "192.168.0.0/16")"#, "false"),
            (r#"core::cidrhost("fd00::/8", 1)"#, "fd00::1"),
        ],
    );
    let engine = engine(opentofu());
    assert!(outcome(&engine, r#"urldecode("a%2")"#).contains("offset 1"));
    assert!(outcome(&engine, r#"cidrcontains("10.0.0.0/8", "::1")"#).contains("different kinds"));
}

/// The body of a key generated for this test, which protects nothing.
#[cfg(feature = "rsa")]
const KEY: &str = "\
MIICXgIBAAKBgQDVdCMRJcgD0HEsDNqWAYJcmxc5beKq3ZXspssQVqofl+RN6IRi
A/xKUqJ/hmkAkesJQihIS8mIz3oZ6bY4D8AOvKa3XGmFRTI7ELkIGTRKiQm9I1f+
YDplV5WQII9QndScPGXCwbgh3aQJ9VG4V6QFwLksFOGgdnA7RBxJZeMyWQIDAQAB
AoGBAMw6AhM2AtkjZiSvZ7R+XSwdd2sLKAQzXm6+ZyuKv9raiSXBgmgFSC4UQkWh
ZHWXJzoEgmYpnPm5CSoh4qZg629t5paLU7yphKyWXes3yxLehLEXnyrKp4woEu5Z
KayuQbWF95tnZzgIieNIQmpQMGlHyBcL9gn+Po98eDMsM6DBAkEA+aowCGpqne99
KXaT8xdDrFY78nQZLqOaXtpdKA4QXKbQ9j7miurHlkfMBbW7tZlEcdKXZvZ0UT/q
X7e4CPCFdwJBANreuSldM54s5imVqyCZv/KeaC/5gdzr0Li3+NlxnXAWU+Xgsqw9
5/cBZR7x8O33+APnkL5TmWmtaxtc/eldOq8CQQCQkVDA/sX/8BZ8tPIU2ErSdxi9
Wybdz9Rqym0Y7ZPh4qKrhF7A4BR0W9yzDbnE/RwaAMS01U8jYSxZAqwpWQUfAkAf
dMEx47ZGdneB5IPaxJ4ktYWN15NFeBLgaXh3b+/LqznVoQys2pzbEDVDVExnNytL
DF3uLL+ww37QSPYpMv/7AkEAjZGtlQaULdPNhFXiB+6zQMQJ5p8+IwnrswS1+Qoo
McQ4B1TeJBdOfUQbDtYINHv+JsG99T8G6CLUv9PIR3Vg2g==
";

#[cfg(feature = "rsa")]
#[test]
fn ciphertexts_are_decrypted() {
    let engine = host();
    let [begin, end] = ["BEGIN", "END"].map(|edge| format!("-----{edge} RSA PRIVATE KEY-----"));
    let key = format!("<<KEY\n{begin}\n{KEY}{end}\nKEY\n");
    let ciphertext = "GinwN8bl/sUyGTIZry/sfhWe3x12VrX1LofnZfqDKKVcnhGGEXPawvxhbWHAIJb99ijF2khRjhoJpmLtzUDSH4CgpP6Lsq+DQ+X4wcEknkymtsvcMHUbdVd4t5h5K4vzCuNa4hNR7a9hiw2kZeYmsoTZsLjTL4HyhlwJYHPiLs8=";
    let decrypted = outcome(&engine, &format!("rsadecrypt(\"{ciphertext}\", {key})"));
    assert_eq!(decrypted, "Hello, world!");
    let damaged = ciphertext.replacen(&ciphertext[..4], "AAAA", 1);
    let refused = outcome(&engine, &format!("rsadecrypt(\"{damaged}\", {key})"));
    assert!(refused.contains("cannot be decrypted"), "{refused}");
    assert!(outcome(&engine, "rsadecrypt(\"AAAA\", \"key\")").contains("not an RSA private key"));
}

/// Returns the column of the first error of an expression.
fn column(engine: &Engine, text: &str) -> u32 {
    let layout = Arc::new(Layout::default());
    let program = engine.compile(text, &layout).expect("it compiles");
    let scope = engine.scope(&layout);
    let mut session = engine.session();
    let error = session.run(&program, &scope).map(drop).expect_err(text);
    let subject = error.diagnostics().and_then(|found| found.iter().next()?.subject);
    subject.map_or(0, |span| span.start + 1)
}

#[test]
fn failures_are_attributed_to_an_argument_or_to_the_call() {
    let root = directory(&[("a.txt", "a")]);
    let packer = engine(packer(&granted(root.path())));
    for (text, expected) in [
        ("cidrhost(1, 2)", 10),
        (r#"cidrhost("10.0.0.0/8", 0.5)"#, 24),
        (r#"cidrhost("10.0.0.0/31", 2)"#, 25),
        ("cidrnetmask(1)", 13),
        ("cidrsubnet(1, 2, 3)", 12),
        (r#"cidrsubnet("10.0.0.0/8", 25, 0)"#, 26),
        (r#"cidrsubnet("10.0.0.0/8", 1, 2)"#, 29),
        (r#"cidrsubnet("10.0.0.0/8", 1, -1)"#, 29),
        ("cidrsubnets(1, 2)", 13),
        (r#"cidrsubnets("10.0.0.0/8", 1, 0)"#, 30),
        (r#"cidrsubnets("10.0.0.0/8", 1, 33)"#, 30),
        (r#"cidrsubnets("10.0.0.0/8", 1, 1, 1)"#, 33),
        ("rfc3339_parse(1)", 15),
        ("unix_timestamp_parse(0.5)", 22),
        ("legacy_isotime(1, 2)", 19),
        ("file(2)", 6),
        ("file(\"~x\")", 7),
        (r#"fileset("..", "*")"#, 10),
        (r#"fileset(".", "[")"#, 15),
    ] {
        assert_eq!(column(&packer, text), expected, "{text}");
    }
}

#[test]
fn address_ranges_have_ends() {
    expect(
        &host(),
        &[
            (r#"cidrhost("10.0.0.0/30", 0)"#, "10.0.0.0"),
            (r#"cidrhost("10.0.0.0/30", 3)"#, "10.0.0.3"),
            (r#"cidrhost("10.0.0.0/30", -1)"#, "10.0.0.3"),
            (r#"cidrhost("10.0.0.0/30", -4)"#, "10.0.0.0"),
            (r#"cidrhost("10.0.0.7/30", 1)"#, "10.0.0.5"),
            (r#"cidrhost("10.0.0.1/32", 0)"#, "10.0.0.1"),
            (r#"cidrhost("0.0.0.0/0", -1)"#, "255.255.255.255"),
            (r#"cidrhost("::/0", -1)"#, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            (r#"cidrnetmask("10.0.0.0/32")"#, "255.255.255.255"),
            (r#"cidrnetmask("10.0.0.0/1")"#, "128.0.0.0"),
            (r#"cidrnetmask("10.0.0.0/23")"#, "255.255.254.0"),
            (r#"cidrsubnet("10.0.0.0/8", 0, 0)"#, "10.0.0.0/8"),
            (r#"cidrsubnet("10.0.0.0/8", 1, 1)"#, "10.128.0.0/9"),
            (r#"cidrsubnet("10.0.0.0/8", 24, 16777215)"#, "10.255.255.255/32"),
            (r#"cidrsubnet("fd00::/8", 8, 255)"#, "fdff::/16"),
            (r#"cidrsubnet("::/0", 128, 1)"#, "::1/128"),
            (r#"jsonencode(cidrsubnets("10.0.0.0/31", 1, 1))"#, r#"["10.0.0.0/32","10.0.0.1/32"]"#),
            (r#"jsonencode(cidrsubnets("10.0.0.0/8", 8, 4))"#, r#"["10.0.0.0/16","10.16.0.0/12"]"#),
            (r#"jsonencode(cidrsubnets("::/0", 32))"#, r#"["::/32"]"#),
        ],
    );
    let engine = host();
    for refused in [
        r#"cidrhost("10.0.0.1/32", 1)"#,
        r#"cidrhost("10.0.0.0/30", 340282366920938463463374607431768211456)"#,
        r#"cidrhost("10.0.0.0/+8", 1)"#,
        r#"cidrhost("10.0.0.0/08", 1)"#,
        r#"cidrhost("10.0.0.0/", 1)"#,
        r#"cidrhost("10.0.0.0", 1)"#,
        r#"cidrhost("::/129", 1)"#,
        r#"cidrsubnet("10.0.0.0/8", -1, 0)"#,
        r#"cidrsubnet("10.0.0.0/8", 0, 1)"#,
        r#"cidrsubnets("10.0.0.0/32", 1)"#,
        r#"cidrsubnets("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/127", 1, 1, 1)"#,
    ] {
        assert!(outcome(&engine, refused).starts_with("The "), "{refused}: {}", outcome(&engine, refused));
    }
    expect(
        &self::engine(opentofu()),
        &[
            (r#"cidrcontains("10.0.0.0/8", "10.0.0.0/8")"#, "true"),
            (r#"cidrcontains("10.0.0.0/8", "10.0.0.0/7")"#, "false"),
            (r#"cidrcontains("10.0.0.0/8", "10.255.255.255")"#, "true"),
            (r#"cidrcontains("10.0.0.0/8", "11.0.0.0")"#, "false"),
            (r#"cidrcontains("10.0.0.0/32", "10.0.0.0")"#, "true"),
            (r#"cidrcontains("10.0.0.0/32", "10.0.0.1")"#, "false"),
            (r#"cidrcontains("::/0", "ffff::")"#, "true"),
        ],
    );
}

#[test]
fn paths_are_taken_apart_by_their_names() {
    expect(
        &host(),
        &[
            (r#"basename("")"#, "."),
            (r#"basename("/")"#, "/"),
            (r#"basename("//")"#, "/"),
            (r#"basename("a/")"#, "a"),
            (r#"basename("/a")"#, "a"),
            (r#"dirname("")"#, "."),
            (r#"dirname("a")"#, "."),
            (r#"dirname("/")"#, "/"),
            (r#"dirname("/a")"#, "/"),
            (r#"dirname("a/b/")"#, "a/b"),
            (r#"dirname("a//b")"#, "a"),
            (r#"dirname("a/./b/../c/d")"#, "a/c"),
            (r#"dirname("../../a")"#, "../.."),
            (r#"dirname("a/../../b")"#, ".."),
            (r#"dirname("/../a")"#, "/"),
            (r#"pathexpand("~")"#, "/home/ann"),
            (r#"pathexpand("~/a/../b")"#, "/home/ann/b"),
            (r#"pathexpand("a~")"#, "a~"),
            (r#"pathexpand("")"#, ""),
        ],
    );
    assert!(outcome(&host(), r#"pathexpand("~ann/a")"#).contains("own home directory"));
}

#[test]
fn patterns_of_paths_match_whole_names() {
    let names = ["a", "ab", "abc", "b", "d/a", "d/e/a", "x-y", "]", "{"];
    let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, "")).collect();
    let root = directory(&files);
    let engine = engine(packer(&granted(root.path())));
    for (pattern, expected) in [
        ("", ""),
        ("a", "a"),
        ("?", "],a,b,{"),
        ("??", "ab"),
        ("*", "],a,ab,abc,b,x-y,{"),
        ("a*", "a,ab,abc"),
        ("a*c", "abc"),
        ("*b*", "ab,abc,b"),
        ("a?*", "ab,abc"),
        ("a**", "a,ab,abc"),
        ("*/a", "d/a"),
        ("**/a", "a,d/a,d/e/a"),
        ("**", "],a,ab,abc,b,d/a,d/e/a,x-y,{"),
        ("d/**", "d/a,d/e/a"),
        ("d/**/a", "d/a,d/e/a"),
        ("d/*/a", "d/e/a"),
        ("**/e/**", "d/e/a"),
        ("./a", "a"),
        ("[ab]", "a,b"),
        ("[a-b]", "a,b"),
        ("[^a]", "],b,{"),
        ("[!a-b]", "],{"),
        ("[]]", "]"),
        ("x[a-]y", "x-y"),
        ("x[+-.]y", "x-y"),
        (r"\\{", "{"),
        (r"[\\]]", "]"),
        ("{a,b}", "a,b"),
        ("{a,b}c", ""),
        ("a{,b}", "a,ab"),
        ("a{b{c,},}", "a,ab,abc"),
        ("{d/a,b}", "b,d/a"),
    ] {
        let call = format!("join(\",\", fileset(\".\", \"{pattern}\"))");
        assert_eq!(outcome(&engine, &call), expected, "{pattern}");
    }
    for (pattern, why) in [("[a", "no closing one"), ("{a", "no closing one"), (r"a\\", "ends a name")] {
        let found = outcome(&engine, &format!("fileset(\".\", \"{pattern}\")"));
        assert!(found.contains(why), "{pattern}: {found}");
    }
    let many = |count: usize| format!("fileset(\".\", \"{}\")", "{a,b}".repeat(count));
    assert_eq!(outcome(&engine, &many(10)), "toset([])");
    assert!(outcome(&engine, &many(11)).contains("too many patterns"));
}

#[test]
fn times_have_parts() {
    expect(
        &host(),
        &[
            (
                r#"legacy_isotime("January Jan Monday Mon 2006 06 01 1 02 _2 2 002 __2 15 03 3 04 4 05 5 PM pm")"#,
                "November Nov Friday Fri 2026 26 11 11 20 20 20 324 324 09 09 9 08 8 07 7 AM am",
            ),
            (
                r#"legacy_isotime("Z0700 Z07:00 Z07 Z070000 -0700 -07:00 -07 -070000 -07:00:00 MST")"#,
                "Z Z Z Z +0000 +00:00 +00 +000000 +00:00:00 UTC",
            ),
            (
                r#"legacy_isotime("05.000 05.0 05.999 05.999999 05,00 05.x .5 05.0001")"#,
                "07.500 07.5 07.5 07.5 07,50 07.x .7 07.0011",
            ),
            (r#"legacy_isotime("Monthly Janus _2006 x")"#, "Monthly Janus _2026 x"),
            (r#"legacy_isotime("")"#, ""),
            (
                r#"legacy_strftime("%a %A %b %B %h %C %d %e %f %H %I %j %L %m %M %p %s %S %u %V %w %y %Y %z %Z")"#,
                "Fri Friday Nov November Nov 20 20 20 500000 09 09 324 500 11 08 AM 1795165687 07 5 47 5 26 2026 +0000 UTC",
            ),
            (
                r#"legacy_strftime("%c|%D|%x|%F|%R|%T|%X|%n|%t|%%|%")"#,
                "Fri Nov 20 09:08:07 2026|11/20/26|11/20/26|2026-11-20|09:08|09:08:07|09:08:07|\n|\t|%|%",
            ),
            (r"unix_timestamp_parse(-1).rfc3339", "1969-12-31T23:59:59Z"),
            (r"unix_timestamp_parse(-62167219200).rfc3339", "0000-01-01T00:00:00Z"),
            (r"unix_timestamp_parse(253402300799).rfc3339", "9999-12-31T23:59:59Z"),
            (r"unix_timestamp_parse(951782400).year_day", "60"),
            (r"unix_timestamp_parse(978220800).year_day", "366"),
            (r#"rfc3339_parse("2000-12-31T00:00:00Z").iso_week"#, "52"),
            (r#"rfc3339_parse("2021-01-03T00:00:00Z").iso_week"#, "53"),
            (r#"rfc3339_parse("2021-01-03T00:00:00Z").iso_year"#, "2020"),
            (r#"rfc3339_parse("2021-01-04T00:00:00Z").iso_week"#, "1"),
            (r#"rfc3339_parse("2026-01-01T00:00:00Z").iso_week"#, "1"),
            (r#"rfc3339_parse("2023-01-01T00:00:00Z").weekday"#, "0"),
            (r#"rfc3339_parse("2023-01-01T00:00:00.9Z").unix"#, "1672531200"),
        ],
    );
    for refused in [
        "unix_timestamp_parse(-62167219201)",
        "unix_timestamp_parse(253402300800)",
        "unix_timestamp_parse(0.5)",
    ] {
        assert!(outcome(&host(), refused).contains("whole number from"), "{refused}");
    }
    expect(
        &engine(opentofu()),
        &[
            (r#"timecmp("2017-11-22T00:00:00Z", "2017-11-22T00:00:01Z")"#, "-1"),
            (r#"timecmp("2017-11-22T00:00:00Z", "2017-11-22T00:00:00.000Z")"#, "0"),
            (r#"timecmp("2017-11-22T00:00:00.000000001Z", "2017-11-22T00:00:00Z")"#, "1"),
            (r#"timecmp("2017-11-22T00:00:00+01:00", "2017-11-22T00:00:00Z")"#, "-1"),
        ],
    );
}

#[test]
fn lists_of_bools_are_decided_by_one_element() {
    expect(
        &engine(opentofu()),
        &[
            ("alltrue([])", "true"),
            ("alltrue([true])", "true"),
            ("alltrue([true, false])", "false"),
            (r#"alltrue(["true", null])"#, "false"),
            ("anytrue([])", "false"),
            ("anytrue([false, true])", "true"),
            ("anytrue([null, false])", "false"),
            (r#"coalesce("", "a")"#, "a"),
            (r#"coalesce(null, "", 1)"#, "1"),
            ("one([])", "null"),
            ("one([5])", "5"),
            ("one(toset([5, 5]))", "5"),
            ("sum([1])", "1"),
            ("sum([1, 2.5, -4])", "-0.5"),
            (r#"index(["a", "b", "a"], "a")"#, "0"),
            (r#"lookup({ a = 1 }, "b", 2)"#, "2"),
            (r#"startswith("abc", "")"#, "true"),
            (r#"startswith("abc", "abc")"#, "true"),
            (r#"startswith("abc", "abcd")"#, "false"),
            (r#"startswith("abc", "b")"#, "false"),
            (r#"endswith("abc", "")"#, "true"),
            (r#"endswith("abc", "abc")"#, "true"),
            (r#"endswith("abc", "b")"#, "false"),
            (r#"strcontains("abc", "")"#, "true"),
            (r#"strcontains("abc", "bc")"#, "true"),
            (r#"strcontains("abc", "ac")"#, "false"),
            (r#"urlencode("-_.~ azAZ09*'")"#, "-_.~+azAZ09%2A%27"),
            (r#"urldecode("%41%7a+%c3%BC")"#, "Az ü"),
            ("matchkeys([1, 2], [1, 2], [])", "tolist([])"),
            (r#"transpose({})"#, "tomap({})"),
            (r#"transpose({ a = [] })"#, "tomap({})"),
        ],
    );
    let engine = engine(opentofu());
    for refused in [
        "one([1, 2])",
        "one(toset([1, 2]))",
        "one({})",
        "sum([])",
        "sum({})",
        r#"sum(["a"])"#,
        r#"index([], "a")"#,
        r#"index(["a"], "b")"#,
        r#"lookup({}, "b")"#,
        r#"coalesce("", null)"#,
        r#"urldecode("%")"#,
        r#"urldecode("%4")"#,
        r#"urldecode("%g0")"#,
        r#"urldecode("%0g")"#,
        r#"urldecode("%ff")"#,
        "matchkeys([1], [1, 2], [1])",
        "transpose({ a = [null] })",
    ] {
        let found = outcome(&engine, refused);
        assert!(found.starts_with("The "), "{refused}: {found}");
    }
}
