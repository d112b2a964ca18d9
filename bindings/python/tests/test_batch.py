import gc
import threading

import pytest

import hclvm

pa = pytest.importorskip("pyarrow")

RULE = 'age > 18 && country == "US"'
TABLE = pa.table({"age": [21, 17, 40, None], "country": ["US", "US", "DE", "US"], "unread": [b"x", b"", None, b"y"]})


def results(batch):
    return pa.table(batch)["result"].to_pylist()


def test_rows_are_those_of_single_runs():
    program = hclvm.Engine().compile('{ a = n * 2, b = upper("x${s}") }.b == "X" ? n / 4 : n')
    table = pa.table({"n": [1, 2**62, -7, 10], "s": ["", "a", "", "b"]})
    expected = [program.run(row) for row in table.to_pylist()]
    assert results(program.run_batch(table)) == expected


@pytest.mark.parametrize(
    ("text", "type"),
    [("a > 1", pa.bool_()), ("a", pa.int64()), ("a / 2", pa.float64()), ('"n${a}"', pa.string()), ("[a]", pa.string())],
)
def test_types_of_results(text, type):
    batch = hclvm.Engine().compile(text).run_batch(pa.table({"a": [1, 2, 3]}))
    assert pa.table(batch).schema.field("result").type == type
    assert len(batch) == 3 and batch.failures == []


def test_batches_of_a_table_have_one_type():
    program = hclvm.Engine().compile("a / 2")
    table = pa.concat_tables([pa.table({"a": part}) for part in ([2, 4], [1], [6])])
    assert table["a"].num_chunks == 3
    assert results(program.run_batch(table)) == [1.0, 2.0, 0.5, 3.0]
    empty = pa.table(program.run_batch(table.slice(0, 0)))
    assert empty.num_rows == 0 and empty.schema.field("result").type == pa.float64()


def test_rows_that_fail_are_null_and_listed():
    batch = hclvm.Engine().compile(RULE).run_batch(pa.concat_tables([TABLE, TABLE]))
    assert results(batch) == [True, False, False, None] * 2
    assert [row for row, _ in batch.failures] == [3, 7]
    assert isinstance(batch.failures[0][1], hclvm.HclError) and batch.failures[0][1].diagnostics


def test_other_variables_have_one_value():
    program = hclvm.Engine().compile("age > limit")
    batch = program.run_batch(TABLE, {"limit": 20})
    assert results(batch) == [True, False, True, None]
    scope = program.scope()
    scope["limit"] = 100
    assert results(program.run_batch(TABLE, scope)) == [False, False, False, None]
    assert len(program.run_batch(TABLE).failures) == 4


def test_structures_lists_and_dictionaries():
    table = pa.table(
        {
            "user": [{"name": "ann", "groups": ["a", "b"]}, {"name": "bob", "groups": []}],
            "kind": pa.array(["x", "y"]).dictionary_encode(),
        }
    )
    program = hclvm.Engine().compile('"${user.name}-${length(user.groups)}-${kind}"')
    assert results(program.run_batch(table)) == ["ann-2-x", "bob-0-y"]


def test_what_is_no_table():
    program = hclvm.Engine().compile("a")
    for data in ([1, 2], {"a": [1]}, pa.array([1, 2]), None):
        with pytest.raises((TypeError, hclvm.HclError)):
            program.run_batch(data)
    with pytest.raises(hclvm.HclError, match="Binary"):
        program.run_batch(pa.table({"a": [b"x"]}))

    class Wrong:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.schema([]).__arrow_c_schema__()

    with pytest.raises((TypeError, ValueError)):
        program.run_batch(Wrong())


def test_a_result_outlives_its_input_and_a_stream_is_used_once():
    program = hclvm.Engine().compile('"${country}!"')
    batch = program.run_batch(pa.table({"country": ["US", "DE"]}))
    gc.collect()
    assert results(batch) == results(batch) == ["US!", "DE!"]
    reader = pa.RecordBatchReader.from_batches(TABLE.schema, iter(TABLE.to_batches()))
    assert len(program.run_batch(reader)) == 4
    batch.__arrow_c_stream__()  # A capsule that nobody uses is freed.
    del batch
    gc.collect()


def test_an_error_of_the_stream_is_an_error():
    def batches():
        yield TABLE.to_batches()[0]
        raise ValueError("the source is gone")

    reader = pa.RecordBatchReader.from_batches(TABLE.schema, batches())
    with pytest.raises(hclvm.HclError, match="the source is gone"):
        hclvm.Engine().compile(RULE).run_batch(reader)


def test_host_functions_and_threads():
    engine = hclvm.Engine(functions={"twice": lambda n: 2 * n})
    program = engine.compile("twice(n)")
    table = pa.table({"n": list(range(200))})
    found = []
    threads = [threading.Thread(target=lambda: found.append(results(program.run_batch(table)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert found == [[2 * n for n in range(200)]] * 4


def test_polars():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"age": [21, 17], "country": ["US", "US"], "name": ["a long text of a name", "b"]})
    engine = hclvm.Engine()
    assert pl.DataFrame(engine.compile(RULE).run_batch(frame))["result"].to_list() == [True, False]
    upper = engine.compile("upper(name)").run_batch(frame)
    assert pl.DataFrame(upper)["result"].to_list() == ["A LONG TEXT OF A NAME", "B"]
