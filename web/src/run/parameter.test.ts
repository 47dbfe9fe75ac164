import { expect, it } from 'vitest';
import { rangeAround, scalarOf, setting, stepOf } from './parameter';

it('finds the number and the unit of a value', () => {
  expect(scalarOf({ value: '600 km', unit: 'm' })).toEqual({ value: 600, text: '600', unit: 'km' });
  expect(scalarOf({ value: '-1e-3', unit: 's' })).toEqual({ value: -0.001, text: '-1e-3', unit: 's' });
  expect(scalarOf({ value: 2, unit: '1' })).toEqual({ value: 2, text: '2', unit: '1' });
  for (const value of ['1377e-6 1623e-6 1569e-6 kg*m^2', '1 2', 'file.csv', '', [1, 2]])
    expect(scalarOf({ value, unit: '' })).toBeUndefined();
});

it('puts sliders around the value, on round steps', () => {
  expect([rangeAround(0.1), rangeAround(-2), rangeAround(0)]).toEqual([
    [0, 0.2],
    [-4, 0],
    [-1, 1],
  ]);
  expect(stepOf([0, 0.2])).toBeCloseTo(0.001, 12);
  expect(setting('a.b', '3', 'km')).toBe('a.b=3 km');
  expect(setting('a.b', '3', '1')).toBe('a.b=3');
});
