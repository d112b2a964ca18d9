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
