// uPlot draws curves over one common row of times. Curves with times of their own are merged: `undefined` where a curve has no
// row (the line goes on), `null` where its value is not a number (a gap).

export interface Curve {
  t: ArrayLike<number>;
  v: ArrayLike<number>;
}

export type Merged = [number[], ...(number | null | undefined)[][]];

export function merge(curves: Curve[]): Merged {
  const times: number[] = [];
  const values = curves.map((): (number | null | undefined)[] => []);
  const at = curves.map(() => 0);
  for (;;) {
    let time = Infinity;
    curves.forEach((c, k) => {
      if (at[k] < c.t.length) time = Math.min(time, c.t[at[k]]);
    });
    if (time === Infinity) return [times, ...values];
    times.push(time);
    curves.forEach((c, k) => {
      // one row of each curve: a second row of the same time, as at an event, becomes a row of its own
      if (at[k] < c.t.length && c.t[at[k]] === time) {
        const v = c.v[at[k]++];
        values[k].push(Number.isFinite(v) ? v : null);
      } else {
        values[k].push(undefined);
      }
    });
  }
}
