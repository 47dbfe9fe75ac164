// Signals for scenes without a run: every element swings about its value at the start.

/** Every binding in a scene. */
export function* bindings(at) {
  if (typeof at !== 'object' || at === null) return;
  if (typeof at.signal === 'string') yield at;
  for (const inner of Object.values(at)) yield* bindings(inner);
}

/** Rows: { signal: { t: [], v: [[element 0, …], …] } }; without them, values that swing. */
export function sampler(scene, rows) {
  const starts = new Map();
  for (const b of bindings(scene)) {
    for (let i = 0; i < (b.count ?? 1); ++i) {
      const key = `${b.signal} ${(b.element ?? 0) + i}`;
      const value = b.start ? b.start[i] / (b.gain ?? 1) : (b.count ?? 1) === 4 && i === 3 ? 1 : 0;
      if (!starts.has(key) || b.start) starts.set(key, value);
    }
  }
  if (rows) {
    return (signal, element, time) => {
      const own = rows[signal];
      if (!own) return undefined;
      let k = own.t.findLastIndex((t) => t <= time);
      if (k < 0) k = 0;
      return own.v[k]?.[element];
    };
  }
  return (signal, element, time) => {
    const start = starts.get(`${signal} ${element}`);
    return start === undefined ? undefined : start + (time === 0 ? 0 : 0.2 * Math.sin(0.3 * time + element + signal.length));
  };
}
