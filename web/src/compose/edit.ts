// Changes of a text that leave everything else as it is: comments, blanks, order and quotes.
import { attribute, escapedText, escapedValue, type Element } from './tree';

export interface Change {
  from: number;
  to: number;
  insert: string;
}

/** The text after changes, which may not overlap. */
export function applied(text: string, changes: Change[]): string {
  const sorted = ordered(changes);
  let out = '';
  let at = 0;
  for (const c of sorted) {
    out += text.slice(at, c.from) + c.insert;
    at = c.to;
  }
  return out + text.slice(at);
}

/** By place. Changes of the same range count once: several may want to remove the same element. */
export function ordered(changes: Change[]): Change[] {
  const sorted = [...changes].sort((a, b) => a.from - b.from || a.to - b.to);
  const kept: Change[] = [];
  for (const c of sorted) {
    const last = kept[kept.length - 1];
    const same = last && last.from === c.from && last.to === c.to && last.insert === c.insert && c.to > c.from;
    const inside = last && c.from < last.to; // of an element that is removed
    if (!same && !inside) kept.push(c);
  }
  return kept;
}

function lineEnd(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** The blanks before a position on its line; null where something else is there. */
function indentation(text: string, at: number): string | null {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const before = text.slice(start, at);
  return /^[ \t]*$/.test(before) ? before : null;
}

/** Sets, replaces or (null) removes an attribute. A new one comes last. */
export function setAttribute(text: string, e: Element, name: string, to: string | null): Change[] {
  const a = attribute(e, name);
  if (a && to === null) {
    let from = a.from;
    while (from > e.nameTo && /\s/.test(text[from - 1])) --from;
    return [{ from, to: a.to, insert: '' }];
  }
  if (to === null) return [];
  if (a) {
    const quote = text[a.valueFrom - 1];
    if (quote !== '"' && quote !== "'") return [{ from: a.from, to: a.to, insert: `${name}="${escapedValue(to)}"` }];
    const written = escapedValue(to);
    return [{ from: a.valueFrom, to: a.valueTo, insert: quote === "'" ? written.replace(/'/g, '&apos;') : written }];
  }
  const last = e.attributes[e.attributes.length - 1];
  const at = last ? last.to : e.nameTo;
  return [{ from: at, to: at, insert: ` ${name}="${escapedValue(to)}"` }];
}

/** Replaces the text of an element that has no children; blanks around it stay. */
export function setText(text: string, e: Element, to: string): Change[] {
  const written = escapedText(to);
  if (e.closed) return [{ from: text.lastIndexOf('/', e.openTo - 1), to: e.openTo, insert: `>${written}</${e.name}>` }];
  const inside = text.slice(e.openTo, e.closeFrom);
  const blank = inside.trim() === '';
  const from = e.openTo + (blank ? 0 : inside.length - inside.trimStart().length);
  const end = blank ? e.closeFrom : e.closeFrom - (inside.length - inside.trimEnd().length);
  return [{ from, to: end, insert: written }];
}

/** Removes an element, with its line when nothing else is on it. */
export function remove(text: string, e: Element): Change[] {
  let { from, to } = e;
  const blanks = indentation(text, from);
  const rest = /^[ \t]*(\r?\n|$)/.exec(text.slice(to));
  if (blanks !== null && rest) {
    from -= blanks.length;
    to += rest[0].length;
  } else if (blanks !== null) {
    to += /^[ \t]*/.exec(text.slice(to))![0].length;
  }
  return [{ from, to, insert: '' }];
}

/** The markup with the indentation of where it goes. */
function indented(markup: string, indent: string, end: string): string {
  return markup.split('\n').join(end + indent);
}

/** Inserts an element after a sibling, on a line of its own. */
export function insertAfter(text: string, sibling: Element, markup: string): Change[] {
  const end = lineEnd(text);
  const indent = indentation(text, sibling.from) ?? '';
  // a comment on the same line belongs to the sibling
  const rest = /^[ \t]*(<!--(?:(?!-->)[^\n])*-->)?[ \t]*(?=\r?\n|$)/.exec(text.slice(sibling.to));
  const at = sibling.to + (rest ? rest[0].trimEnd().length : 0);
  return [{ from: at, to: at, insert: end + indent + indented(markup, indent, end) }];
}

/** Inserts an element before a sibling, on a line of its own. */
export function insertBefore(text: string, sibling: Element, markup: string): Change[] {
  const end = lineEnd(text);
  const indent = indentation(text, sibling.from) ?? '';
  return [{ from: sibling.from, to: sibling.from, insert: indented(markup, indent, end) + end + indent }];
}

/** The step of the indentation of a document. */
export function step(text: string, root: Element | null): string {
  for (const c of root?.children ?? []) {
    const own = indentation(text, c.from);
    if (own) return own.slice((indentation(text, root!.from) ?? '').length) || '  ';
  }
  return '  ';
}

/** Inserts an element as the first or last child. */
export function insertInside(text: string, parent: Element, markup: string, where: 'first' | 'last', unit = '  '): Change[] {
  const end = lineEnd(text);
  const outer = indentation(text, parent.from) ?? '';
  const inner = outer + unit;
  const body = end + inner + indented(markup, inner, end);
  if (parent.closed) return [{ from: text.lastIndexOf('/', parent.openTo - 1), to: parent.openTo, insert: `>${body}${end}${outer}</${parent.name}>` }];
  if (parent.children.length > 0) return where === 'first' ? insertBefore(text, parent.children[0], markup) : insertAfter(text, parent.children[parent.children.length - 1], markup);
  const inside = text.slice(parent.openTo, parent.closeFrom);
  if (inside.trim() !== '') {
    // a comment is there: after it
    const at = parent.openTo + inside.trimEnd().length;
    return [{ from: at, to: at, insert: body }];
  }
  return [{ from: parent.openTo, to: parent.closeFrom, insert: `${body}${end}${outer}` }];
}

/** Inserts a child at its place in the order that the grammar wants. */
export function insertInOrder(text: string, parent: Element, markup: string, name: string, order: string[], unit = '  '): Change[] {
  const rank = (n: string) => {
    const r = order.indexOf(n);
    return r < 0 ? order.length : r;
  };
  const before = parent.children.filter((c) => rank(c.name) <= rank(name));
  if (before.length > 0) return insertAfter(text, before[before.length - 1], markup);
  return insertInside(text, parent, markup, 'first', unit);
}

/** Renames an element in both of its tags. */
export function renameTag(e: Element, to: string): Change[] {
  const changes = [{ from: e.nameFrom, to: e.nameTo, insert: to }];
  if (e.closeName >= 0) changes.push({ from: e.closeName, to: e.closeName + e.name.length, insert: to });
  return changes;
}
