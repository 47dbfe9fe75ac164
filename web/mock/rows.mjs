// Reduced rows and binary messages, as formats/desktop/README.md says.

/** Rows of [from, to] and one on each side; more than `points` are reduced to the extremes of intervals. */
export function reduce(t, v, from, to, points) {
  let first = t.findIndex((x) => x >= from);
  if (first < 0) first = t.length;
  first = Math.max(0, first - 1);
  let end = t.length;
  while (end > 0 && t[end - 1] > to) --end;
  end = Math.min(t.length, end + 1);
  const n = Math.max(0, end - first);
  if (n <= points) return { complete: true, t: t.slice(first, end), v: v.slice(first, end) };
  const out = { complete: false, t: [], v: [] };
  const intervals = Math.max(1, Math.floor((points - 2) / 2));
  const put = (i) => {
    out.t.push(t[i]);
    out.v.push(v[i]);
  };
  put(first);
  for (let b = 0; b < intervals; ++b) {
    const start = first + 1 + Math.floor((b * (n - 2)) / intervals);
    const stop = first + 1 + Math.floor(((b + 1) * (n - 2)) / intervals);
    let low = start;
    let high = start;
    for (let i = start; i < stop; ++i) {
      if (Number.isNaN(v[i]) || v[i] < v[low]) low = i;
      if (v[i] > v[high]) high = i;
    }
    for (const i of low === high ? [low] : [Math.min(low, high), Math.max(low, high)]) put(i);
  }
  put(end - 1);
  return out;
}

function floats(buffer, offset, values) {
  values.forEach((x, i) => buffer.writeDoubleLE(x, offset + 8 * i));
}

export function readAnswer(id, { t, v, complete }) {
  const out = Buffer.alloc(16 + 16 * t.length);
  [1, id, t.length, complete ? 1 : 0].forEach((w, k) => out.writeUInt32LE(w, 4 * k));
  floats(out, 16, t);
  floats(out, 16 + 8 * t.length, v);
  return out;
}

export function liveRows(follow, dropped, blocks) {
  const parts = blocks.map(({ column, t, v }) => {
    const out = Buffer.alloc(8 + 16 * t.length);
    out.writeUInt32LE(column, 0);
    out.writeUInt32LE(t.length, 4);
    floats(out, 8, t);
    floats(out, 8 + 8 * t.length, v);
    return out;
  });
  const head = Buffer.alloc(16);
  [2, follow, blocks.length, dropped].forEach((w, k) => head.writeUInt32LE(w, 4 * k));
  return Buffer.concat([head, ...parts]);
}
