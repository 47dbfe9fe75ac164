// Rows of a signal, searched and reduced. Times never decrease; two rows may have the same time.

type Numbers = ArrayLike<number>;

/** Index of the first time greater than `at`. */
export function after(t: Numbers, at: number, n = t.length): number {
  let low = 0;
  let high = n;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (t[middle] <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the first time that is not less than `at`. */
export function notBefore(t: Numbers, at: number, n = t.length): number {
  let low = 0;
  let high = n;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (t[middle] < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Rows [first, end) that draw the range from `from` to `to`: one more on each side, so that lines reach the edges. */
export function visible(t: Numbers, from: number, to: number, n = t.length): [number, number] {
  return [Math.max(0, notBefore(t, from, n) - 1), Math.min(n, after(t, to, n) + 1)];
}

export interface Reduced {
  t: number[];
  v: number[];
}

/**
 * Rows [first, end) reduced to the first, last, smallest and largest of each of `intervals` equal intervals of time, at their
 * true times and in order; a value that is not a number is kept once an interval, so that gaps stay.
 */
export function extremes(t: Numbers, v: Numbers, first: number, end: number, intervals: number): Reduced {
  const out: Reduced = { t: [], v: [] };
  if (end - first <= 4 * intervals || !(t[end - 1] > t[first])) {
    for (let i = first; i < end; ++i) {
      out.t.push(t[i]);
      out.v.push(v[i]);
    }
    return out;
  }
  const width = (t[end - 1] - t[first]) / intervals;
  const take = (i: number) => {
    out.t.push(t[i]);
    out.v.push(v[i]);
  };
  for (let i = first; i < end;) {
    const interval = Math.floor((t[i] - t[first]) / width);
    let low = -1;
    let high = -1;
    let gap = -1;
    const start = i;
    for (; i < end && Math.floor((t[i] - t[first]) / width) === interval; ++i) {
      if (Number.isNaN(v[i])) gap = gap < 0 ? i : gap;
      else {
        if (low < 0 || v[i] < v[low]) low = i;
        if (high < 0 || v[i] > v[high]) high = i;
      }
    }
    const chosen = [start, low, high, gap, i - 1].filter((k) => k >= 0).sort((a, b) => a - b);
    chosen.forEach((k, at) => {
      if (at === 0 || k !== chosen[at - 1]) take(k);
    });
  }
  return out;
}

/** Value at `at`: the last row at or before it, or on the line to the next one; undefined before the first row. */
export function valueAt(t: Numbers, v: Numbers, at: number, held: boolean, n = t.length): number | undefined {
  const next = after(t, at, n);
  if (next === 0) return undefined;
  const i = next - 1;
  if (held || next === n || t[i] === at || !Number.isFinite(v[next])) return v[i];
  return v[i] + ((v[next] - v[i]) * (at - t[i])) / (t[next] - t[i]);
}
