//! The answer that the attributes of the deciding rule describe.
//!
//! ```text
//! allow    headers, remove_headers (for the upstream service), response_headers, metadata
//! deny     status, body, response_headers, metadata
//! ```
//! An attribute that cannot be used is an error of the decision, not a header that is missing.

use axum::http::{HeaderName, HeaderValue};
use hclvm::Value;
use hclvm::module::BlockValues;
use hclvm::value::View;

use crate::answer::{Answer, Header, is_denial};
use crate::attributes::Metadata;

/// The attributes of a rule that are read here.
pub(crate) const ATTRIBUTES: [&str; 6] =
    ["status", "body", "headers", "remove_headers", "response_headers", "metadata"];

/// Those that have no effect if a rule allows.
pub(crate) const OF_DENIALS: [&str; 2] = ["status", "body"];

/// Those that have no effect if a rule denies.
pub(crate) const OF_ALLOWING: [&str; 2] = ["headers", "remove_headers"];

/// Headers of a response that are its server's, not the policy's.
const OF_SERVERS: [&str; 7] =
    ["connection", "content-length", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"];

/// An attribute that cannot be used, and why.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unusable {
    pub(crate) attribute: &'static str,
    pub(crate) why: &'static str,
}

/// Reads the answer of a rule that decided. A denial without a status has `denied`.
///
/// # Errors
/// The first attribute that cannot be used.
pub(crate) fn read(rule: BlockValues<'_>, is_allowed: bool, denied: u16) -> Result<Answer, Unusable> {
    let mut answer = if is_allowed { Answer::allow() } else { Answer::deny(denied) };
    for (name, value) in rule.body().attributes() {
        let value = value.unmark().0;
        let read = match (name, is_allowed) {
            ("status", false) => status(value).map(|status| answer.status = status),
            ("body", false) => text(value).map(|body| answer.body = body.unwrap_or_default()),
            ("headers", true) => headers(value).map(|headers| answer.request_headers = headers),
            ("remove_headers", true) => names(value).map(|names| answer.removed_headers = names),
            ("response_headers", _) => headers(value).map(|headers| answer.response_headers = headers),
            ("metadata", _) => metadata(value).map(|metadata| answer.metadata = metadata),
            _ => Ok(()),
        };
        read.map_err(|why| {
            let attribute = ATTRIBUTES.into_iter().find(|known| *known == name).unwrap_or("effect");
            Unusable { attribute, why }
        })?;
    }
    Ok(answer)
}

/// Reads a status.
pub(crate) fn status(value: Value<'_>) -> Result<u16, &'static str> {
    let status = value.as_i64().and_then(|status| u16::try_from(status).ok());
    status.filter(|status| is_denial(*status)).ok_or("it is not a status for denials: 300 to 499")
}

fn text(value: Value<'_>) -> Result<Option<String>, &'static str> {
    match value.view() {
        View::Null(_) => Ok(None),
        View::String(text) => Ok(Some(text.to_owned())),
        View::Number(_) | View::Bool(_) => Ok(Some(value.to_string())),
        _ => Err("it is not a text"),
    }
}

/// Reads headers by name. Null leaves one out, and a list repeats it.
fn headers(value: Value<'_>) -> Result<Vec<Header>, &'static str> {
    let (View::Object(entries) | View::Map(entries, _)) = value.view() else {
        return if value.is_null() { Ok(Vec::new()) } else { Err("it is not an object of texts") };
    };
    let mut headers = Vec::with_capacity(entries.len());
    for entry in entries {
        let name = header_name(entry.name)?;
        let value = entry.value.unmark().0;
        match value.as_items() {
            Some(items) => {
                for item in items {
                    push(&mut headers, &name, item.unmark().0, true)?;
                }
            }
            None => push(&mut headers, &name, value, false)?,
        }
    }
    Ok(headers)
}

fn push(headers: &mut Vec<Header>, name: &str, value: Value<'_>, appends: bool) -> Result<(), &'static str> {
    let Some(value) = text(value)? else { return Ok(()) };
    if HeaderValue::from_str(&value).is_err() {
        return Err("a header has a value with line breaks or other control characters");
    }
    headers.push(Header { name: name.to_owned(), value, appends });
    Ok(())
}

/// Reads the names of headers to remove.
fn names(value: Value<'_>) -> Result<Vec<String>, &'static str> {
    if value.is_null() {
        return Ok(Vec::new());
    }
    let items = value.as_items().ok_or("it is not a list of names")?;
    items.iter().map(|name| header_name(name.unmark().0.as_str().unwrap_or_default())).collect()
}

fn header_name(name: &str) -> Result<String, &'static str> {
    let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| "a name is not that of a header")?;
    if OF_SERVERS.contains(&name.as_str()) {
        return Err("a header such as content-length is set by servers alone");
    }
    Ok(name.as_str().to_owned())
}

fn metadata(value: Value<'_>) -> Result<Option<envoy_types::pb::google::protobuf::Struct>, &'static str> {
    if value.is_null() {
        return Ok(None);
    }
    Metadata::of_value(value).map(Some).ok_or("it is not an object that JSON has")
}

#[cfg(test)]
mod tests {
    use hclvm::Engine;
    use hclvm::policy::{Policy, PolicySpec};

    use super::*;

    /// Returns the answer of a rule with these attributes.
    fn answer(effect: &str, attributes: &str) -> Result<Answer, Unusable> {
        let engine = Engine::new();
        let text = format!("rule \"r\" {{\nwhen = true\neffect = \"{effect}\"\n{attributes}\n}}\n");
        let module = engine.parse("p.hcl", &text).expect("HCL").module().expect("a module");
        let spec = PolicySpec { outcome: &ATTRIBUTES, ..PolicySpec::default() };
        let policy: Policy = module.policy(&spec).expect("a policy");
        let (mut session, scope) = (engine.session(), module.scope());
        let decision = policy.decide(&mut session, &scope).expect("within the limits");
        read(decision.rule().expect("it applies"), effect == "allow", 403)
    }

    fn why(effect: &str, attributes: &str) -> &'static str {
        answer(effect, attributes).expect_err("it is not usable").why
    }

    #[test]
    fn attributes_become_an_answer() {
        let allowed = answer(
            "allow",
            r#"headers = { x-user = "ann", X-Level = 3, x-none = null, x-many = ["a", true] }
               remove_headers = ["Authorization"]
               response_headers = { set-cookie = ["a=1", "b=2"] }
               metadata = { user = { level = 3, tags = ["x"], none = null, ok = true } }"#,
        )
        .expect("it is usable");
        let shown: Vec<_> = allowed
            .request_headers
            .iter()
            .map(|header| format!("{}: {} {}", header.name, header.value, header.appends))
            .collect();
        assert_eq!(shown, ["x-level: 3 false", "x-many: a true", "x-many: true true", "x-user: ann false"]);
        assert_eq!(allowed.removed_headers, ["authorization"]);
        assert_eq!(allowed.response_headers.len(), 2);
        assert_eq!(allowed.metadata.expect("metadata").fields.len(), 1);

        let denied =
            answer("deny", "status = 401\nbody = \"no\"\nresponse_headers = { www-authenticate = \"B\" }");
        let denied = denied.expect("it is usable");
        assert_eq!((denied.status, denied.body.as_str(), denied.is_allowed), (401, "no", false));
        assert_eq!(answer("deny", ""), Ok(Answer::deny(403)));
        assert_eq!(answer("allow", ""), Ok(Answer::allow()));

        for status in [300, 308, 400, 431] {
            assert_eq!(answer("deny", &format!("status = {status}")), Ok(Answer::deny(status)));
        }
        let denied = answer("deny", "body = 3").expect("it is usable");
        assert_eq!(denied.body, "3");
        let none =
            "headers = null\nremove_headers = null\nresponse_headers = { a = [null] }\nmetadata = null";
        assert_eq!(answer("allow", none), Ok(Answer::allow()));
    }

    #[test]
    fn attributes_of_the_other_effect_change_nothing() {
        assert_eq!(answer("allow", "status = 404\nbody = \"no\""), Ok(Answer::allow()));
        let of_allowing = "headers = { x-user = \"ann\" }\nremove_headers = [\"x-a\"]";
        assert_eq!(answer("deny", of_allowing), Ok(Answer::deny(403)));
        for effect in ["allow", "deny"] {
            let both =
                answer(effect, "response_headers = { x-a = 1 }\nmetadata = { a = 1 }").expect("it is usable");
            assert_eq!((both.response_headers.len(), both.metadata.is_some()), (1, true), "{effect}");
        }
    }

    #[test]
    fn headers_of_servers_are_neither_set_nor_removed() {
        for name in OF_SERVERS.iter().flat_map(|name| [(*name).to_owned(), name.to_uppercase()]) {
            assert!(why("allow", &format!("headers = {{ {name} = 1 }}")).contains("servers"), "{name}");
            assert!(why("allow", &format!("remove_headers = [\"{name}\"]")).contains("servers"), "{name}");
            assert!(
                why("deny", &format!("response_headers = {{ {name} = 1 }}")).contains("servers"),
                "{name}"
            );
        }
        for value in [r"a\u0000", r"a\u007f", r"\n"] {
            assert!(
                why("deny", &format!("response_headers = {{ a = \"{value}\" }}")).contains("control"),
                "{value}"
            );
        }
    }

    #[test]
    fn attributes_that_cannot_be_used_are_errors() {
        for status in
            ["200", "500", "299", "418", "306", "499", "65836", "403.5", "\"x\"", "null", "-1", "1e9"]
        {
            assert!(why("deny", &format!("status = {status}")).contains("300 to 499"), "{status}");
        }
        assert!(why("deny", "body = [1]").contains("text"));
        for headers in ["{ \"a b\" = 1 }", "{ \":path\" = \"/\" }", "{ \"\" = 1 }"] {
            assert!(
                why("allow", &format!("headers = {headers}")).contains("not that of a header"),
                "{headers}"
            );
        }
        assert!(why("allow", "headers = { a = \"x\\r\\ny: 1\" }").contains("line breaks"));
        assert!(why("allow", "headers = { a = {} }").contains("not a text"));
        assert!(why("allow", "headers = [1]").contains("object"));
        assert!(why("allow", "remove_headers = \"a\"").contains("list"));
        assert!(why("allow", "remove_headers = [1]").contains("name"));
        assert!(why("deny", "response_headers = { content-length = 3 }").contains("servers"));
        assert!(why("deny", "metadata = [1]").contains("object"));
        // An attribute with an error has an unknown value. If the rule allows, the library does not decide.
        assert!(why("deny", "body = missing.name").contains("not a text"));
        // The object itself is one of 24 levels.
        let deep = |lists: usize| format!("metadata = {{ a = {}1{} }}", "[".repeat(lists), "]".repeat(lists));
        assert!(answer("allow", &deep(23)).is_ok());
        assert!(why("allow", &deep(24)).contains("object"));
        let deep =
            |objects: usize| format!("metadata = {}1{}", "{ a = ".repeat(objects), " }".repeat(objects));
        assert!(answer("allow", &deep(24)).is_ok());
        assert!(why("allow", &deep(25)).contains("object"));
    }
}
