import type { Rows } from '../protocol/messages';
import { after, extremes, notBefore, valueAt, visible, type Reduced } from './decimate';
import { Tail } from './tail';

/** What the page knows of one element of a signal: an overview, live rows after it, and rows around one time. */
export class Column {
  whole: Rows | undefined;
  near: (Rows & { from: number; to: number }) | undefined;
  tail = new Tail();
  uses = 0;
  followed = false;
  joined = false; // the overview reaches the first live row
  loading = false;
  stale = false; // asked for again while it was loading
  loadingNear = false;

  constructor(
    readonly signal: number,
    readonly element: number,
    readonly held: boolean,
  ) {}

  /** Rows that draw the range, with true extremes in each of `intervals`; from `finer` rows, where given, instead of the overview. */
  slice(from: number, to: number, intervals: number, finer?: Rows): Reduced {
    const out: Reduced = { t: [], v: [] };
    const add = (t: Float64Array, v: Float64Array, n: number) => {
      const [first, end] = visible(t, from, to, n);
      const part = extremes(t, v, first, end, intervals);
      for (let i = 0; i < part.t.length; ++i) {
        out.t.push(part.t[i]);
        out.v.push(part.v[i]);
      }
    };
    const base = finer ?? this.whole;
    if (base) add(base.t, base.v, this.#before(base));
    if (this.tail.n > 0) add(this.tail.t, this.tail.v, this.tail.n);
    return out;
  }

  /** Whether `slice` has every row of the range that the server has. */
  exact(from: number): boolean {
    return this.whole?.complete === true || (this.tail.n > 0 && this.tail.t[0] <= from);
  }

  at(time: number): number | undefined {
    if (this.tail.n > 0 && time >= this.tail.t[0]) return valueAt(this.tail.t, this.tail.v, time, this.held, this.tail.n);
    const rows = this.near && time >= this.near.from && time <= this.near.to ? this.near : this.whole;
    return rows && valueAt(rows.t, rows.v, time, this.held, this.#before(rows));
  }

  /** How many of these rows are older than the live rows. */
  #before(rows: Rows): number {
    return this.tail.n > 0 ? notBefore(rows.t, this.tail.t[0]) : rows.t.length;
  }

  /** Takes a newer overview. With `repair`, live rows that it covers are dropped, since some may be missing. */
  take(rows: Rows, repair: boolean): void {
    this.whole = rows;
    this.near = undefined;
    if (!repair) return;
    const last = rows.t[rows.t.length - 1];
    if (rows.t.length > 0 && this.tail.n > 0 && last >= this.tail.t[0]) {
      const first = after(this.tail.t, last, this.tail.n);
      const t = this.tail.t.slice(first, this.tail.n);
      const v = this.tail.v.slice(first, this.tail.n);
      this.tail.clear();
      this.tail.append(t, v);
    }
  }
}
