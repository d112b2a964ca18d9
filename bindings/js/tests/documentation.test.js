// The examples of the pages run, and have the results in their comments; the types are those of the package.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import * as api from "hclvm";

const PAGES = ["../README.md", "../../../docs/book/src/bindings.md"];

/** Returns the examples of a page, with a check in place of each comment that has a result. */
function examples(page) {
  const text = readFileSync(new URL(page, import.meta.url), "utf8");
  return [...text.matchAll(/```js\n([^]*?)```/g)].map(([, code]) =>
    code.replace(/^import .*$/gm, "").replace(/^(\S.*); \/\/ (.+)$/gm, "same($1, ($2));"),
  );
}

for (const page of PAGES) {
  test(`the examples of ${page} run`, () => {
    let count = 0;
    const same = (actual, expected) => {
      count += 1;
      assert.deepEqual(actual, expected);
    };
    for (const code of examples(page)) new Function("same", ...Object.keys(api), code)(same, ...Object.values(api));
    assert.ok(count >= 2);
  });
}

test("the types declare what the package exports", () => {
  const types = readFileSync(new URL("../lib/index.d.ts", import.meta.url), "utf8");
  const declared = [...types.matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(declared.sort(), Object.keys(api).sort());
  for (const [, name, body] of types.matchAll(/^export class (\w+)[^{]*{\n([^]*?)^}/gm)) {
    for (const [, method] of body.matchAll(/^  (\w+)\(/gm)) {
      assert.ok(method === "constructor" || method in api[name].prototype, `${name}.${method}`);
    }
  }
});
