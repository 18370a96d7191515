// A small stand-in for the run filter language: comparisons, tag:x, state:x, name~text, and, or, not, parentheses.

class FilterError extends Error {
  constructor(message, offset) {
    super(message);
    this.offset = offset;
  }
}

export function parseFilter(text) {
  const tokens = [];
  const pattern = /\s*(?:(\(|\)|<=|>=|!=|==|=|<|>|~|:)|"([^"]*)"|([^\s()<>=!~:"]+))/y;
  let at = 0;
  while (at < text.length && text.slice(at).trim()) {
    pattern.lastIndex = at;
    const m = pattern.exec(text);
    if (!m) throw new FilterError(`cannot read ${JSON.stringify(text.slice(at).trim())}`, at);
    tokens.push({ op: m[1], text: m[2] ?? m[3], at: pattern.lastIndex - m[0].trimStart().length });
    at = pattern.lastIndex;
  }
  let i = 0;
  const word = (w) => tokens[i]?.text?.toLowerCase() === w;
  const fail = (what) => {
    throw new FilterError(`expected ${what}`, tokens[i]?.at ?? text.length);
  };
  function either() {
    let left = both();
    while (word("or")) {
      i++;
      const a = left, b = both();
      left = (get) => a(get) || b(get);
    }
    return left;
  }
  function both() {
    let left = single();
    while (word("and")) {
      i++;
      const a = left, b = single();
      left = (get) => a(get) && b(get);
    }
    return left;
  }
  function single() {
    if (word("not")) {
      i++;
      const a = single();
      return (get) => !a(get);
    }
    if (tokens[i]?.op === "(") {
      i++;
      const inner = either();
      if (tokens[i]?.op !== ")") fail("a closing parenthesis");
      i++;
      return inner;
    }
    const name = tokens[i]?.text;
    if (name === undefined) fail("a name such as lr, tag or val/loss");
    i++;
    const op = tokens[i]?.op;
    if (!op || op === "(" || op === ")") fail("a comparison such as < or : after " + name);
    i++;
    const value = tokens[i]?.text;
    if (value === undefined) fail("a value");
    i++;
    const number = Number(value);
    return (get) => {
      const have = get(name);
      if (Array.isArray(have)) return have.includes(value) !== (op === "!=");
      if (have === null || have === undefined) return false;
      if (op === "~") return String(have).toLowerCase().includes(value.toLowerCase());
      const numeric = typeof have === "number" && !Number.isNaN(number);
      const c = numeric ? have - number : String(have) < value ? -1 : String(have) > value ? 1 : 0;
      return { "<": c < 0, ">": c > 0, "<=": c <= 0, ">=": c >= 0, "=": c === 0, "==": c === 0, ":": c === 0, "!=": c !== 0 }[op];
    };
  }
  if (tokens.length === 0) return () => true;
  const result = either();
  if (i < tokens.length) fail("and, or, or the end");
  return result;
}
