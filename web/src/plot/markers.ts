import type uPlot from 'uplot';
import type { RunEvent } from '../protocol/messages';
import { after, notBefore } from '../data/decimate';
import type { Look } from './options';

/** Events as dotted lines with a mark at the top; late frames as ! at the bottom. At most one of a kind per pixel. */
export function drawMarkers(u: uPlot, events: RunEvent[], l: Look): void {
  if (events.length === 0) return;
  const { ctx, bbox } = u;
  const times = events.map((e) => e.time);
  const ratio = devicePixelRatio;
  const drawn = new Set<string>();
  ctx.save();
  ctx.lineWidth = ratio;
  ctx.font = l.font.replace(/^\d+/, String(Math.round(0.85 * l.rem * ratio)));
  ctx.textAlign = 'center';
  for (let i = notBefore(times, u.scales.x.min ?? 0); i < after(times, u.scales.x.max ?? 0); ++i) {
    const late = events[i].kind === 'late';
    const x = Math.round(u.valToPos(times[i], 'x', true));
    const key = `${late}${Math.round(x / ratio)}`;
    if (drawn.has(key)) continue;
    drawn.add(key);
    ctx.strokeStyle = late ? l.bad : events[i].warning ? l.note : l.line;
    ctx.fillStyle = ctx.strokeStyle;
    if (late) {
      ctx.fillText('!', x, bbox.top + bbox.height - 3 * ratio);
      continue;
    }
    ctx.setLineDash([2 * ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x - 4 * ratio, bbox.top);
    ctx.lineTo(x + 4 * ratio, bbox.top);
    ctx.lineTo(x, bbox.top + 6 * ratio);
    ctx.fill();
  }
  ctx.restore();
}
