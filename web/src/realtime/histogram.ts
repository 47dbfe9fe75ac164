// Durations and how often they came; both axes are logarithmic.

export interface Bar {
  x: number;
  width: number;
  y: number;
  height: number;
  from: number;
  to: number;
  count: number;
}

export interface Picture {
  bars: Bar[];
  ticks: { x: number; seconds: number }[];
  counts: { y: number; count: number }[];
  x: (seconds: number) => number;
}

/** Bars of buckets [from, to, count] within width × height. */
export function picture(buckets: [number, number, number][], width: number, height: number, limit: number): Picture {
  const least = Math.max(1e-7, ...[Math.min(...buckets.map((b) => Math.max(b[0], 1e-7))) * 0.8]);
  const most = Math.max(1e-6, limit * 1.3, ...buckets.map((b) => b[1] * 1.3));
  const low = Math.log10(least);
  const high = Math.log10(most);
  const x = (s: number) => ((Math.min(Math.max(Math.log10(Math.max(s, 1e-9)), low), high) - low) / (high - low)) * width;
  const peak = Math.max(1, ...buckets.map((b) => b[2]));
  const y = (count: number) => height - (height * Math.log10(count + 1)) / Math.log10(peak + 1);
  const bars = buckets.map(([from, to, count]) => {
    const left = x(from);
    return { x: left, width: Math.max(1, x(to) - left), y: y(count), height: height - y(count), from, to, count };
  });
  const ticks: Picture['ticks'] = [];
  for (let d = Math.ceil(low); d <= Math.floor(high); ++d) ticks.push({ x: x(10 ** d), seconds: 10 ** d });
  const counts: Picture['counts'] = [];
  for (let count = 1; count <= peak; count *= 10) counts.push({ y: y(count), count });
  return { bars, ticks, counts, x };
}
