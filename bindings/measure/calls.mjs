// Measures runs of an expression in node: calls.mjs PACKAGE RULE JSON prints the nanoseconds of a run whose scope stays, of one
// that reads its values from JSON, and of one with an object.

import { pathToFileURL } from "node:url";

const [, , folder, rule, json] = process.argv;
const { Engine } = await import(pathToFileURL(`${folder}/node.js`));
const program = new Engine().compile(rule);
const scope = program.scope();
const values = JSON.parse(json);
scope.update(values);

// The rounds, of which the shortest counts, and how long each takes, in milliseconds.
const ROUNDS = 15;
const ROUND = 40;

function milliseconds(call, times) {
  const start = performance.now();
  for (let at = 0; at < times; at++) call();
  return performance.now() - start;
}

function nanoseconds(call) {
  let times = 1;
  while (milliseconds(call, times) < ROUND) times *= 2;
  const rounds = Array.from({ length: ROUNDS }, () => milliseconds(call, times));
  return ((Math.min(...rounds) * 1e6) / times).toFixed(1);
}

const withJson = () => {
  scope.updateJson(json);
  return program.run(scope);
};
console.log(nanoseconds(() => program.run(scope)), nanoseconds(withJson), nanoseconds(() => program.run(values)));
