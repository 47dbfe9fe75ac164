// Draws frames side by side on a canvas: each as the time that it spent, one part on the other.
import { period, segments, used, type Frame } from './frames';
import type { Look } from '../plot/options';

export interface StripView {
  frames: Frame[];
  from: number; // s
  to: number;
  parts: string[];
  selected: number | null; // number of a frame
  fit: boolean; // the scale is that of the time used, not of the budget
}

export interface Place {
  left: number;
  width: number;
  frame: Frame;
}

/** Where each frame is; bars reach to the next one. */
export function places(view: StripView, width: number): Place[] {
  const span = Math.max(view.to - view.from, 1e-12);
  const x = (t: number) => ((t - view.from) / span) * width;
  return view.frames.map((frame, k) => {
    const next = view.frames[k + 1];
    const end = next ? x(next.time) : Math.min(width, x(frame.time + period(frame)));
    const left = x(frame.time);
    return { left, width: Math.max(1, end - left), frame };
  });
}

/** The scale of the time used: the deadline and a little more, or the worst frame; with `fit` that alone. */
export function top(frames: Frame[], fit = false): number {
  let most = 0;
  for (const f of frames) most = Math.max(most, fit ? 0 : 1.12 * period(f), 1.05 * used(f));
  return most > 0 ? most : 1;
}

export function colour(kind: string, part: number, look: Look): string {
  if (kind === 'part') return look.curves[part % look.curves.length];
  return kind === 'wake' ? look.note : kind === 'held' ? look.muted : look.line;
}

export function drawStrip(canvas: HTMLCanvasElement, view: StripView, look: Look): void {
  const g = canvas.getContext('2d');
  if (!g) return;
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  g.scale(ratio, ratio);
  g.clearRect(0, 0, width, height);
  const most = top(view.frames, view.fit);
  const y = (s: number) => height - (s / most) * height;
  for (const place of places(view, width)) {
    let level = 0;
    let part = 0;
    const gap = place.width > 4 ? 1 : 0;
    for (const s of segments(place.frame, view.parts)) {
      g.fillStyle = colour(s.kind, part, look);
      if (s.kind === 'part') ++part;
      const low = y(level);
      level += Math.max(0, s.length);
      g.fillRect(place.left, y(level), Math.max(1, place.width - gap), Math.max(0, low - y(level)));
    }
    if (place.frame.late) {
      g.fillStyle = look.bad;
      g.beginPath();
      g.moveTo(place.left + place.width / 2, 9);
      g.lineTo(place.left + place.width / 2 - 5, 0);
      g.lineTo(place.left + place.width / 2 + 5, 0);
      g.fill();
    }
    if (place.frame.number === view.selected) {
      g.strokeStyle = look.text;
      g.lineWidth = 2;
      g.strokeRect(place.left, y(level), Math.max(3, place.width), height - y(level));
    }
  }
  const first = view.frames[0];
  if (!first) return;
  const deadline = y(period(first));
  if (deadline < 0) return;
  g.strokeStyle = look.bad;
  g.setLineDash([6, 4]);
  g.lineWidth = 1.5;
  g.beginPath();
  g.moveTo(0, deadline);
  g.lineTo(width, deadline);
  g.stroke();
  g.setLineDash([]);
  g.fillStyle = look.text;
  g.font = look.font;
  g.textAlign = 'right';
  g.fillText('deadline', width - 4, deadline - 4);
}
