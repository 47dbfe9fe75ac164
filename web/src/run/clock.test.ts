import { expect, it } from 'vitest';
import { replaySpeed } from './clock.svelte';

it('replays in real time what lasts that long, everything else in about half a minute', () => {
  expect([30, 10, 60, 900, 0.1, 0].map(replaySpeed)).toEqual([1, 1, 1, 30, 0.003, 1]);
});
