import assert from "node:assert/strict";
import test from "node:test";
import { Engine, HclError, LimitError, Marked, Typed, Unknown, check, evaluate, format, parse, why } from "hclvm";

const thrown = (run) => {
  try {
    run();
  } catch (error) {
    return error;
  }
  return assert.fail("nothing was thrown");
};

test("values return as they were", () => {
  const values = [null, true, 0, -7, 1.5, 0.1, 1.5e-300, 5e-324, 2n ** 64n, -(2n ** 200n), "", "grün 🌱", [], [1, "a", null], {}];
  for (const x of [...values, { a: { b: [1.5] } }, JSON.parse('{"__proto__": 1}')]) assert.deepEqual(evaluate("x", { x }), x);
  assert.equal(Object.is(evaluate("x", { x: -0 }), 0), true);
});

test("whole numbers that are not safe are bigints", () => {
  assert.equal(evaluate("x + 1", { x: Number.MAX_SAFE_INTEGER - 1 }), Number.MAX_SAFE_INTEGER);
  assert.equal(evaluate("x + 1", { x: Number.MAX_SAFE_INTEGER }), 2n ** 53n);
  assert.equal(evaluate("9007199254740993"), 9007199254740993n);
  assert.equal(evaluate("x", { x: 1e300 }), 10n ** 300n);
  assert.equal(evaluate("x / 2", { x: 2n ** 53n }), 2 ** 52);
  assert.throws(() => evaluate("x", { x: NaN }), HclError);
});

test("numbers are decimals, as in JSON", () => {
  assert.equal(evaluate("x == 0.1 && x + 0.2 == 0.3", { x: 0.1 }), true);
  const exact = new Engine().compile("x").evaluate({ x: new Typed("0.10000000000000000000000001", "number") });
  assert.equal(exact.json, "0.10000000000000000000000001");
  assert.equal(exact.value, 0.1);
});

test("only own properties are attributes", () => {
  class Request {
    constructor() {
      this.user = "ann";
    }
  }
  assert.throws(() => evaluate("x.constructor", { x: {} }), HclError);
  assert.equal(evaluate("can(x.toString)", { x: {} }), false);
  assert.equal(evaluate("x.a", { x: new Map([["a", 1]]) }), 1);
  assert.equal(evaluate("x.a", { x: Object.create(null, { a: { value: 1, enumerable: true } }) }), 1);
  for (const x of [new Request(), new Date(), () => 1, Symbol("a"), [undefined], new Set([1])]) {
    assert.throws(() => evaluate("x", { x }), HclError);
  }
  assert.equal(evaluate("can(x.b)", { x: { b: undefined } }), false);
});

test("a loop of objects is an error, and so is a getter that throws", () => {
  const loop = {};
  loop.self = loop;
  assert.throws(() => evaluate("x", { x: loop }), HclError);
  const failing = {
    get a() {
      throw new Error("no a");
    },
  };
  assert.match(thrown(() => evaluate("x.a", { x: failing })).message, /no a/);
  assert.equal(evaluate("1 + 1"), 2);
});

test("errors have diagnostics", () => {
  const error = thrown(() => new Engine().parse('a = "ü🌱" + lenght(b)\nc = 1 +\n', "a.hcl"));
  assert.ok(error instanceof HclError && !(error instanceof LimitError) && error.name === "HclError");
  assert.equal(error.diagnostics[0].range.start.line, 2);
  assert.match(error.report, /a\.hcl/);

  const text = 'a = "ü🌱${lenght(b)}"';
  const [problem] = check(text);
  assert.equal(problem.code, "unknown-function");
  const { start, end } = problem.fixes[0].range;
  assert.equal(text.slice(start.offset, end.offset), "lenght");
  assert.equal(Buffer.from(text).subarray(start.byte, end.byte).toString(), "lenght");
  assert.equal(problem.fixes[0].text, "length");
  assert.equal(check("a = 1 +")[0].severity, "error");
  assert.deepEqual(check("a = b.c", { samples: { b: { c: 1 } } }), []);
  assert.equal(check("a = b.d", { samples: { b: { c: 1 } } }).length, 1);
});

test("limits are errors, and deep texts do not overflow the stack", () => {
  assert.ok(thrown(() => evaluate("[for x in range(1000): [for y in range(1000): [for z in range(100): z]]]")) instanceof HclError);
  for (const [open, close] of ["()", "[]", "{a=}", "!", "-", "f(,)", "x[,]", '"${,}"', "[for x in y: ,]", "1 == ,"].map((pair) => pair.includes(",") ? pair.split(",") : pair.includes("=") ? ["{a=", "}"] : [pair[0], pair[1] ?? ""])) {
    for (const depth of [200, 20_000]) {
      const text = open.repeat(depth) + "1" + close.repeat(depth);
      for (const run of [() => evaluate(text), () => parse(`a = ${text}\n`), () => check(`a = ${text}\n`), () => format(`a = ${text}\n`)]) {
        try {
          run();
        } catch (error) {
          assert.ok(error instanceof HclError, `${open}: ${error}`);
        }
      }
    }
  }
  const blocks = (depth) => "a {\n".repeat(depth) + "}\n".repeat(depth);
  assert.throws(() => parse(blocks(20_000)), HclError);
  assert.ok(parse(blocks(100)).a);
});

test("secrets stay hidden", () => {
  const secret = new Marked("hunter2", "password");
  const result = evaluate('"x-${s}"', { s: secret });
  assert.ok(result instanceof Marked);
  assert.deepEqual([result.marks, result.reveal()], [["password"], "x-hunter2"]);
  assert.throws(() => JSON.stringify({ result }), TypeError);
  assert.throws(() => result == "x-hunter2", TypeError);
  assert.throws(() => result < 1, TypeError);
  const error = thrown(() => evaluate("s + 1", { s: secret }));
  for (const text of [String(result), `${result}`, error.message, error.report, why("s == 1 || b", { s: secret, b: false })]) {
    assert.doesNotMatch(text, /hunter2/);
  }
  assert.equal(new Engine().compile("s").evaluate({ s: secret }).json, undefined);
});

test("unknown values", () => {
  const result = evaluate("x + 1", { x: new Unknown("number") });
  assert.ok(result instanceof Unknown);
  assert.equal(result.type, "number");
  assert.equal(evaluate("false && x", { x: new Unknown() }), false);
  assert.throws(() => result + 1, TypeError);
  assert.throws(() => evaluate("x", { x: new Unknown("list(") }), HclError);
  const lenient = new Engine({ undefined: "unknown" });
  assert.equal(lenient.evaluate("a || b", { a: true }), true);
  assert.ok(lenient.evaluate("a || b", { a: false }) instanceof Unknown);
  assert.throws(() => new Engine({ undefined: "maybe" }), TypeError);
});

test("a scope keeps values and forks", () => {
  const program = new Engine().compile("a.b + c");
  assert.deepEqual(program.variables, ["a", "c"]);
  const scope = program.scope();
  scope.set("a", { b: 1, unread: () => 1 });
  scope.set("c", 2);
  assert.ok(scope.has("a"));
  assert.equal(program.run(scope), 3);
  const fork = scope.fork();
  fork.set("c", 10);
  assert.deepEqual([program.run(scope), program.run(fork)], [3, 11]);
  scope.delete("c");
  assert.equal(scope.has("c"), false);
  assert.match(thrown(() => scope.set("cc", 1)).message, /did you mean "c"/);
  scope.update({ c: 5, other: 1 });
  scope.setJson("a", '{"b": 7}');
  assert.equal(program.run(scope), 12);
  scope.updateJson('{"c": 0.5, "other": 1}');
  assert.equal(program.run(scope), 7.5);
  assert.equal(program.run({ a: { b: 1 }, c: 1 }), 2);
  assert.throws(() => program.run({ a: { b: 1 } }), HclError);
  assert.throws(() => new Engine().compile("z").run(scope), HclError);
});

const TEXT = `
locals { base = 8000 }
service "web" { port = local.base + offset }
service "db" { port = 5432 }
`;

test("files are parsed and evaluated", () => {
  assert.deepEqual(parse(TEXT), {
    locals: [{ base: 8000 }],
    service: { web: [{ port: "${local.base + offset}" }], db: [{ port: 5432 }] },
  });
  assert.deepEqual(parse(TEXT, { scope: { offset: 80 } }), { service: { web: [{ port: 8080 }], db: [{ port: 5432 }] } });
  assert.deepEqual(parse('{"a": "${1 + 1}"}', { name: "a.json", scope: {} }), { a: 2 });
  assert.deepEqual(parse('a = ["x-${b}", { (k) = -1, j = !c }]\n'), { a: ["x-${b}", { "${(k)}": -1, j: "${!c}" }] });
  assert.deepEqual(parse('a = "$${b}%{ if c }d%{ endif }"\nb = { "${x}" = 1 }\n'), {
    a: "$${b}%{ if c }d%{ endif }",
    b: { "${x}": 1 },
  });
  assert.throws(() => parse('b "x" {}\nb {}\n'), HclError);
  const document = new Engine().parse('port = 1\ns "w" {\n  port = n\n}\n');
  assert.deepEqual(document.attributes, ["port"]);
  assert.equal(document.program("s", "w", "port").run({ n: 3 }), 3);
  assert.throws(() => document.program("s", "x", "port"), HclError);
  assert.throws(() => document.program(), HclError);
  assert.equal(document.update("port = 2\n").program("port").run(), 2);
  assert.throws(() => document.update("port ="), HclError);
  assert.equal(document.program("port").run(), 1);
  const special = new Engine().parse("x = a + b").module().specialize({ a: 1 });
  assert.deepEqual(special.evaluate({ b: 2 }), { x: 3 });
});

const POLICY = `
rule "owner" {
  when   = request.user == resource.owner
  effect = "allow"
  reason = "\${request.user} owns it"
}
rule "archived" {
  when   = resource.archived
  effect = "deny"
}
`;

test("policies decide", () => {
  const policy = new Engine().parse(POLICY).policy();
  assert.equal(policy.size, 2);
  const { diagnostics, ...decision } = policy.decide({ request: { user: "ann" }, resource: { owner: "ann", archived: true } });
  assert.deepEqual(decision, { effect: "allow", cause: "rule", rule: "owner", reason: "ann owns it", obligations: [] });
  const strict = new Engine().parse(POLICY).policy({ overrides: "deny" });
  assert.equal(strict.decide({ request: { user: "ann" }, resource: { owner: "ann", archived: true } }).effect, "deny");
  for (const values of [undefined, {}, { resource: new Unknown(), request: { user: "ann" } }]) {
    const { effect, cause } = policy.decide(values);
    assert.deepEqual([effect, cause], ["deny", "undecided"]);
  }
  assert.match(policy.why({ request: { user: "ann" }, resource: { owner: "bob", archived: false } }), /owner/);
  assert.throws(() => new Engine().parse('rule "a" { when = true }').policy(), HclError);
});

test("host functions", () => {
  const engine = new Engine({
    functions: {
      add: (a, b = 1) => a + b,
      fails: () => {
        throw new RangeError("no entry");
      },
      nothing: () => undefined,
      wrong: () => Symbol("x"),
    },
  });
  assert.equal(engine.evaluate("add(1) + add(1, 2)"), 5);
  assert.equal(engine.evaluate("nothing()"), null);
  assert.throws(() => engine.evaluate("add()"), HclError);
  assert.throws(() => engine.evaluate("wrong()"), HclError);
  const error = thrown(() => engine.evaluate("1 + fails()"));
  assert.ok(error.cause instanceof RangeError && error.message.includes("no entry"));
  assert.equal(engine.evaluate("try(fails(), 3)"), 3);
  assert.equal(thrown(() => engine.evaluate("[try(fails(), 3), 1 + null]")).cause, undefined);
  assert.throws(() => new Engine({ functions: { f: 7 } }), HclError);
});

test("host functions may evaluate", () => {
  let text = "1";
  const engine = new Engine({ functions: { again: () => engine.evaluate(text) } });
  assert.equal(engine.evaluate("again() + 1"), 2);
  for (text of ["again()", `${"(".repeat(200)}again()${")".repeat(200)}`, `${"[".repeat(200)}again()${"]".repeat(200)}`]) {
    assert.match(thrown(() => engine.evaluate(text)).message, /more than 8 evaluations/);
  }
  text = "7";
  assert.equal(engine.evaluate("again()"), 7);

  let scope;
  const changing = new Engine({
    functions: {
      change: (n) => {
        scope.set("n", 1);
        return n;
      },
    },
  });
  const program = changing.compile("change(n)");
  scope = program.scope();
  scope.set("n", 5);
  assert.throws(() => program.run(scope));
  assert.equal(program.run({ n: 5 }) ?? 5, 5);
});

test("format, why and listing", () => {
  assert.equal(format("a=1\nbb=2"), "a  = 1\nbb = 2");
  assert.match(why("a > 1 && b", { a: 0, b: true }), /^false, because/);
  const { registers, fast, baseline } = new Engine().compile("a > 1 && b").listing();
  assert.deepEqual(registers.map(({ variable }) => variable).sort(), ["a", "b"]);
  assert.ok(fast.length > 0 && baseline.length > 0 && typeof fast[0].name === "string");
});

test("dialects", () => {
  assert.throws(() => new Engine({ dialect: "no such" }), HclError);
  assert.equal(evaluate('base64encode("a")', {}, { dialect: "packer" }), "YQ==");
});
