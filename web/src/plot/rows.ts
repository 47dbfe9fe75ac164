import type { Connection } from '../protocol/connection';
import type { Rows } from '../protocol/messages';
import type { Reduced } from '../data/decimate';
import type { Column } from '../data/column';
import type { Columns } from '../data/columns';

interface Detail {
  rows: Rows;
  from: number;
  to: number;
  pixels: number;
}

/** The rows that one plot draws: what the columns know, and rows of the visible range read as finely as the screen is. */
export class PlotRows {
  #details = new Map<Column, Detail>();
  #reading = new Set<Column>();
  #columns = new Map<string, Column>();

  constructor(
    private readonly connection: Connection,
    private readonly run: string,
    private readonly source: Columns,
    private readonly changed: () => void,
  ) {}

  /** Uses exactly these elements from now on. */
  set(elements: { signal: number; element: number }[]): void {
    const wanted = new Set(elements.map((e) => `${e.signal}.${e.element}`));
    for (const [key, column] of this.#columns) {
      if (wanted.has(key)) continue;
      this.source.release(column);
      this.#columns.delete(key);
      this.#details.delete(column);
    }
    for (const e of elements) {
      const key = `${e.signal}.${e.element}`;
      if (!this.#columns.has(key)) this.#columns.set(key, this.source.use(e.signal, e.element));
    }
  }

  /** Rows of the range, with true extremes in each of `pixels` intervals; asks the server for what is not known so finely. */
  get(signal: number, element: number, from: number, to: number, pixels: number): Reduced {
    const column = this.#columns.get(`${signal}.${element}`);
    if (!column) return { t: [], v: [] };
    if (column.exact(from)) return column.slice(from, to, pixels);
    const end = column.tail.n > 0 ? Math.min(to, column.tail.t[0]) : to;
    const detail = this.#details.get(column);
    const covers = detail && detail.from <= from && detail.to >= end;
    const density = (d: Detail) => d.pixels / Math.max(d.to - d.from, 1e-12);
    const fine = covers && (detail.rows.complete || density(detail) >= (0.8 * pixels) / (to - from));
    if (!fine) void this.#read(column, from, end, pixels);
    if (!covers) return column.slice(from, to, pixels);
    return column.slice(from, to, pixels, detail.rows);
  }

  /** The details are old: the run has more rows now. */
  forget(): void {
    this.#details.clear();
  }

  close(): void {
    this.set([]);
  }

  async #read(column: Column, from: number, to: number, pixels: number): Promise<void> {
    if (this.#reading.has(column)) return; // changed() brings the next request
    this.#reading.add(column);
    try {
      const rows = await this.connection.read(this.run, column.signal, column.element, from, to, 2 * pixels);
      this.#details.set(column, { rows, from, to, pixels });
      this.#reading.delete(column);
      this.changed();
    } catch (error) {
      this.#reading.delete(column); // what is known stays
      this.source.failed(error);
    }
  }
}
