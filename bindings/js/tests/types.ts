// Checked by TypeScript, not run: what the types accept and refuse.

import { Engine, HclError, Marked, Typed, check, evaluate, parse, type Decision, type Diagnostic } from "hclvm";

const engine = new Engine({ dialect: "terraform", functions: { add: (a: number, b = 1) => a + b }, undefined: "unknown" });
const program = engine.compile("a");
const scope = program.scope();
scope.set("a", new Typed("1", "number"));
const value: unknown = program.run(scope);
const json: string | undefined = program.evaluate({ a: new Marked(value, "secret") }).json;
const decision: Decision = engine.parse("", "a.hcl").policy({ overrides: "deny" }).decide();
const found: Diagnostic[] = check("a = b", { samples: { b: 1 } });
const port: number = parse("port = 1", { scope: {} }).port;
try {
  evaluate("1 +");
} catch (error) {
  if (error instanceof HclError) found.push(...error.diagnostics);
}

// @ts-expect-error A result has no type that TypeScript can know.
const wrong: number = evaluate("1");
// @ts-expect-error Engines make programs.
new (program.constructor as typeof import("hclvm").Program)();
// @ts-expect-error An unknown option.
new Engine({ dialects: "nomad" });

export { decision, json, port, wrong };
