//! Functions in queries of one process.

mod tables;

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use hclvm_datafusion::Functions;
use tables::{POLICY, policy_spec, requests};

/// Returns a session with the functions and a table of requests.
fn session() -> Result<SessionContext> {
    let session = SessionContext::new();
    Functions::new(&hclvm::Engine::new())
        .with_file("limits", "locals {\n  most = 10\n  small = size < local.most\n}\nsmall = local.small && !locked\nplain = size < 10\n")?
        .with_policy("access", POLICY, &policy_spec())?
        .register(&session)?;
    session.register_batch("requests", requests(200, 7))?;
    Ok(session)
}

/// Returns the rows of a query as text, without the frame.
async fn rows(session: &SessionContext, sql: &str) -> Result<Vec<String>> {
    let batches = session.sql(sql).await?.collect().await?;
    let table = pretty_format_batches(&batches)?.to_string();
    let cells = |line: &str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>().join(" | ");
    Ok(table.lines().skip(3).filter(|line| !line.starts_with('+')).map(cells).collect())
}

/// Returns the message of a query that fails.
async fn message(session: &SessionContext, sql: &str) -> String {
    rows(session, sql).await.expect_err("the query fails").to_string()
}

#[tokio::test]
async fn columns_are_found_by_the_names_that_an_expression_reads() -> Result<()> {
    let session = session()?;
    let expected =
        rows(&session, "SELECT id FROM requests WHERE \"user\"['role'] = 'admin' AND size < 50 ORDER BY id")
            .await?;
    assert!(expected.len() > 5, "{expected:?}");
    for condition in [
        r#"hclvm('user.role == "admin" && size < 50')"#,
        r#"hclvm('user.role == "admin" && size < 50', 'size', size)"#,
        r#"hclvm('u.role == "admin" && n < 500', 'u', "user", 'n', size * 10)"#,
        r#"NOT hclvm('user.role != "admin" || size >= 50')"#,
    ] {
        assert_eq!(
            rows(&session, &format!("SELECT id FROM requests WHERE {condition} ORDER BY id")).await?,
            expected
        );
    }
    Ok(())
}

#[tokio::test]
async fn the_type_of_the_result_is_that_of_the_expression() -> Result<()> {
    let session = session()?;
    let query = r"
        SELECT arrow_typeof(hclvm('size < 3')) AS a, arrow_typeof(hclvm('size * 2')) AS b,
               arrow_typeof(hclvm('user.role')) AS c, arrow_typeof(hclvm('locked')) AS d,
               arrow_typeof(hclvm('[size]')) AS e, arrow_typeof(hclvm('tags[0]')) AS f FROM requests LIMIT 1";
    assert_eq!(rows(&session, query).await?, ["Boolean | Float64 | Utf8 | Boolean | Utf8 | Utf8"]);
    let query = "SELECT hclvm('upper(user.role)') AS a, hclvm('[size, locked]') AS b, hclvm('size + 0.5') AS c FROM requests WHERE id = 0";
    let shown = rows(&session, query).await?;
    let expected = rows(&session, "SELECT upper(\"user\"['role']), concat('[', size, ',', locked, ']'), size + 0.5 FROM requests WHERE id = 0").await?;
    assert_eq!(shown, expected);
    Ok(())
}

#[tokio::test]
async fn conditions_without_static_type_filter_rows() -> Result<()> {
    let session = session()?;
    let expected = rows(&session, "SELECT count(*) FROM requests WHERE locked").await?;
    assert_eq!(rows(&session, "SELECT count(*) FROM requests WHERE hclvm('locked')").await?, expected);
    let nested = "SELECT count(*) FROM (SELECT hclvm('locked') AS l FROM requests) WHERE l";
    assert_eq!(rows(&session, nested).await?, expected);
    Ok(())
}

#[tokio::test]
async fn constant_calls_are_evaluated_when_the_query_is_planned() -> Result<()> {
    let session = session()?;
    let plan = session
        .sql("SELECT id FROM requests WHERE size < hclvm('2 * n', 'n', 5)")
        .await?
        .into_optimized_plan()?;
    let plan = plan.display_indent().to_string();
    assert!(!plan.contains("hclvm"), "{plan}");
    assert_eq!(rows(&session, "SELECT hclvm('1 + 2')").await?, ["3.0"]);
    Ok(())
}

#[tokio::test]
async fn columns_that_are_not_read_are_not_loaded() -> Result<()> {
    let session = session()?;
    let query = "SELECT id FROM requests WHERE hclvm('size < 10', 'size', size, 'tags', tags)";
    let plan = session.sql(query).await?.into_optimized_plan()?.display_indent().to_string();
    assert!(plan.contains("projection=[id, size]"), "{plan}");
    Ok(())
}

#[tokio::test]
async fn mistakes_are_found_when_the_query_is_planned() -> Result<()> {
    let session = session()?;
    for (call, expected) in [
        ("hclvm('size <')", "expression:1:7: "),
        (
            "hclvm('sise < 3')",
            "the expression reads \"sise\", and there is no such column; there are: id, size",
        ),
        ("hclvm('user.rolle == \"admin\"')", "expression:1:5: Unsupported attribute"),
        ("hclvm('size < 3', 'size')", "no value for the name \"size\""),
        ("hclvm('size < 3', 'size', 1, 'size', 2)", "two values for \"size\""),
        ("hclvm(CAST(size AS TEXT))", "the first argument of hclvm is an expression, as a constant text"),
        ("hclvm_rule('limits.smal')", "there is no attribute \"smal\" in limits"),
        ("hclvm_rule('limit.small')", "there is no file \"limit\"; there are: access, limits"),
        ("hclvm_decide('limits')", "\"limits\" was not registered as a policy"),
    ] {
        let found = message(&session, &format!("SELECT {call} FROM requests")).await;
        assert!(found.contains(expected), "{call}: {found}");
    }
    let join = "SELECT hclvm('size < 3') FROM requests a JOIN requests b ON a.id = b.id";
    assert!(message(&session, join).await.contains("several tables have such a column"));
    Ok(())
}

#[tokio::test]
async fn a_row_that_fails_is_an_error_or_null() -> Result<()> {
    let session = session()?;
    let query = |function: &str| {
        format!(
            "SELECT count({function}('owner == \"ann\" ? tonumber(owner) : size')), count(*) FROM requests"
        )
    };
    let found = message(&session, &query("hclvm")).await;
    assert!(found.contains("expression:1:") && found.contains("Invalid function argument"), "{found}");
    assert!(found.contains("of a batch, with owner = ann, size = "), "{found}");
    let others = "SELECT count(*) FILTER (WHERE owner IS DISTINCT FROM 'ann'), count(*) FROM requests";
    assert_eq!(rows(&session, &query("try_hclvm")).await?, rows(&session, others).await?);
    Ok(())
}

#[tokio::test]
async fn null_columns_are_null_values() -> Result<()> {
    let session = session()?;
    let expected = rows(&session, "SELECT count(*) FROM requests WHERE owner IS NULL").await?;
    assert_ne!(expected, ["0"]);
    assert_eq!(rows(&session, "SELECT count(*) FROM requests WHERE hclvm('owner == null')").await?, expected);
    let result = "SELECT count(*) - count(hclvm('owner')) FROM requests";
    assert_eq!(rows(&session, result).await?, expected);
    Ok(())
}

#[tokio::test]
async fn rules_are_called_by_name() -> Result<()> {
    let session = session()?;
    let expected =
        rows(&session, "SELECT id FROM requests WHERE size < 10 AND NOT locked ORDER BY id").await?;
    assert_eq!(
        rows(&session, "SELECT id FROM requests WHERE hclvm_rule('limits.small') ORDER BY id").await?,
        expected
    );
    let expected = rows(&session, "SELECT id FROM requests WHERE size < 10 ORDER BY id").await?;
    assert_eq!(
        rows(&session, "SELECT id FROM requests WHERE hclvm_rule('limits.plain') ORDER BY id").await?,
        expected
    );
    let expected =
        rows(&session, "SELECT id FROM requests WHERE \"user\"['role'] = 'admin' ORDER BY id").await?;
    let rule = "SELECT id FROM requests WHERE hclvm_rule('access.rule.admin.when') ORDER BY id";
    assert_eq!(rows(&session, rule).await?, expected);
    Ok(())
}

#[tokio::test]
async fn policies_match_and_decide() -> Result<()> {
    let session = session()?;
    let rule = "SELECT id, rule FROM (SELECT id, unnest(hclvm_matches('access')) AS rule FROM requests) ORDER BY id, rule";
    let expected = r#"
        SELECT id, 'admin' AS rule FROM requests WHERE "user"['role'] = 'admin'
        UNION ALL SELECT id, 'locked' FROM requests WHERE locked
        UNION ALL SELECT id, 'own' FROM requests WHERE owner = "user"['name']
        UNION ALL SELECT id, 'small' FROM requests WHERE size < 10 AND array_has(tags, 'public')
        ORDER BY id, rule"#;
    assert_eq!(rows(&session, rule).await?, rows(&session, expected).await?);

    let decisions = r"SELECT d['effect'], d['rule'], count(*) FROM (SELECT hclvm_decide('access') AS d FROM requests) GROUP BY 1, 2 ORDER BY 1, 2";
    let expected = r#"
        SELECT effect, rule, count(*) FROM (SELECT
            CASE WHEN locked THEN 'deny' WHEN rule IS NULL THEN 'deny' ELSE 'allow' END AS effect,
            CASE WHEN locked THEN 'locked' ELSE rule END AS rule
            FROM (SELECT locked, CASE WHEN "user"['role'] = 'admin' THEN 'admin' WHEN owner = "user"['name'] THEN 'own'
                  WHEN size < 10 AND array_has(tags, 'public') THEN 'small' END AS rule FROM requests))
        GROUP BY 1, 2 ORDER BY 1, 2"#;
    assert_eq!(rows(&session, decisions).await?, rows(&session, expected).await?);
    Ok(())
}

#[tokio::test]
async fn a_policy_in_from_adds_its_decision_to_each_row() -> Result<()> {
    let session = session()?;
    let expected = "SELECT id, locked, d['effect'], d['rule'], d['cause'], d['reason'], d['errors']
        FROM (SELECT id, locked, hclvm_decide('access') AS d FROM requests) ORDER BY id";
    let decided = "SELECT id, locked, effect, rule, cause, reason, errors
        FROM hclvm_decide('access', 'requests') ORDER BY id";
    let found = rows(&session, decided).await?;
    assert_eq!(found, rows(&session, expected).await?);
    assert_eq!(found.len(), 200);
    let all = session.sql("SELECT * FROM hclvm_decide('access', 'requests', 'access_')").await?;
    let names: Vec<&str> = all.schema().fields().iter().map(|field| field.name().as_str()).collect();
    let added = ["access_effect", "access_rule", "access_cause", "access_reason", "access_errors"];
    assert_eq!(names, [&["id", "size", "locked", "owner", "user", "tags"], &added[..]].concat());
    Ok(())
}

#[tokio::test]
async fn a_policy_in_from_has_a_row_for_each_rule_that_applies() -> Result<()> {
    let session = session()?;
    let expected = "SELECT id, unnest(hclvm_matches('access')) AS rule FROM requests ORDER BY id, rule";
    let found =
        rows(&session, "SELECT id, rule FROM hclvm_matches('access', 'requests') ORDER BY id, rule").await?;
    assert_eq!(found, rows(&session, expected).await?);
    assert!(found.len() > 150, "{}", found.len());
    // A table joins the rows of a policy.
    session.sql("CREATE TABLE owners AS VALUES ('admin', 'it'), ('small', 'ops')").await?.collect().await?;
    let joined =
        "SELECT column2, count(*) FROM hclvm_matches('access', 'requests') a JOIN owners ON a.rule = column1
        GROUP BY column2 ORDER BY 1";
    let counted = "SELECT CASE rule WHEN 'admin' THEN 'it' ELSE 'ops' END AS team, count(*)
        FROM (SELECT unnest(hclvm_matches('access')) AS rule FROM requests) WHERE rule IN ('admin', 'small') GROUP BY team ORDER BY 1";
    assert_eq!(rows(&session, joined).await?, rows(&session, counted).await?);
    Ok(())
}

#[tokio::test]
async fn a_policy_in_from_reads_views_and_loads_what_is_needed() -> Result<()> {
    let session = session()?;
    let plan = |sql: &'static str| {
        let session = session.clone();
        async move {
            Ok::<_, datafusion::error::DataFusionError>(
                session.sql(sql).await?.into_optimized_plan()?.display_indent().to_string(),
            )
        }
    };
    session.sql("CREATE VIEW large AS SELECT * FROM requests WHERE size > 50").await?.collect().await?;
    let large = rows(&session, "SELECT count(*) FROM hclvm_decide('access', 'large')").await?;
    assert_eq!(large, rows(&session, "SELECT count(*) FROM requests WHERE size > 50").await?);

    for two in [
        "SELECT effect, reason FROM hclvm_decide('access', 'requests')",
        "SELECT d['effect'], d['reason'] FROM (SELECT hclvm_decide('access') AS d FROM requests)",
        "SELECT d['effect'], d['rule'], count(*) FROM (SELECT hclvm_decide('access') AS d FROM requests) GROUP BY 1, 2",
    ] {
        let found = plan(two).await?;
        assert_eq!(found.matches("hclvm_decide(Utf8").count(), 1, "a decision is made once: {found}");
    }

    // Neither decisions nor their columns are computed if nothing reads them.
    let found = plan("SELECT size FROM hclvm_decide('access', 'requests')").await?;
    assert!(found.contains("projection=[size]") && !found.contains("hclvm_decide(Utf8"), "{found}");
    let found =
        plan("SELECT effect, rule FROM hclvm_decide('access', 'datafusion.public.requests') WHERE id < 7")
            .await?;
    assert_eq!(found.matches("hclvm_decide(Utf8").count(), 1, "{found}");
    let filter = found.find("Filter: ").expect("a filter");
    assert!(
        found.find("hclvm_decide(Utf8") < Some(filter),
        "rows are filtered before they are decided: {found}"
    );
    Ok(())
}

#[tokio::test]
async fn rows_that_fail_are_errors_or_null_in_from() -> Result<()> {
    let session = session()?;
    Functions::new(&hclvm::Engine::new())
        .with_policy(
            "number",
            "rule \"n\" {\n  when = tonumber(owner) > 1\n  effect = \"allow\"\n}",
            &policy_spec(),
        )?
        .register(&session)?;
    let found = message(&session, "SELECT * FROM hclvm_matches('number', 'requests')").await;
    assert!(found.contains("number:2:") && found.contains("row 0 of a batch"), "{found}");
    let found =
        rows(&session, "SELECT count(*), count(rule) FROM try_hclvm_matches('number', 'requests')").await?;
    assert_eq!(found, ["200 | 0"]);
    let found =
        rows(&session, "SELECT DISTINCT cause, errors IS NULL FROM hclvm_decide('number', 'requests')")
            .await?;
    assert_eq!(found, ["undecided | false"]);
    Ok(())
}

#[tokio::test]
async fn mistakes_in_from_are_found_when_the_query_is_planned() -> Result<()> {
    let session = session()?;
    session.sql("CREATE TABLE named AS SELECT *, 1 AS rule FROM requests").await?.collect().await?;
    for (call, expected) in [
        ("hclvm_decide('access', 'request')", "there is no table or view \"request\""),
        ("hclvm_decide('access', 'other.requests')", "there is no table or view \"other.requests\""),
        ("hclvm_decide('acces', 'requests')", "there is no file \"acces\"; there are: access, limits"),
        ("hclvm_decide('limits', 'requests')", "\"limits\" was not registered as a policy"),
        ("hclvm_decide('access')", "has the names of a policy and of a table, as constant texts"),
        ("hclvm_matches('access', 7)", "has the names of a policy and of a table, as constant texts"),
        (
            "hclvm_matches('access', 'named')",
            "the table has a column \"rule\", as the results have: name a prefix",
        ),
        ("hclvm_decide('access', 'owners')", "the expression reads \"id\", and there is no such column"),
    ] {
        session.sql("CREATE TABLE IF NOT EXISTS owners AS VALUES (1)").await?.collect().await?;
        let found = message(&session, &format!("SELECT * FROM {call}")).await;
        assert!(found.contains(expected), "{call}: {found}");
    }
    Ok(())
}
