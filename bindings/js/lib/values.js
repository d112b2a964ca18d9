// The classes of values and errors, and what the WebAssembly module does with JavaScript's values. No part of the package's
// interface but the classes.

/** An error in a text, an evaluation or a value. */
export class HclError extends Error {
  constructor(message, report = message, diagnostics = []) {
    super(message);
    this.report = report;
    this.diagnostics = diagnostics;
  }

  get name() {
    return this.constructor.name;
  }
}

/** A text or an evaluation exceeds a limit of the engine. */
export class LimitError extends HclError {}

/** A secret or otherwise marked value. Only `reveal()` returns the content; no text has it. */
export class Marked {
  #content;

  constructor(content, ...marks) {
    this.#content = content;
    this.marks = marks.length > 0 ? marks : ["sensitive"];
  }

  reveal() {
    return this.#content;
  }

  toString() {
    return `Marked(${this.marks.join(", ")})`;
  }

  /** Throws: a marked value has no JSON. */
  toJSON() {
    throw new TypeError("a marked value has JSON only after reveal()");
  }

  /** Throws, so that no comparison or arithmetic uses a marked value by mistake. */
  [Symbol.toPrimitive](hint) {
    if (hint === "string") return this.toString();
    throw new TypeError("a marked value can be compared only after reveal()");
  }
}

/** A value that is not known yet, of a type. */
export class Unknown {
  constructor(type = "any") {
    this.type = type;
  }

  toString() {
    return `Unknown(${this.type})`;
  }

  /** Throws: an unknown value has no JSON. */
  toJSON() {
    throw new TypeError("an unknown value has no JSON");
  }

  /** Throws, so that no comparison or arithmetic uses an unknown value by mistake. */
  [Symbol.toPrimitive](hint) {
    if (hint === "string") return this.toString();
    throw new TypeError("an unknown value cannot be compared");
  }
}

/** A value that is converted to a type when it enters a scope. */
export class Typed {
  constructor(value, type) {
    this.value = value;
    this.type = type;
  }
}

export function createError(message, report, diagnostics, isLimit) {
  const kind = isLimit ? LimitError : HclError;
  return new kind(message, report, JSON.parse(diagnostics));
}

/** Returns the kind of a value: an index into the enum `Kind` of src/input.rs. */
export function kindOf(value) {
  switch (typeof value) {
    case "string":
      return 0;
    case "number":
      return 1;
    case "boolean":
      return value ? 2 : 3;
    case "bigint":
      return 4;
    case "object":
      return kindOfObject(value);
    default:
      return 12;
  }
}

function kindOfObject(value) {
  if (value === null) return 5;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return 6;
  if (Array.isArray(value)) return 7;
  if (value instanceof Marked) return 8;
  if (value instanceof Unknown) return 9;
  if (value instanceof Typed) return 10;
  if (value instanceof Map) return 11;
  // An object of another realm, such as a frame or a worker of node:vm, is plain if its prototype is the root.
  return Object.getPrototypeOf(prototype) === null ? 6 : 12;
}

/** Returns a property of the object itself, not of its prototype. */
export function ownProperty(object, name) {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets a property, also one whose name is that of an accessor. */
export function setProperty(object, name, value) {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
  } else {
    object[name] = value;
  }
}
