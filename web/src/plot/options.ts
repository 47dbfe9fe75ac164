import type uPlot from 'uplot';
import { dash, type CurveInfo } from './curves';

/** Colours and sizes of the page, as the canvas needs them. */
export interface Look {
  text: string;
  muted: string;
  grid: string;
  line: string;
  note: string;
  bad: string;
  previous: string;
  curves: string[];
  rem: number;
  font: string;
}

export function look(): Look {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const rem = parseFloat(style.fontSize);
  return {
    text: colour('text'),
    muted: colour('muted'),
    grid: colour('grid'),
    line: colour('line-strong'),
    note: colour('note'),
    bad: colour('bad'),
    previous: colour('previous'),
    curves: Array.from({ length: 8 }, (_, k) => colour(`curve-${k}`)),
    rem,
    font: `${Math.round(0.85 * rem)}px ${colour('font')}`,
  };
}

/** The units of the curves, in order: each has its own axis. */
export function unitsOf(curves: CurveInfo[]): string[] {
  return [...new Set(curves.map((c) => c.unit))];
}

function tick(v: number): string {
  const size = Math.abs(v);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return v.toExponential().replace('e+', 'e').replace(/-/g, '−');
  return String(Number(v.toPrecision(9))).replace('-', '−');
}

/** What an axis of one unit is called: the signal, where it is one, and its unit. */
export function axisLabel(curves: CurveInfo[], unit: string): string {
  const paths = [...new Set(curves.filter((c) => c.unit === unit).map((c) => c.path))];
  const name = paths.length === 1 ? paths[0] : '';
  return unit === '' ? name : name === '' ? unit : `${name}  [${unit}]`;
}

export function axis(l: Look, scale: string, label: string, side: 0 | 1 | 2 | 3, grid: boolean): uPlot.Axis {
  const horizontal = side === 0 || side === 2;
  return {
    scale,
    side,
    label,
    labelFont: l.font,
    labelSize: Math.round(1.35 * l.rem),
    labelGap: 0,
    font: l.font,
    size: Math.round((horizontal ? 1.6 : 4.4) * l.rem),
    gap: Math.round(0.3 * l.rem),
    space: Math.round((horizontal ? 6 : 2.6) * l.rem),
    stroke: l.muted,
    grid: { show: grid, stroke: l.grid, width: 1 },
    ticks: { show: false },
    border: { show: true, stroke: l.grid, width: 1 },
    values: (_, splits) => splits.map((v) => (v === null ? '' : tick(v))),
  };
}

export function line(l: Look, c: CurveInfo, scale: string, stepped: uPlot.Series.PathBuilder | undefined): uPlot.Series {
  return {
    scale,
    label: c.label,
    stroke: l.curves[c.style % l.curves.length],
    width: Math.max(1.5, l.rem / 9),
    dash: dash(c.style),
    points: { show: false },
    spanGaps: false,
    pxAlign: 0, // rounding to pixels makes staircases of dense rows
    ...(c.held && stepped ? { paths: stepped } : {}),
  };
}

/** The same curve of the previous run: grey, thin, with the same dashes. */
export function greyLine(l: Look, c: CurveInfo, scale: string, stepped: uPlot.Series.PathBuilder | undefined): uPlot.Series {
  return { ...line(l, c, scale, stepped), label: `${c.label}, previous run`, stroke: l.previous, width: Math.max(1.3, l.rem / 10) };
}

/** Range of values with a margin; one value alone gets a range around it. */
export function padded(_: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  if (low === high) {
    const around = Math.abs(low) > 0 ? 0.1 * Math.abs(low) : 1;
    return [low - around, high + around];
  }
  const margin = 0.06 * (high - low);
  return [low - margin, high + margin];
}
