//! Changes of method calls.

use syn::{Expr, ExprMethodCall};

use super::Finder;
use super::tables::{CHECKED, METHODS};
use crate::mutant::{ON, Splice};

impl Finder<'_> {
    /// `a.min(b)` as `a.max(b)` and the like.
    pub(super) fn method(&mut self, call: &ExprMethodCall) {
        let (whole, name) = (Self::range(call), Self::range(&call.method));
        let text = call.method.to_string();
        let swap = METHODS.iter().find(|(from, _)| *from == text);
        if let Some((_, other)) = swap {
            self.offer_swap("method", whole.clone(), name.clone(), other);
        }
        if let Some((_, wrapping)) = CHECKED.iter().find(|(from, _)| *from == text) {
            let before = self.source(whole.start..name.start);
            let behind = self.source(name.end..whole.end);
            let other = format!("Some({before}{wrapping}{behind})");
            self.offer("method", whole.clone(), &other, Splice::instead(whole.clone(), &other));
        }
        let argument = call.args.first().map(Self::range);
        match (text.as_str(), argument) {
            ("is_empty", None) => {
                let splice = Splice::around(whole.clone(), "(", format!(" != {ON})"));
                self.offer("negation", whole.start..whole.start, "!", splice);
            }
            ("unwrap_or", Some(argument)) => {
                let other = self.source(argument).to_owned();
                self.offer("method", whole.clone(), &other, Splice::instead(whole.clone(), &other));
            }
            ("take" | "skip", Some(argument)) => {
                let other = if text == "take" { "usize::MAX" } else { "0" };
                self.offer("method", argument.clone(), other, Splice::instead(argument, other));
            }
            ("rev", None) => {
                let receiver = Self::range(&*call.receiver).end;
                let splice = Splice {
                    range: whole.clone(),
                    open: "::mutant_switch::reversed(".to_owned(),
                    close: format!(", {ON})"),
                    replaced: Some((receiver..whole.end, String::new())),
                };
                self.offer("method", receiver..whole.end, "", splice);
            }
            ("filter", Some(_)) => {
                let Some(Expr::Closure(closure)) = call.args.first() else { return };
                let body = Self::range(&*closure.body);
                let splice = Splice::around(body.clone(), format!("({ON} || ("), "))");
                self.offer("method", body, "true", splice);
            }
            _ => {}
        }
    }
}
