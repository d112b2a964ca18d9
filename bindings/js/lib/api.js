// The interface of the package, above the classes of the WebAssembly module. See index.d.ts.

import { Document, Engine as WasmEngine, Module, Policy, Program, Scope } from "./hclvm_wasm.js";
import { HclError } from "./values.js";

export { Document, Module, Policy, Program, Scope } from "./hclvm_wasm.js";
export { HclError, LimitError, Marked, Typed, Unknown } from "./values.js";

// The module has a method for scopes and one for objects, because only JavaScript can find out which one it has.
for (const [type, names] of [
  [Program, ["run", "evaluate", "why"]],
  [Module, ["evaluate"]],
  [Policy, ["decide", "why"]],
]) {
  for (const name of names) {
    const inScope = type.prototype[`${name}In`];
    const withObject = type.prototype[`${name}With`];
    type.prototype[name] = function (values) {
      return values instanceof Scope ? inScope.call(this, values) : withObject.call(this, values);
    };
  }
}

export class Engine extends WasmEngine {
  constructor({ dialect = "default", functions = {}, undefined: missing = "error", trusted = false } = {}) {
    if (missing !== "error" && missing !== "unknown") {
      throw new TypeError(`undefined is "error" or "unknown", not ${JSON.stringify(missing)}`);
    }
    super(dialect, functions, missing === "unknown", trusted);
  }
}

const engines = new Map();

function engineOf(dialect = "default") {
  if (!engines.has(dialect)) engines.set(dialect, new Engine({ dialect }));
  return engines.get(dialect);
}

export function evaluate(text, values, { dialect } = {}) {
  return engineOf(dialect).evaluate(text, values);
}

export function parse(text, { name, dialect, scope } = {}) {
  const engine = engineOf(dialect);
  const isJson = name?.endsWith(".json");
  if (isJson && scope === undefined) return JSON.parse(text);
  const document = isJson ? engine.parseJson(text, name) : engine.parse(text, name);
  return scope === undefined ? document.structure() : document.module().evaluate(scope);
}

export function check(text, { name, dialect, samples, lints = false } = {}) {
  let document;
  try {
    document = engineOf(dialect).parse(text, name);
  } catch (error) {
    if (error instanceof HclError) return error.diagnostics;
    throw error;
  }
  return document.check(samples, lints);
}

export function format(text, { name } = {}) {
  return engineOf().format(text, name);
}

export function why(text, values, { dialect } = {}) {
  return engineOf(dialect).compile(text).why(values);
}
