//! arrow: one kernel after the other over columns. It can do the tasks that decide many scopes at once.

use arrow_arith::boolean::{and, and_not, or};
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{BooleanArray, ListArray, Scalar, StringArray, StringViewArray};
use arrow_ord::cmp::eq;
use arrow_ord::comparison::in_list_utf8;
use hclvm_workloads::Workload;
use hclvm_workloads::input::{self, Request};

use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Peer, Prepared, one};
use crate::task::{Form, Task, Work};

/// The peer. Texts that are compared with constants are views, which hold short texts in place.
pub const PEER: Peer = Peer { name: "arrow", prepare };

fn prepare(task: Task) -> Prepared {
    let workload = match (task.work, task.form) {
        (Work::Expression(workload), Form::Batch) => workload,
        _ => return Ok(None),
    };
    let columns = Columns::new(&input::requests_of(task.count()));
    Ok(match workload {
        Workload::PolicyCondition => {
            one(task.turn(), move |_| columns.decide(), |decisions| list(&decisions?))
        }
        Workload::FlatCondition => {
            one(task.turn(), move |_| columns.decide_flat(), |decisions| list(&decisions?))
        }
        _ => None,
    })
}

fn list(decisions: &BooleanArray) -> Result<Answer, Failure> {
    Answer::of(decisions.values().iter().collect::<Vec<bool>>())
}

struct Columns {
    roles: StringViewArray,
    methods: StringViewArray,
    groups: ListArray,
    group_views: StringViewArray,
    group: StringArray,
    locked: BooleanArray,
    admin: Scalar<StringViewArray>,
    get: Scalar<StringViewArray>,
    third: Scalar<StringViewArray>,
}

impl Columns {
    fn new(requests: &[Request]) -> Self {
        let texts = |of: fn(&Request) -> &String| requests.iter().map(of).map(Some);
        let mut groups = ListBuilder::new(StringBuilder::new());
        for request in requests {
            for group in &request.user.groups {
                groups.values().append_value(group);
            }
            groups.append(true);
        }
        Self {
            roles: texts(|request| &request.user.role).collect(),
            methods: texts(|request| &request.request.method).collect(),
            groups: groups.finish(),
            group_views: texts(|request| &request.resource.group).collect(),
            group: texts(|request| &request.resource.group).collect(),
            locked: requests.iter().map(|request| Some(request.resource.locked)).collect(),
            admin: StringViewArray::new_scalar("admin"),
            get: StringViewArray::new_scalar("GET"),
            third: StringViewArray::new_scalar("group-03"),
        }
    }

    fn decide(&self) -> Result<BooleanArray, Failure> {
        self.combined(&in_list_utf8(&self.group, &self.groups)?)
    }

    fn decide_flat(&self) -> Result<BooleanArray, Failure> {
        self.combined(&eq(&self.group_views, &self.third)?)
    }

    fn combined(&self, member: &BooleanArray) -> Result<BooleanArray, Failure> {
        let get = eq(&self.methods, &self.get)?;
        let allowed = and_not(&and(&get, member)?, &self.locked)?;
        Ok(or(&eq(&self.roles, &self.admin)?, &allowed)?)
    }
}
