//! The messages of the front end, one named constructor each, and the sink that collects them.
//!
//! Titles, places and order are the reference's; the sentences are our own. A sentence says what was
//! expected and what was found, and what to do if that is not obvious. Messages about evaluation are
//! not here but in `hclvm_vm`.

use std::fmt::Display;

pub(crate) use hclvm_vm::Diagnostic;
use hclvm_vm::{Code, Span, codes};

use crate::syntax::token::FoundToken;

/// Constructor of a message about its subject alone.
pub(crate) type Make = fn(Span) -> Diagnostic;

/// Constructor of a message about its subject in a context.
pub(crate) type MakeWithin = fn(Span, Span) -> Diagnostic;

/// Constructor of a message about an unexpected token: what was found, and the subject.
pub(crate) type MakeFound = fn(FoundToken<'_>, Span) -> Diagnostic;

/// Constructor of a message about an unexpected token in a context.
pub(crate) type MakeFoundWithin = fn(FoundToken<'_>, Span, Span) -> Diagnostic;

/// Collects diagnostics up to a limit and counts the rest.
#[derive(Debug)]
pub(crate) struct DiagnosticSink {
    kept: Vec<Diagnostic>,
    limit: usize,
    count: usize,
    first_dropped: Option<Span>,
}

impl DiagnosticSink {
    /// Creates a sink that keeps `limit` diagnostics.
    pub(crate) fn new(limit: usize) -> Self {
        Self { kept: Vec::new(), limit, count: 0, first_dropped: None }
    }

    /// Returns the number of diagnostics so far, dropped ones included.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns true if the next diagnostic will be kept.
    pub(crate) fn keeps_next(&self) -> bool {
        self.kept.len() < self.limit
    }

    /// Appends a diagnostic.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.insert(self.count, diagnostic);
    }

    /// Inserts a diagnostic before those that were added since the count was `at`.
    pub(crate) fn insert(&mut self, at: usize, diagnostic: Diagnostic) {
        self.count += 1;
        if self.kept.len() < self.limit {
            self.kept.insert(at.min(self.kept.len()), diagnostic);
        } else if self.first_dropped.is_none() {
            self.first_dropped = diagnostic.subject;
        }
    }

    /// Returns the diagnostics, followed by one that counts those that were dropped.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        let dropped = self.count - self.kept.len();
        if dropped > 0 {
            self.kept.push(too_many_problems(dropped, self.first_dropped.unwrap_or_default()));
        }
        self.kept
    }
}

/// Returns the code of a message: the one that is given, else the one of its title, which must be in the
/// table.
macro_rules! code {
    ($title:literal) => {
        const { Code::of_known_title($title) }
    };
    ($title:literal $code:ident) => {
        codes::$code
    };
}

/// Generates constructors of the type [`Make`] from titles and sentences. `name as CODE` gives a message
/// another code than that of its title.
macro_rules! messages {
    ($($name:ident $(as $code:ident)? = $title:literal, $detail:literal;)*) => {$(
        pub(crate) fn $name(subject: Span) -> Diagnostic {
            Diagnostic::error($title, $detail, subject).coded(code!($title $($code)?))
        }
    )*};
}

/// Generates constructors of the type [`MakeWithin`].
macro_rules! messages_within {
    ($($name:ident $(as $code:ident)? = $title:literal, $detail:literal;)*) => {$(
        pub(crate) fn $name(subject: Span, context: Span) -> Diagnostic {
            Diagnostic::error($title, $detail, subject).within(context).coded(code!($title $($code)?))
        }
    )*};
}

/// Generates constructors of the type [`MakeFound`]. The sentence is "Expected …, found ….", and an
/// optional second one with advice.
macro_rules! expected {
    ($($name:ident $(as $code:ident)? = $title:literal, $expected:literal $(, $advice:literal)?;)*) => {$(
        pub(crate) fn $name(found: FoundToken<'_>, subject: Span) -> Diagnostic {
            let detail = sentence($expected, found, concat!($(" ", $advice)?));
            Diagnostic::error($title, detail, subject).coded(code!($title $($code)?))
        }
    )*};
}

/// Generates constructors of the type [`MakeFoundWithin`].
macro_rules! expected_within {
    ($($name:ident $(as $code:ident)? = $title:literal, $expected:literal $(, $advice:literal)?;)*) => {$(
        pub(crate) fn $name(found: FoundToken<'_>, subject: Span, context: Span) -> Diagnostic {
            let detail = sentence($expected, found, concat!($(" ", $advice)?));
            Diagnostic::error($title, detail, subject).within(context).coded(code!($title $($code)?))
        }
    )*};
}

fn sentence(expected: &str, found: FoundToken<'_>, advice: &str) -> String {
    format!("Expected {expected}, found {found}.{advice}")
}

// Limits.

messages! {
    nesting_too_deep = "Nesting too deep",
        "The brackets, operators, templates or blocks around this place are nested deeper than the parser's limit. The rest of the text was not parsed. Split the construct into smaller parts.";
    source_too_large = "Source too large", "The text is larger than the parser's limit and was not parsed.";
    identifier_too_long = "Identifier too long", "This name is longer than the parser's limit.";
}

fn too_many_problems(dropped: usize, subject: Span) -> Diagnostic {
    let detail = format!("{dropped} more problems follow from here on; they are not listed.");
    Diagnostic::error("Too many problems", detail, subject)
}

// Tokens.

messages! {
    bitwise_and = "Unsupported operator", "There is no bitwise operator `&`. Use `&&` for a logical and.";
    bitwise_or = "Unsupported operator", "There is no bitwise operator `|`. Use `||` for a logical or.";
    bitwise_not = "Unsupported operator", "There is no bitwise operator `~`. Use `!` for a logical not.";
    bitwise_xor = "Unsupported operator", "There is no operator `^`. For powers, use `pow(base, exponent)`.";
    backtick as BACKTICKS = "Invalid character", "Backticks do not quote text. Use a heredoc, which begins with `<<` and a marker, for text of several lines.";
    apostrophe as SINGLE_QUOTES = "Invalid character", "Apostrophes do not quote text. Use double quotes (\") for strings.";
    semicolon as SEMICOLON = "Invalid character", "HCL has no semicolons. End arguments and blocks with a line break, and separate the items of a collection with commas.";
    encoding = "Invalid character encoding", "This byte is not part of a UTF-8 character. Save the text as UTF-8.";
    multi_line_string = "Invalid multi-line string", "A quoted string must end on the line where it begins. Write a line break as `\\n`, or use a heredoc for text of several lines.";
    curly_quote as TYPOGRAPHIC_QUOTES = "Invalid character", "Typographic quotes, which word processors insert, do not quote text. Use straight double quotes (\") for strings.";
    invalid_character = "Invalid character", "This character is not part of the language.";
}

expected! {
    extra_after_expression = "Extra characters after expression", "the end of the expression";
}

// Bodies.

messages! {
    quoted_argument_name = "Invalid argument name", "The name of an argument is written without quotes.";
    unclosed_block = "Unclosed configuration block", "Missing `}` for the block that opens here, or for a block inside it.";
    comma_in_one_line_block = "Invalid single-argument block definition", "A block on one line holds a single argument. To set several, put each on a separate line between the braces.";
    open_one_line_block = "Invalid single-argument block definition", "Expected `}` after the argument, found a line break. A block whose argument is on the line of its `{` must end on that line.";
}

messages_within! {
    comma_after_argument = "Unexpected comma after argument", "Expected a line break after the value, found `,`. Arguments are not separated by commas.";
    equals_in_block as EQUALS_IN_BLOCK = "Invalid block definition", "Expected `{` after the type and labels of the block, found `=`. Only arguments have an equals sign.";
    brace_on_next_line as BRACE_ON_NEXT_LINE = "Invalid block definition", "Expected `{` on the line of the type and labels of the block, found a line break.";
    unclosed_one_line_block = "Unclosed configuration block", "Missing `}` for the block that opens here.";
}

expected! {
    item_required = "Argument or block definition required", "the name of an argument or the type of a block";
    extra_in_one_line_block = "Invalid single-argument block definition", "`}` after the argument of a block on one line";
}

expected_within! {
    missing_newline_after_argument = "Missing newline after argument", "a line break after the value";
    bad_label = "Invalid block definition", "a label or `{` after the type of the block";
    missing_newline_after_block = "Missing newline after block definition", "a line break after the block";
}

/// A name that neither an argument nor a block continues.
pub(crate) fn item_required_after_name(
    name: FoundToken<'_>,
    found: FoundToken<'_>,
    subject: Span,
) -> Diagnostic {
    let expected = if found.ends_line() { "`=` or `{`" } else { "`=`" };
    let detail = format!("Expected {expected} after {name}, found {found}.");
    Diagnostic::error("Argument or block definition required", detail, subject)
}

/// A second definition of an argument; `line` is where the first one is.
pub(crate) fn attribute_redefined(name: &str, line: usize, subject: Span) -> Diagnostic {
    let detail =
        format!("The argument `{name}` is already set on line {line}. An argument can be set once per body.");
    Diagnostic::error("Attribute redefined", detail, subject)
}

/// A block inside a block on one line.
pub(crate) fn block_in_one_line_block(name: &str, subject: Span) -> Diagnostic {
    let detail = format!(
        "A block on one line holds a single argument. If `{name}` is that argument, set it with `=`; if it is a block, put it on a separate line."
    );
    Diagnostic::error("Argument definition required", detail, subject)
}

// Expressions.

messages! {
    nested_splat = "Nested splat expression not allowed", "`.*` cannot follow another `.*`. Use `[*]` for splats inside splats.";
    missing_splat_bracket = "Missing close bracket on splat index", "Missing `]` after `[*`.";
    missing_index_bracket = "Missing close bracket on index", "Missing `]` after the index.";
    unterminated_call = "Unterminated function call", "Missing `)` for the arguments that open here, or a closing bracket inside them.";
    unterminated_tuple = "Unterminated tuple constructor expression", "Missing `]` for the tuple that opens here, or a closing bracket inside it.";
    unterminated_object = "Unterminated object constructor expression", "Missing `}` for the object that opens here, or a closing bracket inside it.";
}

messages_within! {
    dotted_key = "Missing key/value separator", "Expected `=` after the key, found `.`. Quote a key that contains dots or blanks.";
    for_key_in_tuple as FOR_KEY_IN_TUPLE = "Invalid 'for' expression", "A `for` expression in square brackets builds a tuple, which has no keys. Use braces to build an object.";
    for_group_in_tuple as FOR_GROUPING_IN_TUPLE = "Invalid 'for' expression", "Only a `for` expression in braces can group its results with `...`.";
    for_without_key as FOR_WITHOUT_KEY = "Invalid 'for' expression", "A `for` expression in braces builds an object, so its result is a key and a value: `key => value`.";
}

expected! {
    missing_expression = "Missing expression", "an expression";
    invalid_expression = "Invalid expression", "an expression";
    invalid_attribute_name = "Invalid attribute name", "the name of an attribute after the dot";
}

expected_within! {
    missing_false_arm = "Missing false expression in conditional", "`:` and the result for false";
    unbalanced_parentheses = "Unbalanced parentheses", "`)` after the expression";
    missing_function_name = "Missing function name", "the name of a function after `::`";
    missing_open_parenthesis = "Missing open parenthesis", "`(` and the arguments of the function", "A name with `::` is the name of a function.";
    missing_close_parenthesis = "Missing closing parenthesis", "`)` after `...`", "Only the last argument can be expanded.";
    missing_argument_separator = "Missing argument separator", "`,` or `)` after the argument";
    missing_item_separator = "Missing item separator", "`,` or `]` after the item";
    missing_attribute_value = "Missing attribute value", "`=` and a value after the key";
    missing_key_separator = "Missing key/value separator", "`=` after the key";
    missing_attribute_separator = "Missing attribute separator", "`,`, `}` or a line break after the item";
    for_name = "Invalid 'for' expression", "the name of a variable after `for`";
    for_second_name = "Invalid 'for' expression", "the name of the variable for the value after the comma";
    for_in = "Invalid 'for' expression", "`in` after the names of the variables";
    for_colon = "Invalid 'for' expression", "`:` after the collection";
    for_end = "Invalid 'for' expression", "the closing bracket of the `for` expression";
}

/// A number with several dots or exponents, or with an exponent out of range.
pub(crate) fn invalid_number(found: FoundToken<'_>, subject: Span) -> Diagnostic {
    let detail = format!(
        "{found} is not a number: it has more than one dot or exponent, or its exponent is out of range."
    );
    Diagnostic::error("Invalid number literal", detail, subject)
}

/// `.0.1` or `.*.0.1`, which reads as one number after the dot.
pub(crate) fn chained_legacy_index(number: &str, in_splat: bool, subject: Span) -> Diagnostic {
    let (first, second) = number.split_once('.').unwrap_or((number, ""));
    let splat = if in_splat { " after the splat `[*]`" } else { "" };
    let detail = format!(
        "Two indexes in a row cannot be written with dots. Write `[{first}][{second}]`{splat} instead."
    );
    Diagnostic::error("Invalid legacy index syntax", detail, subject)
}

// Strings and templates.

messages! {
    escape_needs_four_digits = "Invalid escape sequence", "Expected four hexadecimal digits after `\\u`.";
    escape_needs_eight_digits = "Invalid escape sequence", "Expected eight hexadecimal digits after `\\U`.";
    escape_needs_selector = "Invalid escape sequence", "A backslash begins an escape sequence such as `\\n`. Write a literal backslash as `\\\\`.";
    unclosed_interpolation = "Unclosed template interpolation sequence", "Missing `}` for a `${` of this template, or a closing bracket inside it.";
    unclosed_interpolation_in_quotes = "Unclosed template interpolation sequence", "Missing `}` for a `${` of this string, or a closing bracket inside it, before the quote that ends the string.";
}

messages_within! {
    unterminated_string = "Unterminated string literal", "Missing the closing quote of this string.";
    interpolation_in_string as TEMPLATE_NOT_ALLOWED = "Invalid string literal", "A value cannot be inserted here. Write `$${` for a literal `${`.";
    directive_in_string as TEMPLATE_NOT_ALLOWED = "Invalid string literal", "A directive cannot be used here. Write `%%{` for a literal `%{`.";
    unterminated_template = "Unterminated template string", "Missing the end of this template: its closing quote, or the line with its closing marker.";
}

expected! {
    directive_for_name = "Invalid 'for' directive", "the name of a variable after `for`";
    directive_for_second_name = "Invalid 'for' directive", "the name of the variable for the value after the comma";
    directive_for_in = "Invalid 'for' directive", "`in` after the names of the variables";
}

expected_within! {
    bad_string_part = "Invalid string literal", "literal text or the closing quote";
    extra_after_interpolation = "Extra characters after interpolation expression", "`}` after the expression", "If the text is meant for another language, write `$${` for a literal `${`.";
    directive_required = "Invalid template directive", "`if`, `else`, `endif`, `for` or `endfor` after `%{`", "If the text is meant for another language, write `%%{` for a literal `%{`.";
}

/// An escape for a code point that is not a character.
pub(crate) fn escape_beyond_unicode(digits: &str, subject: Span) -> Diagnostic {
    let detail = format!("There is no character U+{digits}.");
    Diagnostic::error("Invalid escape sequence", detail, subject)
}

/// An escape with an unknown letter.
pub(crate) fn unknown_escape(selector: &str, subject: Span) -> Diagnostic {
    let detail = format!("There is no escape sequence `\\{selector}`. Write a literal backslash as `\\\\`.");
    Diagnostic::error("Invalid escape sequence", detail, subject)
}

/// A directive with an unknown keyword.
pub(crate) fn unknown_directive(
    given: FoundToken<'_>,
    nearest: Option<&str>,
    subject: Span,
    context: Span,
) -> Diagnostic {
    let hint = nearest.map_or(String::new(), |name| format!(" Did you mean `{name}`?"));
    let detail = format!("{given} is not a directive; use `if`, `else`, `endif`, `for` or `endfor`.{hint}");
    Diagnostic::error("Invalid template control keyword", detail, subject).within(context)
}

/// Adds how `%{` is written in a text for another language to the diagnostic of an unknown directive.
pub(crate) fn literal_directive(mut problem: Diagnostic, open: Span, keyword: Span) -> Diagnostic {
    problem
        .detail
        .to_mut()
        .push_str(" If the text is meant for another language, write `%%{` for a literal `%{`.");
    if open.end == keyword.start {
        problem.replacement(Span::new(open.start, open.end), "%%{")
    } else {
        problem
    }
}

/// More text after a directive.
pub(crate) fn extra_in_directive(
    keyword: &str,
    found: FoundToken<'_>,
    subject: Span,
    context: Span,
) -> Diagnostic {
    let title = format!("Extra characters in {keyword} marker");
    Diagnostic::error(title, sentence("`}` after the directive", found, ""), subject).within(context)
}

/// A directive that ends or divides nothing.
pub(crate) fn stray_directive(name: &str, subject: Span) -> Diagnostic {
    let opener = if name == "endfor" { "for" } else { "if" };
    let detail = format!("`%{{ {name} }}` has no matching `%{{ {opener} }}`.");
    Diagnostic::error(format!("Unexpected {name} directive"), detail, subject)
}

/// A directive that does not fit the open one, which began on `line`.
pub(crate) fn wrong_directive(name: &str, open: impl Display, line: usize, subject: Span) -> Diagnostic {
    let detail = match name {
        "else" if open.to_string() == "if" => {
            format!("The `%{{ if }}` on line {line} already has an `%{{ else }}`.")
        }
        "else" => format!("The `%{{ for }}` on line {line} cannot have an `%{{ else }}`."),
        _ => format!(
            "The `%{{ {open} }}` on line {line} ends with `%{{ end{open} }}`, not with `%{{ {name} }}`."
        ),
    };
    Diagnostic::error(format!("Unexpected {name} directive"), detail, subject)
}

/// A template that ends inside a directive that began on `line`.
pub(crate) fn unclosed_directive(open: impl Display, line: usize, subject: Span) -> Diagnostic {
    let detail = format!("Missing `%{{ end{open} }}` for the `%{{ {open} }}` on line {line}.");
    Diagnostic::error("Unexpected end of template", detail, subject)
}

// Traversals.

expected! {
    variable_name_required = "Variable name required", "the name of a variable";
}

messages_within! {
    splat_not_allowed = "Attribute name required", "The splat `*` cannot be used here. Select one attribute or index.";
}

expected_within! {
    attribute_name_required = "Attribute name required", "the name of an attribute after the dot";
    unclosed_index = "Unclosed index brackets", "`]` after the index";
    index_required = "Index value required", "a number or a quoted string between the brackets";
    step_required = "Invalid character", "`.` and a name, or an index in brackets";
}

// Static forms.

messages! {
    static_list_required as STATIC_EXPRESSION_REQUIRED = "Invalid expression", "Expected a list of items in square brackets. This expression is read as syntax, not evaluated.";
    static_map_required as STATIC_EXPRESSION_REQUIRED = "Invalid expression", "Expected keys and values in braces. This expression is read as syntax, not evaluated.";
    static_call_required as STATIC_EXPRESSION_REQUIRED = "Invalid expression", "Expected the call of a function. This expression is read as syntax, not evaluated.";
    static_traversal_required as STATIC_EXPRESSION_REQUIRED = "Invalid expression", "Expected the name of a variable, optionally with attributes and constant indexes. This expression is read as syntax, not evaluated, so it can neither compute, nor call functions, nor use templates.";
}

// JSON syntax.

messages! {
    json_extra = "Extraneous data after value", "Expected the end of the text after the JSON value.";
    json_value_before_brace = "Missing JSON value", "Expected a JSON value, found `}`.";
    json_value_before_bracket = "Missing array element value", "Expected a JSON value, found `]`.";
    json_value_before_end = "Missing value", "Expected a JSON value, found the end of the text.";
    json_bad_byte = "Invalid start of value", "This byte is not part of a UTF-8 character. Save the text as UTF-8.";
    json_no_value = "Invalid start of value", "Expected a JSON value: an object, an array, a number, a string in double quotes, or one of `true`, `false` and `null`.";
    json_name_required = "Invalid object property name", "Expected a string in double quotes as the name of the property.";
    json_value_missing = "Missing object value", "Expected `:` and a value after the name of the property. A list without names is written in square brackets.";
    json_equals_for_colon = "Missing property value colon", "Expected `:` after the name of the property, found `=`.";
    json_colon_missing = "Missing property value colon", "Expected `:` after the name of the property.";
    json_comma_in_object = "Trailing comma in object", "JSON allows no comma after the last property of an object.";
    json_comma_in_array = "Trailing comma in array", "JSON allows no comma after the last value of an array.";
    json_unclosed_object = "Unclosed object", "Missing `}` for the object that opens here.";
    json_unclosed_array = "Unclosed object", "Missing `]` for the array that opens here.";
    json_bracket_for_brace = "Mismatched braces", "The object before this place must be closed with `}`, not `]`.";
    json_brace_for_bracket = "Mismatched brackets", "The array before this place must be closed with `]`, not `}`.";
    json_unseparated_property = "Missing attribute seperator comma", "Expected `,` or `}` after the property.";
    json_unseparated_item = "Missing attribute seperator comma", "Expected `,` or `]` after the value.";
    json_colon_in_array = "Invalid array value", "Expected `,` or `]` after the value, found `:`. Properties with names are written in braces.";
    json_bad_number = "Invalid JSON number", "Expected a number: an optional `-`, digits without a leading zero, an optional fraction and an optional exponent.";
    json_bad_string = "Invalid JSON string", "The string is invalid here: JSON does not have this escape, or the closing quote is missing on this line.";
    json_root = "Root value must be object", "Expected a JSON object, or an array of objects, as the configuration.";
}

/// A keyword of JavaScript that JSON does not have.
pub(crate) fn json_javascript_word(word: &str, subject: Span) -> Diagnostic {
    Diagnostic::error("Invalid JSON keyword", format!("`{word}` is not JSON; use null."), subject)
}

/// A word that is not a keyword of JSON.
pub(crate) fn json_unknown_word(word: &str, near: Option<&str>, subject: Span) -> Diagnostic {
    let hint = near.map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
    let detail = format!(
        "`{word}` is not JSON; its keywords are `true`, `false` and `null`, and strings need double quotes.{hint}"
    );
    Diagnostic::error("Invalid JSON keyword", detail, subject)
}
