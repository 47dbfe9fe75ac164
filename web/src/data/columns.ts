import type { Connection } from '../protocol/connection';
import type { LiveRows } from '../protocol/binary';
import type { Signal } from '../protocol/messages';
import { Column } from './column';

const overviewPoints = 4000;
const nearRows = 4000;
const followRate = 30; // messages a second

export interface Source {
  readonly run: string;
  readonly signals: Signal[];
  readonly begin: number;
  /** The time up to which there are rows. */
  latest(): number;
  live(): boolean;
}

/** The columns of a run that something on the page shows. Loads and follows them, and says when they change. */
export class Columns {
  dropped = 0;
  #columns = new Map<string, Column>();
  #numbers = new Map<string, number>();
  #listeners = new Set<() => void>();
  #unfollow: (() => void)[] = [];
  #droppedBy = new Map<number, number>();
  #scheduled = false;
  #closed = false;

  constructor(
    private readonly connection: Connection,
    private readonly source: Source,
    private readonly received: (time: number) => void = () => {},
    /** A request failed: refused, or lost with the connection. */
    readonly failed: (error: unknown) => void = () => {},
  ) {
    source.signals.forEach((s, k) => this.#numbers.set(s.path, k));
  }

  number(path: string): number | undefined {
    return this.#numbers.get(path);
  }

  listen(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  use(signal: number, element: number): Column {
    const key = `${signal}.${element}`;
    let column = this.#columns.get(key);
    if (!column) {
      column = new Column(signal, element, this.source.signals[signal].held);
      this.#columns.set(key, column);
    }
    if (column.uses++ === 0) this.#schedule();
    return column;
  }

  release(column: Column): void {
    --column.uses;
  }

  /** The value that a view at `time` shows; loads what is missing, and is undefined until it is there. */
  sample(path: string, element: number, time: number, speed = 1): number | undefined {
    const signal = this.#numbers.get(path);
    if (signal === undefined || element >= this.source.signals[signal].count) return undefined;
    const column = this.#columns.get(`${signal}.${element}`) ?? this.use(signal, element);
    if (column.uses === 0) this.use(signal, element);
    if (column.whole && !column.whole.complete && !(column.tail.n > 0 && time >= column.tail.t[0])) this.#loadNear(column, time, speed);
    return column.at(time);
  }

  /** Reads everything again, as after a lost connection or at the end of a live run. */
  reload(): void {
    this.#unfollow = [];
    this.#droppedBy.clear();
    for (const column of this.#columns.values()) {
      column.followed = false;
      column.joined = false;
      column.tail.clear();
      if (column.uses > 0) void this.#load(column);
      else column.whole = undefined;
    }
    this.#schedule();
  }

  close(): void {
    this.#closed = true;
    for (const end of this.#unfollow) end();
    this.#listeners.clear();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      const used = [...this.#columns.values()].filter((c) => c.uses > 0);
      for (const column of used) if (!column.whole) void this.#load(column);
      if (this.source.live()) void this.#follow(used.filter((c) => !c.followed));
    });
  }

  async #load(column: Column, repair = false): Promise<void> {
    if (this.#closed) return;
    if (column.loading) {
      column.stale = true;
      return;
    }
    column.loading = true;
    try {
      const { run, begin } = this.source;
      column.take(await this.connection.read(run, column.signal, column.element, begin, this.source.latest(), overviewPoints), repair);
      this.#changed();
    } catch (error) {
      this.failed(error);
    } finally {
      column.loading = false;
    }
    if (!column.stale) return;
    column.stale = false;
    await this.#load(column, repair);
  }

  async #loadNear(column: Column, time: number, speed: number): Promise<void> {
    const near = column.near;
    const margin = near ? 0.25 * (near.to - near.from) : 0;
    if (column.loadingNear || (near && time >= near.from && time + margin <= near.to)) return;
    const end = this.source.latest();
    if (near && near.to >= end && time >= near.from) return;
    column.loadingNear = true;
    const rows = this.source.signals[column.signal].rows || overviewPoints;
    const density = rows / Math.max(end - this.source.begin, 1e-9);
    const span = Math.max(nearRows / density, 4 * speed);
    const from = time - 0.25 * span;
    const to = Math.min(end, time + 0.75 * span);
    try {
      column.near = { ...(await this.connection.read(this.source.run, column.signal, column.element, from, to, nearRows)), from, to };
      this.#changed();
    } catch (error) {
      this.failed(error);
    } finally {
      column.loadingNear = false;
    }
  }

  async #follow(columns: Column[]): Promise<void> {
    if (columns.length === 0) return;
    for (const column of columns) column.followed = true;
    try {
      const ended = await this.connection.follow(
        this.source.run,
        columns.map((c) => [c.signal, c.element]),
        followRate,
        (rows) => this.#append(columns, rows),
      );
      if (this.#closed) ended();
      else this.#unfollow.push(ended);
    } catch (error) {
      for (const column of columns) column.followed = false;
      this.failed(error);
    }
  }

  #append(columns: Column[], rows: LiveRows): void {
    let latest = -Infinity;
    const first: Column[] = [];
    for (const block of rows.blocks) {
      const column = columns[block.column];
      if (!column || block.t.length === 0) continue;
      if (!column.joined) first.push(column);
      column.joined = true;
      column.tail.append(block.t, block.v);
      latest = Math.max(latest, block.t[block.t.length - 1]);
    }
    const before = this.#droppedBy.get(rows.follow) ?? 0;
    if (rows.dropped > before) {
      // what was lost on the way is still on the server
      this.dropped += rows.dropped - before;
      this.#droppedBy.set(rows.follow, rows.dropped);
      setTimeout(() => columns.forEach((c) => void this.#load(c, true)), 1000);
    }
    if (latest > -Infinity) this.received(latest);
    // the overview ends before the first live row: read what lies between
    for (const column of first) void this.#load(column);
    this.#changed();
  }
}
