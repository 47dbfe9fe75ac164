import uPlot from 'uplot';
import { merge, type Merged } from '../data/merge';
import type { Reduced } from '../data/decimate';
import type { RunEvent } from '../protocol/messages';
import type { CurveInfo } from './curves';
import { axis, axisLabel, greyLine, line, look, padded, unitsOf } from './options';
import { drawMarkers } from './markers';

export interface TimePlotActions {
  zoom(range: [number, number]): void;
  reset(): void;
  hover(time: number | null): void;
  go(time: number): void;
}

/** Curves over time on a canvas. The page sets range and rows; the plot reports what the pointer does. */
export class TimePlot {
  readonly canvas: uPlot;
  #events: RunEvent[] = [];
  rows: Reduced[] = [];
  previous: Reduced[] = [];

  constructor(
    element: HTMLElement,
    readonly curves: CurveInfo[],
    readonly grey: CurveInfo[],
    width: number,
    height: number,
    private range: [number, number],
    actions: TimePlotActions,
  ) {
    const l = look();
    const stepped = uPlot.paths.stepped?.({ align: 1 });
    const units = unitsOf([...curves, ...grey]);
    let dragged = false;
    const options: uPlot.Options = {
      width,
      height,
      legend: { show: false },
      padding: [Math.round(0.5 * l.rem), units.length > 1 ? 0 : Math.round(0.9 * l.rem), 0, 0],
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false, dist: 4 } },
      scales: {
        x: { time: false, range: () => this.range },
        ...Object.fromEntries(units.map((u) => [`y ${u}`, { range: padded }])),
      },
      axes: [
        axis(l, 'x', 't  [s]', 2, true),
        ...units.map((u, k) => axis(l, `y ${u}`, axisLabel(curves.length > 0 ? curves : grey, u), k % 2 === 0 ? 3 : 1, k === 0)),
      ],
      series: [
        { label: 't' },
        ...grey.map((c) => greyLine(l, c, `y ${c.unit}`, stepped)),
        ...curves.map((c) => line(l, c, `y ${c.unit}`, stepped)),
      ],
      hooks: {
        setSelect: [
          (u) => {
            if (u.select.width < 4) return;
            dragged = true;
            const range: [number, number] = [u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')];
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            actions.zoom(range);
          },
        ],
        setCursor: [
          (u) => {
            const left = u.cursor.left ?? -1;
            actions.hover(left >= 0 ? u.posToVal(left, 'x') : null);
          },
        ],
        drawClear: [(u) => drawMarkers(u, this.#events, l)],
        ready: [
          (u) => {
            u.over.addEventListener('mousedown', () => (dragged = false));
            u.over.addEventListener('click', (e) => {
              if (!dragged) actions.go(u.posToVal(e.offsetX, 'x'));
            });
            u.over.addEventListener('dblclick', () => actions.reset());
          },
        ],
      },
    };
    this.canvas = new uPlot(options, [[], ...options.series.slice(1).map(() => [])] as unknown as uPlot.AlignedData, element);
  }

  draw(range: [number, number], grey: Reduced[], rows: Reduced[], events: RunEvent[]): void {
    this.range = range;
    this.rows = rows;
    this.previous = grey;
    this.#events = events;
    const merged: Merged = merge([...grey, ...rows]);
    this.canvas.setData(merged as unknown as uPlot.AlignedData, true);
  }

  /** Where the curves are, in the page's pixels relative to the plot's element. */
  box(): { left: number; top: number; width: number; height: number } {
    const { left, top, width, height } = this.canvas.bbox;
    const ratio = uPlot.pxRatio;
    return { left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio };
  }

  size(width: number, height: number): void {
    this.canvas.setSize({ width, height });
  }

  destroy(): void {
    this.canvas.destroy();
  }
}
