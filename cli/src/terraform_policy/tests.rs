//! `hclvm policy test`: runs the mocks of test files.

use std::io::Write;

use clap::Args;
use hclvm_dialects::terraform_policy::{POLICY_SUFFIX, TEST_SUFFIX, TestFile, TestResult, TestSettings};

use super::output::{RunResults, Shown, TestLine};
use super::{CommonArguments, InputArguments, ResultFormat, Stage, files, output};
use crate::outcome::{CommandResult, EarlyEnd};

#[derive(Args, Debug)]
pub(super) struct PolicyTestArguments {
    #[command(flatten)]
    common: CommonArguments,

    #[command(flatten)]
    inputs: InputArguments,

    /// Test files *.policytest.hcl, or folders in which all of them run [default: the paths of --policies]
    #[arg(long, value_name = "PATH")]
    tests: Vec<String>,

    /// The stage of the run; in `setup` providers and modules are judged alone
    #[arg(long, value_enum, default_value_t = Stage::Plan)]
    evaluation_stage: Stage,
}

pub(super) fn run(arguments: &PolicyTestArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    let common = &arguments.common;
    let schemas = common.schemas()?;
    let mut settings = common.settings(schemas.as_ref());
    if let Some(now) = super::now() {
        settings = settings.now(now);
    }
    let Some(policies) = common.load(&settings, out)? else { return Ok(CommandResult::Diagnosed) };
    let here = [String::from(".")];
    let paths: Vec<&String> = match (arguments.tests.as_slice(), common.policies.as_slice()) {
        ([], []) => here.iter().collect(),
        ([], policies) => policies.iter().collect(),
        (tests, _) => tests.iter().collect(),
    };
    let folders: Vec<&String> = paths.iter().copied().filter(|path| !path.ends_with(POLICY_SUFFIX)).collect();
    let tests = files::read(&folders, TEST_SUFFIX)?;
    if tests.is_empty() {
        return Err(EarlyEnd::Refused(
            "There are no files *.policytest.hcl. Name their folder with --tests.".to_owned(),
        ));
    }
    let mut test_settings = TestSettings::new()
        .inputs(arguments.inputs.given()?)
        .setup(arguments.evaluation_stage == Stage::Setup)
        .strict(common.strict);
    if let Some(schemas) = schemas {
        test_settings = test_settings.schemas(schemas);
    }
    let results: Vec<TestFile> = tests.iter().map(|file| policies.test(file, &test_settings)).collect();
    let mut shown =
        RunResults { problems: vec![policies.warnings()], verbose: true, ..RunResults::default() };
    for file in &results {
        shown.problems.push(file.problems());
        for mock in file.mocks() {
            let verdicts = mock.verdicts().iter();
            shown.verdicts.extend(verdicts.map(|verdict| Shown {
                policies: &policies,
                resource: mock.address(),
                operation: None,
                verdict,
            }));
            if mock.result() != TestResult::Skipped {
                shown.tests.push(TestLine { test: mock.address(), result: mock.result() });
            }
        }
    }
    if common.format() == ResultFormat::Text {
        output::problems(ResultFormat::Text, policies.warnings());
        results.iter().try_for_each(|file| output::test_file(&policies, file, out))?;
    } else {
        shown.print(common.format(), out)?;
    }
    let is_success = results.iter().all(TestFile::is_success);
    Ok(if is_success { CommandResult::Fine } else { CommandResult::Diagnosed })
}
