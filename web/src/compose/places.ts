// Places of the server (lines and columns from 1, columns in characters) and offsets in a text.
import type { Change } from './edit';
import type { Fix, Problem } from './requests';

/** Offsets where lines begin, with the ends of lines that the server counts: \n, \r\n and \r. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = 0; i < text.length; ++i) {
    const c = text.charCodeAt(i);
    if (c === 10 || (c === 13 && text.charCodeAt(i + 1) !== 10)) starts.push(i + 1);
  }
  return starts;
}

/** `count` characters after `from`, as an offset: a character outside the basic plane is two units. */
export function after(text: string, from: number, count: number): number {
  let at = from;
  for (let k = 0; k < count && at < text.length; ++k) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return at;
}

export interface Range {
  from: number;
  to: number;
}

/** The marked text of a problem; nothing when it has no line in this text. */
export function rangeOf(text: string, starts: number[], p: { line?: number; column?: number; length?: number }): Range | null {
  if (!p.line || p.line < 1 || p.line > starts.length) return null;
  const from = after(text, starts[p.line - 1], (p.column ?? 1) - 1);
  return { from, to: after(text, from, p.length ?? 1) };
}

/** The changes of a fix in this text; null when they do not fit it, for example because of references such as &gt;. */
export function changesOf(text: string, starts: number[], fix: Fix[]): Change[] | null {
  const changes: Change[] = [];
  for (const f of fix) {
    const range = rangeOf(text, starts, f);
    if (!range) return null;
    if (/[&<>"'\r\n]/.test(text.slice(range.from, range.to))) return null;
    const attribute = f.length === 0 ? /^ ([\w-]+)=/.exec(f.text)?.[1] : undefined;
    const tag = text.slice(range.from, text.indexOf('>', range.from));
    if (attribute && new RegExp(`\\s${attribute}\\s*=`).test(tag)) return null; // the tag has it already
    changes.push({ ...range, insert: f.text });
  }
  return changes.length > 0 ? changes : null;
}

/** What the fix of a problem does, for a button. */
export function fixLabel(p: Problem): string {
  const first = p.fix?.[0];
  if (!first) return '';
  const written = first.text.trim().replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&amp;/g, '&');
  return first.length === 0 ? `Insert ${written}` : `Replace by ${written}`;
}
