//! The workloads prepared for hclvm: compiled programs, and scopes with their values. `benches/peers`
//! prepares other engines.

use std::sync::Arc;

use hclvm::run::RuleSet;
use hclvm::{Engine, Error, Layout, Program, Scope, Session};

use crate::input::{File, Http, Person, Request};
use crate::{DECISION, Workload, body, body_scopes, input};

/// One program, or the 200 of `attribute-body`, with the scopes they are evaluated against in turn.
#[derive(Debug)]
pub struct Subject {
    /// The programs evaluated for each scope, in order.
    pub programs: Vec<Program>,
    /// The programs linked into a rule set, if that is evaluated instead.
    pub rules: Option<RuleSet>,
    /// The scopes; at least one.
    pub scopes: Vec<Scope>,
    /// The session they run in.
    pub session: Session,
}

impl Subject {
    /// Prepares one of the expressions.
    ///
    /// # Errors
    /// The text does not compile.
    pub fn expression(workload: Workload) -> Result<Self, Error> {
        Self::against(workload, &workload.scopes())
    }

    /// Prepares `policy-condition` with objects that have their attributes at other indices in each
    /// evaluation, so that every inline cache misses.
    ///
    /// # Errors
    /// The text does not compile.
    pub fn shifting() -> Result<Self, Error> {
        let scopes = Workload::PolicyCondition.scopes().into_iter().enumerate();
        let shifted = scopes.map(|(at, scope)| if at % 2 == 0 { scope } else { shifted(&scope) });
        Self::against(Workload::PolicyCondition, &shifted.collect::<Vec<_>>())
    }

    /// Prepares `for-filter` with one scope of `count` servers.
    ///
    /// # Errors
    /// The text does not compile.
    pub fn servers(count: u32) -> Result<Self, Error> {
        let scope = serde_json::to_string(&input::fleet_of(count)).unwrap_or_default();
        Self::against(Workload::ForFilter, &[scope])
    }

    /// Prepares one of the expressions with these scopes.
    ///
    /// # Errors
    /// The text does not compile, or a scope is not a JSON object.
    pub fn against(workload: Workload, scopes: &[String]) -> Result<Self, Error> {
        let engine = Engine::standard();
        let layout = Arc::new(Layout::new(names(scopes.first())));
        let program = engine.compile(&workload.text(), &layout)?;
        Ok(Self {
            programs: vec![program],
            rules: None,
            scopes: fill(|| engine.scope(&layout), scopes)?,
            session: engine.session(),
        })
    }

    /// Prepares the 200 attributes, evaluated one by one.
    ///
    /// # Errors
    /// The text does not compile.
    pub fn body() -> Result<Self, Error> {
        Self::body_of(&body::text())
    }

    /// Prepares the attributes of a body with the scopes of `attribute-body`, evaluated one by one.
    ///
    /// # Errors
    /// The text does not compile.
    pub fn body_of(text: &str) -> Result<Self, Error> {
        let engine = Engine::standard();
        let document = engine.parse("body.hcl", text)?;
        let programs: Result<_, _> =
            document.body().attributes().map(|attribute| attribute.program()).collect();
        Ok(Self {
            programs: programs?,
            rules: None,
            scopes: fill(|| document.scope(), &body_scopes())?,
            session: engine.session(),
        })
    }

    /// Prepares the 25 attributes of one kind, evaluated one by one.
    ///
    /// # Errors
    /// The text does not compile.
    pub fn kind(kind: usize) -> Result<Self, Error> {
        let subject = Self::body()?;
        let programs = subject.programs.into_iter().skip(kind).step_by(body::KINDS).collect();
        Ok(Self { programs, ..subject })
    }

    /// Prepares the 200 attributes as one rule set.
    ///
    /// # Errors
    /// The text does not compile.
    pub fn rule_set() -> Result<Self, Error> {
        Self::rules_of(Self::body()?)
    }

    /// Links the programs of a subject into a rule set.
    ///
    /// # Errors
    /// The programs have different layouts.
    pub fn rules_of(subject: Self) -> Result<Self, Error> {
        let rules = RuleSet::new(subject.programs.iter().cloned())?;
        Ok(Self { rules: Some(rules), ..subject })
    }

    /// Prepares a workload by its name: an expression, `attribute-body` or `rule-set`, `distinct-body`
    /// or `distinct-rule-set`, whose attributes all differ, or one of the
    /// variants `policy-condition-shifting`, `for-filter-1000` (another number of servers) and
    /// `attribute-body-3` (one kind of attributes). Returns `None` if there is no such workload.
    ///
    /// # Errors
    /// The text does not compile.
    pub fn named(name: &str) -> Result<Option<Self>, Error> {
        match name {
            "attribute-body" => return Self::body().map(Some),
            "rule-set" => return Self::rule_set().map(Some),
            "distinct-body" => return Self::body_of(&body::distinct_text()).map(Some),
            "distinct-rule-set" => return Self::rules_of(Self::body_of(&body::distinct_text())?).map(Some),
            "policy-condition-shifting" => return Self::shifting().map(Some),
            _ => {}
        }
        if let Some(kind) = name.strip_prefix("attribute-body-").and_then(|kind| kind.parse().ok()) {
            return Self::kind(kind).map(Some);
        }
        if let Some(count) = name.strip_prefix("for-filter-").and_then(|count| count.parse().ok()) {
            return Self::servers(count).map(Some);
        }
        Workload::every().find(|workload| workload.name() == name).map(Self::expression).transpose()
    }

    /// Evaluates everything once against the scope of this turn.
    ///
    /// # Errors
    /// Never: no workload fails in its scopes.
    // Inlined into the benchmarks, which are other crates, so that a call is not part of the figure:
    // it adds 34 instructions to policy-condition.
    #[inline(always)]
    pub fn evaluate(&mut self, turn: usize) -> Result<(), Error> {
        let Some(scope) = self.scopes.get(turn % self.scopes.len()) else { return Ok(()) };
        if let Some(rules) = &self.rules {
            std::hint::black_box(self.session.run_rules(rules, scope)?);
            return Ok(());
        }
        for program in &self.programs {
            std::hint::black_box(self.session.run(program, scope)?);
        }
        Ok(())
    }
}

fn names(scope: Option<&String>) -> Vec<String> {
    let scope = scope.and_then(|scope| serde_json::from_str::<serde_json::Value>(scope).ok());
    let members = scope.as_ref().and_then(|scope| scope.as_object());
    members.into_iter().flat_map(|members| members.keys().cloned()).collect()
}

/// Adds an attribute to each object of a scope, sorted before all others.
fn shifted(scope: &str) -> String {
    let mut scope: serde_json::Value = serde_json::from_str(scope).unwrap_or_default();
    for object in scope.as_object_mut().into_iter().flat_map(|scope| scope.values_mut()) {
        if let Some(members) = object.as_object_mut() {
            members.insert("about".to_owned(), "nothing".into());
        }
    }
    scope.to_string()
}

fn fill(make: impl Fn() -> Scope, scopes: &[String]) -> Result<Vec<Scope>, Error> {
    let filled = scopes.iter().map(|text| {
        let mut scope = make();
        scope.set_all_json(text.as_bytes())?;
        Ok(scope)
    });
    filled.collect()
}

/// Runs `compile`: parses the body and compiles its attributes. Returns the number of programs.
///
/// The engine is created by the caller, just as other engines register their functions before they
/// compile. Its cache never hits: it holds code weakly, and all programs of the text are dropped
/// before this returns.
///
/// # Errors
/// Never: the text is valid.
pub fn compile(engine: &Engine, text: &str) -> Result<usize, Error> {
    let document = engine.parse("body.hcl", text)?;
    let mut programs = 0;
    for attribute in document.body().attributes() {
        std::hint::black_box(attribute.program()?);
        programs += 1;
    }
    Ok(programs)
}

/// The program of `json-decision` with the scope that requests are read into.
#[derive(Debug)]
pub struct Decision {
    program: Program,
    scope: Scope,
    session: Session,
}

impl Decision {
    /// Compiles the decision with a projection: only the parts of a request it refers to are kept.
    ///
    /// # Errors
    /// Never: the text is valid.
    pub fn new() -> Result<Self, Error> {
        let (engine, program) = Self::compiled()?;
        let scope = engine.projection([&program])?.scope();
        Ok(Self { program, scope, session: engine.session() })
    }

    /// Compiles the decision without a projection: whole requests are kept, as a host does when
    /// programs are added later.
    ///
    /// # Errors
    /// Never: the text is valid.
    pub fn of_everything() -> Result<Self, Error> {
        let (engine, program) = Self::compiled()?;
        let scope = engine.scope(program.layout());
        Ok(Self { program, scope, session: engine.session() })
    }

    fn compiled() -> Result<(Engine, Program), Error> {
        let engine = Engine::standard();
        let layout = Arc::new(Layout::new(["user", "request", "resource"]));
        let program = engine.compile(DECISION, &layout)?;
        Ok((engine, program))
    }

    /// Reads a request and decides it.
    ///
    /// # Errors
    /// The request is not JSON.
    // Inlined for the reason given at `Subject::evaluate`.
    #[inline]
    pub fn decide(&mut self, request: &str) -> Result<Option<bool>, Error> {
        self.scope.set_all_json(request)?;
        Ok(self.session.run(&self.program, &self.scope)?.as_bool())
    }

    /// Decides a request given as structs, read through serde.
    ///
    /// # Errors
    /// Never: structs of plain data are values.
    // Inlined for the reason given at `Subject::evaluate`.
    #[inline]
    pub fn decide_by_serde(&mut self, request: &Request) -> Result<Option<bool>, Error> {
        self.scope.set("user", &request.user)?;
        self.scope.set("request", &request.request)?;
        self.scope.set("resource", &request.resource)?;
        Ok(self.session.run(&self.program, &self.scope)?.as_bool())
    }

    /// Decides a request given as structs, read as host objects declared with `record!`.
    ///
    /// # Errors
    /// Never: structs of plain data are values.
    // Inlined for the reason given at `Subject::evaluate`.
    #[inline]
    pub fn decide_by_records(&mut self, request: &Request) -> Result<Option<bool>, Error> {
        self.scope.set_object("user", &request.user)?;
        self.scope.set_object("request", &request.request)?;
        self.scope.set_object("resource", &request.resource)?;
        Ok(self.session.run(&self.program, &self.scope)?.as_bool())
    }
}

hclvm::record!(Person { id, name, email, role, groups, mfa });
hclvm::record!(Http { id, method, path, ip, agent, time });
hclvm::record!(File { id, kind, group, owner, locked, size });
