//! References: what the names in expressions mean, and the problems that are known without any value.
//!
//! ```text
//! var.a   local.b   module.m.out   aws_instance.web[0].id   data.aws_ami.x   each.key   count.index   self
//!   │        │          │                │                       │
//! Target::Variable …   Module(m, out)   Resource(n), is_whole: true if more than named attributes is read
//! ```

use std::collections::{BTreeSet, HashMap};

use hclvm::analysis::{Key, Need, Paths, Traversal};
use hclvm::diagnostics::{Span, nearest};
use hclvm::{Attribute, Body, Diagnostic, Diagnostics, Program};
use smol_str::SmolStr;

use super::declarations::Mode;
use crate::problems::{Problems, TextRange};

/// What a reference leads to, by its number in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReferenceTarget {
    Variable(usize),
    Local(usize),
    Resource(usize),
    /// A module call, and the output that is read; `None` if all of them are.
    Module(usize, Option<SmolStr>),
    /// What functions read: files, the clock.
    Outside,
}

/// A reference.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub(super) target: ReferenceTarget,
    /// True if more is read of a resource than attributes with constant names.
    pub(super) is_whole: bool,
    /// True for `resource.TYPE.NAME`.
    pub(super) is_prefixed: bool,
}

impl Reference {
    fn of(target: ReferenceTarget) -> Self {
        Self { target, is_whole: false, is_prefixed: false }
    }
}

/// An expression with its references.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) program: Program,
    pub(super) place: TextRange,
    pub(super) reads: Vec<Reference>,
}

/// Which of the names exist that depend on the place of an expression.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlaceNames {
    pub(super) each: bool,
    pub(super) count: bool,
    pub(super) itself: bool,
}

/// The names of a folder.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    pub(super) variables: HashMap<SmolStr, usize>,
    pub(super) locals: HashMap<SmolStr, usize>,
    pub(super) resources: HashMap<(Mode, SmolStr, SmolStr), usize>,
    pub(super) calls: HashMap<SmolStr, usize>,
    /// True for resources and calls with `count` or `for_each`.
    pub(super) repeated_resources: Vec<Option<&'static str>>,
    pub(super) repeated_calls: Vec<bool>,
    /// True if there are further files, so that what is not declared here may be there.
    pub(super) is_partial: bool,
}

/// Resolves the references of a folder.
#[derive(Debug)]
pub(super) struct Resolver<'r> {
    pub(super) symbols: &'r Symbols,
    /// What is wrong with declarations.
    pub(super) problems: &'r mut Problems,
    /// What is wrong with references.
    pub(super) references: Problems,
    /// The names that expressions read of each resource.
    pub(super) attributes: Vec<BTreeSet<SmolStr>>,
    /// Searches for similar names that are left: each takes time proportional to the names.
    pub(super) searches: usize,
}

/// The detail of names that begin and continue wrongly.
const PLAIN: &str = "An attribute has to follow, such as";

impl<'r> Resolver<'r> {
    pub(super) fn new(symbols: &'r Symbols, problems: &'r mut Problems) -> Self {
        let attributes = vec![BTreeSet::new(); symbols.repeated_resources.len()];
        Self { symbols, problems, references: Problems::default(), attributes, searches: 50 }
    }

    /// Returns an attribute with its references; `None` after reporting what is wrong.
    pub(super) fn expr(&mut self, attribute: Attribute<'_>, context: PlaceNames) -> Option<Expr> {
        let reads = self.reads(attribute, context, &[]);
        match attribute.program() {
            Ok(program) => Some(Expr { program, place: TextRange::of_value(attribute), reads: reads? }),
            Err(error) => {
                self.references.add(error.to_diagnostics(attribute.document().source().name()));
                None
            }
        }
    }

    /// Returns the references of an attribute; `None` after reporting those that lead to nothing.
    pub(super) fn reads(
        &mut self,
        attribute: Attribute<'_>,
        context: PlaceNames,
        bound: &[SmolStr],
    ) -> Option<Vec<Reference>> {
        let (mut reads, mut is_sound) = (Vec::new(), true);
        let mut wrong = Vec::new();
        let mut paths = None;
        for traversal in attribute.variables() {
            if bound.iter().any(|name| name == traversal.root()) {
                continue;
            }
            match self.read(&traversal, context) {
                Ok(Some(mut read)) => {
                    if let ReferenceTarget::Resource(at) = read.target
                        && read.is_whole
                    {
                        let (paths, has_splat) =
                            paths.get_or_insert_with(|| (attribute.projected_paths(), has_splat(attribute)));
                        read.is_whole = !self.reads_attributes(at, &traversal, paths, *has_splat);
                    }
                    reads.push(read);
                }
                Ok(None) => {}
                Err(problem) => {
                    is_sound = false;
                    wrong.extend(problem);
                }
            }
        }
        if !attribute.is_pure() {
            reads.push(Reference::of(ReferenceTarget::Outside));
        }
        let source = std::sync::Arc::clone(attribute.document().source());
        self.references.add(Diagnostics::new(source, wrong));
        is_sound.then_some(reads)
    }

    /// Returns true if an expression reads nothing but attributes of the instances of a resource: in for expressions,
    /// behind splats and computed indexes.
    fn reads_attributes(
        &mut self,
        at: usize,
        traversal: &Traversal<'_>,
        paths: &Paths,
        has_splat: bool,
    ) -> bool {
        let by_each = match self.symbols.repeated_resources[at] {
            None => return false,
            Some(by) => by == "for_each",
        };
        let names = traversal.steps().filter_map(|(key, _)| match key {
            Key::Attribute(name) => Some(name),
            _ => None,
        });
        let names = std::iter::once(traversal.root()).chain(names);
        let mut names = names.skip_while(|root| ["data", "ephemeral", "resource"].contains(root));
        let (Some(kind), Some(name)) = (names.next(), names.next()) else { return false };
        let of_kind = match traversal.root() {
            root if root == kind => paths.get(kind),
            root => paths.get(root).and_then(|need| need.attribute(kind)),
        };
        let Some(Need::Elements(of_instance)) = of_kind.and_then(|need| need.attribute(name)) else {
            return false;
        };
        // A splat of the object that `for_each` makes has the object as its element.
        if of_instance.is_whole() || by_each && has_splat {
            return false;
        }
        self.attributes[at].extend(of_instance.names().cloned());
        true
    }

    /// Adds the references of a body and of its blocks, but for the attributes and blocks of the names in `except`. Nothing is
    /// compiled before it is evaluated. The recursion is bounded by the nesting of texts.
    pub(super) fn body(
        &mut self,
        body: Body<'_>,
        except: &[&str],
        context: PlaceNames,
        bound: &mut Vec<SmolStr>,
        found: &mut Vec<Reference>,
    ) {
        // In JSON a `dynamic` block is a property like any other, whose iterators only a schema could show.
        let is_read = |one: &Attribute<'_>| {
            !(except.contains(&one.name()) || one.document().is_json() && one.name() == "dynamic")
        };
        for attribute in body.attributes().filter(is_read) {
            found.extend(self.reads(attribute, context, bound).unwrap_or_default());
        }
        for block in body.blocks().filter(|one| !except.contains(&one.kind())) {
            if block.kind() != "dynamic" {
                self.body(block.body(), &[], context, bound, found);
                continue;
            }
            self.body(block.body(), &["iterator", "content", "labels"], context, bound, found);
            let named = block.attribute("iterator").and_then(|attribute| attribute.keyword());
            let outer = bound.len();
            bound.extend(named.or(block.labels().next()).map(SmolStr::new));
            if let Some(labels) = block.attribute("labels") {
                found.extend(self.reads(labels, context, bound).unwrap_or_default());
            }
            for content in block.body().blocks_of("content") {
                self.body(content.body(), &[], context, bound, found);
            }
            bound.truncate(outer);
        }
    }

    /// Returns what a traversal leads to, if that is something that is declared.
    fn read(
        &mut self,
        one: &Traversal<'_>,
        context: PlaceNames,
    ) -> Result<Option<Reference>, Option<Diagnostic>> {
        let steps: Vec<(Key<'_>, Span)> = one.steps().collect();
        let symbols = self.symbols;
        match one.root() {
            "var" => {
                let name = name_of(one, &steps)?;
                let hint = format!("Declare it with a block `variable \"{name}\" {{}}`.");
                let at = symbols.variables.get(name).copied();
                let known = symbols.variables.keys();
                let (title, what) = ("Reference to undeclared input variable", "input variable");
                let at = self.declared(at, title, (what, name, &hint), known, one.span())?;
                Ok(at.map(|at| Reference::of(ReferenceTarget::Variable(at))))
            }
            "local" => {
                let name = name_of(one, &steps)?;
                let at = symbols.locals.get(name).copied();
                let (title, what) = ("Reference to undeclared local value", "local value");
                let at = self.declared(at, title, (what, name, ""), symbols.locals.keys(), one.span())?;
                Ok(at.map(|at| Reference::of(ReferenceTarget::Local(at))))
            }
            "module" => {
                let name = name_of(one, &steps)?;
                let at = symbols.calls.get(name).copied();
                let (title, what) = ("Reference to undeclared module", "module call");
                let at = self.declared(at, title, (what, name, ""), symbols.calls.keys(), one.span())?;
                let Some(at) = at else { return Ok(None) };
                let rest = if symbols.repeated_calls[at] { steps.get(2..) } else { steps.get(1..) };
                let output = match rest.and_then(<[_]>::first) {
                    Some((Key::Attribute(name) | Key::Text(name), _)) => Some(SmolStr::new(*name)),
                    _ => None,
                };
                Ok(Some(Reference::of(ReferenceTarget::Module(at, output))))
            }
            root @ ("path" | "terraform" | "tofu" | "each" | "count") => {
                let name = name_of(one, &steps)?;
                fixed(root, name, one.span(), context).map_err(Some)?;
                Ok(None)
            }
            "self" if context.itself => Ok(None),
            "self" => {
                let detail =
                    "`self` exists in provisioners, connections and postconditions of a resource only.";
                Err(Some(Diagnostic::error("Invalid \"self\" reference", detail, one.span())))
            }
            root @ ("template" | "lazy" | "arg") => {
                let detail = format!("The name `{root}` is reserved for later versions of the language.");
                Err(Some(Diagnostic::error("Reserved symbol name", detail, one.span())))
            }
            "data" => self.resource(Mode::Data, None, &steps, one.span()),
            "ephemeral" => self.resource(Mode::Ephemeral, None, &steps, one.span()),
            "resource" => self.resource(Mode::Managed, None, &steps, one.span()),
            kind => self.resource(Mode::Managed, Some(kind), &steps, one.span()),
        }
    }

    /// Returns the number of something that is declared; reports it otherwise. `None` if it may be elsewhere.
    fn declared<'n>(
        &mut self,
        at: Option<usize>,
        title: &'static str,
        (what, name, hint): (&str, &str, &str),
        known: impl Iterator<Item = &'n SmolStr>,
        span: Span,
    ) -> Result<Option<usize>, Option<Diagnostic>> {
        if at.is_some() || self.symbols.is_partial {
            return Ok(at);
        }
        let near = self.near(name, known);
        let detail = format!("There is no {what} `{name}`.{near} {hint}");
        Err(Some(Diagnostic::error(title, detail.trim_end().to_owned(), span)))
    }

    fn near<'n>(&mut self, name: &str, known: impl Iterator<Item = &'n SmolStr>) -> String {
        if self.searches == 0 {
            return String::new();
        }
        self.searches -= 1;
        let near = nearest(name, known.map(SmolStr::as_str));
        near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default()
    }

    /// Returns the resource that steps lead to, those behind its type if that is the root.
    fn resource(
        &mut self,
        mode: Mode,
        root: Option<&str>,
        steps: &[(Key<'_>, Span)],
        span: Span,
    ) -> Result<Option<Reference>, Option<Diagnostic>> {
        let mut names = steps.iter().map_while(|(key, _)| match key {
            Key::Attribute(name) => Some(*name),
            _ => None,
        });
        let (kind, used) = match root {
            Some(kind) => (Some(kind), 1),
            None => (names.next(), 2),
        };
        let (Some(kind), Some(name)) = (kind, names.next()) else {
            let detail = match mode {
                Mode::Managed => {
                    "A reference to a resource has its type and its name: `aws_instance.web`. A text has quotes."
                }
                _ => "A reference has a type and a name behind this word: `data.aws_ami.base`.",
            };
            return Err(Some(Diagnostic::error("Invalid reference", detail, span)));
        };
        let key = (mode, SmolStr::new(kind), SmolStr::new(name));
        let Some(at) = self.symbols.resources.get(&key).copied() else {
            if self.symbols.is_partial {
                return Ok(None);
            }
            let known: Vec<SmolStr> = if self.searches == 0 {
                Vec::new()
            } else {
                let of_mode = self.symbols.resources.keys().filter(|(one, ..)| *one == mode);
                of_mode.map(|(_, kind, name)| SmolStr::from(format!("{kind}.{name}"))).collect()
            };
            let near = self.near(&format!("{kind}.{name}"), known.iter());
            let detail = format!("There is no {} `{kind}.{name}`.{near}", mode.noun());
            return Err(Some(Diagnostic::error("Reference to undeclared resource", detail, span)));
        };
        let rest = &steps[used..];
        let repeated = self.symbols.repeated_resources[at];
        let rest = match (rest.first(), repeated) {
            (Some((Key::Attribute(_), _)), Some(by)) => {
                let detail = format!(
                    "`{kind}.{name}` has `{by}`, so that there may be several: name one, such as `{kind}.{name}[{by_key}]`.",
                    by_key = if by == "count" { "0" } else { "\"key\"" },
                );
                return Err(Some(Diagnostic::error("Missing resource instance key", detail, span)));
            }
            (Some((Key::Number(_) | Key::Text(_), _)), None) => {
                let detail =
                    format!("`{kind}.{name}` has neither `count` nor `for_each`: leave out the index.");
                return Err(Some(Diagnostic::error("Unexpected resource instance key", detail, span)));
            }
            (Some((Key::Number(_) | Key::Text(_), _)), Some(_)) => &rest[1..],
            _ => rest,
        };
        let is_whole = match rest.first() {
            Some((Key::Attribute(attribute), _)) => {
                self.attributes[at].insert(SmolStr::new(*attribute));
                false
            }
            _ => true,
        };
        let is_prefixed = mode == Mode::Managed && root.is_none();
        Ok(Some(Reference { target: ReferenceTarget::Resource(at), is_whole, is_prefixed }))
    }
}

/// Returns true if an expression may have splats.
fn has_splat(attribute: Attribute<'_>) -> bool {
    let text = attribute.expression_span().slice(attribute.document().source().text());
    ["[*]", ".*"].iter().any(|splat| text.contains(splat))
}

/// Returns the name behind a root.
fn name_of<'t>(one: &Traversal<'t>, steps: &[(Key<'t>, Span)]) -> Result<&'t str, Option<Diagnostic>> {
    let root = one.root();
    let detail = match steps.first() {
        Some((Key::Attribute(name), _)) => return Ok(name),
        Some(_) => format!("`{root}` has no elements. {PLAIN} `{root}.name`."),
        None => format!("`{root}` has no value of its own. {PLAIN} `{root}.name`."),
    };
    Err(Some(Diagnostic::error("Invalid reference", detail, one.span())))
}

/// Reports a wrong name of a fixed root.
fn fixed(root: &str, name: &str, span: Span, context: PlaceNames) -> Result<(), Diagnostic> {
    let (title, detail) = match (root, name) {
        ("path", "module" | "root" | "cwd") | ("terraform" | "tofu", "workspace" | "applying") => {
            return Ok(());
        }
        ("path", _) => ("Invalid \"path\" attribute", "`path` has `module`, `root` and `cwd`."),
        ("terraform" | "tofu", _) => {
            ("Invalid \"terraform\" attribute", "`terraform` has `workspace` and `applying`.")
        }
        ("each", _) if !context.each => (
            "Reference to \"each\" in context without for_each",
            "`each` exists in resources, data sources and modules with `for_each` only.",
        ),
        ("count", _) if !context.count => (
            "Reference to \"count\" in non-counted context",
            "`count` exists in resources, data sources and modules with `count` only.",
        ),
        ("each", "key" | "value") | ("count", "index") => return Ok(()),
        ("each", _) => ("Invalid \"each\" attribute", "`each` has `key` and `value`."),
        _ => ("Invalid \"count\" attribute", "`count` has `index`."),
    };
    Err(Diagnostic::error(title, detail, span))
}
