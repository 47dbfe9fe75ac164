import { valueAt } from './decimate';
import type { Curve } from './merge';

/** Points (x, y) at the times of both, in order of time. Rows at other times are on the line between rows, unless held. */
export function paired(x: Curve, y: Curve, heldX: boolean, heldY: boolean): { t: number[]; x: number[]; y: number[] } {
  const out = { t: [] as number[], x: [] as number[], y: [] as number[] };
  let i = 0;
  let j = 0;
  while (i < x.t.length || j < y.t.length) {
    const time = Math.min(i < x.t.length ? x.t[i] : Infinity, j < y.t.length ? y.t[j] : Infinity);
    const hasX = i < x.t.length && x.t[i] === time;
    const hasY = j < y.t.length && y.t[j] === time;
    const xv = hasX ? x.v[i++] : valueAt(x.t, x.v, time, heldX);
    const yv = hasY ? y.v[j++] : valueAt(y.t, y.v, time, heldY);
    const outside = time < Math.max(x.t[0], y.t[0]) || time > Math.min(x.t[x.t.length - 1], y.t[y.t.length - 1]);
    if (xv === undefined || yv === undefined || outside) continue;
    out.t.push(time);
    out.x.push(xv);
    out.y.push(yv);
  }
  return out;
}
