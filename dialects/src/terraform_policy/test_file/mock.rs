//! Mocks: their blocks, and the objects that policies judge in their place.

use hclvm::schema::Schema;
use hclvm::value::{Arena, find};
use hclvm::{Attribute, Block, Document, OwnedValue, Value};

use super::super::inputs::Values;
use super::super::object::{Object, object_of};
use super::super::objects::{inferred, object};
use super::super::resources::Resources;
use super::super::{Operation, PolicyKind, language, plan};
use super::TestCase;
use crate::problems::TextRange;

/// A mock as written.
#[derive(Clone, Copy)]
pub(super) struct Mock<'d> {
    pub(super) kind: MockKind,
    pub(super) block: Block<'d>,
    pub(super) label: &'d str,
    pub(super) name: &'d str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MockKind {
    Object(PolicyKind),
    Data,
}

/// A mock with its values.
pub(super) struct EvaluatedMock {
    pub(super) object: Object,
    pub(super) expects_failure: bool,
    pub(super) inputs: Option<Values>,
}

pub(super) const MOCKS: [(&str, MockKind); 4] = [
    ("resource", MockKind::Object(PolicyKind::Resource)),
    ("provider", MockKind::Object(PolicyKind::Provider)),
    ("module", MockKind::Object(PolicyKind::Module)),
    ("data", MockKind::Data),
];

impl<'d> Mock<'d> {
    pub(super) fn address(&self) -> String {
        format!("{}.{}.{}", self.block.kind(), self.label, self.name)
    }

    /// Returns the name with which other mocks read it; only resources and data are read.
    pub(super) fn node(&self) -> String {
        match self.kind {
            MockKind::Object(PolicyKind::Resource) => format!("{}.{}", self.label, self.name),
            MockKind::Data => format!("data.{}.{}", self.label, self.name),
            MockKind::Object(_) => format!("{} {} {}", self.block.kind(), self.label, self.name),
        }
    }

    fn schema(&self) -> Schema {
        match self.kind {
            MockKind::Object(kind) => language::mock(Some(kind)),
            MockKind::Data => language::mock(None),
        }
    }

    /// Returns the expressions of its values.
    pub(super) fn expressions(&self) -> impl Iterator<Item = Attribute<'d>> + use<'d> {
        let body = self.block.body();
        ["attrs", "prior_attrs", "meta"].into_iter().filter_map(move |name| body.attribute(name))
    }
}

/// The values of a mock.
#[derive(Default)]
pub(super) struct MockValues {
    pub(super) attrs: Option<OwnedValue>,
    pub(super) prior_attrs: Option<OwnedValue>,
    pub(super) meta: Option<OwnedValue>,
}

impl TestCase<'_> {
    /// Reads a mock whose expressions were evaluated.
    pub(super) fn mock(
        &mut self,
        document: &Document,
        mock: Mock<'_>,
        values: MockValues,
        resources: &mut Resources,
        evaluated: &mut Vec<EvaluatedMock>,
    ) {
        let (content, found) = mock.block.body().content_lenient(&mock.schema());
        self.problems.add(found);
        let place = TextRange::of_block(document, mock.block);
        let objects =
            [("attrs", &values.attrs), ("prior_attrs", &values.prior_attrs), ("meta", &values.meta)];
        for (name, value) in objects {
            let is_other = value.as_ref().is_some_and(|value| {
                let value = value.get().unmark().0;
                value.is_known() && !value.is_null() && value.as_entries().is_none()
            });
            if is_other {
                self.problems.error(&place, "Invalid mock", format!("`{name}` is an object."));
                return;
            }
        }
        let MockKind::Object(kind) = mock.kind else {
            let empty = OwnedValue::new(Value::EMPTY_OBJECT);
            resources.add_data(mock.label, values.attrs.unwrap_or(empty));
            return;
        };
        let mut truth = |name: &str| {
            content
                .attribute(name)
                .is_some_and(|one| self.constants.truth(one, &mut self.problems).unwrap_or(false))
        };
        let (expects_failure, skip) = (truth("expect_failure"), truth("skip"));
        let has_inputs = content.blocks_of("inputs").next().is_some();
        let inputs = has_inputs.then(|| self.written_inputs(content.blocks_of("inputs")));
        let object = match kind {
            PolicyKind::Resource => match self.resource(&place, mock, values) {
                Some(object) => object,
                None => return,
            },
            PolicyKind::Provider | PolicyKind::Module => self.other(kind, mock, values),
        };
        if kind == PolicyKind::Resource && object.operation != Some(Operation::Delete) {
            resources.add(mock.label, &object.address, object.attrs.clone());
        }
        let skip = skip || self.settings.setup && kind == PolicyKind::Resource;
        evaluated.push(EvaluatedMock { object: Object { skip, ..object }, expects_failure, inputs });
    }

    fn resource(&mut self, place: &TextRange, mock: Mock<'_>, values: MockValues) -> Option<Object> {
        let MockValues { attrs, prior_attrs, meta } = values;
        let has_state = |state: &Option<OwnedValue>| {
            state.as_ref().is_some_and(|state| match state.get().unmark().0.as_entries() {
                Some(entries) => !entries.is_empty(),
                None => !state.get().is_known(),
            })
        };
        let state = inferred(has_state(&attrs), has_state(&prior_attrs));
        let Some(state) = state else {
            let detail = "The mock has no state: it has neither `attrs` nor `prior_attrs`.";
            self.problems.error(place, "Invalid mock", detail);
            return None;
        };
        let given = meta.as_ref().and_then(|meta| Some(find(meta.get().as_entries()?, "operation")?.value));
        let operation = match given {
            None => Ok(state),
            Some(given) => given
                .as_str()
                .ok_or_else(|| "The operation is a non-string value, and has to be a text.".to_owned())
                .and_then(|text| {
                    Operation::of_name(text).ok_or_else(|| {
                        format!("\"{text}\" is not one of \"create\", \"update\", \"delete\" and \"no-op\".")
                    })
                }),
        };
        let operation =
            operation.map_err(|why| self.problems.error(place, "Invalid operation of a mock", why)).ok()?;
        let typed = |state: Option<OwnedValue>| match &self.settings.schemas {
            Some(schemas) => state.map(|state| schemas.resource("", mock.label, state)),
            None => state,
        };
        let parts = (typed(attrs), typed(prior_attrs), meta);
        Some(object(mock.label, mock.address(), operation, parts, &self.settings.plan))
    }

    /// Returns the mock of a provider or module.
    fn other(&self, kind: PolicyKind, mock: Mock<'_>, values: MockValues) -> Object {
        let arena = Arena::new();
        let label = Value::text(&arena, mock.label);
        let stack = plan::stack(&arena, self.settings.plan.stack_names());
        let mut meta: Vec<(&str, Value<'_>)> = match kind {
            PolicyKind::Provider => vec![
                ("alias", Value::NULL),
                ("name", label),
                ("namespace", Value::NULL),
                ("source", Value::NULL),
                ("type", label),
                ("version", Value::NULL),
            ],
            _ => vec![("address", Value::NULL), ("source", label), ("version", Value::NULL)],
        };
        meta.push(("tfe_stack", stack));
        let given = values.meta.as_ref().and_then(|meta| meta.get().as_entries()).unwrap_or_default();
        meta.extend(
            given.iter().map(|entry| (arena.text(entry.name), hclvm::value::copy(&arena, entry.value))),
        );
        let meta = OwnedValue::new(object_of(&arena, meta));
        let missing = if kind == PolicyKind::Module { Value::DYNAMIC } else { Value::EMPTY_OBJECT };
        let attrs = values.attrs.filter(|_| !self.settings.setup);
        let missing = if self.settings.setup { Value::DYNAMIC } else { missing };
        Object {
            kind,
            address: mock.address(),
            name: mock.label.to_owned(),
            operation: None,
            attrs: attrs.unwrap_or_else(|| OwnedValue::new(missing)),
            prior_attrs: OwnedValue::new(Value::NULL),
            meta,
            skip: false,
        }
    }
}
