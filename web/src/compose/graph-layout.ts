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

/** Left to right along the links. */
export function laidOut(boxes: Box[], links: Link[], gap = 90): Map<string, Point> {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 28, ranksep: gap, marginx: 10, marginy: 10 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const box of boxes) graph.setNode(box.id, { width: box.width, height: box.height });
  // one for all connections of a pair: several make the layout slow and do not change it
  for (const link of links) if (link.from !== link.to && graph.hasNode(link.from) && graph.hasNode(link.to)) graph.setEdge(link.from, link.to);
  try {
    dagre.layout(graph);
  } catch {
    return inRows(boxes); // dagre gives up where a point of an edge is exactly in the middle of a node
  }
  return new Map(boxes.map((box) => {
    const n = graph.node(box.id);
    return [box.id, { x: n.x - box.width / 2, y: n.y - box.height / 2 }];
  }));
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
