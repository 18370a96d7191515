// A computation graph folded by the `/` in its names: closed groups stand for everything inside
// them.
import type { GraphNode } from "../api/types";

export interface FoldedNode {
  id: string; // node name, or group path
  label: string;
  group: boolean;
  members: number;
  parameters: number;
  op: string;
  depth: number;
  device: string;
}

export interface FoldedEdge {
  from: string;
  to: string;
  shape: string;
  count: number;
}

export interface Folded {
  nodes: FoldedNode[];
  edges: FoldedEdge[];
}

/** Every group path of a graph, outermost first. */
export function groupsOf(nodes: GraphNode[]): string[] {
  const groups = new Set<string>();
  for (const n of nodes) {
    const parts = n.name.split("/");
    for (let i = 1; i < parts.length; i++) groups.add(parts.slice(0, i).join("/"));
  }
  return [...groups].sort();
}

export function fold(nodes: GraphNode[], open: Set<string>): Folded {
  const shownAs = (name: string): string => {
    const parts = name.split("/");
    for (let i = 1; i < parts.length; i++) {
      const group = parts.slice(0, i).join("/");
      if (!open.has(group)) return group;
    }
    return name;
  };
  const out = new Map<string, FoldedNode>();
  const place = new Map<string, string>();
  const shapes = new Map<string, string>();
  for (const n of nodes) {
    const id = shownAs(n.name);
    place.set(n.name, id);
    shapes.set(n.name, n.shape.length ? n.shape.join("×") : "");
    const group = id !== n.name;
    const held = out.get(id) ?? {
      id,
      label: id.slice(id.lastIndexOf("/") + 1),
      group,
      members: 0,
      parameters: 0,
      op: group ? "" : n.op,
      depth: id.split("/").length - 1,
      device: n.device,
    };
    held.members++;
    held.parameters += n.parameters;
    out.set(id, held);
  }
  const edges = new Map<string, FoldedEdge>();
  for (const n of nodes) {
    const to = place.get(n.name)!;
    for (const input of n.inputs) {
      const source = input.replace(/^\^/, "").replace(/:\d+$/, "");
      const from = place.get(source);
      if (!from || from === to) continue;
      const key = from + "\n" + to;
      const edge = edges.get(key) ?? { from, to, shape: shapes.get(source) ?? "", count: 0 };
      edge.count++;
      edges.set(key, edge);
    }
  }
  return { nodes: [...out.values()], edges: [...edges.values()] };
}
