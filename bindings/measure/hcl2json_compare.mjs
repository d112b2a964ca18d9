// Compares `parse` with @cdktf/hcl2json: hcl2json_compare.mjs PACKAGE FOLDER, where @cdktf/hcl2json can be imported.
//
// Prints how many files both accept, in how many the structures are equal, where the others differ, and both times.

import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [, , folder, corpus] = process.argv;
const { parse } = await import(pathToFileURL(join(folder, "node.js")));
const hcl2json = createRequire(join(process.cwd(), "index.js"))("@cdktf/hcl2json");

const counts = { both: 0, ours: 0, theirs: 0, equal: 0 };
const kinds = new Map();
const times = { ours: 0, theirs: 0 };

async function timed(load) {
  const start = performance.now();
  try {
    const value = await load();
    return { value, time: performance.now() - start };
  } catch {
    return { time: 0 };
  }
}

/** Yields the kinds of differences of two structures, with an example of each. */
function* differences(ours, theirs) {
  if (typeof ours === "bigint") ours = Number(ours);
  if (ours === null || theirs === null || typeof ours !== "object" || typeof theirs !== "object") {
    if (ours !== theirs) yield [typeof ours === "string" ? "a text" : `${typeof ours} and ${typeof theirs}`, ours, theirs];
    return;
  }
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    if (name in ours && name in theirs) yield* differences(ours[name], theirs[name]);
    else yield ["a key", name in ours ? name : "-", name in theirs ? name : "-"];
  }
}

for (const name of readdirSync(corpus, { recursive: true }).filter((name) => /\.(hcl|tf|nomad)$/.test(name))) {
  const text = readFileSync(join(corpus, name), "utf8");
  const ours = await timed(() => parse(text));
  const theirs = await timed(() => hcl2json.parse(name, text));
  if (!ours.value || !theirs.value) {
    counts.ours += Boolean(ours.value);
    counts.theirs += Boolean(theirs.value);
    continue;
  }
  counts.both += 1;
  times.ours += ours.time;
  times.theirs += theirs.time;
  const found = [...differences(ours.value, theirs.value)];
  counts.equal += found.length === 0;
  for (const [kind, one, other] of found) {
    const known = kinds.get(kind) ?? { files: new Set(), samples: [] };
    known.files.add(name);
    if (known.samples.length < 4) known.samples.push([one, other]);
    kinds.set(kind, known);
  }
}
console.log(`accepted by both ${counts.both}, by hclvm alone ${counts.ours}, by hcl2json alone ${counts.theirs}; equal ${counts.equal}`);
for (const [kind, { files, samples }] of kinds) console.log(`${files.size} files: ${kind}`, JSON.stringify(samples).slice(0, 900));
console.log(`ms: hclvm ${times.ours.toFixed(0)}, hcl2json ${times.theirs.toFixed(0)}, ${(times.theirs / times.ours).toFixed(1)}x`);
