/**
 * HCL expressions and files, compiled to bytecode and evaluated.
 *
 * Values are `null`, booleans, numbers, strings, arrays and plain objects. A whole number beyond `Number.MAX_SAFE_INTEGER`
 * is a `bigint`; any other number is the nearest double.
 */

/** Variables by their names. Those that an expression does not read are ignored; `undefined` is no value. */
export type Variables = Record<string, unknown>;

/** A position in a text. */
export interface Position {
  /** From 1. */
  line: number;
  /** From 1, in characters as people see them. */
  column: number;
  /** From 0, in the text as UTF-8. */
  byte: number;
  /** From 0, an index of the JavaScript string. */
  offset: number;
}

/** A range of a text. */
export interface Range {
  filename: string;
  start: Position;
  /** The position after the last character. */
  end: Position;
}

/** A change to the text that would solve a problem: `text` in place of `range`. */
export interface Fix {
  range: Range;
  text: string;
}

/** An error or a warning about a text. */
export interface Diagnostic {
  severity: "error" | "warning";
  code: string;
  title: string;
  detail: string;
  range: Range | null;
  fixes: Fix[];
}

/** An error in a text, an evaluation or a value. What a host function threw is its `cause`. */
export class HclError extends Error {
  readonly diagnostics: Diagnostic[];
  /** All diagnostics with their source lines. */
  readonly report: string;
}

/** A text or an evaluation exceeds a limit of the engine. */
export class LimitError extends HclError {}

/** A secret or otherwise marked value. Its comparison, arithmetic and JSON throw; only `reveal()` returns the content. */
export class Marked {
  constructor(content: unknown, ...marks: string[]);
  readonly marks: string[];
  reveal(): unknown;
  toString(): string;
}

/** A value that is not known yet, of a type such as `list(string)`. Its comparison, arithmetic and JSON throw. */
export class Unknown {
  constructor(type?: string);
  readonly type: string;
  toString(): string;
}

/** A value that is converted to a type: `new Typed(["a"], "set(string)")`, `new Typed("0.10000000000000000001", "number")`. */
export class Typed {
  constructor(value: unknown, type: string);
  readonly value: unknown;
  readonly type: string;
}

/** A function that expressions call. An `undefined` result is null. */
export type HostFunction = (...args: any[]) => unknown;

export interface EngineOptions {
  /** The dialect: `default`, `standard`, `packer`, `nomad`, `terraform` and others. */
  dialect?: string;
  /** Functions by their names. As many arguments are required as a function has parameters without a default. */
  functions?: Record<string, HostFunction>;
  /** What a variable without a value is. `error` by default. */
  undefined?: "error" | "unknown";
  /** True for the limits of texts that the host trusts. */
  trusted?: boolean;
}

/** The language, its functions and limits. Immutable. */
export class Engine {
  constructor(options?: EngineOptions);
  /** Evaluates an expression once. To evaluate it more often, keep the program of `compile`. */
  evaluate(text: string, values?: Variables): unknown;
  /** Compiles an expression. */
  compile(text: string): Program;
  /** Compiles a template, such as `Hello ${name}`. */
  compileTemplate(text: string): Program;
  /** Parses a file's text. */
  parse(text: string, name?: string): Document;
  /** Parses a file's text in the JSON syntax of HCL. */
  parseJson(text: string, name?: string): Document;
  /** Formats a file's text. */
  format(text: string, name?: string): string;
  free(): void;
}

/** The result of `Program.evaluate`. */
export interface Evaluation {
  /** The value, which is partial if there are errors. */
  value: unknown;
  /** Its type, as a type constraint. */
  type: string;
  /** Its JSON with exact numbers; `undefined` if it contains a marked or unknown value. */
  json: string | undefined;
  diagnostics: Diagnostic[];
}

/** An instruction. */
export interface Instruction {
  at: number;
  name: string;
  operands: string;
}

/** The code of a program. */
export interface Listing {
  /** The variables that are in registers when the fast tier's code begins. */
  registers: { register: number; variable: string }[];
  fast: Instruction[];
  baseline: Instruction[];
}

/** A compiled expression. Immutable. */
export class Program {
  private constructor();
  /** Evaluates the expression. Throws `HclError` if it fails. */
  run(values?: Variables | Scope): unknown;
  /** Evaluates the expression, with its exact type, and with diagnostics instead of an exception. */
  evaluate(values?: Variables | Scope): Evaluation;
  /** Explains which conditions decide the result. */
  why(values?: Variables | Scope): string;
  /** Returns a scope for values that stay from one run to the next. */
  scope(): Scope;
  listing(): Listing;
  readonly variables: string[];
  free(): void;
}

/**
 * Values of variables that stay from one evaluation to the next. A scope takes in only the parts of a value that the
 * programs read for which it was made.
 */
export class Scope {
  private constructor();
  set(name: string, value: unknown): void;
  delete(name: string): void;
  has(name: string): boolean;
  /** Sets variables. Those that no program reads are ignored. */
  update(values: Variables): void;
  /** Sets a variable to the value of a JSON text, with exact numbers. */
  setJson(name: string, text: string): void;
  /** Sets the variables that are members of a JSON object. Those that no program reads are ignored. */
  updateJson(text: string): void;
  /** Makes all variables without a value unknown. */
  setRestUnknown(): void;
  /** Returns a scope with the same values, which may then differ. No value is copied. */
  fork(): Scope;
  free(): void;
}

/** How the blocks of a file are a policy. */
export interface PolicyOptions {
  /** The type of the blocks; `rule` by default. */
  kind?: string;
  /** The attribute with the condition; `when` by default. */
  condition?: string;
  /** The attribute with the effect; `effect` by default. */
  effect?: string;
  /** The attribute with the reason; `reason` by default. */
  reason?: string;
  /** The effects that rules may have; `allow` and `deny` by default. */
  effects?: string[];
  /** The effect if no rule applies; `deny` by default. */
  defaultEffect?: string;
  /** The effect that decides over all others. Without it, the first rule that applies decides. */
  overrides?: string;
  /** Whether attributes that rules do not have are ignored. */
  lenient?: boolean;
}

/** A decision. */
export interface Decision {
  effect: string;
  cause: "rule" | "no_rule" | "undecided";
  /** The first label of the rule that decided. */
  rule?: string;
  /** The reason of the rule, if it is a text that is not marked. */
  reason?: string;
  /** What the host has to do, with the name of each rule. */
  obligations: [rule: string | undefined, value: unknown][];
  diagnostics: Diagnostic[];
}

/** The rules of a file as a policy. Immutable. */
export class Policy {
  private constructor();
  decide(values?: Variables | Scope): Decision;
  /** Explains which rule decides and why. */
  why(values?: Variables | Scope): string;
  /** Returns a scope for values that stay from one decision to the next. */
  scope(): Scope;
  /** The number of rules. */
  readonly size: number;
  free(): void;
}

/** A body: values by attribute, and arrays of bodies by block type and labels. */
export type Body = { [name: string]: any };

/** A file that is evaluated as a whole, with its locals and dynamic blocks. Immutable. */
export class Module {
  private constructor();
  evaluate(values?: Variables | Scope): Body;
  /** Returns the module with the values of some variables built in. */
  specialize(values: Variables): Module;
  /** Returns a scope for values that stay from one evaluation to the next. */
  scope(): Scope;
  readonly variables: string[];
  free(): void;
}

/** A parsed file. Immutable. */
export class Document {
  private constructor();
  /** Returns the program of an attribute: `program("port")`, or `program("service", "web", "port")` of one in a block. */
  program(...path: [string, ...string[]]): Program;
  /** Returns the file as a whole. */
  module(): Module;
  /** Returns the rules of the file. */
  policy(options?: PolicyOptions): Policy;
  /** Checks the file without evaluating it. With samples of the variables, also their names and attributes. */
  check(samples?: Variables, lints?: boolean): Diagnostic[];
  /** Returns the structure without evaluation. */
  structure(): Body;
  /** Returns the document of a new text. Expressions that did not change are not compiled again. */
  update(text: string): Document;
  /** The names of the attributes outside of blocks. */
  readonly attributes: string[];
  readonly name: string;
  free(): void;
}

/** Evaluates an expression once. To evaluate it more often, keep the program of `Engine.compile`. */
export function evaluate(text: string, values?: Variables, options?: { dialect?: string }): unknown;

/**
 * Returns the content of a file's text. Blocks are arrays below their type and labels, as in hcl2json.
 *
 * Without a scope nothing is evaluated: literals are values, other expressions are texts in `${…}`. With a scope, which may
 * be empty, the file is evaluated with its locals and dynamic blocks. A name that ends in `.json` is in HCL's JSON syntax.
 */
export function parse(text: string, options?: { name?: string; dialect?: string; scope?: Variables }): Body;

/** Returns the problems of a file's text, also syntax errors, without evaluating it. */
export function check(
  text: string,
  options?: { name?: string; dialect?: string; samples?: Variables; lints?: boolean },
): Diagnostic[];

/** Formats a file's text. */
export function format(text: string, options?: { name?: string }): string;

/** Explains which conditions of an expression decide its result. */
export function why(text: string, values?: Variables, options?: { dialect?: string }): string;
