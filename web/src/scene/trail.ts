// Where something has been, as it was seen.
import type { Vec } from './format';
import { norm, subtract } from './math';

const most = 600;

export class Trail {
  #times: number[] = [];
  #points: Vec[] = [];

  get points(): Vec[] {
    return this.#points;
  }

  /** The place at a time. Going back in time takes back what comes after. */
  note(time: number, p: Vec): void {
    let n = this.#times.length;
    while (n > 0 && this.#times[n - 1] >= time) --n;
    this.#times.length = this.#points.length = n;
    if (n > 0 && norm(subtract(p, this.#points[n - 1])) === 0) return;
    this.#times.push(time);
    this.#points.push(p);
    if (this.#points.length <= most) return;
    // every other one, so that the whole way stays
    const keep = (_: unknown, i: number) => i % 2 === 0 || i === most;
    this.#times = this.#times.filter(keep);
    this.#points = this.#points.filter(keep);
  }

  clear(): void {
    this.#times = [];
    this.#points = [];
  }
}
