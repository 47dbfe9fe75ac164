import dagre from '@dagrejs/dagre';
import { describe, expect, it, vi } from 'vitest';
import * as automaton from './automaton';
import * as composition from './composition';
import { boxes, canConnect, edges, locationBoxes, sharedNode } from './graph';
import { inRows, laidOut, Moved, type Box, type Point } from './graph-layout';
import type { Described, Port } from './requests';
import { treeOf } from './tree';

const files = import.meta.glob<string>(['../../../missions/**/*.xml', '../../../examples/**/*.xml'], { query: '?raw', import: 'default', eager: true });

function overlap(list: Box[], places: Map<string, Point>): string[] {
  const found: string[] = [];
  list.forEach((a, k) => {
    for (const b of list.slice(k + 1)) {
      const [p, q] = [places.get(a.id)!, places.get(b.id)!];
      if (p.x < q.x + b.width && q.x < p.x + a.width && p.y < q.y + b.height && q.y < p.y + a.height) found.push(`${a.id} and ${b.id}`);
    }
  });
  return found;
}

const port = (name: string, more: Partial<Port> = {}): Port => ({ name, unit: 'm', dimension: 'm', flow: 'signal', scalar: 'real', count: 1, description: '', ...more });
const described = (inputs: Port[], outputs: Port[]): Described => ({ name: 'a', kind: 'system', summary: '', made: true, inputs, outputs, states: [], parameters: [] });
const read = (text: string) => composition.read(treeOf(text)!);

describe('the layout', () => {
  it('breaks a chain into rows that fill the pane, in order', () => {
    const list = Array.from({ length: 12 }, (_, k) => ({ id: `n${k}`, width: 200, height: 100 }));
    const links = list.slice(1).map((b, k) => ({ from: list[k].id, to: b.id }));
    const one = laidOut(list, links);
    expect(new Set([...one.values()].map((p) => p.y)).size).toBe(1);
    const rows = laidOut(list, links, 64, 1);
    expect(overlap(list, rows)).toEqual([]);
    expect(new Set([...rows.values()].map((p) => p.y)).size).toBe(4);
    expect(Math.max(...[...rows.values()].map((p) => p.x))).toBeLessThan(1000);
    for (const [k, b] of list.slice(1).entries()) {
      const [from, to] = [rows.get(list[k].id)!, rows.get(b.id)!];
      expect(to.y > from.y || (to.y === from.y && to.x > from.x)).toBe(true);
    }
  });
  for (const [name, text] of Object.entries(files)) {
    it(`keeps the nodes of ${name.replace('../../../', '')} apart`, () => {
      const root = treeOf(text)!;
      if (root.name === composition.root) {
        const c = composition.read(root);
        const all = boxes(c, new Map(), new Set());
        expect(overlap(all, laidOut(all, edges(c)))).toEqual([]);
      } else if (root.name === automaton.root) {
        const a = automaton.read(root);
        const all = locationBoxes(a);
        expect(overlap(all, laidOut(all, a.transitions.map((t) => ({ from: t.from || sharedNode, to: t.to })), 150))).toEqual([]);
      }
    });
  }

  it('goes on in rows where the library gives up', () => {
    const list = Array.from({ length: 7 }, (_, k) => ({ id: `n${k}`, width: 100 + k, height: 50 + 10 * k }));
    expect(overlap(list, inRows(list))).toEqual([]);
    const fails = vi.spyOn(dagre, 'layout').mockImplementation(() => {
      throw new Error('Not possible to find intersection inside of the rectangle');
    });
    expect(overlap(list, laidOut(list, []))).toEqual([]);
    fails.mockRestore();
  });
});

describe('what is shown', () => {
  const text = '<interconnection><input name="u" value="1 2"/><system id="a" type="t"/><system id="b" type="t"/><connect from="a.y" to="b.x" gain="2" delay="1 tick"/><connect from="a.y" to="b.x"/><connect from="ext.u[0]" to="a.gone"/><connect from="c.y" to="b.x"/></interconnection>';
  const many = Array.from({ length: 12 }, (_, k) => port(`p${k}`, { initial: [0] }));

  it('is each port that is connected or must be, and the rest when asked for', () => {
    const known = new Map([['b', described([port('x'), port('needed'), ...many], [port('y', { count: 3 })])]]);
    const b = boxes(read(text), known, new Set()).find((k) => k.id === 'b')!;
    expect(b.inputs.map((p) => [p.name, p.connected, p.missing])).toEqual([['x', true, false], ['needed', false, true]]);
    expect(b.hidden).toBe(12);
    expect(b.outputs[0].text).toBe('3 × m');
    const whole = boxes(read(text), known, new Set(['b'])).find((k) => k.id === 'b')!;
    expect(whole.inputs.length).toBe(14);
    expect(whole.height).toBeGreaterThan(b.height);
  });

  it('has ports that the server does not know, because the document names them', () => {
    const all = boxes(read(text), new Map(), new Set());
    expect(all.map((k) => k.id)).toEqual(['ext', 'a', 'b']);
    expect(all[1].inputs.map((p) => p.name)).toEqual(['gone']);
    expect(all[1].known).toBe(false);
  });

  it('names edges for their ends, each differently', () => {
    const list = edges(read(text));
    expect(list.map((e) => e.id)).toEqual(['a.y>b.x', 'a.y>b.x 2', 'ext.u[0]>a.gone']);
    expect(list[0].label).toBe('× 2, 1 tick later');
    expect(list[2].words).toBe('connection ext.u[0] to a.gone, [0] → all');
  });

  it('lets only ports of one kind be connected, as far as they are known', () => {
    expect(canConnect(port('a'), port('b'))).toBe(true);
    expect(canConnect(port('a'), port('b', { dimension: 'kg' }))).toBe(false);
    expect(canConnect(undefined, port('b'))).toBe(true);
  });
});

describe('moved nodes', () => {
  const storage = () => {
    const kept = new Map<string, string>();
    return { get length() { return kept.size; }, key: (k: number) => [...kept.keys()][k] ?? null, getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => void kept.set(k, v), removeItem: (k: string) => void kept.delete(k), clear: () => kept.clear() } as Storage;
  };

  it('are remembered by document, also under a new name', () => {
    const s = storage();
    const m = new Moved('a.xml', s);
    m.set('x', { x: 1.4, y: 2 });
    m.rename('x', 'y');
    expect(new Moved('a.xml', s).get('y')).toEqual({ x: 1, y: 2 });
    expect(new Moved('b.xml', s).size).toBe(0);
    m.clear();
    expect(s.length).toBe(0);
  });

  it('of the most recent documents only, and nothing that is not a place', () => {
    const s = storage();
    for (let k = 0; k < 60; ++k) new Moved(`${k}.xml`, s).set('x', { x: k, y: 0 });
    expect(s.length).toBeLessThanOrEqual(41);
    s.setItem('vernier.graph.c.xml', '{"x":{"x":"a"},"y":null}');
    expect(new Moved('c.xml', s).size).toBe(0);
    s.setItem('vernier.graph.c.xml', 'nonsense');
    expect(new Moved('c.xml', s).size).toBe(0);
  });
});
