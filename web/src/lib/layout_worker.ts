// Lays out a folded graph off the main thread.
import { Graph, layout } from "@dagrejs/dagre";
import { layered, type LayoutJob, type LayoutReply } from "./layered";
import { answer } from "./limited";

function fine({ nodes, edges }: LayoutJob): LayoutReply {
  const g = new Graph();
  g.setGraph({ rankdir: "TB", nodesep: 24, ranksep: 36, marginx: 16, marginy: 16 });
  g.setDefaultEdgeLabel(() => ({}));
  // By number: a node may be called constructor or __proto__, and the library keeps names as
  // members of an object.
  const ids = new Map(nodes.map((n, i) => [n.id, "n" + i]));
  const of = (id: string) => ids.get(id)!;
  for (const n of nodes) g.setNode(of(n.id), { width: n.width, height: n.height });
  for (const e of edges)
    g.setEdge(of(e.from), of(e.to), e.label ? { width: e.label, height: 14, labelpos: "c" } : {});
  layout(g);
  const info = g.graph() as { width?: number; height?: number };
  return {
    width: info.width ?? 0,
    height: info.height ?? 0,
    nodes: nodes.map((n) => {
      const at = g.node(of(n.id)) as { x: number; y: number };
      return { id: n.id, x: at.x, y: at.y };
    }),
    edges: edges.map(({ from, to }) => {
      const { points, x, y } = g.edge(of(from), of(to)) as {
        points: { x: number; y: number }[];
        x?: number;
        y?: number;
      };
      const middle = points[Math.floor(points.length / 2)];
      return { from, to, points, x: x ?? middle.x, y: y ?? middle.y };
    }),
  };
}

answer((job: LayoutJob) => (job.simple ? layered(job) : fine(job)));
