//! Codes of the native syntax: tokens, bodies, expressions, templates, types.

use super::{Code, CodeRow, codes, example};

codes! {
    NESTING_TOO_DEEP "nesting-too-deep" ["Nesting too deep"],
        "Brackets, operators, templates or blocks are nested deeper than the parser's limit. Give parts of the expression a name as locals.",
        none because "Such a text has hundreds of brackets.";
    SOURCE_TOO_LARGE "source-too-large" ["Source too large"],
        "The text is larger than the parser's limit. Split it into several files.",
        none because "Such a text is longer than a file that can be shown.";
    IDENTIFIER_TOO_LONG "identifier-too-long" ["Identifier too long"],
        "A name is longer than the parser's limit.",
        none because "Such a name is longer than a screen.";
    TOO_MANY_PROBLEMS "too-many-problems" ["Too many problems"],
        "Only the first problems are listed. Solve these, and check the text again.",
        none because "Such a text has hundreds of mistakes.";

    UNSUPPORTED_OPERATOR "unsupported-operator" ["Unsupported operator"],
        "There are no operators for bits and powers. Logical operators are `&&`, `||` and `!`.",
        "a = true & false\n" => "a = true && false\n";
    INVALID_CHARACTER "invalid-character" ["Invalid character"],
        "The character is not part of the language outside of strings and comments.",
        "a = 1 @ 2\n" => "a = \"1 @ 2\"\n";
    SINGLE_QUOTES "single-quotes" ["Invalid character"],
        "Strings are written in double quotes.",
        "a = 'text'\n" => "a = \"text\"\n";
    TYPOGRAPHIC_QUOTES "typographic-quotes" ["Invalid character"],
        "Word processors turn quotes into typographic ones, which do not quote text here. Use straight double quotes.",
        "a = “text”\n" => "a = \"text\"\n";
    BACKTICKS "backticks" ["Invalid character"],
        "Strings are written in double quotes, text of several lines as a heredoc.",
        "a = `text`\n" => "a = <<EOT\ntext\nEOT\n";
    SEMICOLON "semicolon" ["Invalid character"],
        "Arguments and blocks end with a line break, items of a collection are separated by commas.",
        "a = 1;\n" => "a = 1\n";
    INVALID_ENCODING "invalid-encoding" ["Invalid character encoding"],
        "The file has bytes that are not UTF-8. Save it in that encoding.",
        none because "Such a text has bytes that cannot be shown.";
    LINE_BREAK_IN_STRING "line-break-in-string" ["Invalid multi-line string"],
        "A quoted string ends on the line on which it begins. Write a line break as `\\n`, or use a heredoc.",
        "a = \"one\ntwo\"\n" => "a = \"one\\ntwo\"\n";
    EXTRA_AFTER_EXPRESSION "extra-after-expression" ["Extra characters after expression"],
        "A text that is compiled as one expression continues after its end.",
        "1 + 2 3" => "1 + 2 * 3";

    ITEM_REQUIRED "item-required" ["Argument or block definition required"],
        "A body consists of arguments, `name = value`, and blocks, `type \"label\" { … }`.",
        "a: 1\n" => "a = 1\n";
    QUOTED_ARGUMENT_NAME "quoted-argument-name" ["Invalid argument name"],
        "The name of an argument is written without quotes.",
        "\"a\" = 1\n" => "a = 1\n";
    ARGUMENT_REDEFINED "argument-redefined" ["Attribute redefined"],
        "An argument can be set once in a body. Rename one of them, or remove it.",
        "a = 1\na = 2\n" => "a = 1\nb = 2\n";
    COMMA_AFTER_ARGUMENT "comma-after-argument" ["Unexpected comma after argument"],
        "Arguments are separated by line breaks, not by commas.",
        "a = 1,\nb = 2\n" => "a = 1\nb = 2\n";
    MISSING_NEWLINE_AFTER_ARGUMENT "missing-newline-after-argument" ["Missing newline after argument"],
        "The value of an argument ends with its line. Often an operator, a comma or a quote is missing, or an operator is written as a word.",
        "a = true and false\n" => "a = true && false\n";
    MISSING_NEWLINE_AFTER_BLOCK "missing-newline-after-block" ["Missing newline after block definition"],
        "A block ends with its line.",
        "a {} b {}\n" => "a {}\nb {}\n";
    INVALID_BLOCK "invalid-block" ["Invalid block definition"],
        "A block is its type, labels (names or quoted strings) and a body in braces.",
        "rule \"a\" 1 {\n}\n" => "rule \"a\" \"1\" {\n}\n";
    EQUALS_IN_BLOCK "equals-in-block" ["Invalid block definition"],
        "Only arguments have an equals sign; a block with labels has none.",
        "rule \"a\" = {\n}\n" => "rule \"a\" {\n}\n";
    BRACE_ON_NEXT_LINE "brace-on-next-line" ["Invalid block definition"],
        "The brace of a block is on the line of its type and labels.",
        "rule \"a\"\n{\n}\n" => "rule \"a\" {\n}\n";
    INVALID_ONE_LINE_BLOCK "invalid-one-line-block" ["Invalid single-argument block definition"],
        "A block on one line holds one argument at most.",
        "rule { a = 1, b = 2 }\n" => "rule {\n  a = 1\n  b = 2\n}\n";
    BLOCK_IN_ONE_LINE_BLOCK "block-in-one-line-block" ["Argument definition required"],
        "A block on one line holds one argument and no blocks.",
        "rule { when {} }\n" => "rule {\n  when {}\n}\n";
    UNCLOSED_BLOCK "unclosed-block" ["Unclosed configuration block"],
        "The closing brace of a block is missing.",
        "rule {\n  a = 1\n" => "rule {\n  a = 1\n}\n";

    MISSING_EXPRESSION "missing-expression" ["Missing expression"],
        "A value is missing.",
        "a = [1," => "a = [1]";
    INVALID_EXPRESSION "invalid-expression" ["Invalid expression"],
        "No expression begins like this.",
        "a = 1 + * 2\n" => "a = 1 * 2\n";
    STATIC_EXPRESSION_REQUIRED "static-expression-required" ["Invalid expression"],
        "The expression is read as syntax, not evaluated: a list, a map, a call or a reference has to be written out.",
        "dynamic \"service\" {\n  for_each = [1]\n  labels   = \"a\"\n  content {\n    port = 80\n  }\n}\n" => "dynamic \"service\" {\n  for_each = [1]\n  labels   = [\"a\"]\n  content {\n    port = 80\n  }\n}\n";
    INVALID_NUMBER "invalid-number" ["Invalid number literal"],
        "A number has one dot and one exponent at most.",
        "a = 1.2.3\n" => "a = \"1.2.3\"\n";
    INVALID_LEGACY_INDEX "invalid-legacy-index" ["Invalid legacy index syntax"],
        "Of two indexes in a row one at most can be written with a dot. Use brackets.",
        "a = [[1]].0.0\n" => "a = [[1]][0][0]\n";
    NESTED_SPLAT "nested-splat" ["Nested splat expression not allowed"],
        "`.*` cannot follow `.*`. Use `[*]`.",
        "a = [[1]].*.*\n" => "a = [[1]][*][*]\n";
    UNCLOSED_SPLAT "unclosed-splat" ["Missing close bracket on splat index"],
        "The bracket after `[*` is missing.",
        "a = [1][*\nb = 1\n" => "a = [1][*]\nb = 1\n";
    UNCLOSED_INDEX "unclosed-index" ["Missing close bracket on index", "Unclosed index brackets"],
        "The bracket after an index is missing.",
        "a = [1][0 + 0 0]\n" => "a = [1][0 + 0]\n";
    UNCLOSED_CALL "unclosed-call" ["Unterminated function call"],
        "The closing parenthesis of a call is missing.",
        "a = max(1, 2\n" => "a = max(1, 2)\n";
    UNCLOSED_TUPLE "unclosed-tuple" ["Unterminated tuple constructor expression"],
        "The closing bracket of a tuple is missing.",
        "a = [1, 2\n" => "a = [1, 2]\n";
    UNCLOSED_OBJECT "unclosed-object" ["Unterminated object constructor expression"],
        "The closing brace of an object is missing.",
        "a = { b = 1" => "a = { b = 1 }";
    UNCLOSED_PARENTHESES "unclosed-parentheses" ["Unbalanced parentheses"],
        "A closing parenthesis is missing.",
        "a = (1 + 2 3)\n" => "a = (1 + 2)\n";
    MISSING_KEY_SEPARATOR "missing-key-separator" ["Missing key/value separator"],
        "Between the key and the value of an object is `=` or `:`.",
        "a = { b 1 }\n" => "a = { b = 1 }\n";
    MISSING_ATTRIBUTE_VALUE "missing-attribute-value" ["Missing attribute value"],
        "Each item of an object has a key and a value.",
        "a = { b, c = 1 }\n" => "a = { b = 1, c = 1 }\n";
    MISSING_ATTRIBUTE_SEPARATOR "missing-attribute-separator" ["Missing attribute separator"],
        "The items of an object are separated by commas or line breaks.",
        "a = { b = 1 c = 2 }\n" => "a = { b = 1, c = 2 }\n";
    MISSING_ITEM_SEPARATOR "missing-item-separator" ["Missing item separator"],
        "The items of a tuple are separated by commas.",
        "a = [1 2]\n" => "a = [1, 2]\n";
    MISSING_ARGUMENT_SEPARATOR "missing-argument-separator" ["Missing argument separator"],
        "The arguments of a call are separated by commas.",
        "a = max(1 2)\n" => "a = max(1, 2)\n";
    MISSING_FALSE_ARM "missing-false-arm" ["Missing false expression in conditional"],
        "A conditional has a result for true and one for false: `condition ? yes : no`.",
        "a = true ? 1\n" => "a = true ? 1 : 2\n";
    MISSING_FUNCTION_NAME "missing-function-name" ["Missing function name"],
        "After `::` is the name of a function.",
        "a = core::(1)\n" => "a = max(1)\n";
    MISSING_OPEN_PARENTHESIS "missing-open-parenthesis" ["Missing open parenthesis"],
        "A name with `::` is the name of a function, which is called with parentheses.",
        "a = core::max\n" => "a = max(1)\n";
    MISSING_CLOSE_PARENTHESIS "missing-close-parenthesis" ["Missing closing parenthesis"],
        "Only the last argument of a call can be expanded with `...`.",
        "a = max([1]..., 2)\n" => "a = max([1, 2]...)\n";
    INVALID_ATTRIBUTE_NAME "invalid-attribute-name" ["Invalid attribute name"],
        "After a dot is the name of an attribute. Other keys are written in brackets.",
        "a = {}.\"b c\"\n" => "a = { \"b c\" = 1 }[\"b c\"]\n";
    INVALID_FOR "invalid-for" ["Invalid 'for' expression"],
        "A `for` expression is `[for value in collection : result]` or `{for key, value in collection : key => value}`.",
        "a = [for x of [1] : x]\n" => "a = [for x in [1] : x]\n";
    FOR_KEY_IN_TUPLE "for-key-in-tuple" ["Invalid 'for' expression"],
        "A `for` expression in square brackets builds a tuple, which has no keys.",
        "a = [for k, v in { b = 1 } : k => v]\n" => "a = {for k, v in { b = 1 } : k => v}\n";
    FOR_GROUPING_IN_TUPLE "for-grouping-in-tuple" ["Invalid 'for' expression"],
        "Only a `for` expression in braces can group its results with `...`.",
        "a = [for v in [1] : v...]\n" => "a = {for v in [1] : v => v...}\n";
    FOR_WITHOUT_KEY "for-without-key" ["Invalid 'for' expression"],
        "A `for` expression in braces builds an object: its result is `key => value`.",
        "a = {for v in [1] : v}\n" => "a = [for v in [1] : v]\n";

    INVALID_ESCAPE "invalid-escape" ["Invalid escape sequence"],
        "A backslash in a string begins an escape: `\\n`, `\\r`, `\\t`, `\\\"`, `\\\\`, `\\uXXXX` or `\\UXXXXXXXX`.",
        "a = \"C:\\dir\"\n" => "a = \"C:\\\\dir\"\n";
    UNCLOSED_STRING "unclosed-string" ["Unterminated string literal"],
        "The closing quote of a string is missing.",
        "rule \"a" => "rule \"a\" {}\n";
    INVALID_STRING "invalid-string" ["Invalid string literal"],
        "Labels and names in quotes are literal text.",
        "rule \"a\nb\" {}\n" => "rule \"a b\" {}\n";
    TEMPLATE_NOT_ALLOWED "template-not-allowed" ["Invalid string literal"],
        "Labels are literal text: values cannot be inserted. Write `$${` for a literal `${`.",
        "rule \"a-${1}\" {}\n" => "rule \"a-1\" {}\n";
    UNCLOSED_TEMPLATE "unclosed-template" ["Unterminated template string"],
        "The closing quote of a string is missing, or the line with the marker that ends a heredoc. The marker is alone on that line.",
        "a = <<EOT\ntext\n" => "a = <<EOT\ntext\nEOT\n";
    UNCLOSED_INTERPOLATION "unclosed-interpolation" ["Unclosed template interpolation sequence"],
        "The closing brace of a `${` is missing.",
        "a = \"${1 + 2\"\n" => "a = \"${1 + 2}\"\n";
    EXTRA_IN_INTERPOLATION "extra-in-interpolation" ["Extra characters after interpolation expression"],
        "An interpolation holds one expression.",
        "a = \"${1 2}\"\n" => "a = \"${1}${2}\"\n";
    INVALID_DIRECTIVE "invalid-directive" ["Invalid template directive"],
        "A directive is `%{ if … }`, `%{ else }`, `%{ endif }`, `%{ for … in … }` or `%{ endfor }`. Write `%%{` for a literal `%{`.",
        "a = \"%{ 1 }\"\n" => "a = \"%%{ 1 }\"\n";
    UNKNOWN_DIRECTIVE "unknown-directive" ["Invalid template control keyword"],
        "A directive is `%{ if … }`, `%{ else }`, `%{ endif }`, `%{ for … in … }` or `%{ endfor }`.",
        "a = \"%{ while true }\"\n" => "a = \"%{ if true }yes%{ endif }\"\n";
    EXTRA_IN_DIRECTIVE "extra-in-directive" ["Extra characters in {} marker"],
        "A directive ends with `}` after its parts.",
        "a = \"%{ if true }%{ else if }%{ endif }\"\n" => "a = \"%{ if true }%{ else }%{ endif }\"\n";
    INVALID_FOR_DIRECTIVE "invalid-for-directive" ["Invalid 'for' directive"],
        "The directive is `%{ for value in collection }`.",
        "a = \"%{ for x of [1] }%{ endfor }\"\n" => "a = \"%{ for x in [1] }${x}%{ endfor }\"\n";
    UNEXPECTED_DIRECTIVE "unexpected-directive" ["Unexpected {} directive"],
        "The directive ends or divides another one than the one that is open.",
        "a = \"%{ if true }%{ endfor }\"\n" => "a = \"%{ if true }%{ endif }\"\n";
    UNCLOSED_DIRECTIVE "unclosed-directive" ["Unexpected end of template"],
        "A directive is not ended by its `%{ endif }` or `%{ endfor }`.",
        "a = \"%{ if true }yes\"\n" => "a = \"%{ if true }yes%{ endif }\"\n";

    VARIABLE_NAME_REQUIRED "variable-name-required" ["Variable name required"],
        "A reference begins with the name of a variable.",
        "1.name" => "user.name";
    ATTRIBUTE_NAME_REQUIRED "attribute-name-required" ["Attribute name required"],
        "After the dot of a reference is the name of an attribute.",
        "user.\"name\"" => "user.name";
    INDEX_REQUIRED "index-required" ["Index value required"],
        "Between the brackets of a reference is a number or a quoted string.",
        "user[name]" => "user[\"name\"]";

    INVALID_TYPE "invalid-type" ["Invalid type specification"],
        "A type is `bool`, `number`, `string`, `list(…)`, `set(…)`, `map(…)`, `object({…})` or `tuple([…])`.",
        "list(text)" => "list(string)";
    INVALID_DEFAULT "invalid-default" ["Invalid default value for optional attribute"],
        "The default value of an optional attribute fits its type.",
        "object({ a = optional(number, \"x\") })" => "object({ a = optional(number, 1) })";
}
