import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Connection, Lost, Refused } from './connection';

class FakeSocket {
  static all: FakeSocket[] = [];
  binaryType = '';
  sent: Record<string, unknown>[] = [];
  onopen?: () => void;
  onclose?: () => void;
  onmessage?: (event: { data: unknown }) => void;
  constructor() {
    FakeSocket.all.push(this);
  }
  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
  say(message: object) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

const last = () => FakeSocket.all[FakeSocket.all.length - 1];
let connection: Connection;
let welcome = true;
beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  welcome = true;
  connection = new Connection(
    'ws://x',
    () => new FakeSocket() as unknown as WebSocket,
    async () => welcome,
  );
  connection.open();
});
afterEach(() => vi.useRealTimers());

it('gives each request its answer, in any order', async () => {
  last().onopen?.();
  const a = connection.request('a');
  const b = connection.request('b', { x: 1 });
  expect(last().sent).toEqual([
    { id: 1, do: 'a' },
    { id: 2, do: 'b', x: 1 },
  ]);
  last().say({ id: 2, problems: [{ severity: 'error', code: 'V1', message: 'no' }] });
  last().say({ id: 1, ok: { y: 2 } });
  expect(await a).toEqual({ y: 2 });
  await expect(b).rejects.toBeInstanceOf(Refused);
  await expect(b).rejects.toThrow('no');
});

it('reopens itself after longer and longer pauses, and fails what was asked', async () => {
  last().onopen?.();
  const states: string[] = [];
  connection.listen({ state: (s) => states.push(s) });
  const asked = connection.request('a');
  last().onclose?.();
  await expect(asked).rejects.toBeInstanceOf(Lost);
  await expect(connection.request('b')).rejects.toBeInstanceOf(Lost);
  for (const pause of [250, 500, 1000, 2000, 4000, 4000]) {
    const before = FakeSocket.all.length;
    await vi.advanceTimersByTimeAsync(pause - 1);
    expect(FakeSocket.all.length).toBe(before);
    await vi.advanceTimersByTimeAsync(1);
    expect(FakeSocket.all.length).toBe(before + 1);
    last().onclose?.();
  }
  await vi.advanceTimersByTimeAsync(4000);
  last().onopen?.();
  expect(connection.state).toBe('open');
  expect(states.at(-1)).toBe('open');
});

it('stops trying when the server does not know the browser', async () => {
  welcome = false;
  last().onclose?.();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(connection.state).toBe('refused');
  expect(FakeSocket.all).toHaveLength(1);
});

it('hands live rows that overtake the answer to the follower', async () => {
  last().onopen?.();
  const got: number[] = [];
  const following = connection.follow('r', [[0, 0]], 30, (rows) => got.push(rows.dropped));
  const live = (dropped: number) => last().onmessage?.({ data: Uint32Array.of(2, 5, 0, dropped).buffer });
  live(1);
  last().say({ id: 1, ok: { follow: 5 } });
  const end = await following;
  live(2);
  end();
  live(3);
  expect(got).toEqual([1, 2]);
  expect(last().sent.at(-1)).toMatchObject({ do: 'unfollow', follow: 5 });
});
