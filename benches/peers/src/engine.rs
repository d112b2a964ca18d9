//! Tasks for engines that evaluate expressions: an engine says how it compiles, converts and evaluates,
//! and [`prepared`] combines that to every form. Engines with lifetimes that do not allow this, and those
//! that can do few tasks, prepare them by themselves.

use std::hint::black_box;

use hclvm_workloads::input::Input;
use hclvm_workloads::rules::Rule;
use hclvm_workloads::{Workload, body};

use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Contender, Prepared, Turn, one};
use crate::task::{Attributes, Form, Task, Work};

/// An engine that evaluates expressions.
pub trait Engine: Sized + 'static {
    /// A compiled expression.
    type Program: 'static;
    /// The variables of a scope as a value of the engine that the host owns.
    type Variables: Clone + 'static;
    /// That which expressions are evaluated in.
    type Scope: 'static;
    /// A result.
    type Value: 'static;

    /// Compiles a text.
    fn compile(&mut self, text: &str) -> Result<Self::Program, Failure>;

    /// Reads the variables of a scope from a JSON text, in the fastest way the engine offers.
    fn read(&mut self, json: &str) -> Result<Self::Variables, Failure>;

    /// Converts the variables of a scope from a struct.
    fn convert(&mut self, scope: &Input) -> Result<Self::Variables, Failure>;

    /// Returns a scope without variables, which is reused where variables are set in each evaluation.
    fn scope(&mut self) -> Self::Scope;

    /// Sets all variables of a scope.
    fn set(&mut self, scope: &mut Self::Scope, variables: Self::Variables) -> Result<(), Failure>;

    /// Evaluates an expression.
    fn evaluate(&mut self, program: &Self::Program, scope: &mut Self::Scope) -> Result<Self::Value, Failure>;

    /// Returns true if a result is true.
    fn holds(&mut self, value: &Self::Value) -> bool;

    /// Copies a result out of the engine's memory. Most engines return values that the host owns already.
    fn own(&mut self, value: Self::Value) -> Result<impl Sized + 'static, Failure> {
        Ok(value)
    }

    /// Writes a result as JSON.
    fn json(&mut self, value: Self::Value) -> Result<String, Failure>;
}

/// The workloads in the language of an engine; `None` for those it cannot express.
#[derive(Clone, Copy, Debug)]
pub struct Texts {
    /// The expression workloads.
    pub expression: fn(Workload) -> Option<String>,
    /// The bodies.
    pub body: BodyText,
    /// The rules.
    pub rules: RuleText,
}

/// A body in the language of an engine.
#[derive(Clone, Copy, Debug)]
pub enum BodyText {
    /// Each attribute is a program.
    Each(fn(Attributes, usize) -> String),
    /// One program returns all of them.
    Whole(fn(Attributes) -> String),
}

/// Rules in the language of an engine.
#[derive(Clone, Copy, Debug)]
pub enum RuleText {
    /// Each rule is a program that returns a bool.
    Each(fn(&Rule) -> String),
    /// One program returns the numbers of those that hold.
    Whole(fn(&[Rule]) -> String),
    /// The engine does not do it.
    None,
}

/// Prepares a task for an engine.
pub fn prepared<E: Engine>(mut engine: E, task: Task, texts: Texts) -> Prepared {
    match (task.work, task.form) {
        (Work::Expression(workload), Form::Compile) => {
            let Some(text) = (texts.expression)(workload) else { return Ok(None) };
            Ok(one(
                task.turn(),
                move |_| engine.compile(&text),
                |program| program.and_then(|_| Answer::of(1)),
            ))
        }
        (Work::Expression(workload), form) if !form.altered() && form != Form::Inside => {
            let Some(text) = (texts.expression)(workload) else { return Ok(None) };
            let program = engine.compile(&text)?;
            expression(engine, program, workload, task)
        }
        (Work::Body(attributes), Form::Warm) => body(engine, attributes, texts.body, task),
        (Work::Compile, _) => compile(engine, texts.body, task),
        (Work::Rules, _) => rules(engine, texts.rules, task),
        _ => Ok(None),
    }
}

/// Reads and sets all scopes beforehand.
fn scopes<E: Engine>(engine: &mut E, task: Task) -> Result<Vec<E::Scope>, Failure> {
    let filled = task.scopes().into_iter().map(|text| {
        let variables = engine.read(&text)?;
        let mut scope = engine.scope();
        engine.set(&mut scope, variables)?;
        Ok(scope)
    });
    filled.collect()
}

fn expression<E: Engine>(mut engine: E, program: E::Program, workload: Workload, task: Task) -> Prepared {
    // Reused by the forms that set variables in each evaluation.
    let mut scope = engine.scope();
    match task.form {
        Form::Json => {
            let texts = task.scopes();
            evaluated(engine, task, move |engine: &mut E, at| {
                let variables = engine.read(&texts[at])?;
                engine.set(&mut scope, variables)?;
                engine.evaluate(&program, &mut scope)
            })
        }
        Form::Struct => {
            let inputs = workload.inputs(task.count());
            evaluated(engine, task, move |engine: &mut E, at| {
                let variables = engine.convert(&inputs[at])?;
                engine.set(&mut scope, variables)?;
                engine.evaluate(&program, &mut scope)
            })
        }
        Form::Owned => {
            let read: Result<Vec<_>, Failure> = task.scopes().iter().map(|text| engine.read(text)).collect();
            let variables = read?;
            evaluated(engine, task, move |engine: &mut E, at| {
                engine.set(&mut scope, variables[at].clone())?;
                engine.evaluate(&program, &mut scope)
            })
        }
        Form::Batch => {
            let mut scopes = scopes(&mut engine, task)?;
            let once = move |_| {
                let decisions = scopes.iter_mut().map(|scope| {
                    let value = engine.evaluate(&program, scope)?;
                    Ok(engine.holds(&value))
                });
                decisions.collect::<Result<Vec<bool>, Failure>>()
            };
            Ok(one(task.turn(), once, |decisions| Answer::of(decisions?)))
        }
        Form::Warm | Form::Cold | Form::OwnedResult | Form::JsonResult => {
            let mut scopes = scopes(&mut engine, task)?;
            evaluated(engine, task, move |engine: &mut E, at| engine.evaluate(&program, &mut scopes[at]))
        }
        // They offer one reader, and have no projection.
        _ => Ok(None),
    }
}

fn body<E: Engine>(mut engine: E, attributes: Attributes, text: BodyText, task: Task) -> Prepared {
    let mut scopes = scopes(&mut engine, task)?;
    match text {
        BodyText::Each(text) => {
            let programs: Result<Vec<_>, Failure> =
                (0..body::ATTRIBUTES).map(|at| engine.compile(&text(attributes, at))).collect();
            Ok(Some(Box::new(Each { engine, programs: programs?, scopes, turn: task.turn() })))
        }
        BodyText::Whole(text) => {
            let program = engine.compile(&text(attributes))?;
            evaluated(engine, task, move |engine: &mut E, at| engine.evaluate(&program, &mut scopes[at]))
        }
    }
}

fn compile<E: Engine>(mut engine: E, text: BodyText, task: Task) -> Prepared {
    let texts: Vec<String> = match text {
        BodyText::Each(text) => (0..body::ATTRIBUTES).map(|at| text(Attributes::Repeating, at)).collect(),
        BodyText::Whole(text) => vec![text(Attributes::Repeating)],
    };
    let once = move |_| texts.iter().map(|text| engine.compile(text)).collect::<Result<Vec<_>, Failure>>();
    // The result is the number of attributes, whether they are one program or many.
    Ok(one(task.turn(), once, |programs| programs.and_then(|_| Answer::of(body::ATTRIBUTES))))
}

fn rules<E: Engine>(mut engine: E, text: RuleText, task: Task) -> Prepared {
    let (all, mut scopes) = (Rule::all(), scopes(&mut engine, task)?);
    match text {
        RuleText::None => Ok(None),
        RuleText::Whole(text) => {
            let program = engine.compile(&text(&all))?;
            evaluated(engine, task, move |engine: &mut E, at| engine.evaluate(&program, &mut scopes[at]))
        }
        RuleText::Each(text) => {
            let programs: Result<Vec<_>, Failure> =
                all.iter().map(|rule| engine.compile(&text(rule))).collect();
            let programs = programs?;
            let once = move |at: usize| {
                let mut holding = Vec::new();
                for (number, program) in programs.iter().enumerate() {
                    let value = engine.evaluate(program, &mut scopes[at])?;
                    if engine.holds(&value) {
                        holding.push(number);
                    }
                }
                Ok(holding)
            };
            Ok(one(task.turn(), once, |holding: Result<Vec<usize>, Failure>| Answer::of(holding?)))
        }
    }
}

/// Returns a contender that evaluates this for each scope.
pub fn evaluated<E: Engine>(
    engine: E,
    task: Task,
    once: impl FnMut(&mut E, usize) -> Result<E::Value, Failure> + 'static,
) -> Prepared {
    Ok(Some(Box::new(Evaluated { engine, form: task.form, turn: task.turn(), once })))
}

/// A contender with one result in each evaluation.
struct Evaluated<E, F> {
    engine: E,
    form: Form,
    turn: Turn,
    once: F,
}

impl<E: Engine, F: FnMut(&mut E, usize) -> Result<E::Value, Failure>> Contender for Evaluated<E, F> {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        let value = (self.once)(&mut self.engine, scope)?;
        Answer::parse(&self.engine.json(value)?)
    }

    fn run(&mut self, evaluations: u64) {
        let Self { engine, form, turn, once } = self;
        let mut evaluate = |engine: &mut E| once(engine, black_box(turn.step()));
        match form {
            Form::OwnedResult => (0..evaluations).for_each(|_| {
                let _ = black_box(evaluate(engine).and_then(|value| engine.own(value)));
            }),
            Form::JsonResult => (0..evaluations).for_each(|_| {
                let _ = black_box(evaluate(engine).and_then(|value| engine.json(value)));
            }),
            _ => (0..evaluations).for_each(|_| {
                let _ = black_box(evaluate(engine));
            }),
        }
    }
}

/// A contender that evaluates all attributes of a body, each of which is a program.
struct Each<E: Engine> {
    engine: E,
    programs: Vec<E::Program>,
    scopes: Vec<E::Scope>,
    turn: Turn,
}

impl<E: Engine> Contender for Each<E> {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        let Self { engine, programs, scopes, .. } = self;
        let answers: Result<Vec<Answer>, Failure> = programs
            .iter()
            .map(|program| {
                let value = engine.evaluate(program, &mut scopes[scope])?;
                Answer::parse(&engine.json(value)?)
            })
            .collect();
        Ok(Answer::list(&answers?))
    }

    fn run(&mut self, evaluations: u64) {
        for _ in 0..evaluations {
            let scope = &mut self.scopes[black_box(self.turn.step())];
            for program in &self.programs {
                let _ = black_box(self.engine.evaluate(program, scope));
            }
        }
    }
}
