//! The constant functions that constants need.
//!
//! A mutant is chosen at run time, so a constant function cannot hold one. Most are constant only because
//! they can be; these lose their `const` in the instrumented tree. Functions are known by their names
//! alone: a name that a constant mentions is needed, as are the names in needed functions.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};

/// The names of functions that remain constant.
#[derive(Debug, Default)]
pub struct Constants {
    needed: BTreeSet<String>,
    /// The names in the bodies of constant functions, by the name of the function.
    bodies: BTreeMap<String, BTreeSet<String>>,
}

impl Constants {
    /// Adds the names of a file.
    pub fn add(&mut self, file: &syn::File) {
        self.visit_file(file);
    }

    /// Marks a function as needed.
    pub fn need(&mut self, name: &str) {
        self.needed.insert(name.to_owned());
    }

    /// Adds the names that needed functions mention.
    pub fn close(&mut self) {
        let mut open: Vec<String> = self.needed.iter().cloned().collect();
        while let Some(name) = open.pop() {
            for inner in self.bodies.remove(&name).unwrap_or_default() {
                if self.needed.insert(inner.clone()) {
                    open.push(inner);
                }
            }
        }
    }

    /// True if a constant needs a function of this name.
    pub fn needs(&self, name: &str) -> bool {
        self.needed.contains(name)
    }

    fn function(&mut self, signature: &syn::Signature, body: &impl ToTokens) {
        if signature.constness.is_some() {
            let names = self.bodies.entry(signature.ident.to_string()).or_default();
            collect(body.to_token_stream(), names);
        }
    }
}

/// Collects the identifiers of a stream.
fn collect(stream: TokenStream, names: &mut BTreeSet<String>) {
    for tree in stream {
        match tree {
            TokenTree::Ident(ident) => {
                names.insert(ident.to_string());
            }
            TokenTree::Group(group) => collect(group.stream(), names),
            _ => {}
        }
    }
}

/// True if a stream has a constant or a static item.
fn has_constant(stream: TokenStream) -> bool {
    stream.into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => ident == "const" || ident == "static",
        TokenTree::Group(group) => has_constant(group.stream()),
        _ => false,
    })
}

impl<'ast> Visit<'ast> for Constants {
    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        collect(item.expr.to_token_stream(), &mut self.needed);
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        collect(item.expr.to_token_stream(), &mut self.needed);
    }

    fn visit_trait_item_const(&mut self, item: &'ast syn::TraitItemConst) {
        collect(item.to_token_stream(), &mut self.needed);
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        collect(item.expr.to_token_stream(), &mut self.needed);
    }

    fn visit_expr_const(&mut self, block: &'ast syn::ExprConst) {
        collect(block.to_token_stream(), &mut self.needed);
    }

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        // The element may be a constant that is copied, as well as an expression.
        collect(repeat.len.to_token_stream(), &mut self.needed);
        self.visit_expr(&repeat.expr);
    }

    fn visit_type_array(&mut self, array: &'ast syn::TypeArray) {
        collect(array.len.to_token_stream(), &mut self.needed);
    }

    fn visit_generic_argument(&mut self, argument: &'ast syn::GenericArgument) {
        if let syn::GenericArgument::Const(expr) = argument {
            collect(expr.to_token_stream(), &mut self.needed);
        }
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        if let Some((_, value)) = &variant.discriminant {
            collect(value.to_token_stream(), &mut self.needed);
        }
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if has_constant(call.tokens.clone()) {
            collect(call.tokens.clone(), &mut self.needed);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }
}
