import type { Parameter } from '../protocol/messages';

/** A parameter of one number, split from the unit that its value may carry: "600 km", 0.2, [1]. */
export interface Scalar {
  value: number;
  text: string; // as the document writes it
  unit: string;
}

export function scalarOf(p: Pick<Parameter, 'value' | 'unit'>): Scalar | undefined {
  if (typeof p.value === 'number') return { value: p.value, text: String(p.value), unit: p.unit };
  if (Array.isArray(p.value)) return p.value.length === 1 ? { value: p.value[0], text: String(p.value[0]), unit: p.unit } : undefined;
  const [number, unit, ...more] = p.value.trim().split(/\s+/);
  const value = Number(number || 'x');
  if (!Number.isFinite(value) || more.length > 0 || (unit !== undefined && Number.isFinite(Number(unit)))) return undefined;
  return { value, text: number, unit: unit ?? p.unit };
}

/** Values that are not one number, as text to edit. */
export function textOf(p: Pick<Parameter, 'value'>): string {
  return Array.isArray(p.value) ? p.value.join(' ') : String(p.value);
}

/** Where a slider begins and ends: around the default, including zero on the side that the value is not. */
export function rangeAround(value: number): [number, number] {
  if (value === 0) return [-1, 1];
  return value > 0 ? [0, 2 * value] : [2 * value, 0];
}

/** A step of a slider: a two-hundredth of the range, on round numbers. */
export function stepOf([low, high]: [number, number]): number {
  return 10 ** Math.floor(Math.log10((high - low) / 200));
}

/** A setting as `--set` reads it. */
export function setting(path: string, value: string, unit: string): string {
  return unit === '' || unit === '1' ? `${path}=${value}` : `${path}=${value} ${unit}`;
}
