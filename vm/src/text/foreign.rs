//! Names that other languages give to functions and literals of this one.

/// Names of functions elsewhere, in lower case and without `_`, with the function here.
const FUNCTIONS: [(&[&str], &str); 39] = [
    (&["len", "size", "count", "strlen", "sizeof"], "length"),
    (&["any", "some"], "anytrue"),
    (&["all", "every"], "alltrue"),
    (&["str", "string", "text"], "tostring"),
    (&["num", "number", "int", "integer", "float", "double", "parsefloat"], "tonumber"),
    (&["bool", "boolean"], "tobool"),
    (&["list", "array", "tuple"], "tolist"),
    (&["set"], "toset"),
    (&["map", "dict", "object", "hash"], "tomap"),
    (&["now", "today", "date", "datetime", "utcnow", "getdate"], "timestamp"),
    (&["substring", "mid"], "substr"),
    (&["strip"], "trimspace"),
    (&["toupper", "touppercase", "uppercase", "upcase", "ucase"], "upper"),
    (&["tolower", "tolowercase", "lowercase", "downcase", "lcase"], "lower"),
    (&["capitalize", "titlecase", "initcap", "ucfirst"], "title"),
    (&["includes", "has", "inarray", "member", "iselement"], "contains"),
    (&["hasprefix", "beginswith"], "startswith"),
    (&["hassuffix"], "endswith"),
    (&["indexof", "find", "position"], "index"),
    (&["append", "push", "extend", "union"], "concat"),
    (&["uniq", "unique", "dedup", "deduplicate"], "distinct"),
    (&["get", "dig", "getattr"], "lookup"),
    (&["sprintf", "printf", "fmt", "stringformat"], "format"),
    (&["match", "matches", "regexp", "regexmatch", "regexmatches"], "regex"),
    (&["ceiling", "roundup"], "ceil"),
    (&["rounddown", "trunc", "truncate"], "floor"),
    (&["power"], "pow"),
    (&["absolute"], "abs"),
    (&["isdefined", "defined", "exists", "isset"], "can"),
    (&["ifnull", "isnull", "nvl", "default", "orelse", "firstnonnull"], "coalesce"),
    (&["tojson", "encodejson", "jsonify", "stringify"], "jsonencode"),
    (&["fromjson", "parsejson", "decodejson"], "jsondecode"),
    (&["toyaml", "encodeyaml"], "yamlencode"),
    (&["fromyaml", "parseyaml", "decodeyaml"], "yamldecode"),
    (&["base64", "tobase64", "b64encode", "b64enc"], "base64encode"),
    (&["frombase64", "b64decode", "b64dec"], "base64decode"),
    (&["implode"], "join"),
    (&["explode", "tokenize"], "split"),
    (&["maximum", "greatest"], "max"),
];

/// Returns the function that a name means in other languages: `length` for `len`, `upper` for `toUpperCase`.
pub fn function_meant(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase().replace('_', "");
    FUNCTIONS.iter().find(|(names, _)| names.contains(&name.as_str())).map(|(_, function)| *function)
}

/// Functions of Packer's JSON templates that HCL templates do not have, with what to write in HCL.
const OF_JSON_TEMPLATES: [(&str, &str); 7] = [
    ("strftime", "`legacy_strftime(format)`, or `formatdate(format, timestamp())`"),
    ("isotime", "`legacy_isotime(format)`, or `formatdate(format, timestamp())`"),
    ("clean_resource_name", "`regex_replace(name, \"[^-a-zA-Z0-9]\", \"-\")`"),
    ("user", "`var.NAME`"),
    ("template_dir", "`path.root`"),
    ("pwd", "`path.cwd`"),
    ("packer_version", "`packer.version`"),
];

/// Returns what is written in HCL instead of a function of Packer's JSON templates.
pub(crate) fn of_json_templates(name: &str) -> Option<&'static str> {
    OF_JSON_TEMPLATES.iter().find(|(function, _)| *function == name).map(|(_, hcl)| *hcl)
}

/// Returns the literal that a name means in other languages: `null` for `nil`, `true` for `True`.
pub fn literal_meant(name: &str) -> Option<&'static str> {
    match name {
        "nil" | "Nil" | "None" | "none" | "NULL" | "Null" | "undefined" => Some("null"),
        "True" | "TRUE" => Some("true"),
        "False" | "FALSE" => Some("false"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_known_by_their_names_elsewhere() {
        assert_eq!(function_meant("len"), Some("length"));
        assert_eq!(function_meant("to_upper"), Some("upper"));
        assert_eq!(function_meant("toUpperCase"), Some("upper"));
        assert_eq!(function_meant("length"), None);
    }

    #[test]
    fn each_name_means_one_function() {
        let mut names: Vec<&str> = FUNCTIONS.iter().flat_map(|(names, _)| *names).copied().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
