// Regular expressions whose cost is bound by the length of the pattern times that of the text:
// every way a pattern can match is followed at once, so that nothing a person types, or an address
// carries, keeps the page busy. The browser's own engine tries one way after the other, and (a+)+$
// has more ways than there is time.
//
// Known: literals, . [ ] ( ) (?: ) | * + ? {n,m}, ^ $ \b \B, \d \w \s and their opposites. Case
// does not count. Unknown, because they cannot be bound: back references, and what looks ahead or
// behind.

type Test = (code: number) => boolean;
type Step =
  | { op: "take"; test: Test }
  | { op: "split"; a: number; b: number }
  | { op: "jump"; to: number }
  | { op: "at"; place: "start" | "end" | "edge" | "inside" }
  | { op: "match" };

/** Steps of the largest pattern; {n,m} repeats what stands before it. */
const longest = 2000;

const isDigit: Test = (c) => c >= 48 && c <= 57;
const isWord: Test = (c) => isDigit(c) || (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || c === 95;
const isSpace: Test = (c) =>
  c === 32 || (c >= 9 && c <= 13) || c === 0xa0 || c === 0x2028 || c === 0x2029 || c === 0xfeff;
const not =
  (test: Test): Test =>
  (c) =>
    !test(c);
const classes: Record<string, Test> = {
  d: isDigit,
  w: isWord,
  s: isSpace,
  D: not(isDigit),
  W: not(isWord),
  S: not(isSpace),
};
const controls: Record<string, string> = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v", 0: "\0" };

/** Reads a pattern, already in lower case apart from its escapes, into steps. */
class Reader {
  private at = 0;
  private readonly steps: Step[] = [];

  constructor(private readonly text: string) {}

  read(): Step[] {
    this.alternatives();
    if (this.at < this.text.length) throw new Error(`unmatched ${this.text[this.at]}`);
    this.add({ op: "match" });
    return this.steps;
  }

  private add(step: Step): number {
    if (this.steps.length >= longest) throw new Error("the pattern is too long");
    return this.steps.push(step) - 1;
  }

  private alternatives(): void {
    const begin = this.steps.length;
    this.sequence();
    if (this.text[this.at] !== "|") return;
    this.at++;
    // What was read becomes the first branch.
    this.insert(begin, { op: "split", a: begin + 1, b: 0 });
    const jump = this.add({ op: "jump", to: 0 });
    (this.steps[begin] as { b: number }).b = this.steps.length;
    this.alternatives();
    (this.steps[jump] as { to: number }).to = this.steps.length;
  }

  private sequence(): void {
    while (this.at < this.text.length && this.text[this.at] !== "|" && this.text[this.at] !== ")") {
      const begin = this.steps.length;
      this.atom();
      this.quantifier(begin);
    }
  }

  /** Puts a step before others and moves what they point to. */
  private insert(place: number, step: Step): void {
    this.add({ op: "match" });
    this.steps.pop();
    for (const other of this.steps.slice(place)) shift(other, 1);
    this.steps.splice(place, 0, step);
  }

  private atom(): void {
    const c = this.text[this.at++];
    if (c === "(") return this.group();
    if (c === "[") return void this.add({ op: "take", test: this.set() });
    if (c === ".") return void this.add({ op: "take", test: (code) => code !== 10 && code !== 13 });
    if (c === "^") return void this.add({ op: "at", place: "start" });
    if (c === "$") return void this.add({ op: "at", place: "end" });
    if (c === "*" || c === "+" || c === "?") throw new Error(`nothing to repeat before ${c}`);
    if (c === "\\") return this.escape();
    const code = c.toLowerCase().charCodeAt(0);
    this.add({ op: "take", test: (other) => other === code });
  }

  private group(): void {
    if (this.text[this.at] === "?") {
      if (this.text[this.at + 1] !== ":") throw new Error("(? is only known as (?:");
      this.at += 2;
    }
    this.alternatives();
    if (this.text[this.at++] !== ")") throw new Error("a ( is not closed");
  }

  private escape(): void {
    const c = this.text[this.at++];
    if (c === undefined) throw new Error("a \\ at the end");
    if (c === "b" || c === "B")
      return void this.add({ op: "at", place: c === "b" ? "edge" : "inside" });
    if (/[1-9k]/.test(c)) throw new Error("back references are not known");
    if (classes[c]) return void this.add({ op: "take", test: classes[c] });
    const code = (controls[c] ?? c.toLowerCase()).charCodeAt(0);
    this.add({ op: "take", test: (other) => other === code });
  }

  private set(): Test {
    const negated = this.text[this.at] === "^";
    if (negated) this.at++;
    const tests: Test[] = [];
    for (;;) {
      const c = this.text[this.at++];
      if (c === undefined) throw new Error("a [ is not closed");
      if (c === "]") break;
      const escaped = c === "\\" ? this.text[this.at++] : undefined;
      if (escaped !== undefined && classes[escaped]) {
        tests.push(classes[escaped]);
        continue;
      }
      const low = (escaped === undefined ? c : (controls[escaped] ?? escaped))
        .toLowerCase()
        .charCodeAt(0);
      let high = low;
      if (
        this.text[this.at] === "-" &&
        this.text[this.at + 1] !== "]" &&
        this.at + 1 < this.text.length
      ) {
        high = this.text[this.at + 1].toLowerCase().charCodeAt(0);
        this.at += 2;
        if (high < low) throw new Error("a range in [ ] is out of order");
      }
      tests.push((code) => code >= low && code <= high);
    }
    const any: Test = (code) => tests.some((test) => test(code));
    return negated ? not(any) : any;
  }

  private quantifier(begin: number): void {
    const c = this.text[this.at];
    let [least, most] = [1, 1];
    const counted = c === "{" ? /^\{(\d+)(,(\d*))?\}/.exec(this.text.slice(this.at)) : null;
    if (c === "*") [least, most] = [0, Infinity];
    else if (c === "+") [least, most] = [1, Infinity];
    else if (c === "?") [least, most] = [0, 1];
    else if (counted) {
      least = Number(counted[1]);
      most = counted[2] === undefined ? least : counted[3] ? Number(counted[3]) : Infinity;
      if (most < least) throw new Error("{n,m} is out of order");
    } else return;
    this.at += counted ? counted[0].length : 1;
    if (this.text[this.at] === "?") this.at++; // as little as possible: the same answer to "does it match?"
    this.repeat(begin, least, most);
  }

  private repeat(begin: number, least: number, most: number): void {
    if (least > longest) throw new Error("the pattern is too long");
    const body = this.steps.splice(begin);
    const copy = () => {
      const by = this.steps.length - begin;
      for (const step of body) {
        const moved = { ...step };
        shift(moved, by);
        this.add(moved);
      }
    };
    for (let i = 0; i < least; i++) copy();
    if (most === Infinity) {
      const split = this.add({ op: "split", a: this.steps.length + 1, b: 0 });
      copy();
      this.add({ op: "jump", to: split });
      (this.steps[split] as { b: number }).b = this.steps.length;
      return;
    }
    const splits: number[] = [];
    for (let i = least; i < most; i++) {
      splits.push(this.add({ op: "split", a: this.steps.length + 1, b: 0 }));
      copy();
    }
    for (const split of splits) (this.steps[split] as { b: number }).b = this.steps.length;
  }
}

function shift(step: Step, by: number): void {
  if (step.op === "split") {
    step.a += by;
    step.b += by;
  } else if (step.op === "jump") step.to += by;
}

/** The steps that are open at one place of the text. */
class Threads {
  readonly list: number[] = [];
  private readonly seen: Uint32Array;
  private turn = 0;

  constructor(private readonly steps: Step[]) {
    this.seen = new Uint32Array(steps.length);
  }

  clear(): void {
    this.list.length = 0;
    this.turn++;
  }

  /**
   * Opens a step and all it leads to without taking a character; true at the end of the pattern.
   */
  open(first: number, text: string, at: number): boolean {
    const waiting = [first];
    let ended = false;
    while (waiting.length) {
      const i = waiting.pop()!;
      if (this.seen[i] === this.turn) continue;
      this.seen[i] = this.turn;
      const step = this.steps[i];
      if (step.op === "match") ended = true;
      else if (step.op === "take") this.list.push(i);
      else if (step.op === "jump") waiting.push(step.to);
      else if (step.op === "split") waiting.push(step.a, step.b);
      else if (holds(step.place, text, at)) waiting.push(i + 1);
    }
    return ended;
  }
}

function holds(place: "start" | "end" | "edge" | "inside", text: string, at: number): boolean {
  if (place === "start") return at === 0;
  if (place === "end") return at === text.length;
  const edge =
    (at > 0 && isWord(text.charCodeAt(at - 1))) !==
    (at < text.length && isWord(text.charCodeAt(at)));
  return edge === (place === "edge");
}

/**
 * Whether the pattern matches anywhere in a text. Throws on a pattern that is broken or not known.
 */
export function pattern(source: string): (text: string) => boolean {
  const steps = new Reader(source).read();
  let now = new Threads(steps);
  let next = new Threads(steps);
  return (value) => {
    const text = value.toLowerCase();
    now.clear();
    for (let at = 0; ; at++) {
      if (now.open(0, text, at)) return true;
      if (at === text.length) return false;
      const code = text.charCodeAt(at);
      next.clear();
      for (const i of now.list) {
        if ((steps[i] as { test: Test }).test(code) && next.open(i + 1, text, at + 1)) return true;
      }
      [now, next] = [next, now];
    }
  };
}

/** Names are cut here before they are searched for a piece: its cost grows with their square. */
const longestName = 200;

/**
 * The first piece of a text that the pattern matches, as long as it can be; null where there is
 * none. A pattern that is broken or not known is plain text.
 */
export function pieceMatcher(source: string): (text: string) => string | null {
  let steps: Step[];
  try {
    steps = new Reader(source).read();
  } catch {
    const plain = source.toLowerCase();
    return (value) => (value.toLowerCase().includes(plain) ? source : null);
  }
  let now = new Threads(steps);
  let next = new Threads(steps);
  return (value) => {
    const text = value.slice(0, longestName).toLowerCase();
    for (let from = 0; from < text.length; from++) {
      let end = -1;
      now.clear();
      if (now.open(0, text, from)) end = from;
      for (let at = from; at < text.length && now.list.length; at++) {
        const code = text.charCodeAt(at);
        next.clear();
        let over = false;
        for (const i of now.list)
          if ((steps[i] as { test: Test }).test(code) && next.open(i + 1, text, at + 1))
            over = true;
        if (over) end = at + 1;
        [now, next] = [next, now];
      }
      if (end > from) return value.slice(from, end);
    }
    return null;
  };
}

/**
 * Text or regular expression on name, group and tags. An expression that is broken or not known
 * counts as plain text.
 */
export function textMatcher(text: string): (value: string) => boolean {
  if (!text) return () => true;
  try {
    return pattern(text);
  } catch {
    const plain = text.toLowerCase();
    return (value) => value.toLowerCase().includes(plain);
  }
}
