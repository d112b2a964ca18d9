// A text area with line numbers, highlighting and marks of diagnostics below it.

const TOKENS = [
  ["comment", /#[^\n]*|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/y],
  ["string", /"(?:\\.|\$\{[^}\n]*\}|[^"\\\n])*"?|<<-?(\w+)\n[^]*?(?:\n\s*\1\b|$)/y],
  ["number", /\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/y],
  ["keyword", /\b(?:true|false|null|for|in|if|else|endif|endfor|dynamic|locals|local)\b/y],
  ["function", /[A-Za-z_][\w-]*(?:::[\w-]+)*(?=\()/y],
  ["", /[A-Za-z_][\w-]*/y],
];

/** Returns the classes of highlighting as a list of [start, end, class]. */
function tokens(text) {
  const found = [];
  for (let at = 0; at < text.length; ) {
    const [name, length] = tokenAt(text, at);
    if (name) found.push([at, at + length, name]);
    at += length;
  }
  return found;
}

function tokenAt(text, at) {
  for (const [name, pattern] of TOKENS) {
    pattern.lastIndex = at;
    const length = pattern.exec(text)?.[0].length;
    if (length) return [name, length];
  }
  return ["", 1];
}

export class Editor {
  #area = document.createElement("textarea");
  #below = document.createElement("pre");
  #gutter = document.createElement("pre");
  #marks = [];

  constructor(element, label, onInput) {
    this.#area.spellcheck = false;
    this.#area.autocapitalize = "off";
    this.#area.setAttribute("aria-label", label);
    this.#below.ariaHidden = this.#gutter.ariaHidden = "true";
    this.#gutter.className = "gutter";
    element.append(this.#below, this.#area, this.#gutter);
    this.#area.addEventListener("input", () => {
      this.#marks = [];
      this.#draw();
      onInput();
    });
    this.#area.addEventListener("scroll", () => this.#scroll());
    this.#area.addEventListener("keydown", (event) => this.#indent(event));
  }

  get value() {
    return this.#area.value;
  }

  set value(text) {
    this.#area.value = text;
    this.#marks = [];
    this.#draw();
  }

  /** Marks ranges of the text: a list of {start, end, severity}. */
  mark(marks) {
    this.#marks = marks;
    this.#draw();
  }

  /** Replaces a range of the text, as if it were typed, so that it can be undone. */
  replace(start, end, text) {
    this.select(start, end);
    document.execCommand("insertText", false, text);
  }

  select(start, end) {
    this.#area.focus();
    this.#area.setSelectionRange(start, end);
  }

  /** Inserts two spaces for a tab. Escape leaves the editor, so that the keyboard can. */
  #indent(event) {
    if (event.key === "Escape") this.#area.blur();
    if (event.key !== "Tab" || event.shiftKey) return;
    event.preventDefault();
    document.execCommand("insertText", false, "  ");
  }

  #scroll() {
    this.#below.scrollTop = this.#gutter.scrollTop = this.#area.scrollTop;
    this.#below.scrollLeft = this.#area.scrollLeft;
  }

  #draw() {
    const text = this.#area.value;
    const ranges = tokens(text);
    for (const { start, end, severity } of this.#marks) {
      ranges.push([start, Math.max(end, start + 1), `${severity}-mark`]);
    }
    this.#below.replaceChildren(...spans(`${text}\n`, ranges));
    const lines = text.split("\n").length;
    this.#gutter.textContent = `${Array.from({ length: lines }, (_, at) => at + 1).join("\n")}\n`;
    this.#scroll();
  }
}

/** Returns nodes for a text, in which ranges, which may overlap, have classes. */
function spans(text, ranges) {
  const ends = ranges.flatMap(([start, end]) => [start, end]).filter((at) => at <= text.length);
  const cuts = [...new Set([0, ...ends, text.length])].sort((a, b) => a - b);
  const sorted = ranges.toSorted((a, b) => a[0] - b[0]);
  const open = new Set();
  let next = 0;
  return cuts.slice(0, -1).map((start, at) => {
    for (; next < sorted.length && sorted[next][0] <= start; next++) open.add(sorted[next]);
    for (const range of open) if (range[1] <= start) open.delete(range);
    const part = text.slice(start, cuts[at + 1]);
    if (open.size === 0) return document.createTextNode(part);
    const span = document.createElement("span");
    span.className = [...open].map(([, , name]) => name).join(" ");
    span.textContent = part;
    return span;
  });
}
