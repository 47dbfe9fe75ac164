import { describe, expect, it } from 'vitest';
import { admitted, complete, fits, parts, where, type Knowledge } from './complete';
import { changesOf, fixLabel, lineStarts, rangeOf } from './places';
import type { Described, ElementForm, Port } from './requests';
import { treeOf } from './tree';

const port = (name: string, unit: string, more: Partial<Port> = {}): Port => ({ name, unit, dimension: unit, flow: 'signal', scalar: 'real', count: 1, description: '', ...more });
const described = (name: string, inputs: Port[], outputs: Port[], parameters: Described['parameters'] = []): Described => ({ name, kind: 'system', summary: '', made: true, inputs, outputs, states: [], parameters });
const form = (content: string, children: string[], attributes: ElementForm['attributes'] = [], text = false): ElementForm => ({ content, children, attributes, ...(text ? { text } : {}) });

const known: Knowledge = {
  grammar: {
    roots: {
      interconnection: {
        dtd: 'interconnection.dtd',
        elements: {
          interconnection: form('description?, (system | connect | island)*', ['description', 'system', 'connect', 'island'], [{ name: 'name', required: true }]),
          description: form('', [], [], true),
          system: form('parameter*', ['parameter'], [{ name: 'id', required: true }, { name: 'type' }, { name: 'island' }]),
          connect: form('', [], [{ name: 'from', required: true }, { name: 'to', required: true }, { name: 'gain', initial: '1' }]),
          island: form('', [], [{ name: 'id', required: true }, { name: 'zeno', choices: ['stop', 'warn'] }]),
          parameter: form('', [], [{ name: 'name', required: true }, { name: 'value' }, { name: 'unit' }], true),
        },
      },
      hybridsystem: {
        dtd: 'hybrid.dtd',
        elements: {
          location: form('name, diffequation*, outputmap*, transitions?', ['name', 'diffequation', 'outputmap', 'transitions']),
          diffequation: form('', [], [{ name: 'state', required: true }], true),
        },
      },
    },
    units: [{ unit: 'm', dimension: 'm', quantity: 'a length' }, { unit: 'N', dimension: 'N', quantity: 'a force' }, { unit: 'km', dimension: 'm', quantity: 'a length' }],
    functions: ['sin'],
  },
  catalogue: { types: [{ type: 'spring', kind: 'system', equations: true, summary: 'pulls', made: true, inputs: [], outputs: [], states: [], parameters: [] }], documents: [], files: [], templates: [] },
  described: new Map([
    ['a', described('a', [port('push', 'N')], [port('place', 'm'), port('all', 'm', { count: 3 })], [{ name: 'length', kind: 'real', unit: 'm', dimension: 'm', count: 1, description: '' }])],
    ['b', described('b', [port('where', 'm')], [port('force', 'N')])],
  ]),
};

/** Completes where | is. */
function at(text: string) {
  const place = text.indexOf('|');
  const whole = text.replace('|', '');
  const c = complete(whole, place, treeOf(whole), known);
  return c && { ...c, labels: [...c.options].sort((x, y) => (y.boost ?? 0) - (x.boost ?? 0)).map((o) => o.label), replaced: whole.slice(c.from, c.to) };
}

const document = (line: string) => `<interconnection name="x">\n<system id="a" type="t"/><system id="b" type="t"/><island id="i"/>\n${line}\n</interconnection>`;

describe('where the cursor is', () => {
  it('is told from what is before it', () => {
    expect(where('<a x="1">|'.replace('|', ''), 9).at).toBe('text');
    expect(where('<a x=">', 7)).toMatchObject({ at: 'value', element: 'a', attribute: 'x' });
    expect(where('<a x="1" ', 9)).toMatchObject({ at: 'attribute', given: ['x'] });
    expect(where('<a x', 4)).toMatchObject({ at: 'attribute', from: 3 });
    expect(where('<a ', 3).at).toBe('attribute');
    expect(where('<!-- <a ', 8).at).toBe('nothing');
    expect(where('<!-- --><a ', 11).at).toBe('attribute');
    expect(where('</', 2).at).toBe('close');
    expect(where('<a x=', 5).at).toBe('nothing');
  });
});

describe('the grammar', () => {
  it('is read from content models', () => {
    expect(parts('description?, (input | system)*, run')).toEqual([
      { names: ['description'], repeats: false },
      { names: ['input', 'system'], repeats: true },
      { names: ['run'], repeats: false },
    ]);
    expect(parts('curve+')).toEqual([{ names: ['curve'], repeats: true }]);
  });

  it('offers what may come between the siblings', () => {
    const text = '<location><name>A</name><outputmap output="y">1</outputmap></location>';
    const location = treeOf(text)!;
    const f = known.grammar!.roots.hybridsystem.elements.location;
    expect(admitted(f, location, text.indexOf('<outputmap'))).toEqual(['diffequation', 'outputmap']);
    expect(admitted(f, location, text.indexOf('</location>'))).toEqual(['outputmap', 'transitions']);
  });
});

describe('completion', () => {
  it('offers elements with what they need', () => {
    expect(at(document('<|'))!.labels).toEqual(['system', 'connect', 'island']);
    expect(at(document('<|'))!.options.find((o) => o.label === 'connect')!.template).toBe('connect from="${}" to="${}"${}/>');
    expect(at(document('<sys|'))!.replaced).toBe('sys');
  });

  it('offers attributes that are not there, the required ones first', () => {
    expect(at(document('<connect from="a.place" |/>'))!.labels).toEqual(['to', 'gain']);
    expect(at(document('<connect | to="b.where"/>'))!.labels).toEqual(['from', 'gain']);
  });

  it('offers values of the grammar, islands and types', () => {
    expect(at(document('<island id="k" zeno="|"/>'))!.labels).toEqual(['stop', 'warn']);
    expect(at(document('<system id="k" island="|"/>'))!.labels).toEqual(['i', 'own']);
    expect(at(document('<system id="k" type="sp|"/>'))!.labels).toEqual(['spring']);
  });

  it('offers ports by direction, those that fit first, with their units', () => {
    expect(at(document('<connect from="a.place" to="|"/>'))!.labels).toEqual(['b.where', 'a.push']);
    expect(at(document('<connect from="|" to="a.push"/>'))!.labels[0]).toBe('b.force');
    expect(at(document('<connect from="|" to="a.push"/>'))!.options.find((o) => o.label === 'a.all')!.detail).toBe('3 × m');
    expect(at(document('<connect from="a.all[0]" to="|"/>'))!.labels[0]).toBe('b.where');
    expect(at(document('<connect from="a.pl|ace" to="b.where"/>'))!.replaced).toBe('a.place');
  });

  it('offers parameters of the type, and units of their dimension first', () => {
    const text = document('<system id="a" type="t"><parameter name="|"/></system>').replace('<system id="a" type="t"/>', '');
    expect(at(text)!.labels).toEqual(['length']);
    const unit = document('<system id="a" type="t"><parameter name="length" unit="|"/></system>').replace('<system id="a" type="t"/>', '');
    expect(at(unit)!.labels).toEqual(['m', 'km', 'N']);
  });

  it('offers the names of an automaton in its expressions', () => {
    const text = '<hybridsystem><states><state name="x" unit="m"/></states><events><event name="go" direction="in"/></events><location><name>Far off</name><diffequation state="|">x</diffequation></location></hybridsystem>';
    expect(at(text)!.labels).toEqual(['x']);
    const inside = text.replace('|', 'x').replace('>x<', '>2*x| + 1<');
    expect(at(inside)!.labels).toEqual(['x', 't', 'sin']);
    expect(at(inside)!.replaced).toBe('x');
    const destination = '<hybridsystem><location><name>Far off</name></location><location><transitions><transition><reset><destination> Fa|</destination></reset></transition></transitions></location></hybridsystem>';
    expect(at(destination)!.labels).toContain('Far off');
    expect(at(destination)!.replaced).toBe('Fa');
  });

  it('offers nothing inside comments', () => {
    expect(at(document('<!-- <| -->'))).toBeNull();
  });

  it('does not let a vector feed a number', () => {
    expect(fits(port('a', 'm'), port('b', 'm'))).toBe(true);
    expect(fits(port('a', 'm', { count: 3 }), port('b', 'm'))).toBe(false);
    expect(fits(port('a', 'm', { frame: 'N' }), port('b', 'm', { frame: 'B' }))).toBe(false);
    expect(fits(port('a', '1', { flow: 'event' }), port('b', 'm', { flow: 'event' }))).toBe(true);
  });
});

describe('places of the server', () => {
  it('count characters, not units', () => {
    const text = 'a\r\n😀 <b>\nc\rd';
    const starts = lineStarts(text);
    expect(starts).toEqual([0, 3, 10, 12]);
    expect(rangeOf(text, starts, { line: 2, column: 4, length: 1 })).toEqual({ from: 7, to: 8 });
    expect(rangeOf(text, starts, { line: 9, column: 1 })).toBeNull();
    expect(rangeOf(text, starts, {})).toBeNull();
  });

  it('become changes where the text is what the server saw', () => {
    const text = '<systm id="a" x="1 &lt; 2"/>';
    const starts = lineStarts(text);
    const fix = { file: 'f', line: 1, column: 2, length: 5, text: 'system' };
    expect(changesOf(text, starts, [fix])).toEqual([{ from: 1, to: 6, insert: 'system' }]);
    expect(changesOf(text, starts, [{ ...fix, column: 18, length: 8 }])).toBeNull();
    expect(changesOf(text, starts, [{ ...fix, line: 3 }])).toBeNull();
    const delay = { file: 'f', line: 1, column: 7, length: 0, text: ' delay="1 tick"' };
    expect(changesOf(text, starts, [delay])).toEqual([{ from: 6, to: 6, insert: ' delay="1 tick"' }]);
    expect(changesOf('<systm delay="0"/>', [0], [delay])).toBeNull();
    expect(fixLabel({ severity: 'error', code: '', message: '', fix: [fix] })).toBe('Replace by system');
    expect(fixLabel({ severity: 'error', code: '', message: '', fix: [delay] })).toBe('Insert delay="1 tick"');
  });
});
