// A small seeded generator, so that every picture made from its data is the same every time.

export function random(seed) {
  let s = seed >>> 0;
  return () => {
    s = (s + 0x6d2b79f5) | 0;
    let t = Math.imul(s ^ (s >>> 15), 1 | s);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function normal(next) {
  return () => Math.sqrt(-2 * Math.log(next() + 1e-12)) * Math.cos(6.283185307179586 * next());
}

const adjectives =
  "bold calm dim eager fair glad hazy idle jolly keen lucid mild neat odd proud quiet rapid shy tidy vast warm young".split(
    " ",
  );
const animals =
  "fox owl elk cod bee ant bat cat dog eel fly gnu hen ibis jay kite lark mole newt orca pug ray".split(
    " ",
  );
export const nameOf = (i) =>
  `${adjectives[i % adjectives.length]}-${animals[Math.floor(i / 3 + i * 7) % animals.length]}${i >= 22 ? "-" + i : ""}`;
