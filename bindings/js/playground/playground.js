// The page: reads the text and the scope, evaluates, and shows what comes of it. Its state is in the address.

import { Engine, HclError, Marked, Unknown } from "./hclvm/web.js";
import { Editor } from "./editor.js";
import { examples } from "./examples.js";

const element = (id) => document.getElementById(id);
const engine = new Engine();
const text = new Editor(element("text"), "Text", changed);
const scope = new Editor(element("scope"), "Scope", changed);

/** The delay after a key, in milliseconds. */
const DELAY = 120;
let timer;

function changed() {
  clearTimeout(timer);
  timer = setTimeout(show, DELAY);
}

// What the modes evaluate: each returns the result, the explanation and a program for each attribute.

function expression(source, values) {
  const program = engine.compile(source);
  const { value, type, diagnostics } = program.evaluate(values);
  const failed = diagnostics.some(({ severity }) => severity === "error");
  return {
    result: failed ? undefined : `${shown(value)}\n\n# ${type}`,
    why: attempt(() => program.why(values)),
    programs: new Map([["the expression", program]]),
    diagnostics,
  };
}

function file(source, values) {
  const parsed = engine.parse(source, "text");
  const outcome = attempted(() => parsed.module().evaluate(values));
  return {
    result: outcome.error ? undefined : shown(outcome.value),
    programs: programsOf(parsed),
    diagnostics: distinct([...parsed.check(values), ...(outcome.error?.diagnostics ?? [])]),
    problem: outcome.error,
  };
}

function policy(source, values) {
  const parsed = engine.parse(source, "text");
  const rules = parsed.policy();
  const { diagnostics, ...decision } = rules.decide(values);
  return {
    result: shown(decision),
    why: attempt(() => rules.why(values)),
    programs: programsOf(parsed),
    diagnostics: distinct([...parsed.check(values), ...diagnostics]),
  };
}

const modes = { expression, file, policy };

/** Returns the programs of all attributes by their paths. */
function programsOf(parsed) {
  const programs = new Map();
  const visit = (body, path) => {
    for (const [name, value] of Object.entries(body)) {
      const here = [...path, name];
      const program = attempted(() => parsed.program(...here)).value;
      if (program) programs.set(here.join("."), program);
      else if (Array.isArray(value)) value.forEach((inner) => inner && typeof inner === "object" && visit(inner, here));
      else if (value && typeof value === "object") visit(value, here);
    }
  };
  visit(parsed.structure(), []);
  return programs;
}

function attempted(run) {
  try {
    return { value: run() };
  } catch (error) {
    if (!(error instanceof HclError)) throw error;
    return { error };
  }
}

/** Returns what `run` returns, or the message of its error. */
function attempt(run) {
  const { value, error } = attempted(run);
  return error ? error.message : value;
}

function distinct(diagnostics) {
  return [...new Map(diagnostics.map((one) => [JSON.stringify([one.code, one.range]), one])).values()];
}

/** Returns a value as text. */
function shown(value) {
  const plain = (_, value) => (typeof value === "bigint" ? JSON.rawJSON?.(String(value)) ?? `${value}` : value);
  const printable = (value) => {
    if (value instanceof Marked || value instanceof Unknown) return String(value);
    if (Array.isArray(value)) return value.map(printable);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, printable(inner)]));
  };
  return JSON.stringify(printable(value), plain, 2);
}

// What is shown.

const mode = () => document.querySelector("[name=mode]:checked").value;
let shownPrograms = new Map();

function show() {
  saveState();
  const values = scopeValues();
  const start = performance.now();
  const { value, error } = values.error ? values : attempted(() => modes[mode()](text.value, values.value));
  element("time").value = `${(performance.now() - start).toFixed(1)} ms`;
  const outcome = value ?? { programs: new Map(), diagnostics: error.diagnostics, problem: error };
  showDiagnostics(outcome, values.error);
  element("result").textContent = outcome.result ?? "";
  element("result").classList.toggle("none", outcome.result === undefined);
  if (outcome.result === undefined) element("result").textContent = "No result: see the diagnostics.";
  showPrograms(outcome);
}

function scopeValues() {
  try {
    const value = JSON.parse(scope.value || "{}");
    if (value === null || typeof value !== "object" || Array.isArray(value)) throw new SyntaxError("The scope is not an object");
    return { value };
  } catch (error) {
    return { error: new HclError(`The scope is not JSON: ${error.message}`) };
  }
}

function showDiagnostics({ diagnostics, problem }, wrongScope) {
  const list = element("diagnostics");
  const items = diagnostics.map(diagnosticItem);
  if (items.length === 0 && problem) items.push(item("error", "Error", (wrongScope ?? problem).message));
  const none = document.createElement("li");
  none.className = "none";
  none.textContent = "No problems.";
  list.replaceChildren(...(items.length > 0 ? items : [none]));
  element("count").textContent = items.length > 0 ? items.length : "";
  text.mark(
    diagnostics.flatMap(({ range, severity }) =>
      range ? [{ start: range.start.offset, end: range.end.offset, severity }] : [],
    ),
  );
}

function item(severity, title, detail) {
  const entry = document.createElement("li");
  const heading = document.createElement("strong");
  const paragraph = document.createElement("p");
  entry.className = severity;
  heading.textContent = title;
  paragraph.textContent = detail;
  entry.append(heading, paragraph);
  return entry;
}

function diagnosticItem({ severity, title, detail, range, fixes }) {
  const entry = item(severity, title, detail);
  if (range) {
    const { start, end } = range;
    entry.prepend(button(`${start.line}:${start.column}`, "place", () => text.select(start.offset, end.offset)));
  }
  for (const fix of fixes) {
    const { start, end } = fix.range;
    const label = fix.text === "" ? "Remove" : `Replace by ${fix.text}`;
    entry.append(button(label, "fix", () => text.replace(start.offset, end.offset, fix.text)));
  }
  return entry;
}

function button(label, name, onClick) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = name;
  made.textContent = label;
  made.addEventListener("click", onClick);
  return made;
}

/** Shows the explanation and the code of the chosen attribute. */
function showPrograms({ why, programs }) {
  const select = element("attribute");
  const chosen = select.value;
  for (const program of shownPrograms.values()) program.free();
  shownPrograms = programs;
  select.replaceChildren(...[...programs.keys()].map((name) => new Option(name, name)));
  if (programs.has(chosen)) select.value = chosen;
  select.dataset.why = why ?? "";
  showAttribute();
}

function showAttribute() {
  const select = element("attribute");
  const program = shownPrograms.get(select.value);
  const values = scopeValues().value;
  const why = select.dataset.why || (program && values && attempt(() => program.why(values)));
  element("why").textContent = why || "Nothing to explain.";
  element("code").replaceChildren(...(program ? tables(program.listing()) : []));
}

function tables({ registers, fast, baseline }) {
  const held = registers.map(({ register, variable }) => `r${register} = ${variable}`).join(", ");
  const title = `Fast tier, for plain values${held && `; ${held}`}`;
  return [[title, fast], ["Baseline tier", baseline]].filter(([, rows]) => rows.length > 0).map(([title, rows]) => {
    const table = document.createElement("table");
    table.className = "listing";
    table.createCaption().textContent = title;
    for (const { at, name, operands } of rows) {
      const row = table.insertRow();
      for (const cell of [at, name, operands]) row.insertCell().textContent = cell;
    }
    return table;
  });
}

function showTab(name) {
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const isShown = tab.getAttribute("aria-controls") === name;
    tab.ariaSelected = String(isShown);
    element(tab.getAttribute("aria-controls")).hidden = !isShown;
  }
  element("attribute-label").hidden = name === "result";
}

// The state, which is the fragment of the address: JSON in UTF-8 as base64 for addresses.

function saveState() {
  const bytes = new TextEncoder().encode(JSON.stringify([mode(), text.value, scope.value]));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const state = btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  history.replaceState(null, "", `#${state}`);
}

function loadState() {
  try {
    const binary = atob(location.hash.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    const [mode, source, values] = JSON.parse(new TextDecoder().decode(bytes));
    if (!(mode in modes)) return false;
    setState(mode, String(source), String(values));
    return true;
  } catch {
    return false;
  }
}

function setState(mode, source, values) {
  document.querySelector(`[name=mode][value=${mode}]`).checked = true;
  text.value = source;
  scope.value = values;
  show();
}

function loadExample(at) {
  const { mode, text, scope } = examples[at];
  setState(mode, text, JSON.stringify(scope, null, 2));
}

element("example").append(...examples.map(({ name }, at) => new Option(name, at)));
element("example").addEventListener("change", (event) => loadExample(event.target.value));
element("modes").addEventListener("change", show);
element("attribute").addEventListener("change", showAttribute);
element("format").addEventListener("click", () => {
  const { value, error } = attempted(() => engine.format(text.value));
  if (error) return;
  text.value = value;
  show();
});
element("share").addEventListener("click", async (event) => {
  saveState();
  await navigator.clipboard.writeText(location.href);
  event.target.textContent = "Copied";
  setTimeout(() => (event.target.textContent = "Copy link"), 1500);
});
element("theme").addEventListener("click", () => {
  const isDark = getComputedStyle(document.documentElement).colorScheme === "dark" ||
    (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = isDark ? "light" : "dark";
});
for (const tab of document.querySelectorAll("[role=tab]")) {
  tab.addEventListener("click", () => showTab(tab.getAttribute("aria-controls")));
}
addEventListener("hashchange", loadState);
showTab("result");
if (!loadState()) loadExample(0);
