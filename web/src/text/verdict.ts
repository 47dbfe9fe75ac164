import type { RunEntry } from '../protocol/messages';

export type Tone = 'good' | 'note' | 'bad' | 'live' | 'plain';

export interface Verdict {
  sign: string;
  words: string;
  tone: Tone;
}

function many(n: number, one: string, more = `${one}s`): string {
  return `${n} ${n === 1 ? one : more}`;
}

/** The result of a check. */
export function checked(c: { holds: boolean; seen?: boolean }): Verdict {
  if (!c.holds) return { sign: '✕', words: 'does not hold', tone: 'bad' };
  return c.seen === false ? { sign: '–', words: 'not checked', tone: 'plain' } : { sign: '✓', words: 'holds', tone: 'good' };
}

/** How a run went, in a sign and in words: colour alone never says it. */
export function verdict(run: Pick<RunEntry, 'status' | 'live' | 'warnings' | 'checks_failed' | 'late'>): Verdict {
  if (run.live) return { sign: '▶', words: 'running', tone: 'live' };
  if (run.status === 'failed') return { sign: '✕', words: 'failed', tone: 'bad' };
  if (run.status === 'killed') return { sign: '✕', words: 'killed', tone: 'bad' };
  if (run.checks_failed > 0) return { sign: '✕', words: `${many(run.checks_failed, 'check')} failed`, tone: 'bad' };
  if (run.status === 'check failed') return { sign: '✕', words: 'check failed', tone: 'bad' };
  if (run.status === 'interrupted') return { sign: '!', words: 'interrupted', tone: 'note' };
  if (run.late > 0) return { sign: '!', words: many(run.late, 'late frame'), tone: 'note' };
  if (run.warnings > 0) return { sign: '!', words: many(run.warnings, 'warning'), tone: 'note' };
  if (run.status === 'finished') return { sign: '✓', words: 'finished', tone: 'good' };
  return { sign: '·', words: run.status, tone: 'plain' };
}
