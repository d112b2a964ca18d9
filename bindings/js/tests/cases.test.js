// The recorded cases of the engine's tests through this binding: equal values with equal types, equal errors.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import { Engine, HclError, Marked, Typed, Unknown } from "hclvm";

const HARNESS = new URL("../../../tests/harness/", import.meta.url);
const CASES = new URL("cases/", HARNESS);
const engine = new Engine({ dialect: "standard" });

/** Returns a recorded type as a type constraint. */
function typeText(type) {
  if (typeof type === "string") return type === "dynamic" ? "any" : type;
  const [kind, inner] = type;
  if (kind === "tuple") return `tuple([${inner.map(typeText).join(", ")}])`;
  if (kind !== "object") return `${kind}(${typeText(inner)})`;
  const key = (name) => (/^[A-Za-z_][\w-]*$/.test(name) ? name : JSON.stringify(name));
  return `object({${Object.entries(inner).map(([name, type]) => `${key(name)} = ${typeText(type)}`).join(", ")}})`;
}

const mapped = (object, change) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

/** Returns a recorded value as an argument of the binding. */
function given(value) {
  if ("marked" in value) return new Marked(given(value.marked), ...value.marks);
  if ("unknown" in value) return new Unknown(typeText(value.unknown));
  if ("null" in value) return new Typed(null, typeText(value.null));
  if ("number" in value) return new Typed(value.number, "number");
  if ("tuple" in value) return value.tuple.map(given);
  if ("object" in value) return mapped(value.object, given);
  for (const kind of ["list", "set"]) {
    if (kind in value) return new Typed(value[kind].map(given), `${kind}(${typeText(value.of)})`);
  }
  if ("map" in value) return new Typed(mapped(value.map, given), `map(${typeText(value.of)})`);
  return value.string ?? value.bool;
}

/** Returns a recorded value as a plain value of JavaScript, with a recorded number as `number` makes it. */
function plain(value, number) {
  const inner = (value) => plain(value, number);
  if ("marked" in value) return { marks: [...value.marks].sort(), content: inner(value.marked) };
  if ("unknown" in value) return { unknown: typeText(value.unknown) };
  if ("null" in value) return null;
  if ("number" in value) return number(value.number);
  for (const kind of ["tuple", "list", "set"]) {
    if (kind in value) return value[kind].map(inner);
  }
  if ("object" in value) return mapped(value.object, inner);
  if ("map" in value) return mapped(value.map, inner);
  return value.string ?? value.bool;
}

/** Returns a result of the binding in the form of `plain`. */
function shown(value) {
  if (value instanceof Marked) return { marks: [...value.marks].sort(), content: shown(value.reveal()) };
  if (value instanceof Unknown) return { unknown: value.type };
  if (Array.isArray(value)) return value.map(shown);
  return value !== null && typeof value === "object" ? mapped(value, shown) : value;
}

/** Returns a number as the binding does: a bigint if it is whole and not safe. */
function asNumber(text) {
  const number = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(number) ? BigInt(text) : number;
}

/** Returns JSON without spaces, in which only numbers are not quoted. */
function exactJson(value) {
  const numbers = [];
  const json = JSON.stringify(plain(value, (text) => `\0${numbers.push(text) - 1}`));
  return json.replace(/"\\u0000(\d+)"/g, (_, at) => numbers[at]);
}

const place = ({ line, column, byte }) => [line, column, byte];
const errors = (diagnostics) =>
  diagnostics.map(({ title, range }) => [title, ...(range ? [...place(range.start), ...place(range.end)] : [])]);

/** Compares the answer to a case with what was recorded. */
function answersAsRecorded(one) {
  const { errors: recorded = [], value, phase } = one.expect;
  const expected = recorded.map(({ summary, start, end }) => [summary, ...(start ?? []), ...(end ?? [])]);
  let program;
  try {
    program = one.kind === "template" ? engine.compileTemplate(one.src) : engine.compile(one.src);
  } catch (error) {
    if (!(error instanceof HclError)) throw error;
    assert.equal(phase, "parse");
    assert.deepEqual(errors(error.diagnostics), expected);
    return;
  }
  const result = program.evaluate(mapped(one.scope ?? {}, given));
  program.free();
  assert.deepEqual(errors(result.diagnostics), expected);
  assert.deepEqual(shown(result.value), plain(value, asNumber));
  if (result.json !== undefined) assert.equal(result.json, exactJson(value));
  const type = recordedType(value);
  if (type !== undefined) assert.equal(result.type, type);
}

/** Returns the type of a recorded value; undefined if it depends on more than its outermost level. */
function recordedType(value) {
  if ("marked" in value) return recordedType(value.marked);
  for (const kind of ["unknown", "null"]) {
    if (kind in value) return typeText(value[kind]);
  }
  for (const kind of ["list", "set", "map"]) {
    if (kind in value) return `${kind}(${typeText(value.of)})`;
  }
  if ("tuple" in value) {
    const types = value.tuple.map(recordedType);
    return types.includes(undefined) ? undefined : `tuple([${types.join(", ")}])`;
  }
  return "object" in value ? undefined : Object.keys(value)[0];
}

function* recordedCases() {
  for (const name of readdirSync(CASES).filter((name) => name.endsWith(".jsonl")).sort()) {
    for (const line of readFileSync(new URL(name, CASES), "utf8").split("\n")) {
      const [before, wanted = ""] = line.split('"expect"', 2);
      // What this binding has no form for: tables of functions, refinements of unknown values, infinities.
      if (line === "" || line.includes('"functions"') || before.includes('"refine"')) continue;
      if (line.includes("Inf") || wanted.includes("Function calls not")) continue;
      const one = JSON.parse(line);
      if (one.kind === "expr" || one.kind === "template") yield one;
    }
  }
}

test("recorded cases have equal results", { skip: !existsSync(CASES) && "the recorded cases are not there" }, () => {
  // Those in which the engine deviates from the recorded results, with or without a binding.
  const listed = readFileSync(new URL("tests/deviations.txt", HARNESS), "utf8");
  const deviations = new Set([...listed.matchAll(/^([\w/]+)[ @]/gm)].map(([, id]) => id));
  const different = [];
  let count = 0;
  for (const one of recordedCases()) {
    count += 1;
    try {
      answersAsRecorded(one);
    } catch (error) {
      if (!deviations.has(one.id)) different.push(`${one.id}: ${one.src}\n${error.message}`);
    }
  }
  assert.deepEqual(different.slice(0, 5), [], `${different.length} of ${count}`);
  assert.ok(count > 1000);
});
