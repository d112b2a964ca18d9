//! The evaluation of mocks and locals, each after those that it reads.

use std::collections::{BTreeMap, HashMap};

use hclvm::analysis::{Need, Paths};
use hclvm::value::{Arena, find};
use hclvm::{Attribute, Document, OwnedValue, Scope, Session, Value};
use smol_str::SmolStr;

use super::super::object::object_of;
use super::super::{PolicyKind, stops};
use super::mock::{Mock, MockKind, MockValues};
use crate::locals::{GraphProblem, LocalGraph};
use crate::names::{ModuleLayout, set_member, set_object};
use crate::problems::{Problems, TextRange};

/// The mocks and locals of a test file while they are evaluated: mocks are the first nodes, locals follow.
pub(super) struct World<'w> {
    document: Document,
    mocks: &'w [Mock<'w>],
    locals: &'w [Attribute<'w>],
    names: ModuleLayout,
    session: Session,
    scope: Scope,
    pub(super) values: Vec<MockValues>,
    local_values: Vec<Option<OwnedValue>>,
    has_new_data: bool,
}

impl<'w> World<'w> {
    pub(super) fn new(
        document: &Document,
        mocks: &'w [Mock<'w>],
        locals: &'w [Attribute<'w>],
        inputs: &BTreeMap<SmolStr, OwnedValue>,
    ) -> Self {
        let mut objects: BTreeMap<&str, Vec<SmolStr>> = BTreeMap::new();
        for mock in mocks.iter().filter(|mock| mock.kind == MockKind::Object(PolicyKind::Resource)) {
            objects.entry(mock.label).or_default().push(mock.name.into());
        }
        objects.insert("local", locals.iter().map(|local| local.name().into()).collect());
        objects.insert("input", inputs.keys().cloned().collect());
        let roots: Vec<&str> = objects.keys().copied().chain(["data"]).collect();
        let members: Vec<(&str, Vec<&SmolStr>)> =
            objects.iter().map(|(root, names)| (*root, names.iter().collect())).collect();
        let names = ModuleLayout::new(&roots, &members, std::slice::from_ref(document));
        let document = document.for_layout(names.layout());
        let engine = document.engine().clone();
        let mut scope = engine.scope(names.layout());
        for (name, value) in inputs {
            // A value that was computed fits.
            let _ = set_member(&mut scope, "input", name, value.get());
        }
        if names.is_whole("input") {
            let _ = set_object(
                &mut scope,
                "input",
                inputs.iter().map(|(name, value)| (name.as_str(), value.get())),
            );
        }
        Self {
            mocks,
            locals,
            names,
            session: engine.session(),
            scope,
            values: mocks.iter().map(|_| MockValues::default()).collect(),
            local_values: vec![None; locals.len()],
            has_new_data: true,
            document,
        }
    }

    pub(super) fn evaluate(&mut self, problems: &mut Problems) {
        let mut graph = LocalGraph::default();
        for mock in self.mocks {
            graph.add(mock.node());
        }
        for local in self.locals {
            graph.add(format!("local.{}", local.name()));
        }
        let mut types: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, mock) in self.mocks.iter().enumerate() {
            let root = if mock.kind == MockKind::Data { "data" } else { mock.label };
            if matches!(mock.kind, MockKind::Data | MockKind::Object(PolicyKind::Resource)) {
                types.entry(root).or_default().push(at);
            }
        }
        let of_mocks = self.mocks.iter().enumerate();
        let expressions = of_mocks.flat_map(|(at, mock)| mock.expressions().map(move |one| (at, one)));
        let of_locals = self.locals.iter().enumerate().map(|(at, local)| (self.mocks.len() + at, *local));
        for (node, attribute) in expressions.chain(of_locals) {
            self.connect(&mut graph, node, attribute, &types, problems);
        }
        let (order, found) = graph.order();
        for problem in &found {
            self.report(problem, problems);
        }
        if stops(problems) {
            return;
        }
        for node in order {
            self.node(node, problems);
        }
    }

    /// Connects a node with those that an expression of it reads.
    fn connect(
        &self,
        graph: &mut LocalGraph,
        node: usize,
        attribute: Attribute<'_>,
        types: &HashMap<&str, Vec<usize>>,
        problems: &mut Problems,
    ) {
        for (root, need) in attribute.referenced_paths() {
            match root.as_str() {
                "input" => {}
                "local" => {
                    need.names().for_each(|name| graph.read(node, format!("local.{name}")));
                    if need.is_whole() {
                        graph.read_all(node);
                    }
                }
                "data" => {
                    for kind in need.names() {
                        let inner = need.attribute(kind);
                        let names = inner.into_iter().flat_map(|inner| inner.names());
                        names.for_each(|name| graph.read(node, format!("data.{kind}.{name}")));
                    }
                    if need.is_whole()
                        || need.names().any(|kind| need.attribute(kind).is_some_and(Need::is_whole))
                    {
                        graph.read_all(node);
                    }
                }
                kind if types.contains_key(kind) => {
                    need.names().for_each(|name| graph.read(node, format!("{kind}.{name}")));
                    if need.is_whole() {
                        graph.read_all(node);
                    }
                }
                other => {
                    let place = attribute.variables().into_iter().find(|one| one.root() == other);
                    let span = place.map_or(attribute.expression_span(), |one| one.span());
                    let detail = format!("There is no mock of type \"{other}\" in this file.");
                    problems.error(&TextRange::new(&self.document, span), "Unknown mock", detail);
                }
            }
        }
    }

    fn place(&self, node: usize) -> (TextRange, String) {
        match (self.mocks.get(node), node.checked_sub(self.mocks.len()).and_then(|at| self.locals.get(at))) {
            (Some(mock), _) => (TextRange::of_block(&self.document, mock.block), mock.address()),
            (None, Some(local)) => (TextRange::of_name(*local), format!("local.{}", local.name())),
            (None, None) => (TextRange::nowhere(self.document.source().name()), String::new()),
        }
    }

    fn report(&self, problem: &GraphProblem, problems: &mut Problems) {
        match problem {
            GraphProblem::Missing(node, name) => {
                let (place, _) = self.place(*node);
                let title = if name.starts_with("local.") { "Undefined local" } else { "Unknown mock" };
                problems.error(&place, title, format!("It reads {name}, which is not defined in this file."));
            }
            GraphProblem::Cycle(nodes, others) => {
                let Some(first) = nodes.first() else { return };
                let names: Vec<String> = nodes.iter().take(20).map(|node| self.place(*node).1).collect();
                let more = if *others > 0 || nodes.len() > 20 { " and others" } else { "" };
                let detail = format!("These read each other: {}{more}.", names.join(", "));
                problems.error(&self.place(*first).0, "Circular reference detected", detail);
            }
        }
    }

    /// Evaluates a mock or local.
    fn node(&mut self, node: usize, problems: &mut Problems) {
        if let Some(mock) = self.mocks.get(node).copied() {
            let mut values = MockValues::default();
            for attribute in mock.expressions() {
                let value = self.value(attribute, problems);
                match attribute.name() {
                    "attrs" => values.attrs = value,
                    "prior_attrs" => values.prior_attrs = value,
                    _ => values.meta = value,
                }
            }
            if let Some(attrs) = &values.attrs
                && mock.kind == MockKind::Object(PolicyKind::Resource)
            {
                let with_own = with_attrs(attrs.get());
                let _ = set_member(&mut self.scope, mock.label, mock.name, with_own.get());
            }
            self.has_new_data |= mock.kind == MockKind::Data;
            self.values[node] = values;
            return;
        }
        let Some(at) = node.checked_sub(self.mocks.len()) else { return };
        let Some(local) = self.locals.get(at).copied() else { return };
        let value = self.value(local, problems);
        if let Some(value) = &value {
            let _ = set_member(&mut self.scope, "local", local.name(), value.get());
        }
        self.local_values[at] = value;
    }

    fn value(&mut self, attribute: Attribute<'_>, problems: &mut Problems) -> Option<OwnedValue> {
        let paths = attribute.referenced_paths();
        self.set_objects(&paths);
        let program = match attribute.compile(self.names.layout()) {
            Ok(program) => program,
            Err(error) => {
                problems.add(error.to_diagnostics(self.document.source().name()));
                return None;
            }
        };
        match self.session.run(&program, &self.scope) {
            Ok(value) => Some(OwnedValue::new(value)),
            Err(error) => {
                problems.add(error.to_diagnostics(self.document.source().name()));
                None
            }
        }
    }

    /// Sets the objects that an expression reads as a whole.
    fn set_objects(&mut self, paths: &Paths) {
        if paths.contains_key("data") && self.has_new_data {
            let mut types: BTreeMap<&str, Vec<(&str, Value<'_>)>> = BTreeMap::new();
            let values = self.mocks.iter().zip(&self.values).filter(|(mock, _)| mock.kind == MockKind::Data);
            for (mock, values) in values {
                if let Some(attrs) = &values.attrs {
                    types.entry(mock.label).or_default().push((mock.name, attrs.get()));
                }
            }
            let arena = Arena::new();
            let types: Vec<(&str, Value<'_>)> =
                types.into_iter().map(|(kind, members)| (kind, object_of(&arena, members))).collect();
            let _ = self.scope.set_value("data", object_of(&arena, types));
            self.has_new_data = false;
        }
        for root in paths.keys().filter(|root| !matches!(root.as_str(), "data" | "input")) {
            if !self.names.needs_object(root, paths) {
                continue;
            }
            if root == "local" {
                let members = self.locals.iter().zip(&self.local_values);
                let members =
                    members.filter_map(|(local, value)| Some((local.name(), value.as_ref()?.get())));
                let _ = set_object(&mut self.scope, root, members);
            } else {
                let members = self.mocks.iter().zip(&self.values).filter(|(mock, _)| mock.label == root);
                let members =
                    members.filter_map(|(mock, values)| Some((mock.name, values.attrs.as_ref()?.get())));
                let _ = set_object(&mut self.scope, root, members);
            }
        }
    }
}

/// Returns attributes which have themselves as `attrs`, too: mocks are read as TYPE.NAME.id and as TYPE.NAME.attrs.id.
fn with_attrs(attrs: Value<'_>) -> OwnedValue {
    let Some(entries) = attrs.as_entries().filter(|entries| find(entries, "attrs").is_none()) else {
        return OwnedValue::new(attrs);
    };
    let arena = Arena::new();
    let members: Vec<(&str, Value<'_>)> =
        entries.iter().map(|entry| (entry.name, entry.value)).chain([("attrs", attrs)]).collect();
    OwnedValue::new(object_of(&arena, members))
}
