//! hclvm itself.

use std::hint::black_box;
use std::sync::Arc;

use hclvm::run::{Batch, RuleSet};
use hclvm::{Engine, Error, Json, Layout, OwnedValue, Program, Scope, Session, Value};
use hclvm_workloads::subject::{Subject, compile};
use hclvm_workloads::{Workload, body, rules};

use super::setting::{Sources, alter, shown};
use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Contender, Peer, Prepared, Turn, one};
use crate::task::{Form, Task, Work};

/// The peer that all others are compared with.
pub const PEER: Peer = Peer { name: super::OURS, prepare };

fn prepare(task: Task) -> Prepared {
    match (task.work, task.form) {
        (Work::Expression(workload), Form::Compile) => {
            let (engine, text) = (Engine::standard(), workload.text());
            let layout = Arc::new(Layout::new(task.variables().iter().copied()));
            Ok(one(
                task.turn(),
                move |_| engine.compile(&text, &layout),
                |program| program.map_err(Into::into).and_then(|_| Answer::of(1)),
            ))
        }
        (Work::Expression(workload), Form::Json | Form::JsonWhole | Form::Struct | Form::Owned) => {
            set_and_run(workload, task)
        }
        (Work::Expression(workload), _) => {
            let mut subject = Subject::against(workload, &task.scopes())?;
            for scope in &mut subject.scopes {
                alter(task, scope)?;
            }
            match task.form {
                Form::Batch => batch(subject, task),
                Form::Cold => kept(subject, task),
                _ => Ok(programs(subject, task)),
            }
        }
        // The fastest way to evaluate all attributes of a body is as one rule set.
        (Work::Body(attributes), Form::Warm) => {
            rule_set(Subject::rules_of(Subject::body_of(&attributes.text())?)?, task)
        }
        (Work::Body(attributes), _) => Ok(programs(Subject::body_of(&attributes.text())?, task)),
        (Work::Compile, _) => {
            let (engine, text) = (Engine::standard(), body::text());
            Ok(one(task.turn(), move |_| compile(&engine, &text), |count| Answer::of(count?)))
        }
        (Work::Rules, _) => ten_thousand(task),
    }
}

/// Sets the scope in each evaluation. From texts and structs it takes in only what the program reads, unless
/// the whole is asked for.
fn set_and_run(workload: Workload, task: Task) -> Prepared {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(task.variables().iter().copied()));
    let program = engine.compile(&workload.text(), &layout)?;
    let scope = match task.form {
        Form::Json | Form::Struct => engine.projection([&program])?.scope(),
        _ => engine.scope(&layout),
    };
    let sources = Sources::of(task, &engine.scope(&layout))?.ok_or("a form without a source")?;
    Ok(Some(Box::new(Setting { program, scope, sources, session: engine.session(), turn: task.turn() })))
}

struct Setting {
    program: Program,
    scope: Scope,
    sources: Sources,
    session: Session,
    turn: Turn,
}

impl Contender for Setting {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        self.sources.set(&mut self.scope, scope)?;
        shown(self.session.run(&self.program, &self.scope)?)
    }

    fn run(&mut self, evaluations: u64) {
        for _ in 0..evaluations {
            if self.sources.set(&mut self.scope, black_box(self.turn.step())).is_ok() {
                let _ = black_box(self.session.run(&self.program, &self.scope));
            }
        }
    }
}

/// Copies scopes into a batch, as a host that keeps many of them does.
fn collected(scopes: &[Scope]) -> Result<Batch, Failure> {
    let mut batch = scopes[0].batch();
    batch.reserve(scopes.len());
    for scope in scopes {
        batch.push(scope)?;
    }
    Ok(batch)
}

fn kept(subject: Subject, task: Task) -> Prepared {
    let batch = collected(&subject.scopes)?;
    let Subject { mut programs, session, .. } = subject;
    let program = programs.pop().ok_or("no program")?;
    Ok(Some(Box::new(Kept { turn: task.turn(), program, batch, session })))
}

/// One program with scopes that are kept in a batch, one at a time.
struct Kept {
    turn: Turn,
    program: Program,
    batch: Batch,
    session: Session,
}

impl Contender for Kept {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        shown(self.session.run_at(&self.program, &self.batch, scope)?)
    }

    fn run(&mut self, evaluations: u64) {
        for _ in 0..evaluations {
            let at = black_box(self.turn.step());
            drop(black_box(self.session.run_at(&self.program, &self.batch, at)));
        }
    }
}

fn batch(subject: Subject, task: Task) -> Prepared {
    let batch = collected(&subject.scopes)?;
    let Subject { programs, mut session, .. } = subject;
    let once = move |_| {
        let mut decisions = Vec::with_capacity(batch.len());
        let mut failure = None;
        session.run_batch(&programs[0], &batch, |result| match result {
            Ok(value) => decisions.push(value.as_bool() == Some(true)),
            Err(error) => failure = Some(error),
        })?;
        failure.map_or(Ok(decisions), |error| Err::<Vec<bool>, Failure>(error.into()))
    };
    Ok(one(task.turn(), once, |decisions| Answer::of(decisions?)))
}

fn programs(subject: Subject, task: Task) -> Option<Box<dyn Contender>> {
    Some(Box::new(Programs { turn: task.turn(), form: task.form, subject }))
}

/// Programs run one by one.
struct Programs {
    turn: Turn,
    form: Form,
    subject: Subject,
}

impl Contender for Programs {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        let Subject { programs, scopes, session, .. } = &mut self.subject;
        let answers: Result<Vec<Answer>, Failure> =
            programs.iter().map(|program| shown(session.run(program, &scopes[scope])?)).collect();
        let answers = answers?;
        Ok(if let [answer] = answers.as_slice() { answer.clone() } else { Answer::list(&answers) })
    }

    fn run(&mut self, evaluations: u64) {
        match self.form {
            Form::OwnedResult => {
                self.each(evaluations, |result| drop(black_box(result.map(OwnedValue::new))));
            }
            Form::JsonResult => {
                self.each(evaluations, |result| drop(black_box(result.map(|value| Json(value).to_text()))));
            }
            _ => self.each(evaluations, |result| drop(black_box(result))),
        }
    }
}

impl Programs {
    /// Runs the programs, and has each result consumed.
    // Inlined into a loop for each form: in one loop for all, results are copied once more, in a way that takes as long
    // as a short program.
    #[inline(always)]
    fn each(&mut self, evaluations: u64, consume: impl Fn(Result<Value<'_>, Error>)) {
        let Subject { programs, scopes, session, .. } = &mut self.subject;
        for _ in 0..evaluations {
            let scope = &scopes[black_box(self.turn.step())];
            for program in programs.iter() {
                consume(session.run(program, scope));
            }
        }
    }
}

fn rule_set(subject: Subject, task: Task) -> Prepared {
    let Some(rules) = subject.rules else { return Err("no rule set".into()) };
    let (scopes, session) = (subject.scopes, subject.session);
    Ok(Some(Box::new(Rules { turn: task.turn(), rules, scopes, session })))
}

/// Programs linked into a rule set.
struct Rules {
    turn: Turn,
    rules: RuleSet,
    scopes: Vec<Scope>,
    session: Session,
}

impl Contender for Rules {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        let results = self.session.run_rules(&self.rules, &self.scopes[scope])?;
        if results.failures().len() > 0 {
            return Err("a rule failed".into());
        }
        let answers: Result<Vec<Answer>, Failure> =
            results.values().iter().map(|value| shown(*value)).collect();
        Ok(Answer::list(&answers?))
    }

    fn run(&mut self, evaluations: u64) {
        for _ in 0..evaluations {
            let scope = &self.scopes[black_box(self.turn.step())];
            let _ = black_box(self.session.run_rules(&self.rules, scope));
        }
    }
}

/// Ten thousand rules as one set; the result lists those that hold.
fn ten_thousand(task: Task) -> Prepared {
    let engine = Engine::standard();
    let document = engine.parse("rules.hcl", &rules::text())?;
    let set = document.body().rule_set()?;
    let scopes: Result<Vec<Scope>, Failure> = task
        .scopes()
        .iter()
        .map(|text| {
            let mut scope = document.scope();
            scope.set_all_json(text.as_str())?;
            Ok(scope)
        })
        .collect();
    let (scopes, mut session) = (scopes?, engine.session());
    let once = move |at: usize| {
        let results = session.run_rules(&set, &scopes[at])?;
        let values = results.values().iter().enumerate();
        let holding = values.filter(|(_, value)| value.as_bool() == Some(true));
        Ok(holding.map(|(number, _)| number).collect::<Vec<usize>>())
    };
    Ok(one(task.turn(), once, |holding: Result<Vec<usize>, Failure>| Answer::of(holding?)))
}
