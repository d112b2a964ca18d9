//! Every message of the front end as a named constructor, and the report that collects them.
//!
//! Titles are the established ones; the sentences are our own. A constructor takes what it
//! is about: the subject, then the context where there is one.

use std::fmt::Display;

pub(crate) use hclvm_vm::Diagnostic;
use hclvm_vm::Span;

/// A message that needs only its subject.
pub(crate) type Make = fn(Span) -> Diagnostic;

/// A message that needs its subject and context.
pub(crate) type MakeWithin = fn(Span, Span) -> Diagnostic;

/// Collects diagnostics up to a limit and counts the rest.
#[derive(Debug)]
pub(crate) struct DiagnosticSink {
    kept: Vec<Diagnostic>,
    limit: usize,
    count: usize,
    first_dropped: Option<Span>,
}

impl DiagnosticSink {
    pub(crate) fn new(limit: usize) -> Self {
        Self { kept: Vec::new(), limit, count: 0, first_dropped: None }
    }

    /// Number of diagnostics so far, dropped ones included.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.insert(self.count, diagnostic);
    }

    /// Files a diagnostic before the ones that came since the count was `at`.
    pub(crate) fn insert(&mut self, at: usize, diagnostic: Diagnostic) {
        self.count += 1;
        if self.kept.len() < self.limit {
            self.kept.insert(at.min(self.kept.len()), diagnostic);
        } else if self.first_dropped.is_none() {
            self.first_dropped = diagnostic.subject;
        }
    }

    /// The diagnostics, with a last one for those that were dropped.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        let dropped = self.count - self.kept.len();
        if dropped > 0 {
            self.kept.push(too_many_problems(dropped, self.first_dropped.unwrap_or_default()));
        }
        self.kept
    }
}

macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident = $title:literal, $detail:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(subject: Span) -> Diagnostic {
            Diagnostic::error($title, $detail, subject)
        }
    )*};
}

macro_rules! messages_within {
    ($($name:ident = $title:literal, $detail:literal;)*) => {$(
        pub(crate) fn $name(subject: Span, context: Span) -> Diagnostic {
            Diagnostic::error($title, $detail, subject).within(context)
        }
    )*};
}

// Limits.

messages! {
    nesting_too_deep = "Nesting too deep",
        "The brackets, operators, templates or blocks around this place are nested deeper than the limit of the parser allows. The rest of the text was not read. Split the construct into smaller parts.";
    source_too_large = "Source too large",
        "The text is larger than the limit of the parser and was not read.";
    identifier_too_long = "Identifier too long",
        "This name is longer than the limit of the parser allows.";
}

fn too_many_problems(dropped: usize, subject: Span) -> Diagnostic {
    let detail = format!("From here on {dropped} more problems were found that are not listed.");
    Diagnostic::error("Too many problems", detail, subject)
}

// Tokens.

messages! {
    bitwise_and = "Unsupported operator", "There is no operator \"&\": bits cannot be combined. For the logical AND write \"&&\".";
    bitwise_or = "Unsupported operator", "There is no operator \"|\": bits cannot be combined. For the logical OR write \"||\".";
    bitwise_not = "Unsupported operator", "There is no operator \"~\": bits cannot be inverted. For the logical NOT write \"!\".";
    bitwise_xor = "Unsupported operator", "There is no operator \"^\": bits cannot be combined and powers have no operator.";
    backtick = "Invalid character", "A backtick cannot quote text here. For text of several lines use a heredoc, which begins with \"<<\" and a marker.";
    apostrophe = "Invalid character", "An apostrophe cannot quote text here. Strings stand between double quotes (\").";
    semicolon = "Invalid character", "A semicolon separates nothing here. Arguments and blocks end with a line break, items of a collection are separated by commas.";
    encoding = "Invalid character encoding", "This byte is not part of a UTF-8 character. Save the text in the encoding UTF-8.";
    multi_line_string = "Invalid multi-line string", "A quoted string ends on the line where it begins. Write a line break as \\n, or use a heredoc for text of several lines.";
    curly_quote = "Invalid character", "A typographic quote cannot quote text here; word processors put it in the place of the plain quote. Strings stand between straight double quotes (\").";
    invalid_character = "Invalid character", "No part of the language begins with this character.";
    extra_after_expression = "Extra characters after expression", "The expression is complete before this place, but more text follows it.";
}

// Bodies.

messages! {
    quoted_argument_name = "Invalid argument name", "The name of an argument is written without quotes.";
    unclosed_block = "Unclosed configuration block", "The block that opens with this brace is not closed before the end of the file. A closing brace is missing here or in a block inside.";
    item_required = "Argument or block definition required", "Expected the name of an argument or the type of a block.";
    item_required_after_name = "Argument or block definition required", "A name alone defines nothing. An argument continues with \"=\" and a value, a block with labels and \"{\".";
    comma_in_one_line_block = "Invalid single-argument block definition", "A block on one line holds a single argument. To set several, put the braces on lines of their own and each argument on its own line.";
    open_one_line_block = "Invalid single-argument block definition", "This block has its argument on the line of its opening brace, so its closing brace must follow on that line too.";
    extra_in_one_line_block = "Invalid single-argument block definition", "In a block on one line the closing brace must follow right after the argument.";
}

messages_within! {
    missing_newline_after_argument = "Missing newline after argument", "The value of this argument is complete; a line break must follow before anything else.";
    comma_after_argument = "Unexpected comma after argument", "Arguments are separated by line breaks, not by commas. A line break must follow the value.";
    equals_in_block = "Invalid block definition", "The equals sign belongs to arguments. After the type and labels of a block comes its opening brace.";
    brace_on_next_line = "Invalid block definition", "The opening brace of a block must stand on the line of its type and labels.";
    bad_label = "Invalid block definition", "After the type of a block come its labels (names or quoted strings) and an opening brace.";
    unclosed_one_line_block = "Unclosed configuration block", "The block that opens with this brace is not closed before the end of the file. A closing brace is missing.";
    missing_newline_after_block = "Missing newline after block definition", "The block is complete; a line break must follow before anything else.";
}

/// A second definition of an argument; `line` is where the first one is.
pub(crate) fn attribute_redefined(name: &str, line: usize, subject: Span) -> Diagnostic {
    let detail = format!(
        "The argument \"{name}\" is already set on line {line}. An argument can be set once in a body."
    );
    Diagnostic::error("Attribute redefined", detail, subject)
}

/// A block inside a block on one line.
pub(crate) fn block_in_one_line_block(name: &str, subject: Span) -> Diagnostic {
    let detail = format!(
        "A block on one line holds a single argument. If \"{name}\" is that argument, set it with \"=\"; if it is a block, put it on a line of its own."
    );
    Diagnostic::error("Argument definition required", detail, subject)
}

// Expressions.

messages! {
    missing_expression = "Missing expression", "The text ends where an expression should begin.";
    invalid_expression = "Invalid expression", "An expression should begin here, but none begins with this.";
    invalid_number = "Invalid number literal", "This is not a number: it has more than one dot or exponent, or an exponent out of range.";
    invalid_attribute_name = "Invalid attribute name", "After a dot comes the name of an attribute, without quotes.";
    nested_splat = "Nested splat expression not allowed", "The splat \".*\" cannot follow another one. Use \"[*]\" for splats inside splats.";
    missing_splat_bracket = "Missing close bracket on splat index", "The star of \"[*]\" must be followed by its closing bracket.";
    missing_index_bracket = "Missing close bracket on index", "The index is complete; its closing bracket \"]\" must follow.";
    unterminated_call = "Unterminated function call", "The argument list that opens here is not closed before the end of the file. A closing parenthesis is missing here or inside an argument.";
    unterminated_tuple = "Unterminated tuple constructor expression", "The bracket that opens here is not closed before the end of the file. A \"]\" is missing here or in an item.";
    unterminated_object = "Unterminated object constructor expression", "The brace that opens here is not closed before the end of the file. A \"}\" is missing here or in an item.";
}

messages_within! {
    missing_false_arm = "Missing false expression in conditional", "After \"?\" and its expression comes a colon and the expression for the false case.";
    unbalanced_parentheses = "Unbalanced parentheses", "The expression in parentheses is complete; its closing parenthesis must follow.";
    missing_function_name = "Missing function name", "After \"::\" comes the name of a function.";
    missing_open_parenthesis = "Missing open parenthesis", "A name with \"::\" is the name of a function, so \"(\" and its arguments must follow.";
    missing_close_parenthesis = "Missing closing parenthesis", "Only the last argument can be expanded with \"...\", so the closing parenthesis must follow.";
    missing_argument_separator = "Missing argument separator", "The arguments of a function are separated by commas.";
    missing_item_separator = "Missing item separator", "The items of a tuple are separated by commas.";
    missing_attribute_value = "Missing attribute value", "After the key of an object item comes an equals sign and a value.";
    missing_key_separator = "Missing key/value separator", "Between the key of an object item and its value stands an equals sign.";
    dotted_key = "Missing key/value separator", "Between the key of an object item and its value stands an equals sign. A key with dots or blanks in it is written in quotes.";
    missing_attribute_separator = "Missing attribute separator", "The items of an object are separated by commas or line breaks.";
    for_name = "Invalid 'for' expression", "After \"for\" comes the name of a variable.";
    for_second_name = "Invalid 'for' expression", "After the comma comes the name of the variable for the value.";
    for_in = "Invalid 'for' expression", "After the names of the variables comes \"in\" and the collection.";
    for_colon = "Invalid 'for' expression", "After the collection comes a colon and the result of one round.";
    for_end = "Invalid 'for' expression", "The for expression is complete; its closing bracket must follow.";
    for_key_in_tuple = "Invalid 'for' expression", "A for expression in square brackets makes a tuple, whose elements have no keys. Use braces to make an object.";
    for_group_in_tuple = "Invalid 'for' expression", "Only a for expression in braces can group its results with \"...\".";
    for_without_key = "Invalid 'for' expression", "A for expression in braces makes an object, so each round gives a key and a value: \"key => value\".";
}

/// `.0.1` or `.*.0.1`, which reads as one number after the dot.
pub(crate) fn chained_legacy_index(number: &str, in_splat: bool, subject: Span) -> Diagnostic {
    let (first, second) = number.split_once('.').unwrap_or((number, ""));
    let splat = if in_splat { " after the splat \"[*]\"" } else { "" };
    let detail = format!(
        "Two indexes in a row cannot be written with dots. Write [{first}][{second}]{splat} instead."
    );
    Diagnostic::error("Invalid legacy index syntax", detail, subject)
}

// Strings and templates.

messages! {
    escape_needs_four_digits = "Invalid escape sequence", "After \\u come four hexadecimal digits.";
    escape_needs_eight_digits = "Invalid escape sequence", "After \\U come eight hexadecimal digits.";
    escape_needs_selector = "Invalid escape sequence", "A backslash must be followed by the character that says what is meant.";
    unclosed_interpolation = "Unclosed template interpolation sequence", "The interpolation that begins with \"${\" is not closed before the end of the file. A \"}\" is missing here or inside.";
    unclosed_interpolation_in_quotes = "Unclosed template interpolation sequence", "The interpolation that begins with \"${\" is not closed before the quote that ends the string. A \"}\" is missing here or inside.";
    directive_for_name = "Invalid 'for' directive", "After \"for\" comes the name of a variable.";
    directive_for_second_name = "Invalid 'for' directive", "After the comma comes the name of the variable for the value.";
    directive_for_in = "Invalid 'for' directive", "After the names of the variables comes \"in\" and the collection.";
}

messages_within! {
    unterminated_string = "Unterminated string literal", "The closing quote of this string is missing.";
    bad_string_part = "Invalid string literal", "This cannot stand in a plain string.";
    interpolation_in_string = "Invalid string literal", "No value can be inserted here. For a literal \"${\" write \"$${\".";
    directive_in_string = "Invalid string literal", "No directive can stand here. For a literal \"%{\" write \"%%{\".";
    colon_after_interpolation = "Extra characters after interpolation expression", "The interpolation is complete before this colon. If the text is meant for another language, begin it with \"$${\" to have a literal \"${\".";
    extra_after_interpolation = "Extra characters after interpolation expression", "The interpolation is complete before this place; its closing \"}\" must follow. If the text is meant for another language, begin it with \"$${\" to have a literal \"${\".";
    directive_required = "Invalid template directive", "After \"%{\" comes a keyword: if, else, endif, for or endfor.";
    unterminated_template = "Unterminated template string", "The end of this string is missing: its closing quote, or the line with its closing marker.";
}

/// An escape that denotes no character.
pub(crate) fn escape_beyond_unicode(digits: &str, subject: Span) -> Diagnostic {
    let detail = format!("There is no character U+{digits}.");
    Diagnostic::error("Invalid escape sequence", detail, subject)
}

/// An escape with an unknown letter.
pub(crate) fn unknown_escape(selector: &str, subject: Span) -> Diagnostic {
    let detail =
        format!("There is no escape sequence \"\\{selector}\". A literal backslash is written as two.");
    Diagnostic::error("Invalid escape sequence", detail, subject)
}

/// A directive with an unknown keyword.
pub(crate) fn unknown_directive(
    given: &str,
    nearest: Option<&str>,
    subject: Span,
    context: Span,
) -> Diagnostic {
    let hint = nearest.map_or(String::new(), |name| format!(" Did you mean \"{name}\"?"));
    let detail = format!("\"{given}\" begins no directive; if, else, endif, for and endfor do.{hint}");
    Diagnostic::error("Invalid template control keyword", detail, subject).within(context)
}

/// More text after a directive.
pub(crate) fn extra_in_directive(keyword: &str, subject: Span, context: Span) -> Diagnostic {
    let title = format!("Extra characters in {keyword} marker");
    let detail = "The directive is complete; its closing \"}\" must follow.";
    Diagnostic::error(title, detail, subject).within(context)
}

/// A directive that ends or divides nothing.
pub(crate) fn stray_directive(name: &str, subject: Span) -> Diagnostic {
    let detail = format!("There is no open directive that \"{name}\" could belong to.");
    Diagnostic::error(format!("Unexpected {name} directive"), detail, subject)
}

/// A directive that does not fit the open one, which began on `line`.
pub(crate) fn wrong_directive(name: &str, open: impl Display, line: usize, subject: Span) -> Diagnostic {
    let detail = match name {
        "else" if open.to_string() == "if" => {
            format!("The if directive that began on line {line} has its else part already.")
        }
        "else" => format!("The for directive that began on line {line} cannot have an else part."),
        _ => format!("The {open} directive that began on line {line} ends with end{open}, not with {name}."),
    };
    Diagnostic::error(format!("Unexpected {name} directive"), detail, subject)
}

/// The text ends inside a directive that began on `line`.
pub(crate) fn unclosed_directive(open: impl Display, line: usize, subject: Span) -> Diagnostic {
    let detail =
        format!("The {open} directive that began on line {line} is not ended: end{open} is missing.");
    Diagnostic::error("Unexpected end of template", detail, subject)
}

// Traversals.

messages! {
    variable_name_required = "Variable name required", "A traversal begins with the name of a variable.";
}

messages_within! {
    attribute_name_required = "Attribute name required", "After a dot comes the name of an attribute.";
    splat_not_allowed = "Attribute name required", "A splat (\"*\") cannot be used here: name one attribute or index.";
    unclosed_index = "Unclosed index brackets", "The index is complete; its closing bracket \"]\" must follow.";
    index_required = "Index value required", "Between brackets comes a number or a quoted string.";
    step_required = "Invalid character", "A traversal continues with \".\" and a name, or with an index in brackets.";
}

// Static forms.

messages! {
    static_list_required = "Invalid expression", "This place is read without being evaluated and takes a list of items between square brackets.";
    static_map_required = "Invalid expression", "This place is read without being evaluated and takes keys and values between braces.";
    static_call_required = "Invalid expression", "This place is read without being evaluated and takes the call of a function.";
    static_traversal_required = "Invalid expression", "This place is read without being evaluated and takes the name of a variable, perhaps with attributes and constant indexes. Nothing can be computed, called or put together from templates.";
}

// JSON syntax.

messages! {
    json_extra = "Extraneous data after value", "The JSON value is complete before this place, but more text follows it.";
    json_value_before_brace = "Missing JSON value", "A value should stand before this brace. A JSON value begins with a brace, a bracket, a digit, a quote or one of the words true, false and null.";
    json_value_before_bracket = "Missing array element value", "A value should stand before this bracket. A JSON value begins with a brace, a bracket, a digit, a quote or one of the words true, false and null.";
    json_value_before_end = "Missing value", "The text ends where a JSON value should begin.";
    json_no_value = "Invalid start of value", "No JSON value begins with this. It begins with a brace, a bracket, a digit, a quote or one of the words true, false and null.";
    json_name_required = "Invalid object property name", "The name of a property is a string in double quotes.";
    json_value_missing = "Missing object value", "After the name of a property come a colon and its value. A list without names stands between square brackets.";
    json_equals_for_colon = "Missing property value colon", "Between the name of a property and its value stands a colon in JSON, not an equals sign.";
    json_colon_missing = "Missing property value colon", "Between the name of a property and its value stands a colon.";
    json_comma_in_object = "Trailing comma in object", "No comma may follow the last property of an object in JSON.";
    json_comma_in_array = "Trailing comma in array", "No comma may follow the last value of an array in JSON.";
    json_unclosed_object = "Unclosed object", "The object that opens with this brace is not closed before the end of the text.";
    json_unclosed_array = "Unclosed object", "The array that opens with this bracket is not closed before the end of the text.";
    json_bracket_for_brace = "Mismatched braces", "The object before this place is closed with a bracket; it needs a brace.";
    json_brace_for_bracket = "Mismatched brackets", "The array before this place is closed with a brace; it needs a bracket.";
    json_unseparated_property = "Missing attribute seperator comma", "The properties of an object are separated by commas.";
    json_unseparated_item = "Missing attribute seperator comma", "The values of an array are separated by commas.";
    json_colon_in_array = "Invalid array value", "The values of an array have no names, so no colon may follow one. Properties with names stand between braces.";
    json_bad_number = "Invalid JSON number", "This is no number as JSON writes it: an optional minus sign, digits without a leading zero, then perhaps a fraction and an exponent.";
    json_bad_string = "Invalid JSON string", "The string is wrong here: an escape that JSON does not have, or no closing quote before the end of the line.";
    json_root = "Root value must be object", "A configuration in JSON is an object, or an array of objects.";
}

/// A word that JavaScript has and JSON has not.
pub(crate) fn json_javascript_word(word: &str, subject: Span) -> Diagnostic {
    let detail = format!("JavaScript has the word {word}, but JSON has not. null stands for no value.");
    Diagnostic::error("Invalid JSON keyword", detail, subject)
}

/// A word that JSON has not.
pub(crate) fn json_unknown_word(word: &str, near: Option<&str>, subject: Span) -> Diagnostic {
    let hint = near.map_or(String::new(), |near| format!(" Did you mean \"{near}\"?"));
    let detail = format!(
        "\"{word}\" is none of the words of JSON, which are true, false and null. Strings stand in double quotes.{hint}"
    );
    Diagnostic::error("Invalid JSON keyword", detail, subject)
}
