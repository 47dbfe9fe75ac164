import { extremes } from './decimate';

const most = 200_000;

/** Live rows of one element, appended; when there are too many, older ones are reduced to their extremes. */
export class Tail {
  t = new Float64Array(1024);
  v = new Float64Array(1024);
  n = 0;

  append(t: Float64Array, v: Float64Array): void {
    this.#reserve(this.n + t.length);
    this.t.set(t, this.n);
    this.v.set(v, this.n);
    this.n += t.length;
    if (this.n > most) this.#reduce();
  }

  clear(): void {
    this.n = 0;
  }

  #reserve(n: number): void {
    if (n <= this.t.length) return;
    const size = Math.max(n, 2 * this.t.length);
    const t = new Float64Array(size);
    const v = new Float64Array(size);
    t.set(this.t.subarray(0, this.n));
    v.set(this.v.subarray(0, this.n));
    this.t = t;
    this.v = v;
  }

  #reduce(): void {
    const old = Math.floor(this.n / 2);
    const kept = extremes(this.t, this.v, 0, old, Math.floor(old / 16));
    const rest = this.n - old;
    this.t.copyWithin(kept.t.length, old, this.n);
    this.v.copyWithin(kept.v.length, old, this.n);
    this.t.set(kept.t);
    this.v.set(kept.v);
    this.n = kept.t.length + rest;
  }
}
