//! The expressions, in which `m` is the variable with a marked value.

use hclvm::Type;
use hclvm::functions::Function;

use crate::influence::runs::Form;

const OPERATORS: [&str; 13] = ["||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"];

/// Operands of each kind, known and unknown.
const OPERANDS: [&str; 11] = ["1", "\"x\"", "true", "false", "null", "l", "o", "tl", "u", "un", "ub"];

/// Every other construct: `X` is replaced by `m`.
const CONSTRUCTS: &[&str] = &[
    // access
    "X.a",
    "X.x",
    "X[\"a\"]",
    "X[0]",
    "X[1]",
    "X[1][0]",
    "X[99]",
    "X.a.a",
    "X[u]",
    "X[us]",
    "X[un]",
    "o[X]",
    "o[X[1]]",
    "o[X.a]",
    "tm[X]",
    "tm[X[1]]",
    "tm[X.a]",
    "l[X]",
    "l[X[1]]",
    "tl[X]",
    "tl[X.a]",
    "ul[X]",
    "u[X]",
    "{ a = X }[us]",
    "[X][un]",
    "[X, 1][0]",
    // splats
    "X[*]",
    "X[*].a",
    "X[*][0]",
    "X.*",
    "X.*.a",
    "X.*.0",
    "l[*][X]",
    "[X, X][*].a",
    "ul[*][X]",
    // conditionals
    "X ? 1 : 2",
    "X ? l : tl",
    "X ? un : 1",
    "ub ? X : 1",
    "ub ? X : X",
    "u ? X : null",
    "true ? X : null",
    "true ? X : tl",
    "true ? X : tm",
    "false ? X : 1",
    "true ? 1 : X",
    "X[1] ? 1 : 2",
    "X.a ? 1 : 2",
    "X ? X : X",
    "true ? { a = X } : tm",
    "true ? [X] : tl",
    // for expressions
    "[for x in X : x]",
    "[for x in X : 1]",
    "[for k, x in X : k]",
    "[for x in X : 1 if x]",
    "[for x in X : 1 if x == \"x\"]",
    "[for x in X : 1 if true]",
    "[for x in X : x.a]",
    "[for x in [X, X] : x]",
    "[for x in [u, X] : 2 if x]",
    "[for x in [X, u] : 2 if x]",
    "[for x in l : X]",
    "[for x in l : 1 if X]",
    "[for x in l : 1 if X[1]]",
    "[for x in l : 1 if X.a]",
    "[for x in l : x if x == X]",
    "[for x in [] : x if X]",
    "[for x in u : X]",
    "[for x in ul : X]",
    "[for x in ul : 1 if X]",
    "[for x in X : 1 if ub]",
    "{for k, x in X : k => x}",
    "{for k, x in X : k => 1}",
    "{for x in X : x => 1}",
    "{for x in X : x => 1...}",
    "{for x in l : x => X}",
    "{for x in l : \"${x}${X}\" => 1}",
    "{for x in l : X => x...}",
    "{for x in l : X[1] => x...}",
    "{for x in [0] : X.a => 1}",
    "{for x in l : x => 1 if X}",
    "{for x in l : us => X}",
    "{for x in l : us => 1 if X}",
    "{for x in u : x => 1 if X}",
    "{for x in [X, u] : \"k\" => 1 if x}",
    "[for x in X : [for y in x : y]]",
    "[for x in l : [for y in X : x]]",
    // templates
    "\"${X}\"",
    "\"a${X}b\"",
    "\"${us}${X}\"",
    "\"${X}${us}\"",
    "\"a${X[1]}\"",
    "\"a${X.a}\"",
    "\"%{ if X }a%{ else }b%{ endif }\"",
    "\"c%{ if X[1] }a%{ endif }\"",
    "\"%{ if true }${X}%{ endif }\"",
    "\"%{ if false }${X}%{ endif }\"",
    "\"%{ if ub }${X}%{ endif }\"",
    "\"%{ for x in X }${x}%{ endfor }\"",
    "\"%{ for x in X }a%{ endfor }\"",
    "\"a%{ for k, x in X }${k}%{ endfor }\"",
    "\"%{ for x in l }${X}%{ endfor }\"",
    "\"%{ for x in ul }${X}%{ endfor }\"",
    "\"%{ for x in u }${X}%{ endfor }\"",
    // faults that other parts rescue
    "X.a || true",
    "true || X.a",
    "X + 1 == 2 || true",
    "!X || true",
    "X[0] && false",
    "true ? 1 : X.zz",
    "(true ? 1 : X + 1) == 1",
    "ub ? 1 : X + 1",
    "[for x in [X, u] : 1 if x.a]",
    "\"%{ if true }a%{ else }${X + 1}%{ endif }\"",
    "max(X...) == 1 || true",
    "upper(X) == \"X\" || true",
    "convert(X, number) == 1 || true",
    "X[*].a == 1 || true",
    "[for x in X : x.a] == 1 || true",
    "{for k, x in X : k => x.a} == 1 || true",
    "{ (X.a) = 1 } == 1 || true",
    "\"${X.a}\" == \"x\" || true",
    // unknown values that depend on the variable
    "!(X ? ub : true)",
    "-(X ? un : 1)",
    "tl[X ? un : 0]",
    "l[X ? un : 0]",
    "o[X ? us : \"a\"]",
    "tm[X ? u : \"a\"]",
    "[for x in (X ? u : l) : x]",
    "[for x in l : x if (X ? ub : true)]",
    "{ (X ? us : \"a\") = 1 }",
    "{for x in l : (X ? us : x) => 1}",
    "max((X ? ul : [1, 2])...)",
    "keys(X ? u : tm)",
    "\"%{ for x in l }${X ? us : x}%{ endfor }\"",
    "(X ? u : tl)[*]",
    "abs(X ? un : 1)",
    "length(X ? ul : tl)",
    // tuples, objects, parentheses
    "(X)",
    "[X]",
    "[[X], 1]",
    "{ a = X }",
    "{ (X) = 1 }",
    "{ (X) = X }",
    "{ (X[1]) = 1 }",
    "{ (X.a) = 1 }",
    "{ a = 1, (X) = 2 }",
    "{ (us) = X }",
    "{ \"k${X}\" = 1 }",
    // attempts and conversions
    "try(X.a, 1)",
    "try(X[0], X)",
    "try(X, 1)",
    "try(tonumber(X), 1)",
    "try([X, u], 1)",
    "can(X.a)",
    "can(X + 1)",
    "can(tobool(X))",
    "try(X.zz, 1)",
    "try(X + 1, tonumber(X), \"d\")",
    "try([X + 1, 1][1], 2)",
    "try({ a = X.a, b = 1 }.b, 2)",
    "try(X ? u : 1, 1)",
    "can(X ? u : 1)",
    "can([X.a, 1][1])",
    "can(length([X + 1]))",
    "can([for x in l : x if X])",
    "can({ (X) = 1 })",
    "can(\"${X}\")",
    "can(true ? [X] : tl)",
    "can(l[X])",
    "can(try(X.a, X[0]))",
    "[for x in l : try(X.a, x)]",
    "[for x in X : try(x.a, 1)]",
    "[for x in l : 1 if can(X.a)]",
    "[for x in [X] : 1 if can(x.a)]",
    "try([for x in X : x if x.a == 1], [])",
    "try(tm[X], \"d\")",
    "try(max(X...), 1)",
    "try(X[*].a, 1)",
    "convert(X, string)",
    "convert(X, number)",
    "convert(X, bool)",
    "convert(X, list(string))",
    "convert(X, set(string))",
    "convert(X, map(string))",
    "convert(X, list(any))",
    "convert(X, map(any))",
    "convert(X, object({ a = string }))",
    "convert(X, tuple([string, string]))",
    "convert([X], list(string))",
    "convert({ a = X }, map(string))",
    "convert({ a = X }, object({}))",
];

/// Expressions in JSON.
const JSON: [&str; 8] = [
    r#""${m}""#,
    r#""a${m}""#,
    r#"["${m}", 1]"#,
    r#"{"a": "${m}"}"#,
    r#"{"${m}": 1}"#,
    r#"{"k${m}": 1, "b": "${m}"}"#,
    r#"{"${m}": 1, "a": 2}"#,
    r#"{"${us}": "${m}"}"#,
];

/// Contexts of a construct: what its result influences carries its marks.
const CONTEXTS: [&str; 8] = [
    "(X) == \"x\" ? 1 : 2",
    "[for y in X : 1]",
    "\"-${X}\"",
    "tm[X]",
    "try([X, 1][1], 2)",
    "can([X, 1][1])",
    "(X) == 1 || true",
    "true ? 1 : X",
];

fn native(text: String) -> Form {
    Form { text, json: false, nested: false }
}

/// Returns the forms of the language.
pub(crate) fn of_the_language() -> Vec<Form> {
    let mut texts: Vec<String> = ["-X", "!X"].map(str::to_owned).into();
    for operator in OPERATORS {
        texts.extend(
            OPERANDS
                .iter()
                .flat_map(|operand| [format!("X {operator} {operand}"), format!("{operand} {operator} X")]),
        );
        texts.push(format!("X {operator} X"));
        texts.push(format!("X[1] {operator} X.a"));
    }
    texts.extend(CONSTRUCTS.iter().map(|text| (*text).to_owned()));
    let mut forms: Vec<Form> = texts.iter().map(|text| native(text.replace('X', "m"))).collect();
    for text in CONSTRUCTS {
        let within = |context: &&str| native(context.replace('X', &text.replace('X', "m")));
        forms.extend(CONTEXTS.iter().map(within).map(|form| Form { nested: true, ..form }));
    }
    forms.extend(JSON.map(|text| Form { text: text.to_owned(), json: true, nested: false }));
    forms
}

/// Returns calls of a function with `m` and its elements in every position. Functions whose results are not
/// determined by their arguments have none.
pub(crate) fn of_function(function: &Function) -> Vec<Form> {
    if !function.pure {
        return Vec::new();
    }
    let (name, needs) = (&function.name, function.parameters.len());
    let most = if function.variadic.is_some() { needs.max(1) + 1 } else { needs };
    let mut texts = Vec::new();
    for fill in ["tl", "o"] {
        let argument = |at: usize| match function.parameter(at).map(|parameter| parameter.ty) {
            Some(Type::String) => "\"x\"",
            Some(Type::Number) => "1",
            Some(Type::Bool) => "true",
            Some(Type::Map(_)) => "tm",
            Some(Type::Set(_)) => "ts",
            Some(Type::List(_)) => "tl",
            _ => fill,
        };
        for count in needs..=most {
            let given: Vec<&str> = (0..count).map(argument).collect();
            for at in 0..count {
                // The last one is unknown if `m` is true; it need not be among other arguments of each kind.
                let holes = ["m", "[m]", "m.a", "[m ? us : \"x\"]"];
                for hole in &holes[..if fill == "tl" { 4 } else { 3 }] {
                    let mut arguments = given.clone();
                    arguments[at] = hole;
                    texts.push(format!("{name}({})", arguments.join(", ")));
                }
                let expanded: Vec<&str> = given[..at].iter().copied().chain(["m..."]).collect();
                texts.push(format!("{name}({})", expanded.join(", ")));
            }
        }
    }
    texts.sort();
    texts.dedup();
    texts.into_iter().map(native).collect()
}
