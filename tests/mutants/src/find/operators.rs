//! Changes of operators and literals.

use quote::ToTokens;
use syn::{BinOp, Expr, ExprBinary, ExprLit, ExprUnary, Lit, UnOp};

use super::Finder;
use super::flow::has_let;
use super::tables::BINARY;
use crate::mutant::{ON, Splice};

impl Finder<'_> {
    /// `a < b` as `a <= b` and the like.
    pub(super) fn binary(&mut self, binary: &ExprBinary) {
        let (whole, operator) = (Self::range(binary), Self::range(&binary.op));
        match binary.op {
            BinOp::And(_) | BinOp::Or(_) => {
                // A chain with patterns has to remain one.
                if has_let(&binary.left) || has_let(&binary.right) {
                    return;
                }
                let (other, comparison) = match binary.op {
                    BinOp::And(_) => ("||", "!="),
                    _ => ("&&", "=="),
                };
                let splice = Splice {
                    range: whole.clone(),
                    open: "({ let left__ = ".to_owned(),
                    close: " } else { left__ } })".to_owned(),
                    replaced: Some((operator.clone(), format!("; if left__ {comparison} {ON} {{ "))),
                };
                self.offer_weaker("connective", binary, other, splice);
                let (ignored, right) = match binary.op {
                    BinOp::And(_) => (format!("({ON} || "), Self::range(&binary.right)),
                    _ => (format!("(!{ON} && "), Self::range(&binary.right)),
                };
                self.offer(
                    "operand",
                    Self::range(&binary.left).end..right.end,
                    "",
                    Splice::around(right, format!("{ignored}("), "))"),
                );
            }
            _ => {
                let text = binary.op.to_token_stream().to_string();
                let others = BINARY.iter().filter(|(from, _)| *from == text).flat_map(|(_, to)| *to);
                for other in others {
                    let name = if text.ends_with('=') && !"== != <= >=".contains(&text) {
                        "assignment operator"
                    } else if text.starts_with(['=', '!', '<', '>']) && text != "<<" && text != ">>" {
                        "comparison"
                    } else {
                        "arithmetic"
                    };
                    // Negations need no copy of the operands.
                    let is_negation = matches!(
                        (text.as_str(), *other),
                        ("==", "!=") | ("!=", "==") | ("<", ">=") | ("<=", ">") | (">", "<=") | (">=", "<")
                    );
                    if is_negation {
                        let splice = Splice::around(whole.clone(), "((", format!(") != {ON})"));
                        self.offer(name, operator.clone(), *other, splice);
                    } else if matches!((text.as_str(), *other), ("*", "+") | ("&" | "^", "|")) {
                        let (left, right) = (Self::range(&binary.left), Self::range(&binary.right));
                        let text = format!("{} {other} {}", self.source(left), self.source(right));
                        self.offer_weaker(name, binary, other, Splice::instead(whole.clone(), &text));
                    } else {
                        self.offer_swap(name, whole.clone(), operator.clone(), other);
                    }
                }
            }
        }
    }

    /// Offers a change into an operator that binds weaker, which needs parentheses within an operation.
    fn offer_weaker(&mut self, name: &'static str, binary: &ExprBinary, other: &str, splice: Splice) {
        let (left, right) = (Self::range(&binary.left), Self::range(&binary.right));
        // `a || b || c` into `(a || b) && c`.
        let has_weaker =
            other == "&&" && matches!(&*binary.left, Expr::Binary(left) if matches!(left.op, BinOp::Or(_)));
        if has_weaker {
            let text = format!("({}) && {}", self.source(left), self.source(right));
            self.offer(name, splice.range.clone(), text, splice);
        } else if self.operands.contains(&splice.range) {
            let text = format!("({} {other} {})", self.source(left), self.source(right));
            self.offer(name, splice.range.clone(), text, splice);
        } else {
            self.offer(name, Self::range(&binary.op), other, splice);
        }
    }

    /// `!a` as `a`, for bools.
    pub(super) fn unary(&mut self, unary: &ExprUnary) {
        let (whole, operator) = (Self::range(unary), Self::range(&unary.op));
        match unary.op {
            UnOp::Not(_) => {
                let splice = Splice::around(whole, "((", format!(") != {ON})"));
                self.offer("negation", operator, "", splice);
            }
            UnOp::Neg(_) if !matches!(*unary.expr, Expr::Lit(_)) => {
                self.offer_swap("arithmetic", whole, operator, "");
            }
            _ => {}
        }
    }

    /// `true` as `false`, `5` as `6` and `4`.
    pub(super) fn literal(&mut self, literal: &ExprLit) {
        let range = Self::range(literal);
        match &literal.lit {
            Lit::Bool(truth) => {
                let splice = Splice::around(range.clone(), "(", format!(" != {ON})"));
                self.offer("bool literal", range, if truth.value { "false" } else { "true" }, splice);
            }
            Lit::Int(int) => {
                let Ok(value) = int.base10_parse::<u128>() else { return };
                let others = [value.checked_add(1), value.checked_sub(1)];
                for other in others.into_iter().flatten() {
                    let other = format!("{other}{}", int.suffix());
                    self.offer("int literal", range.clone(), &other, Splice::instead(range.clone(), &other));
                }
            }
            _ => {}
        }
    }
}
