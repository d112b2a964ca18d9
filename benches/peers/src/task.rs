//! Tasks: a workload of `hclvm-workloads` in a form. Each is a row of the tables.

use hclvm_workloads::{Workload, body, body_scopes, requests, rules};

use crate::contender::Turn;

/// A row of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    /// What is evaluated.
    pub work: Work,
    /// How scopes are given and results are taken.
    pub form: Form,
}

/// What is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// One expression.
    Expression(Workload),
    /// The 200 attributes of a body.
    Body(Attributes),
    /// The text of that body, parsed and compiled.
    Compile,
    /// Ten thousand conditions; the result lists those that hold.
    Rules,
}

/// The attributes of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Attributes {
    /// `attribute-body`, in which some attributes are equal.
    Repeating,
    /// All differ.
    Distinct,
}

impl Attributes {
    /// Returns the expression of an attribute.
    pub fn expression(self, attribute: usize) -> String {
        match self {
            Self::Repeating => body::expression(attribute),
            Self::Distinct => body::distinct_expression(attribute),
        }
    }

    /// Returns the source text of the body.
    pub fn text(self) -> String {
        match self {
            Self::Repeating => body::text(),
            Self::Distinct => body::distinct_text(),
        }
    }
}

/// How scopes are given and results are taken. Every peer lists the forms that it supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// 64 scopes (4 of servers) in a fixed order, converted before timing starts.
    Warm,
    /// The scope is read from JSON text in each evaluation.
    Json,
    /// As [`Form::Json`], and all of it is kept, not only what the expression reads.
    JsonWhole,
    /// The scope is set from a Rust struct in each evaluation.
    Struct,
    /// The scope is set from a value that the host owns in each evaluation.
    Owned,
    /// 4,096 scopes, converted before timing starts, in a random order.
    Cold,
    /// One evaluation decides 10,000 scopes.
    Batch,
    /// The text of the expression is parsed and compiled.
    Compile,
    /// 64 evaluations inside one call from the host.
    Inside,
    /// The attributes of a body through the interface for single expressions.
    OneByOne,
    /// Results are copied so that the host owns them.
    OwnedResult,
    /// Results are written as JSON text.
    JsonResult,
    /// A value that the expression reads is unknown.
    UnknownRead,
    /// A value is unknown, and the expression does not read it.
    UnknownUnread,
    /// A value that the expression reads is marked.
    MarkedRead,
    /// A value is marked, and the expression does not read it.
    MarkedUnread,
}

impl Form {
    /// All forms.
    const ALL: [Self; 16] = [
        Self::Json,
        Self::JsonWhole,
        Self::Struct,
        Self::Owned,
        Self::Cold,
        Self::Warm,
        Self::Batch,
        Self::Compile,
        Self::Inside,
        Self::OneByOne,
        Self::OwnedResult,
        Self::JsonResult,
        Self::UnknownRead,
        Self::UnknownUnread,
        Self::MarkedRead,
        Self::MarkedUnread,
    ];

    /// Returns the name used in arguments.
    pub fn name(self) -> &'static str {
        match self {
            Self::Warm => "warm",
            Self::Json => "json",
            Self::JsonWhole => "json-whole",
            Self::Struct => "struct",
            Self::Owned => "owned",
            Self::Cold => "cold",
            Self::Batch => "batch",
            Self::Compile => "compile",
            Self::Inside => "inside",
            Self::OneByOne => "one-by-one",
            Self::OwnedResult => "owned-result",
            Self::JsonResult => "json-result",
            Self::UnknownRead => "unknown-read",
            Self::UnknownUnread => "unknown-unread",
            Self::MarkedRead => "marked-read",
            Self::MarkedUnread => "marked-unread",
        }
    }

    /// Returns true if a value of the scope is unknown or marked.
    pub fn altered(self) -> bool {
        matches!(self, Self::UnknownRead | Self::UnknownUnread | Self::MarkedRead | Self::MarkedUnread)
    }
}

/// Number of scopes of [`Form::Cold`]: in every peer they take more than a first-level cache, in most of them more
/// than a second-level cache.
const COLD: usize = 4096;
/// Number of scopes of [`Form::Batch`].
const BATCH: usize = 10_000;

/// Sections of the tables, in their order. A geometric mean covers one section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// The scope is set within the time.
    Set,
    /// Scopes in a random order.
    Cold,
    /// Prepared scopes in a fixed order.
    Warm,
    /// One step beside fused instructions.
    Beside,
    /// Numbers beyond doubles and 64-bit integers.
    Numbers,
    /// Results the host owns.
    Results,
    /// Bodies and sets of rules.
    Rules,
    /// Many scopes or evaluations in a call.
    Many,
    /// Unknown and marked values.
    Altered,
    /// Compilation.
    Compile,
}

impl Section {
    /// Returns its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Set => "set and run: the scope is set in each evaluation",
            Self::Cold => "cold: 4,096 prepared scopes in a random order",
            Self::Warm => "warm: 64 prepared scopes (4 of servers) in a fixed order",
            Self::Beside => "one step beside fused instructions, warm",
            Self::Numbers => "results beyond 64-bit integers and comparisons, warm",
            Self::Results => "results copied for the host or written as JSON, warm",
            Self::Rules => "bodies and rule sets, warm",
            Self::Many => "many scopes or evaluations in a call, warm",
            Self::Altered => "one value of the scope unknown or marked, warm",
            Self::Compile => "parse and compile",
        }
    }

    /// Returns its name in the table of means and in the chart.
    pub fn short(self) -> &'static str {
        self.title().split([':', ',']).next().unwrap_or_default()
    }

    /// Returns true if a mean covers it. Compiling is not evaluating.
    pub fn has_mean(self) -> bool {
        self != Self::Compile
    }

    /// All sections, in the order of the tables.
    pub const ALL: [Self; 10] = [
        Self::Set,
        Self::Cold,
        Self::Warm,
        Self::Rules,
        Self::Results,
        Self::Numbers,
        Self::Beside,
        Self::Many,
        Self::Altered,
        Self::Compile,
    ];

    fn tasks(self) -> Vec<Task> {
        use Form::{
            Batch, Cold, Inside, Json, JsonResult, JsonWhole, MarkedRead, MarkedUnread, OneByOne, Owned,
            OwnedResult, Struct, UnknownRead, UnknownUnread, Warm,
        };
        use Workload::{
            Arithmetic, FlatCondition, ForFilter, Fractions, ObjectFor, PolicyCondition, Splat, Switch,
            Template,
        };
        let each = |forms: &[Form], works: &[Workload]| {
            let all = works.iter().flat_map(|work| forms.iter().map(|form| Task::of(*work, *form)));
            all.collect::<Vec<Task>>()
        };
        let body = |attributes, form| Task { work: Work::Body(attributes), form };
        match self {
            Self::Set => {
                let mut tasks = each(&[Json, JsonWhole, Struct, Owned], &[PolicyCondition]);
                tasks.extend(each(&[Json, Struct, Owned], &[ForFilter, Template]));
                tasks.extend(each(&[Json], &[Arithmetic, Fractions, ObjectFor, Splat, Switch]));
                tasks
            }
            Self::Cold => each(&[Cold], &[PolicyCondition, FlatCondition, Template, Switch]),
            Self::Warm => {
                let mut tasks = each(&[Warm], &Workload::ALL);
                tasks.extend(each(&[Warm], &[FlatCondition]));
                tasks.push(body(Attributes::Repeating, Warm));
                tasks
            }
            Self::Beside => each(&[Warm], &Workload::BESIDE),
            Self::Numbers => each(&[Warm], &Workload::KEPT),
            Self::Results => each(&[OwnedResult, JsonResult], &[ForFilter, ObjectFor, Splat, Template]),
            Self::Rules => vec![
                body(Attributes::Repeating, OneByOne),
                body(Attributes::Distinct, Warm),
                body(Attributes::Distinct, OneByOne),
                Task { work: Work::Rules, form: Warm },
            ],
            Self::Many => {
                let mut tasks = each(&[Batch], &[PolicyCondition, FlatCondition]);
                tasks.extend(each(&[Inside], &[PolicyCondition, Arithmetic, Fractions, Switch]));
                tasks
            }
            Self::Altered => {
                each(&[UnknownRead, UnknownUnread, MarkedRead, MarkedUnread], &[PolicyCondition, ForFilter])
            }
            Self::Compile => {
                let mut tasks = vec![Task { work: Work::Compile, form: Warm }];
                tasks.extend(each(&[Form::Compile], &[PolicyCondition, ForFilter, Template, Switch]));
                tasks
            }
        }
    }
}

impl Task {
    /// Returns the task of an expression.
    pub fn of(workload: Workload, form: Form) -> Self {
        Self { work: Work::Expression(workload), form }
    }

    /// All tasks, in the order of the tables.
    pub fn all() -> Vec<Self> {
        Section::ALL.into_iter().flat_map(Section::tasks).collect()
    }

    /// Returns the section of the tables that has it.
    pub fn section(self) -> Section {
        let found = Section::ALL.into_iter().find(|section| section.tasks().contains(&self));
        found.unwrap_or(Section::Warm)
    }

    /// Returns the task of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|task| task.name() == name)
    }

    /// Returns the tasks chosen by an argument: one task by its name, or all tasks of a form.
    pub fn chosen(name: &str) -> Vec<Self> {
        let tasks = Self::all().into_iter();
        let form = Form::ALL.into_iter().find(|form| form.name() == name);
        tasks.filter(|task| task.name() == name || Some(task.form) == form).collect()
    }

    /// Returns the name used in arguments and tables.
    pub fn name(self) -> String {
        let work = self.work_name();
        match (self.work, self.form) {
            (_, Form::Warm) => work.to_owned(),
            // The same decision, from a text.
            (Work::Expression(Workload::PolicyCondition), Form::Json) => "json-decision".to_owned(),
            (Work::Expression(Workload::PolicyCondition), Form::JsonWhole) => {
                "json-decision:whole".to_owned()
            }
            (_, form) => format!("{work}:{}", form.name()),
        }
    }

    fn work_name(self) -> &'static str {
        match self.work {
            Work::Expression(workload) => workload.name(),
            Work::Body(Attributes::Repeating) => "attribute-body",
            Work::Body(Attributes::Distinct) => "distinct-body",
            Work::Compile => "compile",
            Work::Rules => "rules",
        }
    }

    /// Returns the title of its panel: the name and its size, where it has one.
    pub fn title(self) -> String {
        let size = match self.work {
            Work::Expression(Workload::ForFilter | Workload::ObjectFor | Workload::Splat) => "100 elements",
            Work::Expression(Workload::Switch) => "20 arms",
            Work::Expression(_) => return self.name(),
            Work::Body(_) | Work::Compile => "200 attributes",
            Work::Rules => "10,000 rules",
        };
        format!("{}, {size}", self.name())
    }

    /// Returns the expression workload, if it is one.
    pub fn workload(self) -> Option<Workload> {
        match self.work {
            Work::Expression(workload) => Some(workload),
            _ => None,
        }
    }

    /// Returns the number of scopes.
    pub fn count(self) -> usize {
        match (self.work, self.form) {
            (_, Form::Cold) => COLD,
            (_, Form::Batch) => BATCH,
            (_, Form::Compile) => 1,
            (Work::Expression(workload), _) => workload.count(),
            (Work::Body(_), _) => hclvm_workloads::input::SCOPES,
            (Work::Compile, _) => 1,
            (Work::Rules, _) => rules::REQUESTS,
        }
    }

    /// Returns its scopes or requests as JSON; one empty scope where nothing is evaluated.
    pub fn scopes(self) -> Vec<String> {
        match self.work {
            Work::Expression(workload) => workload.many_scopes(self.count()),
            Work::Body(_) => body_scopes(),
            Work::Compile => vec!["{}".to_owned()],
            Work::Rules => requests().into_iter().take(self.count()).collect(),
        }
    }

    /// Returns the number of results that are compared: one for each scope, or one for all.
    pub fn answers(self) -> usize {
        if self.form == Form::Batch { 1 } else { self.count() }
    }

    /// Returns the order in which scopes are evaluated against.
    pub fn turn(self) -> Turn {
        if self.form == Form::Cold { Turn::shuffled(self.count()) } else { Turn::of(self.answers()) }
    }

    /// Returns the names of the variables, sorted as in the structs.
    pub fn variables(self) -> &'static [&'static str] {
        use hclvm_workloads::input::Input;
        let Work::Expression(workload) = self.work else {
            return match self.work {
                Work::Rules => &["user", "request", "resource"],
                _ => &["a", "b", "c", "env", "region", "enabled", "user", "service"],
            };
        };
        match workload.inputs(1).pop() {
            Some(Input::Integers(_)) => &["a", "b", "c", "x", "y"],
            Some(Input::Price(_)) => &["price", "limit"],
            Some(Input::Fleet(_)) => &["servers"],
            Some(Input::Address(_)) => &["host", "port", "tags"],
            Some(Input::Key(_)) => &["key"],
            Some(Input::Request(_)) | None => &["user", "request", "resource"],
        }
    }

    /// Returns the path of the value that is unknown or marked.
    pub fn altered(self) -> Option<&'static [&'static str]> {
        let fleet = self.workload() == Some(Workload::ForFilter);
        match self.form {
            Form::UnknownRead | Form::MarkedRead if fleet => Some(&["servers", "50", "load"]),
            Form::UnknownUnread | Form::MarkedUnread if fleet => Some(&["servers", "50", "port"]),
            Form::UnknownRead | Form::MarkedRead => Some(&["resource", "locked"]),
            Form::UnknownUnread | Form::MarkedUnread => Some(&["resource", "size"]),
            _ => None,
        }
    }
}
