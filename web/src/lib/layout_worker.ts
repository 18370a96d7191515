// Lays out a folded graph off the main thread.
import { Graph, layout } from "@dagrejs/dagre";

export interface LayoutJob {
  id: number;
  nodes: { id: string; width: number; height: number }[];
  edges: { from: string; to: string; label: number }[]; // room for the label, in pixels
}
export interface LayoutReply {
  id: number;
  width: number;
  height: number;
  nodes: { id: string; x: number; y: number }[];
  edges: { from: string; to: string; points: { x: number; y: number }[]; x: number; y: number }[]; // x, y: middle of the label
}

self.onmessage = (event: MessageEvent<LayoutJob>) => {
  const { id, nodes, edges } = event.data;
  const g = new Graph();
  g.setGraph({ rankdir: "TB", nodesep: 24, ranksep: 36, marginx: 16, marginy: 16 });
  g.setDefaultEdgeLabel(() => ({}));
  for (const n of nodes) g.setNode(n.id, { width: n.width, height: n.height });
  for (const e of edges) g.setEdge(e.from, e.to, e.label ? { width: e.label, height: 14, labelpos: "c" } : {});
  layout(g);
  const info = g.graph() as { width?: number; height?: number };
  const reply: LayoutReply = {
    id,
    width: info.width ?? 0,
    height: info.height ?? 0,
    nodes: nodes.map((n) => {
      const at = g.node(n.id) as { x: number; y: number };
      return { id: n.id, x: at.x, y: at.y };
    }),
    edges: edges.map(({ from, to }) => {
      const { points, x, y } = g.edge(from, to) as { points: { x: number; y: number }[]; x?: number; y?: number };
      const middle = points[Math.floor(points.length / 2)];
      return { from, to, points, x: x ?? middle.x, y: y ?? middle.y };
    }),
  };
  (self as unknown as Worker).postMessage(reply);
};
