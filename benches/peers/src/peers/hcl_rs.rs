//! hcl-rs: another implementation of the language in Rust.

use hcl::eval::{Context, Evaluate, FuncArgs, FuncDef, ParamType};
use hcl::{Expression, Template, Value};
use hclvm_workloads::input::Input;
use hclvm_workloads::rules::Rule;
use hclvm_workloads::{Workload, body};

use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Peer, Prepared, one};
use crate::engine::{BodyText, Engine, RuleText, Texts, prepared};
use crate::task::{Task, Work};

/// The peer. Quoted templates are parsed beforehand, as its documentation shows for `Template`; inside of
/// other expressions it parses them in each evaluation.
pub const PEER: Peer = Peer { name: "hcl-rs", prepare };

const TEXTS: Texts = Texts {
    expression,
    body: BodyText::Each(|attributes, at| attributes.expression(at)),
    rules: RuleText::Each(|rule: &Rule| rule.expression("&&")),
};

fn prepare(task: Task) -> Prepared {
    if task.work == Work::Compile {
        // Parsing alone: it evaluates the tree.
        let text = body::text();
        return Ok(one(
            task.turn(),
            move |_| hcl::parse(&text),
            |body| Answer::of(body?.attributes().count()),
        ));
    }
    prepared(HclRs, task, TEXTS)
}

struct HclRs;

/// An expression, or a quoted template that is a whole expression.
enum Program {
    Expression(Expression),
    Template(Template),
}

impl Engine for HclRs {
    type Program = Program;
    type Variables = hcl::Map<String, Value>;
    type Scope = Context<'static>;
    type Value = Value;

    fn compile(&mut self, text: &str) -> Result<Program, Failure> {
        Ok(match text.parse()? {
            Expression::TemplateExpr(template) => Program::Template(Template::from_expr(&template)?),
            expression => Program::Expression(expression),
        })
    }

    fn read(&mut self, json: &str) -> Result<Self::Variables, Failure> {
        let Value::Object(variables) = serde_json::from_str(json)? else { return Err("no object".into()) };
        Ok(variables)
    }

    fn convert(&mut self, scope: &Input) -> Result<Self::Variables, Failure> {
        let Value::Object(variables) = hcl::value::to_value(scope)? else { return Err("no object".into()) };
        Ok(variables)
    }

    fn scope(&mut self) -> Context<'static> {
        let mut context = Context::new();
        for (name, function) in [("upper", upper as fn(FuncArgs) -> _), ("lower", lower)] {
            context.declare_func(name, FuncDef::builder().param(ParamType::String).build(function));
        }
        let list = ParamType::array_of(ParamType::Any);
        context
            .declare_func("contains", FuncDef::builder().param(list).param(ParamType::Any).build(contains));
        context
    }

    fn set(&mut self, scope: &mut Context<'static>, variables: Self::Variables) -> Result<(), Failure> {
        for (name, value) in variables {
            scope.declare_var(hcl::Identifier::unchecked(name), value);
        }
        Ok(())
    }

    fn evaluate(&mut self, program: &Program, scope: &mut Context<'static>) -> Result<Value, Failure> {
        Ok(match program {
            Program::Expression(expression) => expression.evaluate(scope)?,
            Program::Template(template) => template.evaluate(scope)?.into(),
        })
    }

    fn holds(&mut self, value: &Value) -> bool {
        value.as_bool() == Some(true)
    }

    fn json(&mut self, value: Value) -> Result<String, Failure> {
        Ok(serde_json::to_string(&value)?)
    }
}

fn expression(workload: Workload) -> Option<String> {
    match workload {
        // It computes in doubles and 64-bit integers, and does not unify the types of results.
        Workload::Overflow | Workload::TemplateBeside | Workload::SwitchNumber => None,
        workload => Some(workload.text()),
    }
}

fn upper(arguments: FuncArgs) -> Result<Value, String> {
    Ok(arguments[0].as_str().unwrap_or_default().to_uppercase().into())
}

fn lower(arguments: FuncArgs) -> Result<Value, String> {
    Ok(arguments[0].as_str().unwrap_or_default().to_lowercase().into())
}

fn contains(arguments: FuncArgs) -> Result<Value, String> {
    Ok(arguments[0].as_array().is_some_and(|items| items.contains(&arguments[1])).into())
}
