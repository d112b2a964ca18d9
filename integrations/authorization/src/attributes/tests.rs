//! Requests as variables: reading parts gives what reading the whole gives.

use std::collections::{BTreeSet, HashMap};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use envoy_types::pb::envoy::config::core::v3::HeaderValue as EnvoyHeader;
use hclvm::check::Declared;
use hclvm::ingest::HostObject;
use hclvm::{Engine, Json};

use super::*;

/// Pseudo-random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        // The generator xorshift64.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).expect("it fits")).expect("it fits")
    }

    fn text<'t>(&mut self, parts: &[&'t str]) -> String {
        let length = self.below(4);
        (0..length).map(|_| parts[self.below(parts.len())]).collect::<Vec<&'t str>>().concat()
    }
}

/// Names that are equal in normal form C, in other cases, or not at all.
const NAMES: [&str; 9] = ["a", "A", "-", ":", "e\u{301}", "\u{e9}", "\u{212a}", "K", "b"];

/// Tests that reading each part by its name gives what reading the whole gives, and that this has these names.
fn parts_equal_the_whole(object: &dyn HostObject, own: &BTreeSet<String>, others: &[String]) {
    let engine = Engine::new();
    let module = engine.parse("x.hcl", "x = o").expect("HCL");
    let mut scope = module.projection().scope();
    scope.set_object("o", object).expect("it fits");
    let whole = scope.get("o").expect("it is set").as_entries().expect("an object");
    assert_eq!(whole.iter().map(|entry| entry.name.to_owned()).collect::<BTreeSet<_>>(), *own);
    let known = whole.iter().map(|entry| entry.name.to_owned());
    let names: Vec<String> = known.chain(others.iter().cloned()).collect();
    let quoted = |name: &String| serde_json::to_string(name).expect("JSON");
    let lines = names.iter().enumerate().map(|(at, name)| format!("x{at} = o[{}]\n", quoted(name)));
    let document = engine.parse("parts.hcl", &lines.collect::<String>()).expect("HCL");
    let mut scope = document.projection().scope();
    scope.set_object("o", object).expect("it fits");
    let mut session = engine.session();
    for (at, name) in names.iter().enumerate() {
        let program = document.attribute(&format!("x{at}")).expect("it is there").program();
        let program = program.expect("it compiles");
        let part = session.run(&program, &scope).ok().map(|value| Json(value).to_text().expect("JSON"));
        let name = names::normal(name);
        let entry = whole.iter().find(|entry| entry.name == name);
        let wanted = entry.map(|entry| Json(entry.value).to_text().expect("JSON"));
        assert_eq!(part, wanted, "{name:?} of {names:?}");
    }
}

#[test]
fn parts_of_objects_equal_the_whole() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for _ in 0..300 {
        let others: Vec<String> = (0..4).map(|_| random.text(&NAMES)).collect();
        let pairs: Vec<(String, String)> =
            (0..random.below(6)).map(|_| (random.text(&NAMES), random.text(&["1", "\u{e9}", " "]))).collect();
        let normal: BTreeSet<String> =
            pairs.iter().map(|(name, _)| names::normal(name).into_owned()).collect();
        let is_plain = |name: &str| !name.starts_with(':') && name.is_ascii() && name.to_lowercase() == name;
        let plain: BTreeSet<String> =
            pairs.iter().map(|(name, _)| name.clone()).filter(|name| is_plain(name)).collect();
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(&pairs);
        parts_equal_the_whole(&Query::new(&query.finish()), &normal, &others);
        let mut map: HashMap<String, String> = pairs.iter().cloned().collect();
        parts_equal_the_whole(&Headers::Joined(&map), &plain, &others);
        let single: Vec<EnvoyHeader> = pairs
            .iter()
            .map(|(key, value)| EnvoyHeader {
                key: key.clone(),
                value: value.clone(),
                ..EnvoyHeader::default()
            })
            .collect();
        parts_equal_the_whole(&Headers::single(&single), &plain, &others);
        let mut http = HeaderMap::new();
        for (name, value) in &pairs {
            if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
                http.append(name, value);
            }
        }
        let sent = http.keys().map(|name| name.as_str().to_owned()).collect();
        parts_equal_the_whole(&Headers::Http(&http), &sent, &others);
        // Of names that are equal in normal form, a map has one: which of them counts is not said.
        let mut seen = BTreeSet::new();
        map.retain(|name, _| seen.insert(names::normal(name).into_owned()));
        parts_equal_the_whole(&Texts(Some(&map)), &normal, &others);
    }
}

#[test]
fn the_types_declare_all_variables() {
    let engine = Engine::new();
    let types = engine.parse("scope.hcl", TYPES).expect("types");
    Declared::of_schema(&types).expect("types");
    let names: Vec<&str> = types.body().attributes().map(|attribute| attribute.name()).collect();
    assert_eq!(names, variables().collect::<Vec<_>>());
}

#[test]
fn a_target_is_a_path_and_a_query() {
    for (target, path, query) in [
        ("/a/b?x=1&y", "/a/b", "{x = \"1\", y = \"\"}"),
        ("/a%2Fb", "/a%2Fb", "{}"),
        ("/?x=1&x=2&z=a%20b+c", "/", "{x = \"1,2\", z = \"a b c\"}"),
        ("/p?x=a?b#frag", "/p", "{x = \"a?b\"}"),
        ("", "", "{}"),
        ("?%ff=%fe", "", "{\"\u{fffd}\" = \"\u{fffd}\"}"),
        ("/k?%e2%84%aaey=1&Key=2", "/k", "{Key = \"1,2\"}"),
    ] {
        let mut request = Request::default();
        request.set_target(target);
        let engine = Engine::new();
        let document = engine.parse("x.hcl", "x = r.path\ny = r.query\n").expect("HCL");
        let mut scope = document.projection().scope();
        scope.set_object("r", &request).expect("it fits");
        let value = |name| {
            let program = document.attribute(name).expect("it is there").program().expect("it compiles");
            let mut session = engine.session();
            let value = session.run(&program, &scope).expect("it is read");
            value.as_str().map_or_else(|| value.to_string(), str::to_owned)
        };
        assert_eq!((value("x").as_str(), value("y").as_str()), (path, query), "{target}");
    }
}
