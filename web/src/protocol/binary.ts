// Binary messages: four 32-bit words, then 64-bit floats, little-endian.

export interface ReadAnswer {
  kind: 'read';
  id: number;
  complete: boolean;
  t: Float64Array;
  v: Float64Array;
}

export interface LiveBlock {
  column: number;
  t: Float64Array;
  v: Float64Array;
}

export interface LiveRows {
  kind: 'live';
  follow: number;
  dropped: number;
  blocks: LiveBlock[];
}

class Malformed extends Error {
  constructor(what: string) {
    super(`The server sent a binary message that is ${what}. Reload the page; if it happens again, page and server differ in version.`);
  }
}

function pair(buffer: ArrayBuffer, offset: number, n: number): [Float64Array, Float64Array] {
  if (offset + 16 * n > buffer.byteLength) throw new Malformed('too short');
  return [new Float64Array(buffer, offset, n), new Float64Array(buffer, offset + 8 * n, n)];
}

/** Reads a message; the arrays are views of `buffer`. */
export function decode(buffer: ArrayBuffer): ReadAnswer | LiveRows {
  if (buffer.byteLength < 16) throw new Malformed('too short');
  const head = new Uint32Array(buffer, 0, 4);
  if (head[0] === 1) {
    const [t, v] = pair(buffer, 16, head[2]);
    return { kind: 'read', id: head[1], complete: (head[3] & 1) !== 0, t, v };
  }
  if (head[0] !== 2) throw new Malformed(`of the unknown kind ${head[0]}`);
  const blocks: LiveBlock[] = [];
  let offset = 16;
  for (let c = 0; c < head[2]; ++c) {
    if (offset + 8 > buffer.byteLength) throw new Malformed('too short');
    const [column, n] = new Uint32Array(buffer, offset, 2);
    const [t, v] = pair(buffer, offset + 8, n);
    blocks.push({ column, t, v });
    offset += 8 + 16 * n;
  }
  return { kind: 'live', follow: head[1], dropped: head[3], blocks };
}
