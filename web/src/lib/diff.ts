// Line differences of two texts (Myers' greedy algorithm), for code and packages.

export interface DiffLine {
  kind: " " | "-" | "+";
  text: string;
}

export function diffLines(a: string[], b: string[], limit = 4000): DiffLine[] {
  if (a.length + b.length > limit) {
    return [
      ...a.map((text): DiffLine => ({ kind: "-", text })),
      ...b.map((text): DiffLine => ({ kind: "+", text })),
    ];
  }
  const n = a.length;
  const m = b.length;
  const offset = n + m;
  let v: Int32Array = new Int32Array(2 * offset + 2);
  const trace: Int32Array[] = [];
  outer: for (let d = 0; d <= offset; d++) {
    trace.push(v.slice());
    for (let k = -d; k <= d; k += 2) {
      let x =
        k === -d || (k !== d && v[offset + k - 1] < v[offset + k + 1])
          ? v[offset + k + 1]
          : v[offset + k - 1] + 1;
      let y = x - k;
      while (x < n && y < m && a[x] === b[y]) {
        x++;
        y++;
      }
      v[offset + k] = x;
      if (x >= n && y >= m) break outer;
    }
  }
  const out: DiffLine[] = [];
  let x = n;
  let y = m;
  for (let d = trace.length - 1; d >= 0; d--) {
    v = trace[d];
    const k = x - y;
    const previous = k === -d || (k !== d && v[offset + k - 1] < v[offset + k + 1]) ? k + 1 : k - 1;
    const px = d === 0 ? 0 : v[offset + previous];
    const py = d === 0 ? 0 : px - previous;
    while (x > px && y > py) {
      out.push({ kind: " ", text: a[--x] });
      y--;
    }
    if (d === 0) break;
    if (x > px) out.push({ kind: "-", text: a[--x] });
    else if (y > py) out.push({ kind: "+", text: b[--y] });
  }
  return out.reverse();
}
