import { expect, it } from 'vitest';
import { arrowOf } from './arrows';
import type { Scene } from './format';

const body = (name: string, kind = 'part') => ({ name, kind, pose: [] }) as unknown as Scene['bodies'][number];
const scene = { version: 1, name: 'a', bodies: [body('Earth', 'planet'), body('plant', 'craft'), body('plant.bus'), body('plant.bus.wheel')] } as Scene;

it('is at the body that its path names, as exactly as it does', () => {
  expect(arrowOf({ path: 'plant.bus.rate', unit: 'rad/s', frame: 'B' }, scene)).toEqual({ name: 'plant.bus.rate', of: 'plant.bus', axes: 'plant.bus', by: { signal: 'plant.bus.rate', count: 3 }, unit: 'rad/s', role: 'rate' });
  expect(arrowOf({ path: 'plant.business', unit: 'N' }, scene)?.of).toBe('plant');
});

it('is at the craft where no body has its name, in the axes of the scene', () => {
  const a = arrowOf({ path: 'field.field', unit: 'T', frame: 'N' }, scene)!;
  expect([a.of, a.axes, a.role]).toEqual(['plant', undefined, 'field']);
});

it('is in the axes that its frame names', () => {
  const axes = (frame?: string) => arrowOf({ path: 'plant.momentum', unit: 'N*m*s', ...(frame ? { frame } : {}) }, scene)?.axes;
  expect([axes('B'), axes('bus'), axes('plant.bus.wheel'), axes('N'), axes()]).toEqual(['plant', 'plant.bus', 'plant.bus.wheel', undefined, undefined]);
});

it('needs a body', () => {
  expect(arrowOf({ path: 'a.b', unit: 'm' }, { ...scene, bodies: [body('Earth', 'planet')] })).toBeUndefined();
});
