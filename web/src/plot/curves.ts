import type { Figure, Signal } from '../protocol/messages';
import type { PlotSpec } from '../layout/layout';
import { unitText } from '../text/format';

/** One line of a plot. */
export interface CurveInfo {
  signal: number;
  element: number;
  path: string;
  label: string;
  unit: string;
  held: boolean;
  style: number; // colour and dashes
}

const mostCurves = 32;
const axisNames = ['x', 'y', 'z'];

export function elementLabel(signal: Pick<Signal, 'path' | 'count'>, element: number): string {
  return signal.count > 1 ? `${signal.path}[${element}]` : signal.path;
}

/** What a tooltip says about an element: x, y, z of a vector in a frame. */
export function elementName(signal: Signal, element: number): string {
  return signal.frame && signal.count === 3 ? `${axisNames[element]} in ${signal.frame}` : '';
}

/** The lines of a plot; `missing` names what this run does not have. */
export function curvesOf(
  plot: PlotSpec,
  signals: Signal[],
  figures: Figure[],
  number: (path: string) => number | undefined,
): { curves: CurveInfo[]; missing: string[] } {
  const figure = figures.find((f) => (f.title ?? f.name) === plot.title);
  const curves: CurveInfo[] = [];
  const missing: string[] = [];
  for (const ref of plot.curves) {
    const k = number(ref.path);
    const signal = k === undefined ? undefined : signals[k];
    if (k === undefined || !signal || (ref.element ?? 0) >= signal.count) {
      missing.push(ref.element === undefined ? ref.path : `${ref.path}[${ref.element}]`);
      continue;
    }
    const elements = ref.element === undefined ? Array.from({ length: signal.count }, (_, i) => i) : [ref.element];
    for (const element of elements) {
      if (curves.length >= mostCurves) break;
      curves.push({
        signal: k,
        element,
        path: signal.path,
        label: figure?.curves.find((c) => c.signal === k && c.element === element)?.label ?? elementLabel(signal, element),
        unit: unitText(signal.unit),
        held: signal.held || signal.scalar !== 'real',
        style: curves.length,
      });
    }
  }
  return { curves, missing };
}

export const dashes: number[][] = [[], [8, 3], [2, 2.5], [9, 3, 2, 3]];

/** Colours repeat after 8 curves, dashes after 4: together 32 look different. */
export function dash(style: number): number[] {
  return dashes[(style + Math.floor(style / 8)) % dashes.length];
}
