// Where nodes of a graph are: laid out, or where somebody moved them. That is remembered by the browser, never by the document.
import dagre from '@dagrejs/dagre';

export interface Point {
  x: number;
  y: number;
}

export interface Box {
  id: string;
  width: number;
  height: number;
}

export interface Link {
  from: string;
  to: string;
}

/** Left to right along the links; a long graph is broken into rows, so that it fills an area of the given aspect (width over height). */
export function laidOut(boxes: Box[], links: Link[], gap = 64, aspect = Infinity): Map<string, Point> {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 24, ranksep: gap, marginx: 10, marginy: 10 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const box of boxes) graph.setNode(box.id, { width: box.width, height: box.height });
  // one for all connections of a pair: several make the layout slow and do not change it
  for (const link of links) if (link.from !== link.to && graph.hasNode(link.from) && graph.hasNode(link.to)) graph.setEdge(link.from, link.to);
  try {
    dagre.layout(graph);
  } catch {
    return inRows(boxes); // dagre gives up where a point of an edge is exactly in the middle of a node
  }
  const columns = new Map<number, Placed[]>();
  for (const box of boxes) {
    const n = graph.node(box.id);
    const key = Math.round(n.x);
    columns.set(key, [...(columns.get(key) ?? []), { ...box, x: n.x - box.width / 2, y: n.y - box.height / 2 }]);
  }
  const inOrder = [...columns].sort(([a], [b]) => a - b).map(([, placed]) => placed);
  let best: Placed[][][] = [inOrder];
  // a further row pays only if everything becomes clearly larger
  for (let rows = 2; rows <= Math.min(4, inOrder.length); ++rows) {
    const tried = broken(inOrder, rows);
    if (scale(tried, aspect) > 1.2 * scale(best, aspect)) best = tried;
  }
  const places = new Map<string, Point>();
  let top = 10;
  for (const row of best) {
    const { left, upper, height } = extent(row);
    for (const one of row.flat()) places.set(one.id, { x: one.x - left + 10, y: one.y - upper + top });
    top += height + gap;
  }
  return places;
}

type Placed = Box & Point;

function extent(columns: Placed[][]): { left: number; upper: number; width: number; height: number } {
  const all = columns.flat();
  const left = Math.min(...all.map((p) => p.x));
  const upper = Math.min(...all.map((p) => p.y));
  return { left, upper, width: Math.max(...all.map((p) => p.x + p.width)) - left, height: Math.max(...all.map((p) => p.y + p.height)) - upper };
}

/** How large the rows appear in an area of this aspect and of height 1. */
function scale(rows: Placed[][][], aspect: number): number {
  const extents = rows.map(extent);
  const height = extents.reduce((sum, e) => sum + e.height + 64, -64);
  return Math.min(aspect / Math.max(...extents.map((e) => e.width)), 1 / height);
}

/** Columns in rows of about the same width. */
function broken(columns: Placed[][], count: number): Placed[][][] {
  const width = extent(columns).width / count;
  const first = extent(columns).left;
  const rows: Placed[][][] = [];
  for (const column of columns) {
    const { left, width: own } = extent([column]);
    const row = Math.min(count - 1, Math.floor((left + own / 2 - first) / width));
    (rows[row] ??= []).push(column);
  }
  return rows.filter((r) => r !== undefined);
}

/** Whether two boxes cover each other. */
export function overlap(boxes: Box[], places: Map<string, Point>): boolean {
  const placed = boxes.flatMap((b) => {
    const at = places.get(b.id);
    return at ? [{ left: at.x, right: at.x + b.width, top: at.y, bottom: at.y + b.height }] : [];
  });
  return placed.some((a, k) => placed.slice(k + 1).some((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom));
}

/** One after another, in rows. */
export function inRows(boxes: Box[]): Map<string, Point> {
  const places = new Map<string, Point>();
  const perRow = Math.ceil(Math.sqrt(boxes.length));
  let x = 10;
  let y = 10;
  let highest = 0;
  boxes.forEach((box, k) => {
    if (k > 0 && k % perRow === 0) {
      x = 10;
      y += highest + 40;
      highest = 0;
    }
    places.set(box.id, { x, y });
    x += box.width + 90;
    highest = Math.max(highest, box.height);
  });
  return places;
}

const most = 40; // documents that are remembered

/** The positions of moved nodes of one document. */
export class Moved {
  #places: Map<string, Point>;
  readonly #key: string;

  constructor(file: string, private readonly storage: Storage | undefined = globalThis.localStorage) {
    this.#key = `vernier.graph.${file}`;
    this.#places = new Map();
    try {
      const stored: unknown = JSON.parse(this.storage?.getItem(this.#key) ?? '{}');
      for (const [name, p] of Object.entries(stored as Record<string, Point>)) if (Number.isFinite(p?.x) && Number.isFinite(p?.y)) this.#places.set(name, { x: p.x, y: p.y });
    } catch {
      // nothing usable is remembered
    }
  }

  get(name: string): Point | undefined {
    return this.#places.get(name);
  }

  set(name: string, at: Point): void {
    this.#places.set(name, { x: Math.round(at.x), y: Math.round(at.y) });
    this.#write();
  }

  rename(name: string, to: string): void {
    const at = this.#places.get(name);
    if (!at) return;
    this.#places.delete(name);
    this.#places.set(to, at);
    this.#write();
  }

  clear(): void {
    this.#places.clear();
    this.#write();
  }

  get size(): number {
    return this.#places.size;
  }

  #write(): void {
    try {
      if (this.#places.size === 0) this.storage?.removeItem(this.#key);
      else this.storage?.setItem(this.#key, JSON.stringify(Object.fromEntries(this.#places)));
      this.#forget();
    } catch {
      // storage can be full or switched off: positions last until the page is closed
    }
  }

  #forget(): void {
    const storage = this.storage;
    if (!storage) return;
    const keys = Array.from({ length: storage.length }, (_, k) => storage.key(k) ?? '').filter((k) => k.startsWith('vernier.graph.') && k !== this.#key);
    for (const key of keys.slice(0, Math.max(0, keys.length - most))) storage.removeItem(key);
  }
}
