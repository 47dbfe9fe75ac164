import { expect, it } from 'vitest';
import { liveRows, readAnswer } from '../../mock/rows.mjs';
import { decode } from './binary';

const bytes = (b: Uint8Array) => b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength) as ArrayBuffer;

it('reads the bytes that the protocol describes', () => {
  // kind 1, id 7, one row, complete; t = 1.5, v = -2
  const raw = '01000000 07000000 01000000 01000000 000000000000f83f 00000000000000c0'.replace(/ /g, '');
  const message = decode(Uint8Array.from(raw.match(/../g)!.map((h) => parseInt(h, 16))).buffer);
  expect(message).toEqual({ kind: 'read', id: 7, complete: true, t: Float64Array.of(1.5), v: Float64Array.of(-2) });
});

it('reads what the mock server writes', () => {
  expect(decode(bytes(readAnswer(3, { t: [1, 2], v: [NaN, 4], complete: false })))).toEqual({
    kind: 'read',
    id: 3,
    complete: false,
    t: Float64Array.of(1, 2),
    v: Float64Array.of(NaN, 4),
  });
  expect(
    decode(
      bytes(
        liveRows(2, 9, [
          { column: 1, t: [1], v: [2] },
          { column: 0, t: [], v: [] },
        ]),
      ),
    ),
  ).toEqual({
    kind: 'live',
    follow: 2,
    dropped: 9,
    blocks: [
      { column: 1, t: Float64Array.of(1), v: Float64Array.of(2) },
      { column: 0, t: new Float64Array(0), v: new Float64Array(0) },
    ],
  });
});

it('refuses what is too short or unknown', () => {
  const whole = bytes(readAnswer(3, { t: [1, 2], v: [3, 4], complete: true }));
  for (let n = 0; n < whole.byteLength; n += 4) expect(() => decode(whole.slice(0, n))).toThrow(/too short/);
  expect(() => decode(Uint32Array.of(9, 0, 0, 0).buffer)).toThrow(/unknown kind 9/);
  expect(() => decode(Uint32Array.of(2, 1, 1, 0).buffer)).toThrow(/too short/);
});
