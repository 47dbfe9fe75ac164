import dagre from '@dagrejs/dagre';
import type { Automaton } from '../protocol/messages';

export interface Placed {
  width: number;
  height: number;
  nodes: { name: string; x: number; y: number; width: number; height: number }[];
  edges: { index: number; path: string; label: string; x: number; y: number }[];
}

const letter = 7; // px a letter of 12 px takes, generously
const rowHeight = 30;

/** Places the locations in layers along the transitions: from left to right, or downwards where that is too wide. */
export function place(automaton: Automaton, widest: number): Placed {
  const across = layered(automaton, 'LR');
  return across.width <= widest ? across : layered(automaton, 'TB');
}

function layered(automaton: Automaton, rankdir: 'LR' | 'TB'): Placed {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir, nodesep: 26, ranksep: rankdir === 'LR' ? 40 : 26, edgesep: 14, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const l of automaton.locations) graph.setNode(l.name, { width: Math.max(56, letter * l.name.length + 22), height: rowHeight });
  automaton.transitions.forEach((t, k) => {
    const label = (t.label ?? t.name).slice(0, 28);
    graph.setEdge(t.from, t.to, { width: 6.2 * label.length + 4, height: 14, labelpos: 'c', label }, String(k));
  });
  dagre.layout(graph);
  const size = graph.graph();
  return {
    width: size.width ?? 0,
    height: size.height ?? 0,
    nodes: automaton.locations.map((l) => {
      const n = graph.node(l.name);
      return { name: l.name, x: n.x, y: n.y, width: n.width, height: n.height };
    }),
    edges: graph.edges().map((e) => {
      const edge = graph.edge(e) as unknown as { points: { x: number; y: number }[]; x: number; y: number; label: string };
      return { index: Number(e.name), path: smooth(edge.points), label: edge.label, x: edge.x, y: edge.y };
    }),
  };
}

/** A curve through the middles between points, from the first to the last. */
function smooth(points: { x: number; y: number }[]): string {
  const at = (p: { x: number; y: number }) => `${p.x.toFixed(1)} ${p.y.toFixed(1)}`;
  const middle = (a: { x: number; y: number }, b: { x: number; y: number }) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
  if (points.length < 3) return `M${points.map(at).join('L')}`;
  let path = `M${at(points[0])}`;
  for (let k = 1; k < points.length - 1; ++k) {
    const end = k === points.length - 2 ? points[k + 1] : middle(points[k], points[k + 1]);
    path += `Q${at(points[k])} ${at(end)}`;
  }
  return path;
}
