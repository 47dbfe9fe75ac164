import { expect, it } from 'vitest';
import { checked } from './verdict';

it('a check that the run did not reach neither holds nor fails', () => {
  expect(checked({ holds: true, seen: false })).toEqual({ sign: '–', words: 'not checked', tone: 'plain' });
  expect(checked({ holds: true, seen: true }).words).toBe('holds');
  expect(checked({ holds: true }).words).toBe('holds'); // of an older version
  expect(checked({ holds: false, seen: true }).sign).toBe('✕');
});
