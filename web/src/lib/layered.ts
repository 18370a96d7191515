// Places a graph of any size in layers, one pass, no recursion: for graphs that would keep the
// better layout busy for minutes.
export interface LayoutJob {
  nodes: { id: string; width: number; height: number }[];
  edges: { from: string; to: string; label: number }[]; // room for the label, in pixels
  simple: boolean; // in layers, at once, whatever its size
}
export interface LayoutReply {
  width: number;
  height: number;
  nodes: { id: string; x: number; y: number }[];
  // x, y: middle of the label
  edges: { from: string; to: string; points: { x: number; y: number }[]; x: number; y: number }[];
}

const gap = { x: 24, y: 48 };
/** Nodes in one row; wider layers go on in the next. */
const rowLimit = 40;

/**
 * The longest way to each node from one without inputs; what stands on a cycle comes after
 * everything else.
 */
function layersOf(count: number, edges: [number, number][]): Int32Array {
  const layer = new Int32Array(count);
  const open = new Int32Array(count); // inputs not placed yet
  const after: number[][] = Array.from({ length: count }, () => []);
  for (const [from, to] of edges) {
    after[from].push(to);
    open[to]++;
  }
  const queue: number[] = [];
  for (let i = 0; i < count; i++) if (open[i] === 0) queue.push(i);
  let deepest = 0;
  for (let at = 0; at < queue.length; at++) {
    const node = queue[at];
    deepest = Math.max(deepest, layer[node]);
    for (const next of after[node]) {
      layer[next] = Math.max(layer[next], layer[node] + 1);
      if (--open[next] === 0) queue.push(next);
    }
  }
  for (let i = 0; i < count; i++) if (open[i] > 0) layer[i] = deepest + 1;
  return layer;
}

export function layered({ nodes, edges }: Omit<LayoutJob, "simple">): LayoutReply {
  const place = new Map(nodes.map((n, i) => [n.id, i]));
  const pairs = edges.map(({ from, to }): [number, number] => [place.get(from)!, place.get(to)!]);
  const layer = layersOf(nodes.length, pairs);
  const rows: number[][] = [];
  const byLayer = new Map<number, number[]>();
  nodes.forEach((_, i) => byLayer.set(layer[i], [...(byLayer.get(layer[i]) ?? []), i]));
  for (const l of [...byLayer.keys()].sort((a, b) => a - b)) {
    const members = byLayer.get(l)!;
    for (let first = 0; first < members.length; first += rowLimit)
      rows.push(members.slice(first, first + rowLimit));
  }
  const widthOf = (row: number[]) => row.reduce((sum, i) => sum + nodes[i].width + gap.x, -gap.x);
  const width = rows.reduce((most, row) => Math.max(most, widthOf(row)), 0) + 32;
  const at: { x: number; y: number }[] = new Array(nodes.length);
  let y = 16;
  for (const row of rows) {
    const height = row.reduce((most, i) => Math.max(most, nodes[i].height), 0);
    let x = (width - widthOf(row)) / 2;
    for (const i of row) {
      at[i] = { x: x + nodes[i].width / 2, y: y + height / 2 };
      x += nodes[i].width + gap.x;
    }
    y += height + gap.y;
  }
  return {
    width,
    height: y - gap.y + 16,
    nodes: nodes.map((n, i) => ({ id: n.id, ...at[i] })),
    edges: edges.map(({ from, to }, e) => {
      const [a, b] = [at[pairs[e][0]], at[pairs[e][1]]];
      const points = [
        { x: a.x, y: a.y + nodes[pairs[e][0]].height / 2 },
        { x: b.x, y: b.y - nodes[pairs[e][1]].height / 2 },
      ];
      return { from, to, points, x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    }),
  };
}
