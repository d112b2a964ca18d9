//! Normal form C and what stays of a text whatever follows it.

use hclvm_vm::text::{nfc, stable_prefix};
use hclvm_vm::{Arena, nearest};

#[test]
fn texts_are_composed() {
    let arena = Arena::new();
    assert_eq!(nfc(&arena, "e\u{301}"), "é");
    assert_eq!(nfc(&arena, "plain"), "plain");
    assert_eq!(nfc(&arena, "日本"), "日本");
}

#[test]
fn the_last_character_may_still_change() {
    let arena = Arena::new();
    let table = [
        ("", ""),
        ("a", ""),
        ("https://", "https://"),
        ("pre", "pr"),
        ("12", "1"),
        ("a=", "a"),
        ("Qé", "Q"),
        ("日本", "日"),
        ("a👨‍👩‍👧", "a"),
        ("one\ntwo-", "one"),
        ("one\ntwo", "one\ntw"),
        ("\r\nhello ", "\r\nhello "),
        ("e\u{301}\u{323}", ""),
    ];
    for (text, prefix) in table {
        assert_eq!(stable_prefix(&arena, text), prefix, "of {text:?}");
    }
}

#[test]
fn a_prefix_is_at_most_128_bytes() {
    let arena = Arena::new();
    let long = "_".repeat(200);
    assert_eq!(stable_prefix(&arena, &long).len(), 128);
    let cut_inside = format!("_{}", "日".repeat(60));
    assert_eq!(stable_prefix(&arena, &cut_inside).len(), 127, "what is cut within a character ends there");
    let accented = format!("_{}", "é".repeat(100));
    assert_eq!(stable_prefix(&arena, &accented).len(), 125, "and before one that may still change");
}

#[test]
fn the_nearest_name_differs_in_two_characters_at_most() {
    assert_eq!(nearest("length", ["lenght", "strlen"]), Some("lenght"));
    assert_eq!(nearest("abcdef", ["abcdxy"]), Some("abcdxy"));
    assert_eq!(nearest("abcdef", ["abcxyz"]), None);
    assert_eq!(nearest("abcdef", ["abcd"]), Some("abcd"));
    assert_eq!(nearest("abcdef", ["abc"]), None);
    assert_eq!(nearest("abc", ["abcde"]), Some("abcde"));
    assert_eq!(nearest("abc", ["abcdef"]), None);
    assert_eq!(nearest("abc", ["xabc", "abd", "abcx"]), Some("abcx"));
    assert_eq!(nearest("abc", ["adc", "abd"]), Some("abd"), "the first in the alphabet");
    assert_eq!(nearest("abc", ["adc", "xyabc"]), Some("adc"), "the least distance");
    assert_eq!(nearest("äöü", ["äöu"]), Some("äöu"));
    assert_eq!(nearest("ab", ["éb"]), Some("éb"), "characters are counted, not bytes");
    assert_eq!(nearest("ab", ["éé"]), None, "nothing in common");
    assert_eq!(nearest("ab", []), None);
    let long = "n".repeat(64);
    assert_eq!(nearest(&long, [long.as_str()]), Some(long.as_str()));
    let longer = "n".repeat(65);
    assert_eq!(nearest(&longer, [longer.as_str()]), None);
    assert_eq!(nearest(&longer, [long.as_str()]), None);
    assert_eq!(nearest(&long, [longer.as_str()]), None);
}
