//! Decides the 64 requests of the workload `policy-condition` 10,000 times, for a host that has a clock.

use hclvm_workloads::Workload;
use hclvm_workloads::subject::Subject;

fn main() {
    let mut subject = Subject::expression(Workload::PolicyCondition).expect("it compiles");
    let mut allowed = 0;
    for _ in 0..10_000 {
        for scope in &subject.scopes {
            let result = subject.session.run(&subject.programs[0], scope);
            allowed += u32::from(result.expect("it has a result").as_bool() == Some(true));
        }
    }
    assert!(allowed > 0, "some requests are allowed");
}
