// A document as a tree with exact places, also of a text that is not well-formed. Nothing is ever written back
// from it: changes are made to the text.
import { parser } from '@lezer/xml';
import type { SyntaxNode, Tree } from '@lezer/common';

export interface Attribute {
  name: string;
  value: string; // references resolved
  from: number; // of the name
  to: number; // after the closing quote
  valueFrom: number; // inside the quotes
  valueTo: number;
}

export interface Element {
  name: string;
  from: number;
  to: number;
  nameFrom: number;
  nameTo: number;
  openTo: number; // after the start tag
  closed: boolean; // <x/>
  closeFrom: number; // of the end tag; where it is missing: the end of the element
  closeName: number; // of the name in the end tag; -1: none
  attributes: Attribute[];
  children: Element[];
  parent: Element | null;
  text: string; // directly inside, references resolved, untrimmed
}

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Resolves the five entities and character references of XML; others stay. */
export function unescaped(text: string): string {
  return text.replace(/&(?:#x([\da-fA-F]+)|#(\d+)|(\w+));/g, (whole, hex, decimal, name) => {
    if (name) return entities[name] ?? whole;
    const code = parseInt(hex ?? decimal, hex ? 16 : 10);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** For an attribute in double quotes. */
export function escapedValue(value: string): string {
  return value.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
}

/** For text between tags; ">" is escaped too, as people write it in conditions. */
export function escapedText(value: string): string {
  return value.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

function attributeOf(node: SyntaxNode, text: string): Attribute | null {
  const name = node.getChild('AttributeName');
  if (!name) return null;
  const value = node.getChild('AttributeValue');
  let valueFrom = node.to;
  let valueTo = node.to;
  if (value) {
    const quote = text[value.from];
    const quoted = quote === '"' || quote === "'";
    valueFrom = value.from + (quoted ? 1 : 0);
    valueTo = value.to - (quoted && value.to - value.from > 1 && text[value.to - 1] === quote ? 1 : 0);
  }
  return { name: text.slice(name.from, name.to), value: unescaped(text.slice(valueFrom, valueTo)), from: name.from, to: value?.to ?? node.to, valueFrom, valueTo };
}

function elementOf(node: SyntaxNode, text: string, parent: Element | null): Element {
  const open = node.getChild('OpenTag') ?? node.getChild('SelfClosingTag');
  const name = open?.getChild('TagName');
  const close = node.getChild('CloseTag') ?? node.getChild('MismatchedCloseTag');
  const e: Element = {
    name: name ? text.slice(name.from, name.to) : '',
    from: node.from,
    to: node.to,
    nameFrom: name?.from ?? node.from,
    nameTo: name?.to ?? node.from,
    openTo: open?.to ?? node.to,
    closed: open?.name === 'SelfClosingTag',
    closeFrom: close?.from ?? node.to,
    closeName: close?.getChild('TagName')?.from ?? -1,
    attributes: [],
    children: [],
    parent,
    text: '',
  };
  for (const a of open?.getChildren('Attribute') ?? []) {
    const attribute = attributeOf(a, text);
    if (attribute) e.attributes.push(attribute);
  }
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (child.name === 'Element') e.children.push(elementOf(child, text, e));
    else if (child.name === 'Text' || child.name === 'EntityReference' || child.name === 'CharacterReference') e.text += unescaped(text.slice(child.from, child.to));
    else if (child.name === 'Cdata') e.text += text.slice(child.from + 9, child.to - 3);
  }
  return e;
}

/** The root element; null where there is none. */
export function treeOf(text: string, parsed: Tree = parser.parse(text)): Element | null {
  const node = parsed.topNode.getChild('Element');
  return node ? elementOf(node, text, null) : null;
}

export function attribute(e: Element, name: string): Attribute | undefined {
  return e.attributes.find((a) => a.name === name);
}

/** The value of an attribute without blanks around it; empty where it is absent. */
export function value(e: Element, name: string): string {
  return attribute(e, name)?.value.trim() ?? '';
}

export function child(e: Element | undefined | null, name: string): Element | undefined {
  return e?.children.find((c) => c.name === name);
}

export function children(e: Element | undefined | null, name: string): Element[] {
  return e?.children.filter((c) => c.name === name) ?? [];
}

export function textOf(e: Element | undefined | null): string {
  return e?.text.trim() ?? '';
}

/** The innermost element around a position. */
export function elementAt(root: Element | null, at: number): Element | null {
  if (!root || at < root.from || at > root.to) return null;
  for (const c of root.children) {
    if (at >= c.from && at <= c.to) return elementAt(c, at);
  }
  return root;
}

/** All elements, the outer ones first. */
export function* all(root: Element | null): Generator<Element> {
  if (!root) return;
  yield root;
  for (const c of root.children) yield* all(c);
}

/** Whether the text is well-formed as far as the editor's parser sees: only then is it changed from the graph. */
export function wellFormed(parsed: Tree): boolean {
  let good = parsed.topNode.getChild('Element') !== null;
  parsed.iterate({
    enter(node) {
      if (node.type.isError || node.name === 'MissingCloseTag' || node.name === 'MismatchedCloseTag') good = false;
      return good;
    },
  });
  return good;
}
