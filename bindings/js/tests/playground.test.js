// The playground in a headless Chromium. Skipped without playwright-core or Chromium.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";
import { after, before, test } from "node:test";

const SITE = new URL("../site/", import.meta.url);
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];

const playwright = await import("playwright-core").catch(() => undefined);
const missing = [
  [!playwright, "playwright-core"],
  [!existsSync(CHROMIUM), CHROMIUM],
  [!existsSync(SITE), "the built page"],
].filter(([isMissing]) => isMissing);
const skip = missing.length > 0 && `missing: ${missing.map(([, name]) => name).join(", ")}`;

let server, browser, page;
const problems = [];

async function serve(request, response) {
  const path = new URL(request.url, SITE).pathname;
  try {
    const file = new URL(`.${path === "/" ? "/index.html" : path}`, SITE);
    response.setHeader("content-type", TYPES[extname(file.pathname)] ?? "text/plain");
    response.end(await readFile(file));
  } catch {
    response.writeHead(404).end();
  }
}

before(async () => {
  if (skip) return;
  server = createServer(serve);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  browser = await playwright.chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  page = await context.newPage();
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => document.getElementById("result").textContent !== "");
});

after(async () => {
  await browser?.close();
  server?.close();
  assert.deepEqual(problems, []);
});

const choose = (mode) => page.click(`#modes label:has([value=${mode}])`);
const shown = (id) => page.textContent(`#${id}`);
const until = (id, text) =>
  page.waitForFunction(([id, text]) => document.getElementById(id).textContent.includes(text), [id, text]);

test("an expression is evaluated, explained and listed", { skip }, async () => {
  await choose("expression");
  await page.fill("#text textarea", "a > 1 && b");
  await page.fill("#scope textarea", '{"a": 0, "b": true}');
  await until("result", "false\n\n# bool");
  await page.click("#tab-why");
  assert.match(await shown("why"), /^false, because/);
  await page.click("#tab-code");
  assert.ok((await page.locator("#code tr").count()) > 2);
  await page.click("#tab-result");
});

test("diagnostics have places and fixes", { skip }, async () => {
  await choose("file");
  await page.fill("#text textarea", 'a = "ü🌱"\nb = lenght(["ü", 1])\n');
  await until("diagnostics", "unknown function");
  assert.equal(await page.textContent(".error-mark"), "lenght");
  assert.equal(await page.textContent("#diagnostics .place"), "2:5");
  await page.click("text=Replace by length");
  await until("diagnostics", "No problems");
  await until("result", '"b": 2');
  await page.fill("#scope textarea", "{");
  await until("diagnostics", "not JSON");
});

test("policies decide", { skip }, async () => {
  await page.selectOption("#example", { label: "An authorization policy" });
  await until("result", '"effect": "allow"');
  await page.click("#tab-code");
  await page.selectOption("#attribute", "rule.owner.when");
  assert.match(await shown("code"), /owner/);
  await page.click("#tab-result");
});

test("the link has the state", { skip }, async () => {
  await choose("expression");
  await page.fill("#text textarea", '"grün ${n}"');
  await page.fill("#scope textarea", '{"n": 7}');
  await until("result", "grün 7");
  await page.click("#share");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.goto("about:blank");
  await page.goto(link);
  await until("result", "grün 7");
  assert.equal(await page.inputValue("#text textarea"), '"grün ${n}"');
});

test("every example works, on a narrow window too", { skip }, async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  for (const at of [0, 1, 2, 3, 4]) {
    await page.selectOption("#example", String(at));
    const isMistake = (await page.textContent(`#example option:nth-child(${at + 1})`)).startsWith("Mistakes");
    await page.waitForFunction((count) => document.querySelectorAll("#diagnostics .error").length === count, isMistake ? 3 : 0);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `example ${at} is too wide`);
  }
});
