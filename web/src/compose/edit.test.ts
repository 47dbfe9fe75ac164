// The graph's edits are changes of the text: what they do not mean stays, byte for byte, and undo restores all.
import { history, undo } from '@codemirror/commands';
import { EditorState, type Transaction } from '@codemirror/state';
import { parser } from '@lezer/xml';
import { describe, expect, it } from 'vitest';
import * as automaton from './automaton';
import * as composition from './composition';
import { applied, insertAfter, insertInside, ordered, remove, setAttribute, setText, type Change } from './edit';
import { all, attribute, elementAt, treeOf, unescaped, wellFormed, type Element } from './tree';

const files = import.meta.glob<string>(['../../../missions/**/*.xml', '../../../examples/**/*.xml'], { query: '?raw', import: 'default', eager: true });

function file(name: string): string {
  return files[`../../../${name}`];
}

function tree(text: string): Element {
  const root = treeOf(text);
  if (!root) throw new Error('no root');
  return root;
}

function comments(text: string): string[] {
  return text.match(/<!--[\s\S]*?-->/g) ?? [];
}

/** The document through an editor with the changes made, and after undo. */
function throughEditor(text: string, changes: Change[]): { after: string; undone: string } {
  let state = EditorState.create({ doc: text, extensions: [history()], selection: undefined });
  const before = state.doc.toString(); // an editor's line ends
  state = state.update({ changes: ordered(changes), userEvent: 'input.graph' }).state;
  const after = state.doc.toString();
  undo({ state, dispatch: (t: Transaction) => (state = t.state) });
  expect(state.doc.toString()).toBe(before);
  return { after, undone: state.doc.toString() };
}

/** Repeatable. */
function random(seed: number): (n: number) => number {
  let s = seed >>> 0;
  return (n) => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return Math.floor((s / 2 ** 32) * n);
  };
}

describe('the tree', () => {
  it('has the places of what is written', () => {
    const text = '<a x = "1 &lt; 2">\n  <!-- <no/> --><b/><c>t &amp; <![CDATA[<u>]]></c></a>';
    const a = tree(text);
    expect(attribute(a, 'x')!.value).toBe('1 < 2');
    expect(text.slice(attribute(a, 'x')!.valueFrom, attribute(a, 'x')!.valueTo)).toBe('1 &lt; 2');
    expect(a.children.map((c) => c.name)).toEqual(['b', 'c']);
    expect(a.children[0].closed).toBe(true);
    expect(a.children[1].text).toBe('t & <u>');
    expect(text.slice(a.children[1].openTo, a.children[1].closeFrom)).toBe('t &amp; <![CDATA[<u>]]>');
    expect(elementAt(a, text.indexOf('t &amp;'))!.name).toBe('c');
  });

  it('is there for a text that is not finished', () => {
    for (const text of ['<a><b x="', '<a><b></a>', '<a><connect from="x.', '<a b', '<a><b></c></a>']) {
      expect(treeOf(text)?.name, text).toBe('a');
      expect(wellFormed(parser.parse(text)), text).toBe(false);
    }
    expect(treeOf('')).toBeNull();
    expect(Object.keys(files).length).toBeGreaterThan(50);
    for (const [name, text] of Object.entries(files)) {
      expect(wellFormed(parser.parse(text)), name).toBe(true);
      for (let cut = 0; cut < text.length; cut += 97) treeOf(text.slice(0, cut));
    }
  });

  it('leaves references that it does not know', () => {
    expect(unescaped('&lt;&#65;&#x42;&other;&#0;&')).toBe('<AB&other;&#0;&');
  });
});

describe('changes', () => {
  const one = (text: string, make: (root: Element) => Change[]) => applied(text, make(tree(text)));

  it('set attributes in their quotes', () => {
    const alone = "<a x='1'/>";
    expect(one(alone, (a) => setAttribute(alone, a, 'x', null))).toBe('<a/>');
    const single = "<a x='1' y=\"2\"/>";
    expect(one(single, (a) => setAttribute(single, a, 'x', `<'"&`))).toBe(`<a x='&lt;&apos;&quot;&amp;' y="2"/>`);
    expect(one(single, (a) => setAttribute(single, a, 'z', '3'))).toBe(`<a x='1' y="2" z="3"/>`);
    expect(one('<a/>', (a) => setAttribute('<a/>', a, 'z', '3'))).toBe('<a z="3"/>');
  });

  it('set texts between their blanks', () => {
    const text = '<a>\n  old\n</a>';
    expect(one(text, (a) => setText(text, a, 'x > 1 & y'))).toBe('<a>\n  x &gt; 1 &amp; y\n</a>');
    expect(one('<a />', (a) => setText('<a />', a, 'x'))).toBe('<a >x</a>');
    expect(one('<a></a>', (a) => setText('<a></a>', a, 'x'))).toBe('<a>x</a>');
  });

  it('remove the whole line, and only it', () => {
    const text = '<a>\n  <b/>\n  <!-- of c -->\n  <c/>\n  <d/><e/>\n</a>';
    const root = tree(text);
    expect(applied(text, remove(text, root.children[1]))).toBe('<a>\n  <b/>\n  <!-- of c -->\n  <d/><e/>\n</a>');
    expect(applied(text, remove(text, root.children[2]))).toBe('<a>\n  <b/>\n  <!-- of c -->\n  <c/>\n  <e/>\n</a>');
    expect(applied(text, remove(text, root.children[3]))).toBe('<a>\n  <b/>\n  <!-- of c -->\n  <c/>\n  <d/>\n</a>');
  });

  it('insert lines with the indentation and the line ends of the document', () => {
    const text = '<a>\r\n\t<b/> <!-- of b -->\r\n</a>\r\n';
    expect(applied(text, insertAfter(text, tree(text).children[0], '<c>\n  <d/>\n</c>'))).toBe('<a>\r\n\t<b/> <!-- of b -->\r\n\t<c>\r\n\t  <d/>\r\n\t</c>\r\n</a>\r\n');
    expect(applied('<a/>', insertInside('<a/>', tree('<a/>'), '<b/>', 'last'))).toBe('<a>\n  <b/>\n</a>');
    const note = '<a>\n  <!-- n -->\n</a>';
    expect(applied(note, insertInside(note, tree(note), '<b/>', 'last'))).toBe('<a>\n  <!-- n -->\n  <b/>\n</a>');
  });
});

describe('a composition', () => {
  const text = file('missions/aausat2/aausat2.xml');
  const c = composition.read(tree(text));

  it('is read as a graph', () => {
    expect(c.instances.map((i) => i.name)).toContain('supervisor');
    expect(c.connections.length).toBe((text.match(/<connect /g) ?? []).length);
    expect(c.connections[0]).toMatchObject({ from: { instance: 'orbit', port: 'position', elements: '' } });
    expect(composition.endOf('bus.wheel.speed[0:2]', new Set(['bus', 'bus.wheel']))).toEqual({ instance: 'bus.wheel', port: 'speed', elements: '[0:2]' });
  });

  it('renames an instance wherever it is named', () => {
    const changed = applied(text, composition.renameInstance(text, c, 'body', 'hull'));
    expect(changed).not.toMatch(/"body[".]|[" ]body\./);
    expect(changed).toContain('"body_field.rotated"'); // another one
    expect(changed.replaceAll('hull', 'body')).toBe(text);
  });

  it('removes an instance with what names it', () => {
    const changed = applied(text, composition.removeInstance(text, c, 'wheels'));
    const after = composition.read(tree(changed));
    expect(after.instances.length).toBe(c.instances.length - 1);
    expect([...all(after.root)].flatMap((e) => e.attributes.map((a) => a.value)).filter((v) => /(^| )wheels\./.test(v))).toEqual([]);
    const recorded = /<record signals="([^"]*)"/.exec(text)![1].split(' ');
    expect(recorded).toContain('wheels.*');
    expect(changed).toContain(`<record signals="${recorded.filter((w) => !w.startsWith('wheels.')).join(' ')}"`);
    expect(changed).not.toContain('figure15'); // it had no other curve
    expect(comments(changed)).toEqual(comments(text));
  });

  it('adds what its line says, beside its like', () => {
    const added = applied(text, composition.connect(text, c, 'body.omega', 'field.x'));
    expect(added.split('\n').length).toBe(text.split('\n').length + 1);
    expect(added).toContain('  <connect from="supervisor.wheel_torque" to="wheels.command"/>\n  <connect from="body.omega" to="field.x"/>\n');
    const island = applied(text, composition.setIsland(text, c, c.instances[0], 'other'));
    expect(island).toContain('  <island id="other"/>\n');
    expect(island).toContain('<system id="orbit" type="kepler_orbit" island="other">');
    const empty = '<interconnection name="e" version="1">\n</interconnection>\n';
    const first = applied(empty, composition.addInstance(empty, composition.read(tree(empty)), { kind: 'system', name: 'a', type: 't', parameters: [{ name: 'p', value: '1 m' }] }));
    expect(first).toBe('<interconnection name="e" version="1">\n  <system id="a" type="t">\n    <parameter name="p" value="1 m"/>\n  </system>\n</interconnection>\n');
  });

  it('sets parameters as they are written', () => {
    const orbit = c.instances.find((i) => i.name === 'orbit')!;
    expect(applied(text, composition.setParameter(text, c, orbit, 'altitude', '700 km'))).toBe(text.replace('600 km', '700 km'));
    expect(applied(text, composition.setParameter(text, c, orbit, 'altitude', null))).toBe(text.replace('    <parameter name="altitude" value="600 km"/>\n', ''));
    const asText = '<interconnection name="n"><system id="a" type="t"><parameter name="p" unit="km"> 1 </parameter></system></interconnection>';
    const d = composition.read(tree(asText));
    expect(applied(asText, composition.setParameter(asText, d, d.instances[0], 'p', '2 m'))).toContain('<parameter name="p"> 2 m </parameter>');
  });

  it('finds names that are free and says why one is not', () => {
    expect(composition.freeName('wheel', ['wheel', 'wheel2'])).toBe('wheel3');
    expect(composition.freeName('3 d', [])).toBe('_3_d');
    expect(composition.nameProblem('a.b', [])).toMatch(/letters/);
    expect(composition.nameProblem('ext', [])).toMatch(/meaning/);
    expect(composition.nameProblem('a', ['a'])).toMatch(/already/);
    expect(composition.nameProblem('a-1', ['a'])).toBe('');
  });
});

describe('an automaton', () => {
  const text = file('missions/aausat2/supervisor.xml');
  const a = automaton.read(tree(text));

  it('is read as a graph', () => {
    expect(a.locations.length).toBeGreaterThan(1);
    expect(a.transitions.every((t) => a.locations.some((l) => l.name === t.to))).toBe(true);
    expect(a.initial).toBe(a.locations.find((l) => l.name === a.initial)!.name);
  });

  it('renames a location wherever it is named', () => {
    const name = a.initial;
    const changed = automaton.read(tree(applied(text, automaton.renameLocation(text, a, name, 'Elsewhere'))));
    expect(changed.initial).toBe('Elsewhere');
    expect(changed.locations.map((l) => l.name)).toEqual(a.locations.map((l) => (l.name === name ? 'Elsewhere' : l.name)));
    expect(changed.transitions.map((t) => t.to)).toEqual(a.transitions.map((t) => (t.to === name ? 'Elsewhere' : t.to)));
  });

  it('adds locations and transitions that are complete', () => {
    const more = applied(text, automaton.addLocation(text, a, 'A < B'));
    const b = automaton.read(tree(more));
    expect(b.locations.at(-1)!.name).toBe('A < B');
    expect(b.locations.at(-1)!.flow.map((q) => q.name)).toEqual(a.locations.at(-1)!.flow.map((q) => q.name));
    const joined = applied(more, automaton.addTransition(more, b, 'A < B', a.initial, 'back', 't > 1'));
    const d = automaton.read(tree(joined));
    expect(d.transitions.find((t) => t.name === 'back')).toMatchObject({ from: 'A < B', to: a.initial, domain: 't > 1' });
    expect(joined).toContain('t &gt; 1');
  });

  it('changes guards, resets and equations in their places', () => {
    const t = a.transitions[0];
    const state = a.variables.find((v) => v.role === 'state')!.name;
    const changed = automaton.read(tree(applied(text, automaton.setPart(text, a, t, 'domain', 'x < 1'))));
    expect(changed.transitions[0].domain).toBe('x < 1');
    const reset = applied(text, automaton.setReset(text, a, t, state, '0'));
    expect(automaton.read(tree(reset)).transitions[0].resets.find((r) => r.name === state)!.text).toBe('0');
    const l = a.locations.find((k) => k.outputs.length > 0)!;
    const at = a.locations.indexOf(l);
    const without = applied(text, automaton.setEquation(text, a, l, 'outputmap', l.outputs[0].name, ''));
    const again = automaton.read(tree(without));
    expect(again.locations[at].outputs.length).toBe(l.outputs.length - 1);
    const back = automaton.read(tree(applied(without, automaton.setEquation(without, again, again.locations[at], 'outputmap', l.outputs[0].name, 'a + b'))));
    expect(back.locations[at].outputs.at(-1)!.text).toBe('a + b');
    expect(back.root.children.map((e) => e.name)).toEqual(a.root.children.map((e) => e.name));
  });
});

describe('random edits of all documents', () => {
  for (const [name, original] of Object.entries(files)) {
    const root = tree(original).name;
    if (root !== composition.root && root !== automaton.root) continue;
    it(name, () => {
      let text = EditorState.create({ doc: original }).doc.toString();
      const pick = random(name.length * 7919 + original.length);
      for (let round = 0; round < 25; ++round) {
        const e = tree(text);
        const { changes, expected } = root === composition.root ? compositionEdit(text, e, pick) : automatonEdit(text, e, pick);
        if (changes.length === 0) continue;
        const { after } = throughEditor(text, changes);
        expect(after).toBe(applied(text, changes));
        expect(wellFormed(parser.parse(after)), after).toBe(true);
        expected(tree(after));
        // comments outside of what was removed are there, in their order
        const removed = changes.filter((c) => c.to > c.from).map((c) => text.slice(c.from, c.to)).join('');
        const kept = comments(text).filter((k) => !removed.includes(k));
        const still = comments(after).filter((k) => kept.includes(k));
        expect(still.length).toBeGreaterThanOrEqual(kept.length);
        text = after;
      }
    });
  }

  type Edit = { changes: Change[]; expected: (root: Element) => void };
  const nothing: Edit = { changes: [], expected: () => {} };

  function compositionEdit(text: string, e: Element, pick: (n: number) => number): Edit {
    const c = composition.read(e);
    const names = c.instances.map((i) => i.name);
    const one = c.instances[pick(c.instances.length)];
    const ends = (k: composition.Composition) => k.connections.map((x) => `${composition.endText(x.from)}>${composition.endText(x.to)}`);
    switch (pick(6)) {
      case 0: {
        const to = composition.freeName('renamed', names);
        if (!one) return nothing;
        return {
          changes: composition.renameInstance(text, c, one.name, to),
          expected: (root) => {
            const d = composition.read(root);
            expect(d.instances.map((i) => i.name)).toEqual(names.map((n) => (n === one.name ? to : n)));
            const renamed = (x: composition.End) => composition.endText(x.instance === one.name ? { ...x, instance: to } : x);
            expect(ends(d)).toEqual(c.connections.map((x) => `${renamed(x.from)}>${renamed(x.to)}`));
          },
        };
      }
      case 1:
        if (!one || names.length < 3) return nothing;
        return {
          changes: composition.removeInstance(text, c, one.name),
          expected: (root) => {
            const d = composition.read(root);
            expect(d.instances.map((i) => i.name)).toEqual(names.filter((n) => n !== one.name));
            expect(d.connections.length).toBe(c.connections.filter((x) => x.from.instance !== one.name && x.to.instance !== one.name).length);
          },
        };
      case 2: {
        const name = composition.freeName('added', names);
        return {
          changes: composition.addInstance(text, c, { kind: 'system', name, type: 'rigid_body', parameters: pick(2) ? [{ name: 'a', value: '1 < "2"' }] : [] }),
          expected: (root) => expect(composition.read(root).instances.map((i) => i.name).sort()).toEqual([...names, name].sort()),
        };
      }
      case 3: {
        if (!one) return nothing;
        const from = `${one.name}.out`;
        return {
          changes: composition.connect(text, c, from, `${names[pick(names.length)]}.in`),
          expected: (root) => expect(composition.read(root).connections.length).toBe(c.connections.length + 1),
        };
      }
      case 4: {
        const k = c.connections[pick(c.connections.length)];
        if (!k) return nothing;
        const delayed = pick(2) === 0;
        return {
          changes: delayed ? setAttribute(text, k.element, 'delay', '1 tick') : composition.disconnect(text, k),
          expected: (root) => expect(composition.read(root).connections.length).toBe(c.connections.length - (delayed ? 0 : 1)),
        };
      }
      default: {
        if (!one || one.kind === 'composition') return nothing;
        const known = one.parameters[pick(one.parameters.length + 1)]?.name ?? 'fresh';
        const to = pick(3) === 0 ? null : `${pick(100)} m`;
        return {
          changes: composition.setParameter(text, c, one, known, to),
          expected: (root) => {
            const d = composition.read(root).instances.find((i) => i.name === one.name)!;
            expect(d.parameters.find((p) => p.name === known)?.value ?? null).toBe(to);
            expect(d.parameters.filter((p) => p.name !== known).map((p) => p.value)).toEqual(one.parameters.filter((p) => p.name !== known).map((p) => p.value));
          },
        };
      }
    }
  }

  function automatonEdit(text: string, e: Element, pick: (n: number) => number): Edit {
    const a = automaton.read(e);
    const names = a.locations.map((l) => l.name);
    const l = a.locations[pick(a.locations.length)];
    const t = a.transitions[pick(a.transitions.length)];
    const fresh = composition.freeName('L', [...names, ...a.transitions.map((x) => x.name)]);
    switch (pick(6)) {
      case 0:
        if (!l) return nothing;
        return {
          changes: automaton.renameLocation(text, a, l.name, fresh),
          expected: (root) => expect(automaton.read(root).transitions.map((x) => x.to)).toEqual(a.transitions.map((x) => (x.to === l.name ? fresh : x.to))),
        };
      case 1:
        if (a.locations.length === 0) return nothing;
        return { changes: automaton.addLocation(text, a, fresh), expected: (root) => expect(automaton.read(root).locations.map((x) => x.name)).toEqual([...names, fresh]) };
      case 2:
        if (!l || names.length < 2) return nothing;
        return { changes: automaton.removeLocation(text, a, l.name), expected: (root) => expect(automaton.read(root).transitions.some((x) => x.to === l.name || x.from === l.name)).toBe(false) };
      case 3:
        if (!l) return nothing;
        return {
          changes: automaton.addTransition(text, a, l.name, names[pick(names.length)], fresh, 'x > 1 & y < 2'),
          expected: (root) => expect(automaton.read(root).transitions.find((x) => x.name === fresh)).toMatchObject({ from: l.name, domain: 'x > 1 & y < 2' }),
        };
      case 4:
        if (!t) return nothing;
        return { changes: automaton.removeTransition(text, t), expected: (root) => expect(automaton.read(root).transitions.length).toBe(a.transitions.length - 1) };
      default:
        if (!t) return nothing;
        return {
          changes: automaton.setReset(text, a, t, 'x', `${pick(9)}`),
          expected: (root) => expect(automaton.read(root).transitions.flatMap((x) => x.resets).length).toBe(a.transitions.flatMap((x) => x.resets).length + (t.resets.some((r) => r.name === 'x') ? 0 : 1)),
        };
    }
  }
});
