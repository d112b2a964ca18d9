//! The workloads made ready for hclvm: compiled programs and scopes with their values.

use std::sync::Arc;

use hclvm::{Engine, Error, Layout, Program, RuleSet, Scope, Session};

use crate::input::{File, Http, Person, Request};
use crate::{DECISION, Workload, body, body_scopes, input};

/// One program, or the 200 of W8, with the scopes they are evaluated against in turn.
#[derive(Debug)]
pub struct Subject {
    /// What is evaluated for each scope, in order.
    pub programs: Vec<Program>,
    /// The same as one rule set, where they are evaluated as one.
    pub rules: Option<RuleSet>,
    /// The scopes; at least one.
    pub scopes: Vec<Scope>,
    /// Memory to evaluate in.
    pub session: Session,
}

impl Subject {
    /// One of the expressions.
    ///
    /// # Errors
    /// A text that does not compile.
    pub fn expression(workload: Workload) -> Result<Self, Error> {
        Self::against(workload, &workload.scopes())
    }

    /// W1 against objects whose attributes stand at another place each time, so that whatever was
    /// remembered of the last evaluation is wrong.
    ///
    /// # Errors
    /// A text that does not compile.
    pub fn shifting() -> Result<Self, Error> {
        let scopes = Workload::W1.scopes().into_iter().enumerate();
        let shifted = scopes.map(|(at, scope)| if at % 2 == 0 { scope } else { shifted(&scope) });
        Self::against(Workload::W1, &shifted.collect::<Vec<_>>())
    }

    /// W3 over one scope with that many servers.
    ///
    /// # Errors
    /// A text that does not compile.
    pub fn servers(count: usize) -> Result<Self, Error> {
        let scope = serde_json::to_string(&input::fleet_of(count)).unwrap_or_default();
        Self::against(Workload::W3, &[scope])
    }

    fn against(workload: Workload, scopes: &[String]) -> Result<Self, Error> {
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

    /// The attributes of W8, one by one.
    ///
    /// # Errors
    /// A text that does not compile.
    pub fn body() -> Result<Self, Error> {
        let engine = Engine::standard();
        let document = engine.parse("body.hcl", &body::text())?;
        let programs: Result<_, _> =
            document.body().attributes().map(|attribute| attribute.program()).collect();
        Ok(Self {
            programs: programs?,
            rules: None,
            scopes: fill(|| document.scope(), &body_scopes())?,
            session: engine.session(),
        })
    }

    /// Those of one kind.
    ///
    /// # Errors
    /// A text that does not compile.
    pub fn kind(kind: usize) -> Result<Self, Error> {
        let subject = Self::body()?;
        let programs = subject.programs.into_iter().skip(kind).step_by(body::KINDS).collect();
        Ok(Self { programs, ..subject })
    }

    /// The attributes of W8 as one rule set.
    ///
    /// # Errors
    /// A text that does not compile.
    pub fn rule_set() -> Result<Self, Error> {
        let subject = Self::body()?;
        let rules = RuleSet::new(subject.programs.iter().cloned())?;
        Ok(Self { rules: Some(rules), ..subject })
    }

    /// A workload by its name: `W1` to `W8`; `W8-rules`; `W8-3` for one kind of attributes alone;
    /// `W1-shifting`; `W3-1000` for another number of servers.
    ///
    /// # Errors
    /// A text that does not compile.
    pub fn named(name: &str) -> Result<Option<Self>, Error> {
        match name {
            "W8" => return Self::body().map(Some),
            "W8-rules" => return Self::rule_set().map(Some),
            "W1-shifting" => return Self::shifting().map(Some),
            _ => {}
        }
        if let Some(kind) = name.strip_prefix("W8-").and_then(|kind| kind.parse().ok()) {
            return Self::kind(kind).map(Some);
        }
        if let Some(count) = name.strip_prefix("W3-").and_then(|count| count.parse().ok()) {
            return Self::servers(count).map(Some);
        }
        Workload::ALL.into_iter().find(|workload| workload.name() == name).map(Self::expression).transpose()
    }

    /// Evaluates everything once against the scope of a turn.
    ///
    /// # Errors
    /// None, for the workloads are correct.
    #[inline]
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

/// A scope whose objects have one attribute more, before all others.
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

/// Parses and compiles the body of W8: W9. Gives the number of programs.
///
/// The engine is made before, as others make their tables of functions before they compile. Its
/// cache cannot answer: it holds code weakly, and all programs of the text go away before this
/// returns, so that everything is compiled again the next time.
///
/// # Errors
/// None, for the text is correct.
pub fn compile(engine: &Engine, text: &str) -> Result<usize, Error> {
    let document = engine.parse("body.hcl", text)?;
    let mut programs = 0;
    for attribute in document.body().attributes() {
        std::hint::black_box(attribute.program()?);
        programs += 1;
    }
    Ok(programs)
}

/// What decides the requests of W10.
#[derive(Debug)]
pub struct Decision {
    program: Program,
    scope: Scope,
    session: Session,
}

impl Decision {
    /// The compiled decision; of a request only what it refers to is kept.
    ///
    /// # Errors
    /// None, for the text is correct.
    pub fn new() -> Result<Self, Error> {
        let (engine, program) = Self::compiled()?;
        let scope = engine.projection([&program])?.scope();
        Ok(Self { program, scope, session: engine.session() })
    }

    /// The compiled decision; all of a request is kept, for programs that are not known yet.
    ///
    /// # Errors
    /// None, for the text is correct.
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
    /// A request that is not JSON.
    #[inline]
    pub fn decide(&mut self, request: &str) -> Result<Option<bool>, Error> {
        self.scope.set_all_json(request)?;
        Ok(self.session.run(&self.program, &self.scope)?.as_bool())
    }

    /// Decides a request given as structs, through serde.
    ///
    /// # Errors
    /// None, for structs of plain data are values.
    #[inline]
    pub fn decide_by_serde(&mut self, request: &Request) -> Result<Option<bool>, Error> {
        self.scope.set("user", &request.user)?;
        self.scope.set("request", &request.request)?;
        self.scope.set("resource", &request.resource)?;
        Ok(self.session.run(&self.program, &self.scope)?.as_bool())
    }

    /// Decides a request given as structs, as records.
    ///
    /// # Errors
    /// None, for structs of plain data are values.
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
