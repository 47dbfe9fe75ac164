import type { Opened, Signal } from '../protocol/messages';
import type { PlotSpec, SignalRef } from './layout';

const mostPlots = 4;
const mostCurves = 8;

/** The plots of the document's figures; without any, the first signals that change continuously. */
export function defaultPlots(run: Pick<Opened, 'figures' | 'signals'>): PlotSpec[] {
  const plots: PlotSpec[] = [];
  for (const figure of run.figures.slice(0, mostPlots)) {
    const curves: SignalRef[] = [];
    for (const curve of figure.curves) {
      const signal = run.signals[curve.signal];
      if (signal) curves.push(signal.count > 1 ? { path: signal.path, element: curve.element } : { path: signal.path });
    }
    if (curves.length > 0) plots.push({ kind: 'time', curves: whole(curves, run.signals), title: figure.title ?? figure.name });
  }
  if (plots.length > 0) return plots;
  const continuous = run.signals.filter((s) => s.scalar === 'real' && !s.held && s.count <= mostCurves);
  const chosen = continuous.length > 0 ? continuous : run.signals.filter((s) => s.scalar !== 'event' && s.count <= mostCurves);
  return chosen.slice(0, 3).map((s) => ({ kind: 'time', curves: [{ path: s.path }] }));
}

/** All elements of one signal, in order, are that signal. */
function whole(curves: SignalRef[], signals: Signal[]): SignalRef[] {
  const path = curves[0].path;
  const count = signals.find((s) => s.path === path)?.count ?? 0;
  const all = curves.length === count && curves.every((c, k) => c.path === path && c.element === k);
  return all ? [{ path }] : curves;
}
