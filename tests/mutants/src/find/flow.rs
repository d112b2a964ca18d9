//! Changes of the flow of control: conditions, arms, statements and results.

use syn::{Arm, Block, Expr, ExprIf, ExprMatch, ExprWhile, Pat, Stmt};

use super::{Finder, Returns, tables};
use crate::mutant::{ON, Splice};

/// True for a condition that binds by a pattern.
pub(super) fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

impl Finder<'_> {
    /// A branch that is never taken, and one that is always taken.
    pub(super) fn branch(&mut self, branch: &ExprIf) {
        let condition = Self::range(&*branch.cond);
        self.never("if", &branch.cond);
        if !has_let(&branch.cond) {
            let splice = Splice::around(condition.clone(), format!("({ON} || ("), "))");
            self.offer("if", condition, "true", splice);
        }
    }

    /// A loop that is never entered. One that never ends would cost a timeout and prove little.
    pub(super) fn while_loop(&mut self, round: &ExprWhile) {
        self.never("while", &round.cond);
    }

    fn never(&mut self, operator: &'static str, condition: &Expr) {
        let range = Self::range(condition);
        if has_let(condition) {
            let splice = Splice::around(range.clone(), format!("!{ON} && "), "");
            self.offer(operator, range.start..range.start, "false && ", splice);
        } else {
            let splice = Splice::around(range.clone(), format!("(!{ON} && ("), "))");
            self.offer(operator, range, "false", splice);
        }
    }

    /// Guards that always or never hold, and arms that are never taken if a later arm takes everything.
    pub(super) fn arms(&mut self, choice: &ExprMatch) {
        let last = choice.arms.iter().position(|arm| arm.guard.is_none() && is_wildcard(&arm.pat));
        for (index, arm) in choice.arms.iter().enumerate() {
            let Some((_, guard)) = &arm.guard else {
                let is_followed = last.is_some_and(|last| index < last);
                let differs = |other: &Arm| {
                    self.source(Self::range(&*other.body)) != self.source(Self::range(&*arm.body))
                };
                if is_followed && choice.arms.get(last.unwrap_or(0)).is_some_and(differs) {
                    let at = Self::range(&arm.pat).end;
                    let splice = Splice::around(at..at, format!(" if !{ON}"), "");
                    self.offer("arm", at..at, " if false", splice);
                }
                continue;
            };
            let range = Self::range(&**guard);
            let always = Splice::around(range.clone(), format!("({ON} || ("), "))");
            self.offer("guard", range.clone(), "true", always);
            let never = Splice::around(range.clone(), format!("(!{ON} && ("), "))");
            self.offer("guard", range, "false", never);
        }
    }

    /// A statement that is not executed.
    pub(super) fn statement(&mut self, stmt: &Stmt) {
        let removable = match stmt {
            Stmt::Expr(expr, Some(_)) => is_effect(expr),
            Stmt::Macro(call) => {
                let name = call.mac.path.segments.last().map(|segment| segment.ident.to_string());
                !name.is_some_and(|name| tables::OPAQUE_MACROS.contains(&name.as_str()))
            }
            _ => false,
        };
        if removable {
            let range = Self::range(stmt);
            self.offer("statement", range.clone(), "", Splice::around(range, format!("if !{ON} {{ "), " }"));
        }
    }

    /// A call that an arm consists of, if it returns nothing.
    pub(super) fn unit_arm(&mut self, arm: &Arm) {
        if is_effect(&arm.body) {
            let range = Self::range(&*arm.body);
            let splice = Splice::around(range.clone(), format!("(if !{ON} {{ "), " })");
            self.offer("statement", range, "()", splice);
        }
    }

    /// The results of a function: the expressions at the end of its branches.
    pub(super) fn leaves(&mut self, block: &Block) {
        match block.stmts.last() {
            Some(Stmt::Expr(expr, None)) => self.leaf(expr),
            Some(Stmt::Macro(call)) if call.semi_token.is_none() && call.mac.path.is_ident("matches") => {
                let range = Self::range(call);
                self.result(range);
            }
            _ => {}
        }
    }

    /// An expression whose value a function returns.
    pub(super) fn leaf(&mut self, expr: &Expr) {
        match expr {
            Expr::Block(block) => self.leaves(&block.block),
            Expr::If(branch) => {
                self.leaves(&branch.then_branch);
                if let Some((_, otherwise)) = &branch.else_branch {
                    self.leaf(otherwise);
                }
            }
            Expr::Match(choice) => {
                for arm in &choice.arms {
                    self.leaf(&arm.body);
                }
            }
            Expr::Return(_) | Expr::Lit(_) | Expr::Break(_) | Expr::Continue(_) | Expr::Loop(_) => {}
            Expr::Macro(call) if !call.mac.path.is_ident("matches") => {}
            Expr::Path(path) if path.path.is_ident("None") => {}
            _ => self.result(Self::range(expr)),
        }
    }

    fn result(&mut self, range: std::ops::Range<usize>) {
        match self.returns {
            Returns::Bool => {
                let truth = Splice::around(range.clone(), format!("({ON} || ("), "))");
                self.offer("result", range.clone(), "true", truth);
                let falsehood = Splice::around(range.clone(), format!("(!{ON} && ("), "))");
                self.offer("result", range, "false", falsehood);
            }
            Returns::Option => {
                self.offer("result", range.clone(), "None", Splice::instead(range, "None"));
            }
            Returns::Other => {}
        }
    }
}

/// True for an expression that is executed for its effect.
fn is_effect(expr: &Expr) -> bool {
    match expr {
        // A constructor begins with a capital.
        Expr::Call(call) => !matches!(&*call.func, Expr::Path(path)
            if path.path.segments.last().is_some_and(|name| name.ident.to_string().starts_with(char::is_uppercase))),
        Expr::MethodCall(_) | Expr::Assign(_) => true,
        Expr::Binary(binary) => {
            use syn::BinOp::*;
            matches!(
                binary.op,
                AddAssign(_)
                    | SubAssign(_)
                    | MulAssign(_)
                    | DivAssign(_)
                    | RemAssign(_)
                    | BitXorAssign(_)
                    | BitAndAssign(_)
                    | BitOrAssign(_)
                    | ShlAssign(_)
                    | ShrAssign(_)
            )
        }
        Expr::Try(attempt) => is_effect(&attempt.expr),
        _ => false,
    }
}

/// True for a pattern that fits every value.
fn is_wildcard(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) => true,
        Pat::Ident(ident) => {
            // A name of a constant or a variant begins with a capital.
            ident.subpat.is_none() && ident.ident.to_string().starts_with(char::is_lowercase)
        }
        Pat::Tuple(tuple) => tuple.elems.iter().all(is_wildcard),
        _ => false,
    }
}
