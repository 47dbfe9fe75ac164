// What `compare` answers, and the table made from it: one line for each signal, with a cell for each run.
import type { Sort } from './layout';

export interface Difference {
  signal: string;
  unit: string;
  within: boolean;
  compared: number;
  only_a: number;
  only_b: number;
  largest: number | null; // null: infinite
  largest_at_s: number;
  largest_element: number;
  rms: number | null;
  diverges_at_s: number | null;
  problem?: string;
}

export interface Comparison {
  run: string;
  shift: number;
  within: boolean;
  only_a: string[];
  only_b: string[];
  signals: Difference[];
}

export interface Line {
  signal: string;
  unit: string;
  cells: (Difference | undefined)[]; // by comparison
  within: boolean;
}

const size = (v: number | null | undefined): number => (v === undefined ? -1 : (v ?? Infinity));
const most = (line: Line, of: (d: Difference) => number): number => line.cells.reduce((m, d) => Math.max(m, d ? of(d) : -1), -1);

/** Of each signal the difference to each run, the largest first. */
export function lines(comparisons: Comparison[], sort: Sort): Line[] {
  const all = new Map<string, Line>();
  comparisons.forEach((c, k) => {
    for (const d of c.signals) {
      let line = all.get(d.signal);
      if (!line) {
        line = { signal: d.signal, unit: d.unit, cells: comparisons.map(() => undefined), within: true };
        all.set(d.signal, line);
      }
      line.cells[k] = d;
      line.within &&= d.within;
    }
  });
  const list = [...all.values()];
  const name = (a: Line, b: Line) => (a.signal < b.signal ? -1 : 1);
  if (sort === 'name') return list.sort(name);
  const order: Record<Exclude<Sort, 'name'>, (l: Line) => number> = {
    largest: (l) => most(l, (d) => size(d.largest)),
    rms: (l) => most(l, (d) => size(d.rms)),
    // the earliest first; what never diverges comes last
    first: (l) => -Math.min(...l.cells.map((d) => d?.diverges_at_s ?? Infinity)),
  };
  const value = order[sort];
  return list.sort((a, b) => value(b) - value(a) || name(a, b));
}
