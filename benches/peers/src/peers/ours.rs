//! hclvm itself.

use std::hint::black_box;

use hclvm::{Engine, Json, Scope, Session};
use hclvm::run::RuleSet;
use hclvm_workloads::body;
use hclvm_workloads::subject::{Decision, Subject, compile};

use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Contender, Peer, Prepared, Turn, one};
use crate::task::Task;

/// The peer that all others are compared with.
pub const PEER: Peer = Peer { name: super::OURS, prepare };

/// `attribute-body` through the interface for single attributes, called 200 times.
pub const ONE_BY_ONE: Peer = Peer { name: "hclvm, one by one", prepare: one_by_one };

/// `json-decision` with whole requests kept, not only the parts the decision refers to.
pub const OF_EVERYTHING: Peer = Peer { name: "hclvm, all of the request", prepare: of_everything };

fn prepare(task: Task) -> Prepared {
    match task {
        Task::Expression(workload) => Ok(programs(Subject::expression(workload)?)),
        Task::Body => whole_body(),
        Task::Compile => {
            let (engine, text) = (Engine::standard(), body::text());
            Ok(one(1, move |_| compile(&engine, &text), |count| Answer::of(count?)))
        }
        Task::Request => Ok(decided(Decision::new()?, task.scopes())),
    }
}

/// `attribute-body` in the fastest way to evaluate all attributes of a body: as one rule set.
fn whole_body() -> Prepared {
    let subject = Subject::rule_set()?;
    let Some(rules) = subject.rules else { return Err("no rule set".into()) };
    let (scopes, session) = (subject.scopes, subject.session);
    Ok(Some(Box::new(Rules { turn: Turn::of(scopes.len()), rules, scopes, session })))
}

fn one_by_one(task: Task) -> Prepared {
    if task == Task::Body { Ok(programs(Subject::body()?)) } else { Ok(None) }
}

fn of_everything(task: Task) -> Prepared {
    if task == Task::Request { Ok(decided(Decision::of_everything()?, task.scopes())) } else { Ok(None) }
}

fn decided(mut decision: Decision, texts: Vec<String>) -> Option<Box<dyn Contender>> {
    one(texts.len(), move |at| decision.decide(&texts[at]), |allowed| Answer::of(allowed?))
}

fn programs(subject: Subject) -> Option<Box<dyn Contender>> {
    Some(Box::new(Programs { turn: Turn::of(subject.scopes.len()), subject }))
}

/// Programs run one by one.
struct Programs {
    turn: Turn,
    subject: Subject,
}

impl Contender for Programs {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        let Subject { programs, scopes, session, .. } = &mut self.subject;
        let answers: Result<Vec<Answer>, Failure> =
            programs.iter().map(|program| Answer::of(Json(session.run(program, &scopes[scope])?))).collect();
        let answers = answers?;
        Ok(if let [answer] = answers.as_slice() { answer.clone() } else { Answer::list(&answers) })
    }

    fn run(&mut self, evaluations: u64) {
        let Subject { programs, scopes, session, .. } = &mut self.subject;
        for _ in 0..evaluations {
            let scope = &scopes[black_box(self.turn.step())];
            for program in programs.iter() {
                let _ = black_box(session.run(program, scope));
            }
        }
    }
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
            results.values().iter().map(|value| Answer::of(Json(*value))).collect();
        Ok(Answer::list(&answers?))
    }

    fn run(&mut self, evaluations: u64) {
        for _ in 0..evaluations {
            let scope = &self.scopes[black_box(self.turn.step())];
            let _ = black_box(self.session.run_rules(&self.rules, scope));
        }
    }
}
