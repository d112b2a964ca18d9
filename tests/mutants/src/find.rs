//! Finds the mutants of a file.
//!
//! Types are unknown here: a change that does not fit the types is offered nevertheless, and dropped when
//! the compiler rejects it. Constants, patterns, attributes, types and macro definitions are not changed.

mod calls;
mod flow;
mod operators;
mod tables;

use std::ops::Range;

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Arm, Expr, ExprMacro, File, ImplItemFn, ItemFn, Local, Macro, Signature, Stmt, Token, TraitItemFn,
};

use crate::mutant::{Change, ON, Splice};

/// Decides which functions remain constant in the instrumented tree, and which get no mutants.
pub trait Functions {
    /// True if constants need the function, so that it cannot hold mutants.
    fn stays_const(&self, name: &str) -> bool;
    /// True if the configuration excludes the function.
    fn is_excluded(&self, name: &str) -> bool;
}

/// The mutants of a file, and the texts that have to be removed from it.
#[derive(Debug, Default)]
pub struct Found {
    /// The changes, in the order of the text; outer ones before those within them.
    pub changes: Vec<Change>,
    /// `const` in front of functions that no constant needs.
    pub removed: Vec<Range<usize>>,
}

/// Finds the mutants of a text.
pub fn find(text: &str, functions: &dyn Functions) -> syn::Result<Found> {
    let file: File = syn::parse_file(text)?;
    let mut finder =
        Finder { text, functions, found: Found::default(), returns: Returns::Other, operands: Vec::new() };
    finder.visit_file(&file);
    let mut found = finder.found;
    // Stable: changes of one range keep their order.
    found.changes.sort_by_key(|change| (change.splice.range.start, usize::MAX - change.splice.range.end));
    Ok(found)
}

/// The result type of the function around an expression.
#[derive(Clone, Copy, PartialEq)]
enum Returns {
    Bool,
    Option,
    Other,
}

struct Finder<'t> {
    text: &'t str,
    functions: &'t dyn Functions,
    found: Found,
    returns: Returns,
    /// The operands of the operations that were visited.
    operands: Vec<Range<usize>>,
}

impl Finder<'_> {
    fn range(node: &impl Spanned) -> Range<usize> {
        node.span().byte_range()
    }

    fn source(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// Offers a change that a reader sees in `changed`.
    fn offer(
        &mut self,
        operator: &'static str,
        changed: Range<usize>,
        replacement: impl Into<String>,
        splice: Splice,
    ) {
        self.found.changes.push(Change { operator, changed, replacement: replacement.into(), splice });
    }

    /// Offers the text of `whole` with `part` replaced, instead of `whole`.
    fn offer_swap(&mut self, operator: &'static str, whole: Range<usize>, part: Range<usize>, other: &str) {
        let before = self.source(whole.start..part.start);
        let behind = self.source(part.end..whole.end);
        let splice = Splice::instead(whole.clone(), &format!("{before}{other}{behind}"));
        self.offer(operator, part, other, splice);
    }

    /// Visits a function.
    fn function(
        &mut self,
        signature: &Signature,
        attributes: &[syn::Attribute],
        body: impl FnOnce(&mut Self),
    ) {
        let name = signature.ident.to_string();
        if is_test(attributes) {
            return;
        }
        if let Some(constness) = &signature.constness {
            if self.functions.stays_const(&name) {
                return;
            }
            self.found.removed.push(Self::range(constness));
        }
        if self.functions.is_excluded(&name) {
            return;
        }
        let outer = std::mem::replace(&mut self.returns, returns(signature));
        body(self);
        self.returns = outer;
    }
}

/// The subject and the guard of `matches!`.
fn subject_and_guard(input: syn::parse::ParseStream<'_>) -> syn::Result<(Expr, Option<Expr>)> {
    let subject = input.parse()?;
    input.parse::<Token![,]>()?;
    syn::Pat::parse_multi_with_leading_vert(input)?;
    let guard = input.parse::<Option<Token![if]>>()?;
    let guard = guard.map(|_| input.parse()).transpose()?;
    input.parse::<Option<Token![,]>>()?;
    Ok((subject, guard))
}

/// Returns true for tests and for items that are built only for them.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

fn returns(signature: &Signature) -> Returns {
    let syn::ReturnType::Type(_, ty) = &signature.output else { return Returns::Other };
    let syn::Type::Path(path) = &**ty else { return Returns::Other };
    match path.path.segments.last().map(|segment| segment.ident.to_string()).as_deref() {
        Some("bool") => Returns::Bool,
        Some("Option") => Returns::Option,
        _ => Returns::Other,
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.function(&item.sig, &item.attrs, |finder| {
            finder.leaves(&item.block);
            visit::visit_block(finder, &item.block);
        });
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.function(&item.sig, &item.attrs, |finder| {
            finder.leaves(&item.block);
            visit::visit_block(finder, &item.block);
        });
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        let Some(block) = &item.default else { return };
        self.function(&item.sig, &item.attrs, |finder| {
            finder.leaves(block);
            visit::visit_block(finder, block);
        });
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        let outer = std::mem::replace(&mut self.returns, Returns::Other);
        self.visit_expr(&closure.body);
        self.returns = outer;
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if let Some(init) = &local.init {
            visit::visit_local_init(self, init);
        }
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        self.statement(stmt);
        visit::visit_stmt(self, stmt);
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        self.unit_arm(arm);
        visit::visit_arm(self, arm);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Binary(binary) => {
                self.binary(binary);
                self.operands.extend([Self::range(&*binary.left), Self::range(&*binary.right)]);
            }
            Expr::Unary(unary) => self.unary(unary),
            Expr::Lit(literal) => self.literal(literal),
            Expr::If(branch) => self.branch(branch),
            Expr::While(round) => self.while_loop(round),
            Expr::Match(choice) => self.arms(choice),
            Expr::MethodCall(call) => self.method(call),
            Expr::Return(value) => {
                if let Some(value) = &value.expr {
                    self.leaf(value);
                }
            }
            Expr::Repeat(repeat) => {
                // The length is a constant.
                self.visit_expr(&repeat.expr);
                return;
            }
            _ => {}
        }
        visit::visit_expr(self, expr);
    }

    fn visit_expr_macro(&mut self, call: &'ast ExprMacro) {
        let range = Self::range(call);
        if call.mac.path.is_ident("matches") {
            let splice = Splice::around(range.clone(), "(", format!(" != {ON})"));
            self.offer("negation", range.start..range.start, "!", splice);
        }
        self.visit_macro(&call.mac);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        if tables::OPAQUE_MACROS.contains(&name.as_str()) {
            return;
        }
        if name == "matches" {
            if let Ok((subject, guard)) = call.parse_body_with(subject_and_guard) {
                self.visit_expr(&subject);
                if let Some(guard) = guard {
                    self.visit_expr(&guard);
                }
            }
            return;
        }
        // The arguments of the macros of the workspace are mostly expressions.
        if let Ok(arguments) = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            for argument in &arguments {
                self.visit_expr(argument);
            }
        }
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
    fn visit_generics(&mut self, _: &'ast syn::Generics) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_item_macro(&mut self, _: &'ast syn::ItemMacro) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_path(&mut self, _: &'ast syn::Path) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
}
