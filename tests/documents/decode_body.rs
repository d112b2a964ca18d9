//! Bodies decoded to types of the host, and the diagnostics if they do not fit. Values are decoded in tests/documents/serde.

use std::collections::BTreeMap;
use std::fmt::Debug;

use hclvm::decode::Spanned;
use hclvm::{Document, Engine, Error, Value};
use serde::Deserialize;
use serde::de::DeserializeOwned;

fn parse(text: &str) -> Document {
    Engine::standard().parse("t.hcl", text).expect("the text is well formed")
}

fn decode<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    let document = parse(text);
    let mut scope = document.scope();
    scope.set_value("n", Value::short(3)).expect("it fits");
    scope.set_unknown("unknown");
    document.decode(&scope)
}

/// Returns position, title and detail of every diagnostic.
fn problems<T: DeserializeOwned + Debug>(text: &str) -> Vec<String> {
    let error = decode::<T>(text).expect_err("the text does not fit");
    error.to_string().lines().map(|line| line.replace("t.hcl:", "")).collect()
}

#[derive(Debug, Deserialize, PartialEq)]
struct Port {
    number: u16,
    name: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Labelled {
    #[serde(rename = "$label")]
    name: String,
    #[serde(default)]
    value: u8,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Pair {
    #[serde(rename = "$label")]
    first: String,
    #[serde(rename = "$label2")]
    second: String,
}

#[test]
fn attributes_and_blocks_fill_fields() {
    #[derive(Debug, Deserialize, PartialEq)]
    struct All {
        a: u8,
        list: Vec<u8>,
        none: Option<u8>,
        null: Option<u8>,
        port: Port,
        absent: Option<Port>,
        #[serde(default)]
        many: Vec<Labelled>,
        #[serde(default)]
        nothing: Vec<Labelled>,
        pair: Pair,
        flag: Option<()>,
    }
    let all: All = decode(
        "a = n + 1\nlist = [for i in [1, 2]: i * n]\nnull = null\nport { number = 80 }\nmany x { value = 1 }\nmany \"y\" {}\npair p q {}\nflag {}\n",
    )
    .expect("it fits");
    let many = vec![Labelled { name: "x".into(), value: 1 }, Labelled { name: "y".into(), value: 0 }];
    assert_eq!(
        all,
        All {
            a: 4,
            list: vec![3, 6],
            none: None,
            null: None,
            port: Port { number: 80, name: None },
            absent: None,
            many,
            nothing: vec![],
            pair: Pair { first: "p".into(), second: "q".into() },
            flag: Some(()),
        }
    );
}

#[test]
fn maps_are_keyed_by_labels() {
    #[derive(Debug, Deserialize)]
    struct Maps {
        one: BTreeMap<String, Port>,
        two: BTreeMap<String, BTreeMap<u8, Port>>,
        many: BTreeMap<String, Vec<Labelled>>,
        attributes: BTreeMap<String, u8>,
    }
    let maps: Maps = decode(
        "one a { number = 1 }\none b { number = 2 }\ntwo x \"1\" { number = 3 }\ntwo x \"2\" { number = 4 }\nmany k l {}\nmany k m {}\nattributes {\n a = 1\n b = 2\n}\n",
    )
    .expect("it fits");
    assert_eq!(maps.one["b"].number, 2);
    assert_eq!(maps.two["x"][&2].number, 4);
    assert_eq!(maps.many["k"].iter().map(|labelled| labelled.name.as_str()).collect::<Vec<_>>(), ["l", "m"]);
    assert_eq!(maps.attributes, BTreeMap::from([("a".into(), 1), ("b".into(), 2)]));
}

#[test]
fn all_labels_go_to_one_field() {
    #[derive(Debug, Deserialize)]
    struct Any {
        #[serde(rename = "$labels")]
        labels: Vec<String>,
    }
    #[derive(Debug, Deserialize)]
    struct File {
        b: Vec<Any>,
    }
    let file: File = decode("b x y z {}\nb w {}\n").expect("it fits");
    assert_eq!(file.b[0].labels, ["x", "y", "z"]);
    assert_eq!(file.b[1].labels, ["w"]);
}

#[test]
fn a_label_selects_the_variant_of_an_enum() {
    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum Backend {
        S3 { bucket: String },
        Wrapped(Port),
        Memory,
    }
    #[derive(Debug, Deserialize)]
    struct File {
        backend: Vec<Backend>,
    }
    let file: File =
        decode("backend s3 { bucket = \"b\" }\nbackend wrapped { number = 1 }\nbackend memory {}\n")
            .expect("it fits");
    let wrapped = Backend::Wrapped(Port { number: 1, name: None });
    assert_eq!(file.backend, [Backend::S3 { bucket: "b".into() }, wrapped, Backend::Memory]);
    let found = problems::<File>("backend s4 {}\n");
    assert!(found[0].starts_with("1:9: Unsuitable value type") && found[0].contains("s4"), "{found:?}");
}

#[test]
fn dynamic_blocks_are_expanded() {
    #[derive(Debug, Deserialize)]
    struct File {
        port: Vec<Port>,
    }
    let text = "dynamic port {\n for_each = [80, 443]\n content {\n number = port.value\n }\n}\n";
    let file: File = decode(text).expect("it fits");
    assert_eq!(file.port.iter().map(|port| port.number).collect::<Vec<_>>(), [80, 443]);
    let found = problems::<File>(&text.replace("[80, 443]", "unknown"));
    assert!(found[0].starts_with("1:1: Invalid dynamic for_each value"), "{found:?}");
    let found = problems::<File>(&text.replace("[80, 443]", "1"));
    assert!(found[0].starts_with("2:13: Invalid dynamic for_each value"), "{found:?}");
}

#[test]
fn values_can_be_decoded_with_their_spans() {
    #[derive(Debug, Deserialize)]
    struct Inner {
        #[serde(rename = "$label")]
        label: Spanned<String>,
    }
    #[derive(Debug, Deserialize)]
    struct File {
        a: Spanned<u8>,
        b: Option<Spanned<u8>>,
        c: Vec<Spanned<Inner>>,
    }
    #[derive(Debug, Deserialize)]
    struct Ports {
        one: Spanned<Port>,
        many: Vec<Port>,
    }
    let text = "one {\n number = 1\n name = \"x\"\n}\nmany { number = 2 }\n";
    let ports: Ports = decode(text).expect("it fits");
    assert_eq!(ports.one.span.slice(text), "one");
    assert_eq!(*ports.one, Port { number: 1, name: Some("x".into()) });
    assert_eq!(ports.many, [Port { number: 2, name: None }]);
    let text = "one { number = 1 }\nmany { number = 2 }\n";
    let ports: Spanned<Ports> = decode(text).expect("it fits");
    assert_eq!((ports.span.slice(text), ports.many.len()), (text, 1));
    let text = "a = 1 + 2\nb = 4\nc \"x\" {}\n";
    let file: File = decode(text).expect("it fits");
    assert_eq!(file.b.map(|b| (*b, b.span.slice(text))), Some((4, "4")));
    let text = "a = 1 + 2\nc \"x\" {}\n";
    let file: File = decode(text).expect("it fits");
    assert_eq!((*file.a, file.a.span.slice(text)), (3, "1 + 2"));
    assert_eq!(file.b, None);
    assert_eq!((file.c[0].span.slice(text), file.c[0].label.span.slice(text)), ("c \"x\"", "\"x\""));
    assert_eq!(file.c[0].label.value, "x");
}

#[test]
fn strings_are_borrowed_from_the_session() {
    #[derive(Deserialize)]
    struct File<'s> {
        a: &'s str,
    }
    let document = parse("a = \"x\"\n");
    let (scope, mut session) = (document.scope(), document.engine().session());
    let file: File<'_> = session.decode(&document, &scope).expect("it fits");
    assert_eq!(file.a, "x");
}

#[test]
fn flattened_structs_take_the_attributes_they_declare() {
    #[derive(Debug, Deserialize)]
    struct Common {
        a: u8,
    }
    #[derive(Debug, Deserialize)]
    struct File {
        #[serde(flatten)]
        common: Common,
        b: u8,
    }
    let file: File = decode("a = 1\nb = 2\nc = 3\n").expect("it fits");
    assert_eq!((file.common.a, file.b), (1, 2));
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "it is never made")]
struct Strict {
    port: Port,
    #[serde(default)]
    many: Vec<Labelled>,
    user: Option<BTreeMap<String, Port>>,
}

#[test]
fn values_that_do_not_fit_are_reported_at_their_position() {
    for (text, wanted) in [
        ("many x {}\n", "1:1: Missing required argument"),
        ("port {}\n", "1:6: Missing required argument"),
        ("port { number = \"x\" }\n", "1:18: Unsuitable value type"),
        ("port { number = 1 + 70000 }\n", "1:17: Unsuitable value type"),
        ("port { number = unknown }\n", "1:17: Unsuitable value type"),
        ("port { number = nope }\n", "1:17: Unknown variable"),
        ("port x { number = 1 }\n", "1:6: Extraneous label for port"),
        ("port { number = 1 }\nport { number = 2 }\n", "2:1: Duplicate port block"),
        ("port { number = 1 }\nmany {}\n", "2:6: Missing label for many"),
        ("port { number = 1 }\nmany x y {}\n", "2:8: Extraneous label for many"),
        ("port { number = 1 }\nuser a { number = 1 }\nuser a { number = 2 }\n", "3:1: Duplicate user block"),
        ("port { number = 1 }\nuser a { number = 1 }\nuser {}\n", "3:6: Missing label for user"),
        ("port = 1\n", "1:8: Unsuitable value type"),
    ] {
        let found = problems::<Strict>(text);
        assert!(found[0].starts_with(wanted), "{text}: {found:?}");
        assert_eq!(found.len(), 1, "{found:?}");
    }
}

#[test]
fn all_misspelt_names_are_reported_with_a_suggestion() {
    let found = problems::<Strict>("prot { number = 1 }\nport {\n numbre = 1\n number = 2\n}\nmnay = 1\n");
    assert!(found[2].starts_with("6:1: Unsupported argument") && found[2].contains("\"many\""), "{found:?}");
    assert!(
        found[0].starts_with("1:1: Unsupported block type") && found[0].contains("\"port\""),
        "{found:?}"
    );
    assert!(
        found[1].starts_with("3:2: Unsupported argument") && found[1].contains("\"number\""),
        "{found:?}"
    );
    assert_eq!(found.len(), 3);
}

#[test]
fn recursive_types_are_an_error() {
    #[derive(Debug, Deserialize)]
    struct Endless(#[expect(dead_code, reason = "it is never made")] Box<Endless>);
    assert!(problems::<Endless>("a = 1\n")[0].contains("contains itself"));
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "it is never made")]
    struct File {
        a: Endless,
    }
    assert!(problems::<File>("a = 1\n")[0].contains("contains itself"));
    assert!(problems::<File>("a {}\n")[0].contains("contains itself"));
}

#[test]
fn files_in_json_fill_the_same_types() {
    #[derive(Debug, Deserialize, PartialEq)]
    struct File {
        a: u8,
        port: Port,
        many: Vec<Port>,
        one: BTreeMap<String, Port>,
    }
    let native =
        "a = n + 1\nport { number = 80 }\nmany { number = 1 }\nmany { number = 2 }\none x { number = 3 }\n";
    let json = r#"{"a": "${n + 1}", "port": {"number": 80}, "many": [{"number": 1}, {"number": 2}],
        "one": {"x": {"number": 3}}}"#;
    let engine = Engine::standard();
    let document = engine.parse_json("t.json", json).expect("the text is well formed");
    let mut scope = document.scope();
    scope.set("n", &3).expect("it fits");
    let from_json: File = document.decode(&scope).expect("it fits");
    assert_eq!(from_json, decode::<File>(native).expect("it fits"));
    let document = engine.parse_json("t.json", "{\"a\": 1,\n \"b\": 2}").expect("the text is well formed");
    let error = document.decode::<File>(&document.scope()).expect_err("it does not fit").to_string();
    assert!(error.contains("t.json:2:2: Unsupported argument"), "{error}");
}

#[test]
fn blocks_without_a_type_of_their_own_are_maps_or_sequences() {
    #[derive(Debug, Deserialize)]
    struct File {
        one: serde_json::Value,
        two: serde_json::Value,
        labelled: serde_json::Value,
        attribute: serde_json::Value,
    }
    let text = "one { a = 1 }\ntwo { a = 1 }\ntwo { a = 2 }\nlabelled x { a = 1 }\nlabelled y { a = 2 }\nattribute = [1, null, true, \"x\", { a = 0.5 }]\n";
    let file: File = decode(text).expect("it fits");
    assert_eq!(file.one, serde_json::json!({"a": 1}));
    assert_eq!(file.two, serde_json::json!([{"a": 1}, {"a": 2}]));
    assert_eq!(file.labelled, serde_json::json!({"x": {"a": 1}, "y": {"a": 2}}));
    assert_eq!(file.attribute.to_string(), r#"[1,null,true,"x",{"a":0.5}]"#);
}

#[test]
fn labels_are_no_unknown_fields() {
    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        #[serde(rename = "$label")]
        name: String,
        a: u8,
    }
    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct File {
        b: Vec<Strict>,
    }
    let strict = |name: &str, a| Strict { name: name.into(), a };
    let file: File = decode("b x { a = 1 }\nb y { a = 2 }\n").expect("it fits");
    assert_eq!(file.b, [strict("x", 1), strict("y", 2)]);
    let found = problems::<File>("b x { a = 1 }\nb y {\n a = 2\n c = 3\n}\n");
    assert!(found.len() == 1 && found[0].starts_with("4:2: "), "{found:?}");
    let found = problems::<File>("b { a = 1 }\n");
    assert!(found.len() == 1 && found[0].starts_with("1:"), "{found:?}");
    let found = problems::<File>("b x y { a = 1 }\n");
    assert!(found.len() == 1 && found[0].starts_with("1:"), "{found:?}");
    let found = problems::<BTreeMap<String, Pair>>("pair p {}\n").concat();
    assert!(found.contains("label 1") && found.contains("label 2"), "{found}");
    // In JSON, a property may have the name of the field of a label.
    let document = Engine::standard().parse_json("t.json", r#"{"value": 1, "$label": "y"}"#).expect("JSON");
    let error = document.decode::<Labelled>(&document.scope()).expect_err("an unknown argument").to_string();
    assert!(error.contains("t.json:1:14: Unsupported argument"), "{error}");
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "it is never made")]
struct Service {
    #[serde(rename = "$label")]
    name: String,
    port: u16,
    host: String,
    #[serde(default)]
    ratio: f32,
    #[serde(default)]
    kind: Option<Kind>,
    #[serde(default)]
    check: Option<Port>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Web,
    Worker,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "it is never made")]
struct Services {
    #[serde(default)]
    limit: u8,
    #[serde(default)]
    service: Vec<Service>,
    #[serde(default)]
    user: BTreeMap<String, Port>,
}

#[test]
fn all_wrong_fields_are_told() {
    let text = "limit = 300\n\
        service \"a\" {\n port = \"http\"\n host = 1\n ratio = true\n kind = \"wbe\"\n}\n\
        service \"b\" {\n port = 1\n host = \"h\"\n}\n\
        service \"c\" {\n port = -1\n host = \"h\"\n}\n\
        service \"d\" {\n host = \"h\"\n}\n";
    assert_eq!(
        problems::<Services>(text),
        [
            "1:9: Unsuitable value type: The value cannot be used here: found the number 300, wanted a whole number from 0 to 255.",
            "3:10: Unsuitable value type: The value cannot be used here: found the string \"http\", wanted a whole number from 0 to 65535.",
            "4:9: Unsuitable value type: The value cannot be used here: found the number 1, wanted a string.",
            "5:10: Unsuitable value type: The value cannot be used here: found true, wanted a number.",
            "6:10: Unsuitable value type: The value cannot be used here: \"wbe\" is not possible here; did you mean \"web\"?",
            "13:9: Unsuitable value type: The value cannot be used here: found the number -1, wanted a whole number from 0 to 65535.",
            "16:13: Missing required argument: \"port\" is required here, but not set.",
        ]
    );
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "it is never made")]
struct Account {
    id: std::num::NonZeroU32,
    name: String,
    ratio: f64,
    owner: Owner,
    plan: Plan,
    pair: (u8, char),
    nickname: Option<String>,
    tags: Vec<String>,
    address: std::net::IpAddr,
    active: bool,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "it is never made")]
struct Owner {
    name: String,
    parent: Option<Box<Owner>>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "it is never made")]
enum Plan {
    Paid { price: u32 },
    Free,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "it is never made")]
struct Accounts {
    account: Vec<Account>,
    region: String,
    zone: String,
}

#[test]
fn all_missing_fields_are_told_also_beside_wrong_ones() {
    let found =
        problems::<Accounts>("account {\n id = 0\n tags = 1\n}\naccount {\n id = \"x\"\n}\nzone = 1\n");
    let missing = |line: &str| -> Vec<String> {
        let of_line = found.iter().filter(|one| one.starts_with(line) && one.contains("Missing"));
        of_line.map(|one| one.split('"').nth(1).unwrap_or_default().to_owned()).collect()
    };
    // No value takes the place of an address, so that the search ends there.
    assert_eq!(missing("1:9"), ["name", "ratio", "owner", "plan", "pair", "address"], "{found:#?}");
    assert_eq!(missing("5:"), ["name", "ratio", "owner", "plan", "pair", "tags", "address"], "{found:#?}");
    assert_eq!(missing("1:1"), ["region"], "{found:#?}");
    let wrong: Vec<&str> = found.iter().filter(|one| one.contains("found")).map(|one| &one[..4]).collect();
    assert_eq!(wrong, ["2:7:", "3:9:", "6:8:", "8:8:"], "{found:#?}");
    assert_eq!(found.len(), 18, "{found:#?}");
}

#[test]
fn what_a_field_accepts_is_told_in_words() {
    for (text, wanted) in [
        ("service = 1\n", "found the number 1, wanted a list"),
        (
            "service \"a\" {\n port = 1\n host = \"h\"\n check = 7\n}\n",
            "found a number, wanted a block check with the arguments number, name",
        ),
        (
            "limit {}\n",
            "found a block, wanted a whole number from 0 to 255; an argument is written limit = …",
        ),
        (
            "service \"a\" {\n port = 1\n host = \"h\"\n kind = 1\n}\n",
            "found the number 1, wanted one of \"web\", \"worker\"",
        ),
    ] {
        let found = problems::<Services>(text);
        assert!(found.len() == 1 && found[0].contains(wanted), "{text}: {found:?}");
    }
}

#[test]
fn a_missing_label_is_told_at_the_header_of_its_block() {
    for (text, place) in [
        ("user \"a\" {\n number = 1\n}\nuser {\n number = 2\n}\n", "4:6: "),
        ("user {\n number = 2\n}\nuser \"a\" {\n number = 1\n}\n", "1:6: "),
        ("user {\n number = 2\n}\n", "1:6: "),
        ("service {\n port = 1\n host = \"h\"\n}\n", "1:9: "),
        ("service \"a\" {\n port = 1\n host = \"h\"\n}\nservice {\n port = 1\n host = \"h\"\n}\n", "5:9: "),
    ] {
        let found = problems::<Services>(text);
        assert!(found[0].starts_with(&format!("{place}Missing label")), "{text}: {found:?}");
        assert_eq!(found.len(), 1, "{text}: {found:?}");
    }
}

#[test]
fn a_key_of_the_wrong_type_is_told_at_its_label() {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "it is never made")]
    struct File {
        user: BTreeMap<u8, Port>,
    }
    let found = problems::<File>("user \"1\" { number = 1 }\nuser \"x\" { number = 1 }\n");
    assert_eq!(
        found,
        [
            "2:6: Unsuitable value type: The value cannot be used here: found the key \"x\", wanted a whole number from 0 to 255."
        ]
    );
}
